package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
	"github.com/slipstick/slipstick/registry/regular"
)

// purpose is the purpose for which a file is opened.
type purpose int

const (
	reading  purpose = iota // shared lock
	copying                 // shared lock, and a longer wait for it
	writing                 // within the maximum size
	sweeping                // may exceed the maximum size a little, because removing records needs some space before it frees space
)

// opened is an open file.
type opened struct {
	*bbolt.DB
	heads error // damage of one of the two heads: the last records can be missing
}

// open locks the file, calls do, and unlocks the file. If the content is not from bbolt, bbolt
// panics. If the file is too short, the processor faults. Both are damage: the file stays unusable
// until it is replaced.
func (f *File) open(p purpose, do func(opened) error) (err error) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.other = nil
		if other, ok := errors.AsType[*OtherFileError](err); ok {
			f.other = other
		}
	}()
	info, err := os.Stat(f.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	isNew := err != nil
	want, err := f.expected()
	switch {
	case err != nil:
		return err
	case isNew && want != "":
		return &OtherFileError{f, "is missing"}
	case !isNew && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", f.path)
	case !isNew && info.Size() == 0 && want != "":
		return &OtherFileError{f, "is empty"}
	}
	if isNew && p >= writing {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return err
		}
	}
	if err := f.damageOf(info); err != nil {
		return err
	}
	var file *os.File
	o := &bbolt.Options{
		Timeout: lockTimeout, ReadOnly: p < writing, NoStatistics: true,
		OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
			file, err = os.OpenFile(name, flag, mode)
			return file, err
		},
	}
	if p == copying {
		o.Timeout = copyTimeout
	}
	if p == writing {
		o.MaxSize = int(f.size)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if found := recover(); found != nil {
			_ = regular.Unlock(file) // the memory of the file stays mapped, and would keep the lock
			_ = file.Close()
			err = f.damage(info, fmt.Errorf("%v", found))
		}
	}()
	db, err := bbolt.Open(f.path, 0o600, o)
	if err != nil {
		return f.openError(info, err)
	}
	if err := f.checkLength(db, file); err != nil {
		_ = db.Close()
		return f.damage(info, err)
	}
	root, heads := readHeads(file, db.Info().PageSize)
	bad := checkTables(file, db.Info().PageSize, root)
	if p >= writing {
		bad = cmp.Or(bad, heads)
	}
	if bad != nil {
		_ = db.Close()
		return f.damage(info, bad)
	}
	err = f.recognize(db, p, want)
	if err == nil {
		err = do(opened{db, heads})
	}
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		err = fmt.Errorf("%s has its %d MiB: %w; allow more with --snapshots-max", f.path, f.size>>20, ErrFull)
	}
	err = errors.Join(err, db.Close())
	if isNew && err == nil {
		err = durable.SyncDir(filepath.Dir(f.path))
	}
	return err
}

// openError returns the error for a file that cannot be opened.
func (f *File) openError(info os.FileInfo, err error) error {
	var system syscall.Errno
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return fmt.Errorf("another process has %s", f.path)
	case info == nil || info.Size() == 0 || errors.As(err, &system):
		return err
	}
	return f.damage(info, err)
}

// checkLength returns an error if the file is shorter than its head states.
func (f *File) checkLength(db *bbolt.DB, file *os.File) error {
	return db.View(func(tx *bbolt.Tx) error {
		info, err := file.Stat()
		if err == nil && info.Size() < tx.Size() {
			err = fmt.Errorf("it has %d bytes of %d", info.Size(), tx.Size())
		}
		return err
	})
}

// damage stores that the file is damaged, and returns the error.
func (f *File) damage(info os.FileInfo, cause error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.damaged = info
	f.state = fmt.Errorf("%s is damaged: %w; put a backup in its place. %s", f.path, cause, f.newFileHint())
	return f.state
}

// damageOf returns the known damage of this file, if there is any.
func (f *File) damageOf(info os.FileInfo) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.damaged == nil {
		return nil
	}
	if info == nil || !os.SameFile(info, f.damaged) || !info.ModTime().Equal(f.damaged.ModTime()) {
		f.damaged, f.state = nil, nil // the file was replaced
	}
	return f.state
}
