package process_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
)

func reader(content []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
}

// readInto returns a program below the directory.
func readInto(t *testing.T, dir string, content []byte) *process.Program {
	t.Helper()
	p, err := process.ReadProgramInto(dir, reader(content))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// onDisk returns a program in a file on disk, and the path by which its user, and root, can
// reach that file. It skips where there is no disk.
func onDisk(t *testing.T, content []byte) (p *process.Program, path string) {
	t.Helper()
	dir := t.TempDir()
	p = readInto(t, dir, content)
	if !p.OnDisk() {
		t.Skipf("no program can be kept in %s", dir)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it has a name: %v, %v", left, err)
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join("/proc/self/fd", e.Name())
		if target, _ := os.Readlink(path); strings.HasPrefix(target, dir) {
			return p, path
		}
	}
	t.Fatal("its descriptor was not found")
	return nil, ""
}

// A program runs from disk, and is the one that was read.
func TestProgramOnDisk(t *testing.T) {
	content := enginetest.Program(t)
	p, path := onDisk(t, content)
	if want := program(t).Digest(); p.Digest() != want || p.Size() != int64(len(content)) {
		t.Errorf("digest %s of %d bytes, want %s of %d", p.Digest(), p.Size(), want, len(content))
	}
	if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, content) {
		t.Errorf("%d bytes were kept, %v", len(kept), err)
	}
	for range 2 {
		engine, err := process.Launch(t.Context(), p, &process.Options{Dir: t.TempDir(), StartTimeout: patience, Env: []string{modeVar + "=engine"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Calculate(t.Context(), values(1, "echo")); err != nil {
			t.Error(err)
		}
		// The kernel refuses writers of a program that runs, or their attempt is noticed.
		if f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
			f.Close()
			t.Error("a program that runs was opened for writing")
		}
		engine.Close()
	}
}

// A program on disk does not run any more after any process tried to change it.
func TestProgramOnDiskIsNotChanged(t *testing.T) {
	content := append([]byte("\x7fELF"), bytes.Repeat([]byte("x"), 1<<20)...)
	for name, change := range map[string]func(path string) error{
		"write": func(path string) error { // whether root or not: the lease is of the file, not of a user
			f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0)
			if err == nil {
				f.Close()
				return errors.New("it was opened")
			}
			return nil
		},
		"truncate": func(path string) error {
			done := make(chan error, 1)
			go func() { done <- os.Truncate(path, 1) }() // waits for the lease
			return nil
		},
		"mode": func(path string) error { return os.Chmod(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			p, path := onDisk(t, content)
			if err := p.Unchanged(); err != nil {
				t.Fatal(err)
			}
			if err := change(path); err != nil {
				t.Error(err)
			}
			for p.Unchanged() == nil && t.Context().Err() == nil { // until the goroutine has started
			}
			_, err := process.Launch(t.Context(), p, &process.Options{Dir: t.TempDir()})
			if !errors.Is(err, process.ErrChanged) || !errors.Is(err, process.ErrMachine) {
				t.Errorf("launch: %v, want ErrChanged", err)
			}
			p.Close()
		})
	}
}

// An unnamed file cannot be given a name, by which it could be changed after it was closed.
func TestProgramOnDiskGetsNoName(t *testing.T) {
	_, path := onDisk(t, []byte("\x7fELF"))
	name := filepath.Join(t.TempDir(), "link")
	if err := unix.Linkat(unix.AT_FDCWD, path, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW); err == nil {
		t.Error("it has a name")
	}
}

// Where no file will do, memory does.
func TestProgramInMemoryInstead(t *testing.T) {
	for name, dir := range map[string]string{"no directory": "/nowhere", "tmpfs": "/dev/shm", "proc": "/proc", "none": ""} {
		if p := readInto(t, dir, []byte("\x7fELF")); p.OnDisk() {
			t.Errorf("%s: a program is kept there", name)
		}
	}
	if p := readInto(t, t.TempDir(), []byte("#!/bin/sh\n")); p.OnDisk() {
		t.Error("a script is on disk, where its interpreter would hold it")
	}
}

// A reader that fails is not asked again: the program is not complete in memory either.
func TestProgramThatCannotBeRead(t *testing.T) {
	fault, opened := errors.New("the disk is on fire"), 0
	open := func() (io.ReadCloser, error) {
		opened++
		return io.NopCloser(io.MultiReader(strings.NewReader("\x7fELF"), failing{fault})), nil
	}
	if _, err := process.ReadProgramInto(t.TempDir(), open); !errors.Is(err, fault) || opened > 1 {
		t.Errorf("%v, opened %d times", err, opened)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A disk that is full, or on which nothing may be executed, is not used.
func TestProgramWithoutDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	content := bytes.Repeat([]byte("x"), 8<<20)
	for name, o := range map[string]struct {
		size  int64
		flags uintptr
		want  bool
	}{"large": {32 << 20, 0, true}, "full": {4 << 20, 0, false}, "noexec": {32 << 20, unix.MS_NOEXEC, false}} {
		t.Run(name, func(t *testing.T) {
			dir := mountDisk(t, o.size, o.flags)
			p := readInto(t, dir, content)
			if p.OnDisk() != o.want || p.Size() != int64(len(content)) {
				t.Errorf("on disk: %v, %d bytes", p.OnDisk(), p.Size())
			}
			p.Close()
		})
	}
}

// mountDisk mounts an ext4 file system of so many bytes, or skips.
func mountDisk(t *testing.T, size int64, flags uintptr) string {
	t.Helper()
	image, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, size); err != nil {
		t.Fatal(err)
	}
	options := "loop"
	if flags&unix.MS_NOEXEC != 0 {
		options += ",noexec"
	}
	for _, command := range [][]string{{"mkfs.ext4", "-q", "-O", "^has_journal", image}, {"mount", "-o", options, image, dir}} {
		if out, err := run(t, command...); err != nil {
			t.Skipf("%s: %v: %s", command[0], err, out)
		}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(fmt.Errorf("unmount: %w", err))
		}
	})
	return dir
}

func run(t *testing.T, command ...string) ([]byte, error) {
	t.Helper()
	return exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
}

// BenchmarkReadProgram measures what the first start of an engine costs more than a later one.
func BenchmarkReadProgram(b *testing.B) {
	content := make([]byte, 13<<20)
	for name, dir := range map[string]string{"disk": os.TempDir(), "memory": ""} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				p, err := process.ReadProgramInto(dir, reader(content))
				if err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
		})
	}
}
