package source

import (
	"fmt"
	"strings"
)

// SettingError says that a setting cannot be used, or a file that it names: the operator
// has to change it.
type SettingError struct{ Err error }

func (e *SettingError) Error() string { return e.Err.Error() }
func (e *SettingError) Unwrap() error { return e.Err }

// LockError says that locked versions cannot be served as they are locked.
type LockError struct {
	Missing []string // a line for each version, which says why
}

func (e *LockError) Error() string {
	return fmt.Sprintf("of what is locked %s cannot be served as locked:\n  %s\nRestore them in the registry, or lock what is there with slipstick lock",
		count(len(e.Missing), "version"), strings.Join(e.Missing, "\n  "))
}

// CheckpointError says that the registry, or the checkpoint itself, is not accepted.
type CheckpointError struct {
	File string
	Err  error
}

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("the checkpoint %s is not met: %v", e.File, e.Err)
}
func (e *CheckpointError) Unwrap() error { return e.Err }

// count says how many there are of something: 1 version, 2 versions.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
