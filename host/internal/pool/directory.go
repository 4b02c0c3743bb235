package pool

import (
	"fmt"
	"os"
	"path/filepath"
)

// directory is the private directory of the pool, with a subdirectory for each engine. It
// contains a locked file. A directory without a lock was left by a host that was killed.
type directory struct {
	path string
	lock *os.File
}

const (
	directoryPattern = "slipstick-*"
	lockName         = "lock"
)

func newDirectory(parent string) (*directory, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(parent)
	d, err := makeDirectory(parent)
	if err != nil {
		d, err = makeDirectory(parent) // another host may have removed it before it was locked
	}
	return d, err
}

func makeDirectory(parent string) (*directory, error) {
	path, err := os.MkdirTemp(parent, directoryPattern)
	if err != nil {
		return nil, fmt.Errorf("make a directory for engine sockets: %w", err)
	}
	d := &directory{path: path}
	if err := checkSocketPath(path); err != nil {
		os.RemoveAll(path)
		return nil, err
	}
	if d.lock, err = lockFile(filepath.Join(path, lockName)); err != nil {
		os.RemoveAll(path)
		return nil, fmt.Errorf("lock the directory for engine sockets: %w", err)
	}
	return d, nil
}

func (d *directory) remove() error {
	err := os.RemoveAll(d.path)
	d.lock.Close()
	return err
}

// sweep removes the directories that dead hosts of the same user left in parent.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(parent, directoryPattern, lockName)) // the pattern is well formed
	for _, path := range left {
		if info, err := os.Lstat(filepath.Dir(path)); err != nil || !info.IsDir() {
			continue
		}
		if lock, err := lockFile(path); err == nil {
			os.RemoveAll(filepath.Dir(path))
			lock.Close()
		}
	}
}
