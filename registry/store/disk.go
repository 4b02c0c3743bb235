package store

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
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

func (d disk) Create(name string) (*os.File, error) {
	return d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
}

func (d disk) Write(f *os.File, from io.Reader) (int64, error) { return io.Copy(f, from) }

func (d disk) Sync(f *os.File) error { return syncFile(f) }

func (d disk) Link(file, name string) error {
	return os.Link(file, filepath.Join(d.root.Name(), name))
}

func (d disk) Mkdir(name string) error { return d.root.Mkdir(name, 0o755) }

func (d disk) MkdirAll(name string) error { return d.root.MkdirAll(name, 0o755) }

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
