package tree

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// A file that is in the tree twice is in the archive once, in both formats.
func TestTarLink(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for format, prefix := range map[Format]string{PAX: "", Debian: "./"} {
		made := New(time.Unix(1700000000, 0))
		made.Format = format
		long := "lib/" + strings.Repeat("long/", 30) + "program"
		for _, name := range []string{"bin/program", long} {
			made.Add(name, File{Mode: 0o755, From: program})
		}
		var out bytes.Buffer
		if err := made.Tar(&out); err != nil {
			t.Fatal(err)
		}
		found := map[string]*tar.Header{}
		archive := tar.NewReader(&out)
		for {
			h, err := archive.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			found[h.Name] = h
		}
		first, second := found[prefix+"bin/program"], found[prefix+long]
		if first == nil || first.Typeflag != tar.TypeReg || first.Size != 7 || second == nil || second.Typeflag != tar.TypeLink || second.Linkname != prefix+"bin/program" {
			t.Errorf("%q: %+v, %+v", prefix, first, second)
		}
	}
}
