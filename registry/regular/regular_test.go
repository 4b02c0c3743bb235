//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry/regular"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inTime runs f, which must not wait.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits")
	}
}

func rootOf(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	must(t, err)
	t.Cleanup(func() { root.Close() })
	return root
}

// Only regular files are opened as files, and only directories as directories.
func TestWhatIsOpened(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(at("file"), []byte("content"), 0o600))
	must(t, os.Mkdir(at("dir"), 0o700))
	must(t, os.WriteFile(at("dir/inner"), nil, 0o600))
	must(t, syscall.Mkfifo(at("pipe"), 0o600))
	must(t, os.Symlink("file", at("link")))
	must(t, os.Symlink("dir", at("link-to-dir")))
	must(t, os.Symlink("/dev/zero", at("link-outside")))
	socket, err := net.Listen("unix", at("socket"))
	must(t, err)
	defer socket.Close()
	root := rootOf(t, dir)
	for _, tt := range []struct {
		name      string
		file, dir bool
	}{
		{"file", true, false}, {"dir", false, true}, {"pipe", false, false}, {"link", false, false}, {"link-to-dir", false, false},
		{"link-outside", false, false}, {"socket", false, false}, {"dir/inner", true, false},
	} {
		inTime(t, func() {
			f, info, err := regular.Open(root, tt.name)
			var kind *regular.KindError
			switch {
			case tt.file && (err != nil || !info.Mode().IsRegular()):
				t.Errorf("%s: %v", tt.name, err)
			case tt.file:
				f.Close()
			case !errors.As(err, &kind):
				t.Errorf("%s as a file: %v", tt.name, err)
			}
			d, err := regular.OpenDir(root, tt.name)
			switch {
			case tt.dir && err != nil:
				t.Errorf("%s: %v", tt.name, err)
			case tt.dir:
				if _, err := d.Stat("inner"); err != nil {
					t.Errorf("in %s: %v", tt.name, err)
				}
				d.Close()
			case !errors.As(err, &kind):
				t.Errorf("%s as a directory: %v", tt.name, err)
			}
			if root, err := regular.Root(at(tt.name)); (err == nil) != (tt.dir || tt.name == "link-to-dir") {
				t.Errorf("%s as a root: %v", tt.name, err)
			} else if err == nil {
				root.Close()
			}
		})
	}
	if _, _, err := regular.Open(root, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
	if _, err := regular.OpenDir(root, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
	if data, err := regular.Read(at("file"), 7); err != nil || string(data) != "content" {
		t.Errorf("read: %q, %v", data, err)
	}
	var size *regular.SizeError
	if _, err := regular.Read(at("file"), 6); !errors.As(err, &size) || size.Size != 7 {
		t.Errorf("read of too much: %v", err)
	}
	inTime(t, func() {
		if _, err := regular.Read(at("pipe"), 6); err == nil {
			t.Error("a pipe was read")
		}
	})
}

// Another process that constantly exchanges a file, or a directory, for a pipe and a link does
// not block readers. They only ever read the file.
func TestSwapped(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(at("good"), []byte("good"), 0o600))
	must(t, os.WriteFile(at("other"), []byte("evil"), 0o600))
	must(t, syscall.Mkfifo(at("pipe"), 0o600))
	must(t, os.Symlink("other", at("link")))
	must(t, os.Mkdir(at("good-dir"), 0o700))
	must(t, os.Mkdir(at("other-dir"), 0o700))
	must(t, os.WriteFile(at("other-dir/evil"), nil, 0o600))
	must(t, os.Symlink("other-dir", at("link-dir")))

	var stop atomic.Bool
	swapping := make(chan error, 1)
	go func() { // by renames, so that a reader sees one or the other
		var err error
		turn := func(from, to string) {
			if err == nil {
				err = os.Rename(at(from), at(to))
			}
		}
		for !stop.Load() && err == nil {
			for _, other := range []string{"pipe", "link"} {
				turn("good", "x")
				turn("x", "good")
				turn(other, "name")
				turn("name", other)
				turn("good", "name")
				turn("name", "good")
			}
			for _, other := range []string{"pipe", "link-dir"} {
				turn(other, "dir")
				turn("dir", other)
				turn("good-dir", "dir")
				turn("dir", "good-dir")
			}
		}
		swapping <- err
	}()
	root := rootOf(t, dir)
	opened := 0
	inTime(t, func() {
		for tries := 0; tries < 20000 && (opened < 200 || tries < 2000); tries++ {
			if f, _, err := regular.Open(root, "name"); err == nil {
				var data [4]byte
				if _, err := f.Read(data[:]); err != nil || string(data[:]) != "good" {
					t.Errorf("read %q, %v", data, err)
				}
				f.Close()
				opened++
			}
			if d, err := regular.OpenDir(root, "dir"); err == nil {
				if _, err := d.Lstat("evil"); err == nil {
					t.Error("another directory was opened through a link")
				}
				d.Close()
			}
		}
	})
	stop.Store(true)
	must(t, <-swapping)
	t.Logf("opened %d times", opened)
}
