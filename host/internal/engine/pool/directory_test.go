package pool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// does fails the test if there is an error.
func does(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

const otherUser = 12345

// A directory that was removed is made again, in its parent or in a parent that no other user can
// change. The pool never uses a directory that another program has made.
func TestDirectoryIsMadeAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(parent, path string) error
		fault  string // "" if there is another directory
		root   bool   // only root can make the change
	}{
		"removed": {func(_, path string) error { return os.RemoveAll(path) }, "", false},
		"made by another program": {func(_, path string) error {
			return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o700))
		}, "", false},
		"a link to another directory": {func(parent, path string) error {
			return errors.Join(os.Rename(path, parent+"/away"), os.Symlink(parent+"/away", path))
		}, "", false},
		"removed with its parent":       {func(parent, _ string) error { return os.RemoveAll(parent) }, "", false},
		"the parent came back":          {func(parent, _ string) error { return errors.Join(os.RemoveAll(parent), os.Mkdir(parent, 0o755)) }, "", false},
		"the parent came back, sticky":  {func(parent, _ string) error { return remade(parent, 0o777|os.ModeSticky, 0) }, "", false},
		"the parent came back, for all": {func(parent, _ string) error { return remade(parent, 0o777, 0) }, "another user can change", false},
		"the parent of another user":    {func(parent, _ string) error { return remade(parent, 0o755, otherUser) }, "another user can change", true},
		"below the directory of another user": {func(parent, _ string) error {
			away := parent + "-theirs"
			return errors.Join(os.RemoveAll(parent), os.Mkdir(away, 0o755), os.Mkdir(away+"/d", 0o700), os.Symlink(away+"/d", parent), os.Chown(away, otherUser, otherUser))
		}, "another user can change", true},
		"the parent became a file": {func(parent, _ string) error {
			return errors.Join(os.RemoveAll(parent), os.WriteFile(parent, nil, 0o600))
		}, "not a directory", false},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.root && os.Geteuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			parent := filepath.Join(enginetest.ShortDir(t), "tmp")
			does(t, os.Mkdir(parent, 0o777))
			does(t, os.Chmod(parent, 0o777)) // where the operator put it, it is trusted
			d, err := newDirectory(parent)
			does(t, err)
			first := d.path
			if path, err := d.ensure(); path != first || err != nil {
				t.Errorf("before: %s, %v", path, err)
			}
			does(t, tt.change(parent, first))
			path, err := d.ensure()
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) || !errors.Is(err, process.ErrMachine) {
					t.Errorf("%s, %v; want an error with %q", path, err, tt.fault)
				}
				does(t, os.RemoveAll(parent), os.Mkdir(parent, 0o700))
				path, err = d.ensure()
			}
			info, failed := os.Lstat(path)
			if err != nil || failed != nil || path == first || info.Mode() != os.ModeDir|0o700 {
				t.Fatalf("%s, %v, %v", path, err, failed)
			}
			if again, err := d.ensure(); again != path || err != nil {
				t.Errorf("asked again: %s, %v", again, err)
			}
			if lock, err := lockDirectory(path); err == nil {
				lock.Close()
				t.Error("it is not locked")
			}
			if err := d.remove(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(filepath.Join(parent, directoryPattern)); len(left) > 0 && left[0] != first {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// remade makes the directory again with other rights.
func remade(dir string, mode os.FileMode, user int) error {
	err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700), os.Chmod(dir, mode))
	if user != 0 {
		err = errors.Join(err, os.Chown(dir, user, user))
	}
	return err
}

// systemd-tmpfiles respects the lock: it does not clean a directory if it gets no shared lock on
// it.
func TestDirectoryIsLockedForCleaners(t *testing.T) {
	d, err := newDirectory(enginetest.ShortDir(t))
	does(t, err)
	cleaner, err := os.Open(d.path)
	does(t, err)
	defer cleaner.Close()
	if err := syscall.Flock(int(cleaner.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("a cleaner gets the lock: %v", err)
	}
	does(t, d.remove())
}

// A new server removes the directories that a killed server left, and nothing else.
func TestSweepLeavesOthers(t *testing.T) {
	parent := enginetest.ShortDir(t)
	make := func(name string, lockFile bool) string {
		path := filepath.Join(parent, name)
		does(t, os.MkdirAll(filepath.Join(path, "plugin-dir1"), 0o700))
		if lockFile {
			does(t, os.WriteFile(filepath.Join(path, formerLock), nil, 0o600))
		}
		return path
	}
	make("slipstick-1", false)
	make("slipstick-12", true)
	earlier, err := os.Open(filepath.Join(make("slipstick-3", true), formerLock))
	does(t, err)
	defer earlier.Close()
	does(t, syscall.Flock(int(earlier.Fd()), syscall.LOCK_EX))
	living, err := newDirectory(parent)
	does(t, err)
	make("slipstick-work-6", false)
	does(t, os.Symlink(make("linked", false), filepath.Join(parent, "slipstick-4")))
	want := []string{"linked", "slipstick-work-6", "slipstick-3", "slipstick-4", filepath.Base(living.path)}
	if os.Geteuid() == 0 {
		does(t, os.Chown(make("slipstick-5", false), otherUser, otherUser))
		want = append(want, "slipstick-5")
	}
	sweep(parent)
	left, err := os.ReadDir(parent)
	does(t, err)
	if len(left) != len(want) {
		t.Errorf("left %v, want %v", left, want)
	}
	for _, name := range want {
		if _, err := os.Lstat(filepath.Join(parent, name)); err != nil {
			t.Error(err)
		}
	}
	does(t, living.remove())
}
