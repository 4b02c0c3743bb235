package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
)

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func contains(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s contains %q, %v; want %q", filepath.Base(name), got, err, want)
	}
}

// A failed write changes no file and leaves no temporary file.
func TestWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file.json")
	failure := errors.New("half of it")
	half := func(f *os.File) error {
		contains(t, f.Name(), "")
		return errors.Join(durable.Bytes([]byte("half"))(f), failure)
	}
	for kind, write := range map[string]func(string, fs.FileMode, func(*os.File) error) error{"replace": durable.Replace, "create": durable.Create} {
		if err := write(name, 0o600, half); !errors.Is(err, failure) || len(names(t, dir)) > 0 {
			t.Errorf("%s: %v, and %v is left", kind, err, names(t, dir))
		}
	}
	if err := durable.Create(name, 0o600, durable.Bytes([]byte("first"))); err != nil {
		t.Fatal(err)
	}
	if err := durable.Create(name, 0o600, durable.Bytes([]byte("other"))); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created twice: %v", err)
	}
	if err := durable.Replace(name, 0o600, half); !errors.Is(err, failure) {
		t.Errorf("replaced by half: %v", err)
	}
	contains(t, name, "first")
	if err := durable.Replace(name, 0o640, durable.Bytes([]byte("second"))); err != nil {
		t.Fatal(err)
	}
	contains(t, name, "second")
	if info, err := os.Stat(name); err != nil || info.Mode()&^0o640 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file.json"}) {
		t.Errorf("the directory has %v", got)
	}
	if err := durable.Replace(filepath.Join(dir, "none", "file"), 0o600, durable.Bytes(nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}

// A name without a directory is in the working directory.
func TestWorkingDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := durable.Create("file", 0o600, durable.Bytes([]byte("here"))); err != nil {
		t.Fatal(err)
	}
	contains(t, "file", "here")
}

// Sweep removes the incomplete files of a prefix, in any directory, and keeps all others.
func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".rows-1.csv.AAA.partial", ".rows-1.json.BBB.partial", ".rows-12.csv.AAA.partial", "rows-1.csv", ".rows-1.csv.AAA"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := durable.Sweep(dir, "rows-1"); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{".rows-1.csv.AAA", ".rows-12.csv.AAA.partial", "rows-1.csv"}) {
		t.Errorf("the directory has %v", got)
	}
	if err := durable.Sweep(dir, "none"); err != nil {
		t.Error(err)
	}
}

// A device is not replaced by a file, even if this user has the right to do so.
func TestDeviceStays(t *testing.T) {
	name := filepath.Join(t.TempDir(), "null")
	if err := os.Symlink(os.DevNull, name); err != nil {
		t.Fatal(err)
	}
	for kind, write := range map[string]func(string, fs.FileMode, func(*os.File) error) error{"replace": durable.Replace, "create": durable.Create} {
		if err := write(name, 0o600, durable.Bytes(nil)); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%s: %v", kind, err)
		}
		if _, err := os.Readlink(name); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
