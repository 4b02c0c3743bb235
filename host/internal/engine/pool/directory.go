package pool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry/regular"
)

// directory is the private directory of the pool, with a subdirectory for each process. It is
// locked while the pool lives. So no other server removes it as abandoned, and systemd-tmpfiles
// does not clean it. A cleaner that ignores locks can remove it; ensure makes it again.
type directory struct {
	named string   // the parent, as configured
	home  *os.File // the parent that the pool was made in

	mu   sync.Mutex // guards what follows
	path string
	lock *os.File // the directory itself, locked
}

const (
	directoryPattern = "slipstick-*"
	formerLock       = "lock" // a file in it that earlier servers locked instead
)

func newDirectory(parent string) (*directory, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	home, err := os.Open(parent)
	if err != nil {
		return nil, fmt.Errorf("open the directory for temporary files: %w", err)
	}
	sweep(parent)
	d := &directory{named: parent, home: home}
	if err := d.make(parent); err != nil {
		home.Close()
		return nil, err
	}
	return d, nil
}

// makeTries is how often make tries: another server that sweeps can remove a directory between
// its creation and its lock.
const makeTries = 3

// make makes a locked directory in the parent. Its name is random and new, so no other user can
// have made it before.
func (d *directory) make(parent string) error {
	var failed error
	for range makeTries {
		path, err := os.MkdirTemp(parent, directoryPattern)
		if err != nil {
			return fmt.Errorf("make a directory for engine sockets: %w", err)
		}
		if err := checkSocketPath(path); err != nil {
			os.Remove(path)
			return err
		}
		lock, err := lockDirectory(path)
		if err == nil {
			d.path, d.lock = path, lock
			return nil
		}
		failed = fmt.Errorf("lock the directory for engine sockets: %w", err)
	}
	return failed
}

// ensure returns the path of the directory. If the directory was removed, it makes another one.
// The error wraps [process.ErrMachine], because no engine is at fault.
func (d *directory) ensure() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if same(d.lock, d.path) {
		return d.path, nil
	}
	parent, err := d.parent()
	if err == nil {
		former := d.lock
		err = d.make(parent)
		if err == nil {
			former.Close()
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w: the directory for engine sockets was removed: %w", process.ErrMachine, err)
	}
	return d.path, nil
}

// same reports whether the path is the open file itself, not a link to it.
func same(f *os.File, path string) bool {
	at, err := os.Lstat(path)
	is, failed := f.Stat()
	return err == nil && failed == nil && os.SameFile(at, is)
}

// parent returns the directory in which another private directory can be made. If the configured
// parent was removed, it is made again. A parent that the pool was not made in must be one that
// no other user can change.
func (d *directory) parent() (string, error) {
	if err := os.MkdirAll(d.named, 0o700); err != nil {
		return "", err
	}
	at, err := os.Stat(d.named)
	if err != nil {
		return "", err
	}
	if was, err := d.home.Stat(); err == nil && os.SameFile(at, was) {
		return d.named, nil
	}
	path, err := filepath.EvalSymlinks(d.named)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", err
	}
	return path, checkPrivate(path)
}

// checkPrivate returns an error if a user other than root can replace the directory or its content.
func checkPrivate(path string) error {
	for dir := path; ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		sticky := info.Mode()&fs.ModeSticky != 0
		if !info.IsDir() || !owned(info) || regular.Permits(info, 0o022) != 0 && !sticky {
			return fmt.Errorf("%s was replaced while the server ran, and another user can change %s: make it a directory of this user with mode 700", path, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func (d *directory) remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !same(d.lock, d.path) {
		return errors.Join(d.lock.Close(), d.home.Close())
	}
	return errors.Join(removeLocked(d.lock, d.path), d.home.Close())
}

// sweep removes the directories that servers of the same user left in parent when they were
// killed.
func sweep(parent string) {
	found, _ := filepath.Glob(filepath.Join(parent, directoryPattern)) // the pattern is well formed
	for _, path := range found {
		_, random, _ := strings.Cut(filepath.Base(path), "-")
		if info, err := os.Lstat(path); err != nil || !info.IsDir() || !owned(info) || strings.Trim(random, "0123456789") != "" {
			continue // other commands have directories named slipstick-WORD-NUMBER
		}
		removeAbandoned(path)
	}
}
