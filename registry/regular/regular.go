// Package regular opens files that somebody else may replace at any moment. Opening never
// waits and never goes through a link: the file is opened first, and then its descriptor,
// which nobody can exchange any more, is judged.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrSwapped is that a name never stood still: whenever it was opened, it had become the
// name of something else meanwhile.
var ErrSwapped = errors.New("it was exchanged while it was opened: find out who writes there")

// KindError is that a name is not that of a regular file, or not that of a directory.
type KindError struct {
	Want, Found fs.FileMode // types; zero is a regular file
}

func (e *KindError) Error() string {
	if e.Want.IsDir() {
		return fmt.Sprintf("not a directory (%v)", e.Found)
	}
	return fmt.Sprintf("not a regular file (%v)", e.Found)
}

// SizeError is that a file has more bytes than are read.
type SizeError struct{ Size, Limit int64 }

func (e *SizeError) Error() string {
	return fmt.Sprintf("%d bytes, more than the %d that are read", e.Size, e.Limit)
}

// attempts is how often a name is opened that was renamed over in between, which is what
// publishers do when a version becomes visible.
const attempts = 5

// Open opens a regular file below root for reading. Errors are fs.ErrNotExist, a
// [*KindError], [ErrSwapped], or what the system says.
func Open(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	for range attempts {
		named, err := root.Lstat(name)
		if err != nil {
			return nil, nil, err
		}
		if !named.Mode().IsRegular() { // most things that are none need not be touched
			return nil, nil, &KindError{Found: named.Mode().Type()}
		}
		f, err := root.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
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

// judge looks at what was opened: whether it is a regular file and, since a link would
// have been followed, whether the name is still its own.
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

// OpenDir opens a directory below root, to be the root of what is in it. Errors are as
// those of [Open].
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
				continue // it is told what it has become
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

// Root opens a directory by its path, which may lead through links. It does not wait if
// it is a pipe.
func Root(dir string) (*os.Root, error) {
	root, err := os.OpenRoot(inside(dir))
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = dir
	}
	return root, err
}

// inside is the name of a directory in which it must be one for the system to go on: the
// opening of a pipe would wait for somebody who writes to it.
func inside(dir string) string { return dir + string(filepath.Separator) + "." }

// Read returns what is in a regular file of at most limit bytes. Errors are as those of
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
