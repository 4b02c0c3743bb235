// Package faulty provides disks on which chosen operations fail. Tests use them to interrupt writers: see
// [Disk].
package faulty

import (
	"io"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/registry/store"
)

// Disk returns the option [store.Options.Disk] for a disk that calls before with each operation and its file, such
// as "fsync ID/blobs". The operation fails with the error of before.
func Disk(before func(step string) error) func(*os.Root) store.Disk {
	return func(root *os.Root) store.Disk { return disk{store.NewDisk(root), root, before} }
}

type disk struct {
	store.Disk
	root   *os.Root
	before func(step string) error
}

// step calls before for an operation on an open file.
func (d disk) step(operation string, f *os.File) error {
	name, err := filepath.Rel(d.root.Name(), f.Name())
	if err != nil {
		return err
	}
	return d.before(operation + " " + name)
}

func (d disk) Create(name string) (*os.File, error) {
	if err := d.before("create " + name); err != nil {
		return nil, err
	}
	return d.Disk.Create(name)
}

func (d disk) Write(f *os.File, from io.Reader) (int64, error) {
	if err := d.step("write", f); err != nil {
		return 0, err
	}
	return d.Disk.Write(f, from)
}

func (d disk) Sync(f *os.File) error {
	if err := d.step("fsync", f); err != nil {
		return err
	}
	return d.Disk.Sync(f)
}

func (d disk) Link(file, name string) error {
	if err := d.before("link " + name); err != nil {
		return err
	}
	return d.Disk.Link(file, name)
}

func (d disk) Mkdir(name string) error {
	if err := d.before("mkdir " + name); err != nil {
		return err
	}
	return d.Disk.Mkdir(name)
}

func (d disk) MkdirAll(name string) error {
	if err := d.before("mkdir " + name); err != nil {
		return err
	}
	return d.Disk.MkdirAll(name)
}

func (d disk) Rename(from, to string) error {
	if err := d.before("rename " + to); err != nil {
		return err
	}
	return d.Disk.Rename(from, to)
}

func (d disk) RemoveAll(name string) error {
	if err := d.before("remove " + name); err != nil {
		return err
	}
	return d.Disk.RemoveAll(name)
}
