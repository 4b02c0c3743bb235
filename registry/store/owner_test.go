//go:build unix

package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/registry/store"
)

// Files that a user with a strict umask makes belong to the owner of the directory. Each user that can read the directory
// can read them.
func TestStrictUmask(t *testing.T) {
	for mode, want := range map[fs.FileMode]fs.FileMode{0o755: 0o644, 0o750: 0o640, 0o775: 0o644, 0o700: 0o600} {
		before := syscall.Umask(0o077)
		defer syscall.Umask(before)
		dir, owner := filepath.Join(t.TempDir(), "store"), os.Getuid()
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if owner == 0 {
			owner = 12345
			if err := os.Chown(dir, owner, owner); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		built := filepath.Join(t.TempDir(), "engine")
		if err := os.WriteFile(built, []byte("engine"), 0o700); err != nil {
			t.Fatal(err)
		}
		fillAll(t, dir, built)
		files := 0
		if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			allowed := want
			if err == nil && e.IsDir() {
				allowed = mode &^ 0o022
			} else {
				files++
			}
			if path != dir && (info.Mode().Perm() != allowed || int(info.Sys().(*syscall.Stat_t).Uid) != owner) {
				t.Errorf("in a directory with %#o of %d: %s has %v of %d, want %#o", mode, owner, path, info.Mode(), info.Sys().(*syscall.Stat_t).Uid, allowed)
			}
			return err
		}); err != nil || files < 6 {
			t.Errorf("%d files: %v", files, err)
		}
		if info, err := os.Stat(built); err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != os.Getuid() {
			t.Errorf("the built engine was given away: %v, %v", info, err)
		}
	}
}

// fillAll writes a file of each kind into the store: a lock, a manifest, an engine, and files that belong to no layout.
func fillAll(t *testing.T, dir, built string) {
	t.Helper()
	s, err := store.Open(dir, nil)
	if err == nil {
		err = write(t.Context(), s, "1.0.0")
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	l, err := w.Layout("a")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := w.Fill(t.Context(), l, []store.Blob{store.BlobIn("text/plain", built, digest.FromString("engine"), []byte("engine"))}); err != nil {
		t.Error(err)
	}
	if err := w.Keep("log/1/entry", []byte("entry")); err != nil {
		t.Error(err)
	}
	if err := store.Replace(filepath.Join(dir, "replaced"), []byte("file")); err != nil {
		t.Error(err)
	}
}

// A store that root makes in a directory belongs to the owner of that directory.
func TestStoreByRoot(t *testing.T) {
	dir, owner := t.TempDir(), os.Getuid()
	if owner == 0 {
		owner = 12345
		if err := os.Chown(dir, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"", "sub", "sub/registry"} {
		if _, err := store.Open(filepath.Join(dir, "sub", "registry"), nil); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || int(info.Sys().(*syscall.Stat_t).Uid) != owner {
			t.Errorf("%s: %+v, %v, want the owner %d", name, info, err, owner)
		}
	}
}
