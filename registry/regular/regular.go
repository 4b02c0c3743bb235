// Package regular opens files that another process may replace at any time. Use [Open] or [Read]
// instead of os.Open and os.ReadFile in a directory that others can write to. Opening never waits
// for a pipe and never follows a link. Open opens the file first, and then checks its descriptor,
// which cannot be exchanged any more. [TryLock] locks an open file against other processes.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrSwapped means that a name was replaced at every attempt to open it.
var ErrSwapped = errors.New("it was exchanged while it was opened: find out who writes there")

// KindError means that a name is not a regular file, or not a directory.
type KindError struct {
	Want, Found fs.FileMode // types; zero is a regular file
}

// Error names the kind that was expected, and the kind that was found.
func (e *KindError) Error() string {
	if e.Want.IsDir() {
		return fmt.Sprintf("not a directory (%v)", e.Found)
	}
	return fmt.Sprintf("not a regular file (%v)", e.Found)
}

// SizeError means that a file has more bytes than the limit.
type SizeError struct{ Size, Limit int64 }

// Error names both sizes.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%d bytes, more than the %d that are read", e.Size, e.Limit)
}

// attempts is how often Open tries a name that is replaced by a rename between its steps.
// Publishers rename when a version becomes visible.
const attempts = 5

// Open opens a regular file below root for reading. Errors are fs.ErrNotExist, a [*KindError],
// [ErrSwapped], or an error of the system.
func Open(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	for range attempts {
		named, err := root.Lstat(name)
		if err != nil {
			return nil, nil, err
		}
		if !named.Mode().IsRegular() { // most names of other kinds need not be opened
			return nil, nil, &KindError{Found: named.Mode().Type()}
		}
		f, err := root.OpenFile(name, os.O_RDONLY|WithoutWaiting, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		opened, same, err := judge(root, name, f)
		if same {
			return f, opened, nil
		}
		f.Close()
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, ErrSwapped
}

// judge checks the opened file: it must be a regular file, and still have the name. The second
// check is needed because the system would have followed a link.
func judge(root *os.Root, name string, f *os.File) (opened fs.FileInfo, same bool, err error) {
	opened, err = f.Stat()
	if err != nil {
		return nil, false, err
	}
	if !opened.Mode().IsRegular() {
		return nil, false, &KindError{Found: opened.Mode().Type()}
	}
	named, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return opened, err == nil && os.SameFile(opened, named), err
}

// OpenDir opens a directory below root, to be the root of its content. Errors are the same as
// in [Open].
func OpenDir(root *os.Root, name string) (*os.Root, error) {
	for range attempts {
		named, err := root.Lstat(name)
		if err != nil {
			return nil, err
		}
		if !named.IsDir() {
			return nil, &KindError{Want: fs.ModeDir, Found: named.Mode().Type()}
		}
		dir, err := root.OpenRoot(inside(name))
		if err != nil {
			if now, lost := root.Lstat(name); lost != nil || !now.IsDir() {
				continue // the next attempt finds the new kind
			}
			return nil, err
		}
		opened, err := dir.Stat(".")
		if err == nil {
			named, err = root.Lstat(name)
			if err == nil && os.SameFile(opened, named) {
				return dir, nil
			}
		}
		dir.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, ErrSwapped
}

// Root opens a directory by its path, which may lead through links. It does not wait if the
// path is a pipe.
func Root(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(inside(dir))
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = dir
	}
	return root, err
}

// inside returns a name in the directory that the system resolves only if dir is a directory.
// Opening a pipe would wait for a writer.
func inside(dir string) string { return dir + string(filepath.Separator) + "." }

// Read returns the content of a regular file of at most limit bytes. Errors are the same as in
// [Open], and a [*SizeError].
func Read(file string, limit int64) ([]byte, error) {
	root, err := Root(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := Open(root, filepath.Base(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, fmt.Errorf("%s: %w", file, &SizeError{info.Size(), limit})
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if size := int64(len(data)); size > limit { // it grew
		return nil, fmt.Errorf("%s: %w", file, &SizeError{size, limit})
	}
	return data, nil
}
