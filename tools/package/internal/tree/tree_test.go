package tree

import (
	"archive/tar"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// sample creates a tree of files on disk with different times and a umask.
func sample(t *testing.T, umask int) *Tree {
	t.Helper()
	defer syscall.Umask(syscall.Umask(umask))
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"b/program": 0o777, "a/text": 0o666, "a/.lock": 0o666} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	out := New(time.Unix(1700000000, 0))
	if err := out.AddDir("usr/share", dir, func(base string) bool { return base != ".lock" }); err != nil {
		t.Fatal(err)
	}
	out.Add("tmp", File{Mode: fs.ModeDir | fs.ModeSticky | 0o777})
	out.Add("var/data", File{Mode: fs.ModeDir | 0o750, Owner: 65532})
	out.Add("usr/bin/p", File{Link: "../share/b/program"})
	return out
}

// The same files give the same bytes for any writer.
func TestTar(t *testing.T) {
	var first, again bytes.Buffer
	if err := sample(t, 0o022).Tar(&first); err != nil {
		t.Fatal(err)
	}
	if err := sample(t, 0o002).Tar(&again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("two archives of the same files differ")
	}
	found := map[string]*tar.Header{}
	for archive := tar.NewReader(&first); ; {
		h, err := archive.Next()
		if err != nil {
			break
		}
		found[h.Name] = h
	}
	for name, mode := range map[string]int64{"tmp/": 0o1777, "var/data/": 0o750, "usr/": 0o755, "usr/share/b/program": 0o755, "usr/share/a/text": 0o644} {
		if h := found[name]; h == nil || h.Mode != mode || h.ModTime.Unix() != 1700000000 || (h.Uid == 65532) != (name == "var/data/") {
			t.Errorf("%s: %+v, want mode %o", name, h, mode)
		}
	}
	if found["usr/share/a/.lock"] != nil || len(found) != 11 {
		t.Errorf("%d entries", len(found))
	}
}

// Written files have their modes for any umask.
func TestWrite(t *testing.T) {
	made := sample(t, 0o022)
	defer syscall.Umask(syscall.Umask(0o077))
	dir := filepath.Join(t.TempDir(), "out")
	if err := made.Write(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{".": 0o755, "usr": 0o755, "var/data": 0o750, "usr/share/b/program": 0o755, "usr/share/a/text": 0o644} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %o", name, info.Mode(), err, want)
		}
	}
	if err := made.Write(dir); err == nil {
		t.Error("written over what is there")
	}
}
