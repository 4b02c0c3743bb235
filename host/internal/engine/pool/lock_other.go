//go:build !unix

package pool

import (
	"io/fs"
	"os"
)

// lockDirectory opens a directory. This system has no flock.
func lockDirectory(path string) (*os.File, error) { return os.Open(path) }

// lockedBefore reports true: without locks, no directory counts as abandoned.
func lockedBefore(string) bool { return true }

func owned(fs.FileInfo) bool { return true }
