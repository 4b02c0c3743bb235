// Package durable writes files that are complete or absent, also after a power failure. Use
// [Replace] if only the newest file matters, and [Create] if an existing file must stay.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// partial is the suffix of files that are not complete. Their names start with a dot.
const partial = ".partial"

// Replace writes a file, in place of an older one if there is one. If the error is nil, content and name are on disk.
// Permissions are subject to the umask. A device, a pipe and a socket are refused and stay.
func Replace(name string, permissions fs.FileMode, content func(*os.File) error) error {
	return write(name, permissions, content, os.Rename)
}

// Create writes a file as [Replace] does, but never replaces one. If the file exists, the error
// wraps [fs.ErrExist]. It needs a file system with hard links.
func Create(name string, permissions fs.FileMode, content func(*os.File) error) error {
	return write(name, permissions, content, os.Link)
}

// Bytes writes data as the content of a file.
func Bytes(data []byte) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}
}

func write(name string, permissions fs.FileMode, content func(*os.File) error, place func(from, to string) error) error {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() { // a rename would replace a device such as /dev/null
		return fmt.Errorf("%s is not a regular file: name a file", name)
	}
	dir, base := filepath.Split(name)
	temp := filepath.Join(dir, "."+base+"."+rand.Text()+partial)
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_RDWR, permissions)
	if err != nil {
		return err
	}
	defer os.Remove(temp) // if it was not renamed
	err = content(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return err
	}
	if err := place(temp, name); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir writes the names in a directory to disk, if the system supports that.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// Sweep removes incomplete files that killed processes left, of all names in the directory that start with the prefix.
// Nothing else may write such files at the same time.
func Sweep(dir, prefix string) error {
	names, err := filepath.Glob(filepath.Join(glob.Replace(dir), "."+glob.Replace(prefix)+".*"+partial))
	for _, name := range names {
		if one := os.Remove(name); !errors.Is(one, fs.ErrNotExist) {
			err = errors.Join(err, one)
		}
	}
	return err
}

var glob = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
