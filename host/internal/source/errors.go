package source

import (
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/registry/lockfile"
)

// SettingError means that a setting, or a file that it names, cannot be used. The operator must change
// the setting.
type SettingError struct{ Err error }

func (e *SettingError) Error() string { return e.Err.Error() }
func (e *SettingError) Unwrap() error { return e.Err }

// LockError means that the registry does not have all locked versions with their locked digests.
type LockError struct {
	Missing []lockfile.Difference // at least one
}

func (e *LockError) Error() string {
	lines := make([]string, len(e.Missing))
	for i, d := range e.Missing {
		lines[i] = d.String()
	}
	return fmt.Sprintf("the registry does not have %s as locked:\n  %s\nRestore them in the registry, or lock its present versions with slipstick lock",
		count(len(e.Missing), "version"), strings.Join(lines, "\n  "))
}

// LogError means that the transparency log of the registry is not accepted.
type LogError struct{ Err error }

func (e *LogError) Error() string { return fmt.Sprintf("the registry is not served: %v", e.Err) }
func (e *LogError) Unwrap() error { return e.Err }

// count returns a number with its noun, such as 1 version or 2 versions.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
