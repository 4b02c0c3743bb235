package regular_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/slipstick/slipstick/registry/regular"
)

// A locked file cannot be locked again until it is closed. It can be read all the time.
func TestTryLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	first, second := open(), open()
	if locked, err := regular.TryLock(first); !locked || err != nil {
		t.Fatalf("the first lock: %t, %v", locked, err)
	}
	if locked, err := regular.TryLock(second); locked || err != nil {
		t.Errorf("the second lock: %t, %v", locked, err)
	}
	if text, err := os.ReadFile(name); string(text) != "text" {
		t.Errorf("the locked file: %q, %v", text, err)
	}
	first.Close()
	if locked, err := regular.TryLock(second); !locked || err != nil {
		t.Errorf("after the first is closed: %t, %v", locked, err)
	}
}

func TestLinks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for want := uint64(1); want <= 2; want++ {
		if got, err := regular.Links(f); got != want || err != nil {
			t.Errorf("%d names, %v; want %d", got, err, want)
		}
		if err := os.Link(name, name+"2"); err != nil && want == 1 {
			t.Fatal(err)
		}
	}
}

func TestPermits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	want := os.FileMode(0o040)
	if runtime.GOOS == "windows" {
		want = 0
	}
	if got := regular.Permits(info, 0o077); got != want {
		t.Errorf("%#o, want %#o", got, want)
	}
}
