package queue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/registry/regular"
)

// PathError means that a job names a file or directory that this worker must not use. Anyone who can
// write to the queue can choose the path.
type PathError struct {
	Path string
	Err  error
}

func (e *PathError) Error() string { return fmt.Sprintf("%q: %s", e.Path, e.Err) }
func (e *PathError) Unwrap() error { return e.Err }

var (
	errOutside = errors.New("it is in none of the directories that this worker may use; start the worker with --files DIR to allow another one")
	errLinked  = errors.New("it has another name elsewhere (a hard link), so it may be a file of another directory; copy it")
)

// checkRows returns nil if the path names a regular file in one of the directories, and the file has
// no other name. A pipe does not block it.
func checkRows(dirs []string, path string) error {
	root, name, err := rootOf(dirs, path)
	if err != nil {
		return err
	}
	defer root.Close()
	f, _, err := regular.Open(root, name)
	if err != nil {
		return &PathError{path, err}
	}
	links, err := regular.Links(f)
	err = errors.Join(err, f.Close())
	if err == nil && links > 1 {
		err = errLinked
	}
	if err != nil {
		return &PathError{path, err}
	}
	return nil
}

// makeDir creates a directory in one of the directories, unless it exists.
func makeDir(dirs []string, path string) error {
	root, name, err := rootOf(dirs, path)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(name, 0o777); err != nil {
		return &PathError{path, err}
	}
	dir, err := root.OpenRoot(name)
	if err != nil {
		return &PathError{path, err}
	}
	return dir.Close()
}

// rootOf opens the first of the directories that contains the path, and returns the path relative to
// it. The root refuses links that lead out of it.
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
			return nil, "", &PathError{path, err}
		}
		return root, name, nil
	}
	return nil, "", &PathError{path, errOutside}
}
