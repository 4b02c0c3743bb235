package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/slipstick/slipstick/registry/regular"
)

// A PlaceError means that a job names a file or directory that this worker does not use, because
// anyone who can write to the queue chose it.
type PlaceError struct {
	Path string
	Err  error
}

func (e *PlaceError) Error() string { return fmt.Sprintf("%q: %s", e.Path, e.Err) }
func (e *PlaceError) Unwrap() error { return e.Err }

var (
	errOutside = errors.New("it is in none of the directories that this worker may use; start the worker with --files DIR to allow another one")
	errLinked  = errors.New("it has another name elsewhere (a hard link), so it may be a file of another directory; copy it")
)

// rowsIn returns nil if the path is that of a regular file in one of the directories, by each of its
// names. A pipe does not block it.
func rowsIn(dirs []string, path string) error {
	root, name, err := rootOf(dirs, path)
	if err != nil {
		return err
	}
	defer root.Close()
	f, info, err := regular.Open(root, name)
	if err != nil {
		return &PlaceError{path, err}
	}
	if err := f.Close(); err != nil {
		return &PlaceError{path, err}
	}
	if names(info) > 1 {
		return &PlaceError{path, errLinked}
	}
	return nil
}

// names is how many names a file has.
func names(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}

// makeIn makes a directory in one of the directories, unless it is there.
func makeIn(dirs []string, path string) error {
	root, name, err := rootOf(dirs, path)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(name, 0o777); err != nil {
		return &PlaceError{path, err}
	}
	dir, err := root.OpenRoot(name)
	if err != nil {
		return &PlaceError{path, err}
	}
	return dir.Close()
}

// rootOf opens the first of the directories that has the path, and returns the path in it. The root
// refuses links that lead out of it.
func rootOf(dirs []string, path string) (*os.Root, string, error) {
	for _, dir := range dirs {
		if !filepath.IsAbs(path) {
			break
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(name) {
			continue
		}
		root, err := regular.Root(dir)
		if err != nil {
			return nil, "", &PlaceError{path, err}
		}
		return root, name, nil
	}
	return nil, "", &PlaceError{path, errOutside}
}
