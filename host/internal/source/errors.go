package source

import (
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/registry/lockfile"
)

// SettingError reports a setting, or a file that it names, that cannot be used. The operator
// must change it.
type SettingError struct{ Err error }

func (e *SettingError) Error() string { return e.Err.Error() }
func (e *SettingError) Unwrap() error { return e.Err }

// LockError reports locked versions that cannot be served as they are locked.
type LockError struct {
	Missing []lockfile.Difference // at least one
}

func (e *LockError) Error() string {
	lines := make([]string, len(e.Missing))
	for i, d := range e.Missing {
		lines[i] = d.String()
	}
	return fmt.Sprintf("of what is locked %s cannot be served as locked:\n  %s\nRestore them in the registry, or lock what is there with slipstick lock",
		count(len(e.Missing), "version"), strings.Join(lines, "\n  "))
}

// LogError reports that the log of the registry is not accepted.
type LogError struct{ Err error }

func (e *LogError) Error() string { return fmt.Sprintf("the registry is not served: %v", e.Err) }
func (e *LogError) Unwrap() error { return e.Err }

// count returns a number with its noun: 1 version, 2 versions.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
