package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A Confiner restricts what engine processes may do. Without one, an engine has all rights of the
// server.
type Confiner interface {
	// Confine prepares the start of one process.
	Confine(*Start) (*Confined, error)
}

// Start is a process that is about to be started. A Confiner may change every part of the
// command. The engine finds Command.ExtraFiles from descriptor 3 on.
type Start struct {
	Command     *exec.Cmd // path, arguments, environment and working directory are set; it has no stdin
	Program     *os.File  // the executable; on Linux its content can no longer change
	Dir         string    // directory of this process alone, in which it creates its socket
	ReadOnly    []string  // paths of the system that the engine needs to read, as its release declares
	LowPriority bool      // it gives way to other engines
}

// Confined has the functions that the server needs for a confined process.
type Confined struct {
	// Reach returns the path by which the server can connect to a socket of the process. The
	// argument path is the engine's claim, so it must not be trusted: the error refuses a path
	// outside the engine's directory.
	Reach func(pid int, path string) (string, error)

	// Release frees the resources of the confinement. It is called after the process has
	// ended, or instead of its start.
	Release func()
}

// unconfined restricts nothing. It checks only that the socket is in the directory of the
// process.
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
