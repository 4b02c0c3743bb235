package sandbox

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
)

// Without openat2, only an entry of the directory itself is opened, and a link is not followed.
func TestOpenEntry(t *testing.T) {
	dir := enginetest.ShortDir(t)
	socket, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Symlink(filepath.Join(dir, "s"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	kind := func(dir int, name string) (uint32, error) {
		fd, err := openEntry(dir, name)
		if err != nil {
			return 0, err
		}
		defer unix.Close(fd)
		var s unix.Stat_t
		err = unix.Fstat(fd, &s)
		return s.Mode & unix.S_IFMT, err
	}
	home, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	for name, want := range map[string]uint32{"s": unix.S_IFSOCK, "link": unix.S_IFLNK} {
		if got, err := kind(int(home.Fd()), name); got != want || err != nil {
			t.Errorf("%s: %o, %v, want %o", name, got, err, want)
		}
	}
	if _, err := kind(int(home.Fd()), "absent"); !errors.Is(err, unix.ENOENT) {
		t.Errorf("what is not there: %v", err)
	}
	root, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := kind(int(root.Fd()), "proc"); !errors.Is(err, unix.EXDEV) {
		t.Errorf("what is mounted there: %v, want %v", err, unix.EXDEV)
	}
}
