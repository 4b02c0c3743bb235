package store

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipstick/slipstick/registry/regular"
)

// Replace replaces a file atomically, or creates it. The new content is on disk when Replace
// returns. Replace makes the directory if there is none.
func Replace(name string, data []byte) error {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return err
	}
	if err := makeDir(dir); err != nil {
		return err
	}
	root, err := regular.Root(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if old, err := regular.Read(name, int64(len(data))); err == nil && bytes.Equal(old, data) {
		return nil
	}
	w := &Writer{root: root, disk: NewDisk(root)}
	temp := "." + filepath.Base(name) + "." + rand.Text() // random, so that the file of a writer that was killed is not in the way
	err = w.write(temp, data)
	if err == nil {
		err = w.disk.Rename(temp, filepath.Base(name))
	}
	if err != nil {
		return errors.Join(err, w.disk.RemoveAll(temp))
	}
	return w.sync(".")
}

// ReplaceJSON replaces a file by the value as JSON, as [Replace] does.
func ReplaceJSON(name string, value any, indent string) error {
	data, err := json.MarshalIndent(value, "", indent)
	if err != nil {
		return err
	}
	return Replace(name, append(data, '\n'))
}

// makeDir makes a directory and its parents, and puts their names on disk.
func makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	made := os.Mkdir(dir, 0o755)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return made
	}
	f, err := os.Open(parent)
	if err != nil {
		return err
	}
	if made == nil {
		err = keepOwner(dir, f)
	}
	return errors.Join(err, syncFile(f), f.Close())
}

// keepOwner gives a new directory the owner of its parent, so that root can make it for a server.
func keepOwner(dir string, parent *os.File) error {
	of, err := parent.Stat()
	if err != nil {
		return err
	}
	root, err := regular.Root(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	regular.KeepOwner(f, of)
	return f.Close()
}
