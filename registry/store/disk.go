package store

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/slipstick/slipstick/registry/regular"
)

// Disk changes files below the directory of a store. A [Writer] makes all changes through its Disk.
// Names are relative to the directory.
type Disk interface {
	Create(name string) (*os.File, error)                  // makes a new file
	Write(f *os.File, from io.Reader) (n int64, err error) // appends to a file
	Sync(f *os.File) error                                 // puts the bytes of a file, or the names in a directory, on disk
	Link(file, name string) error                          // gives a file that can be outside of the directory a second name
	Mkdir(name string) error
	MkdirAll(name string) error
	Rename(from, to string) error
	RemoveAll(name string) error
}

// NewDisk returns the Disk of a directory.
func NewDisk(root *os.Root) Disk { return disk{root} }

type disk struct{ root *os.Root }

func (d disk) Create(name string) (*os.File, error) { return create(d.root, name) }

func (d disk) Write(f *os.File, from io.Reader) (int64, error) { return io.Copy(f, from) }

func (d disk) Sync(f *os.File) error { return syncFile(f) }

func (d disk) Link(file, name string) error {
	return os.Link(file, filepath.Join(d.root.Name(), name))
}

func (d disk) Mkdir(name string) error {
	if err := d.root.Mkdir(name, 0o755); err != nil {
		return err
	}
	f, err := d.root.Open(name + "/.") // a pipe would make it wait
	if err != nil {
		return err
	}
	return errors.Join(adopt(d.root, f), f.Close())
}

func (d disk) MkdirAll(name string) error {
	if info, err := d.root.Stat(name); err == nil && info.IsDir() {
		return nil
	}
	if parent := path.Dir(name); parent != "." {
		if err := d.MkdirAll(parent); err != nil {
			return err
		}
	}
	return d.Mkdir(name)
}

func (d disk) Rename(from, to string) error { return d.root.Rename(from, to) }

func (d disk) RemoveAll(name string) error { return d.root.RemoveAll(name) }

// syncFile puts the bytes of a file, or the names in a directory, on disk. Windows has no call for names.
func syncFile(f *os.File) error {
	if runtime.GOOS == "windows" {
		if info, err := f.Stat(); err != nil || info.IsDir() {
			return err
		}
	}
	return f.Sync()
}

// create makes a new file for writing.
func create(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := adopt(root, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// adopt gives a new file or directory the owner of the root. All users that can read the root can read it, and only the
// owner can write to it. Without that, a server cannot read the files of an administrator with a strict umask.
func adopt(root *os.Root, f *os.File) error {
	if runtime.GOOS == "windows" { // where a new file has the access list of its directory
		return nil
	}
	dir, err := root.Stat(".")
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	permissions := dir.Mode().Perm()&0o444 | 0o600
	if info.IsDir() {
		permissions = dir.Mode().Perm()&0o555 | 0o700
	}
	if info.Mode().Perm() != permissions {
		_ = f.Chmod(info.Mode()&os.ModeSetgid | permissions) // some file systems have no permissions
	}
	regular.KeepOwner(f, dir)
	return nil
}
