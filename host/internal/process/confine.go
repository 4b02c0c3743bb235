package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A Confiner confines engine processes. Without one an engine may do what the host
// may.
type Confiner interface {
	// Confine prepares the start of one process.
	Confine(*Start) (*Confined, error)
}

// Start is a process that is about to be started. A Confiner may change every part
// of the command; the engine finds Command.ExtraFiles from descriptor 3 on.
type Start struct {
	Command  *exec.Cmd // path, arguments, environment, working directory; no stdin
	Program  *os.File  // the executable; on Linux it cannot change any more
	Dir      string    // private to the process, where it makes its socket
	ReadOnly []string  // what the engine needs to read of the system, as its release declares
}

// Confined is what the host has to know of a confined process.
type Confined struct {
	// Reach returns the path by which the host reaches a socket of the process, or
	// why it must not. The path is the engine's claim.
	Reach func(pid int, path string) (string, error)

	// Release gives back what the confinement holds. The process has ended, or was
	// never started.
	Release func()
}

// unconfined lets the process use its directory and checks only that its socket is
// there.
func unconfined(s *Start) *Confined {
	return &Confined{
		Reach: func(_ int, path string) (string, error) {
			if filepath.Dir(filepath.Clean(path)) != filepath.Clean(s.Dir) {
				return "", fmt.Errorf("engine announced the socket %.100q: it must be in its own directory", path)
			}
			return path, nil
		},
		Release: func() {},
	}
}
