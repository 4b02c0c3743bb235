package registry_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/registry"
)

// opened starts to count the openings of files below the directories. The count ends when the
// result is called.
func opened(t *testing.T, dirs []string) (count func() int) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skipf("inotify: %v", err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	for _, dir := range dirs {
		if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_OPEN); err != nil {
			t.Skipf("inotify: %v", err)
		}
	}
	return func() (n int) {
		for buffer := make([]byte, 1<<16); ; {
			size, err := syscall.Read(fd, buffer)
			if err != nil {
				return n // there are no more events
			}
			for at := 0; at < size; at += syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buffer[at+12:])) {
				if binary.NativeEndian.Uint32(buffer[at+4:])&syscall.IN_ISDIR == 0 {
					n++
				}
			}
		}
	}
}

// A look at an unchanged registry opens few files. Each file is read again within 32 looks,
// even if its metadata is unchanged. The next look sees a change.
func TestLookOpensLittle(t *testing.T) {
	const capabilities, looks = 8, 32
	r, dir := open(t)
	var dirs []string
	for i := range capabilities {
		id := fmt.Sprintf("test.looks.n%d", i)
		c := candidate(id, "1.0.0")
		c.Spec.Tool = fmt.Sprintf("looks-%d", i)
		publish(t, r, c)
		dirs = append(dirs, filepath.Join(dir, id), filepath.Join(dir, id, "blobs/sha256"))
	}
	f := r.Follow()
	look := func(want bool) {
		t.Helper()
		if _, changed, err := f.Look(t.Context()); err != nil || changed != want {
			t.Fatalf("changed %v, %v, want %v", changed, err, want)
		}
	}
	look(true)
	count := opened(t, dirs)
	look(false)
	if n := count(); n != 2*capabilities {
		t.Errorf("files that are new were opened %d times, want %d: they may change again unseen", n, 2*capabilities)
	}
	r.SetClock(func() time.Time { return time.Now().Add(time.Minute) })
	look(false) // the first one with settled stamps
	count()
	for range looks {
		look(false)
	}
	if n := count(); n != 2*capabilities {
		t.Errorf("%d looks opened %d files, want each of %d once", looks, n, 2*capabilities)
	}
	publish(t, r, candidate("test.looks.n3", "1.1.0"))
	look(true)
	look(false)
}

// Publishing another version of a capability does not read the releases of other capabilities.
// A new tool id is compared with theirs.
func TestPublishReadsItsOwn(t *testing.T) {
	r, dir := open(t)
	named := func(id, version string) registry.Candidate {
		c := candidate(id, version)
		c.Spec.Tool = id[strings.LastIndex(id, ".")+1:]
		return c
	}
	var blobs []string
	for _, id := range []string{"test.reads.first", "test.reads.second"} {
		publish(t, r, named(id, "1.0.0"))
		blobs = append(blobs, filepath.Join(dir, id, "blobs/sha256"))
	}
	publish(t, r, named("test.reads.own", "1.0.0"))
	count := opened(t, blobs)
	publish(t, r, named("test.reads.own", "1.1.0"))
	if n := count(); n != 0 {
		t.Errorf("another version: %d files of other capabilities were opened", n)
	}
	publish(t, r, named("test.reads.new", "1.0.0"))
	if n := count(); n == 0 {
		t.Error("a new tool id was not compared with those of others")
	}
}
