package process

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// diskFile is the proof that an unnamed file has the bytes that were hashed. It rests on two
// things. While a process has a lease of a file, the kernel tells it of everybody who opens or
// truncates the file in a way that conflicts with the lease, root included, before it lets them
// do so. And every write or change of the mode sets the time of change, which nobody can set.
//
// The file is written under a lease that excludes all others, and runs under one that excludes
// writers. Between the two there is a moment without a lease. A change in that moment, unlike
// one under the first lease, has a time of change that is later than the recorded one.
type diskFile struct {
	changed unix.Timespec
	size    int64
}

// trusted are the magic numbers of the file systems on which the proof holds: nobody can write
// their files except through this kernel and this file system. That is not so for those of a
// network, for FUSE, and for layers over another file system. A file of a tmpfs would be memory
// anyway.
var trusted = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC}

// readToDisk is ReadProgramInto without memory to fall back on. The error wraps errNoDisk if
// memory may help.
func readToDisk(dir string, open func() (io.ReadCloser, error)) (*Program, error) {
	out, err := createUnnamed(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDisk, err)
	}
	defer out.Close() // a second time, which does no harm
	executable, err := open()
	if err != nil {
		return nil, err
	}
	defer executable.Close()
	limited := &io.LimitedReader{R: executable, N: maxProgram + 1}
	in := bufio.NewReaderSize(limited, 16) // its buffer is only for Peek: larger reads pass it by
	if start, _ := in.Peek(2); string(start) == "#!" {
		return nil, fmt.Errorf("%w: a script", errNoDisk)
	}
	sum, err := copyHashed(out, in)
	if err == nil {
		err = tooLarge(limited)
	}
	if err != nil {
		return nil, fmt.Errorf("keep executable: %w", err)
	}
	p := &Program{digest: "sha256:" + hex.EncodeToString(sum), size: maxProgram + 1 - limited.N}
	if err := p.reopen(out); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDisk, err)
	}
	return p, nil
}

// createUnnamed returns an empty file that never gets a name, under a lease against everybody
// else. Its mode lets the user of a sandboxed engine execute it.
func createUnnamed(dir string) (*os.File, error) {
	var system unix.Statfs_t
	if err := unix.Statfs(dir, &system); err != nil {
		return nil, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if !trustedSystem(&system) {
		return nil, fmt.Errorf("%s is on a file system that cannot prove who writes a file, or from which nothing may be executed", dir)
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC, 0o700)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	f := os.NewFile(uintptr(fd), "engine")
	if err := errors.Join(unix.Fchmod(fd, 0o555), lease(f, unix.F_WRLCK)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func trustedSystem(system *unix.Statfs_t) bool {
	for _, magic := range trusted {
		if int64(system.Type) == magic {
			return system.Flags&unix.ST_NOEXEC == 0
		}
	}
	return false
}

// reopen closes the file that was written, and opens it under a lease against writers. The
// kernel executes no file that is open for writing.
func (p *Program) reopen(out *os.File) error {
	disk, err := settled(out)
	if err != nil {
		return err
	}
	if held(out) != unix.F_WRLCK {
		return ErrChanged
	}
	if err := lease(out, unix.F_UNLCK); err != nil {
		return err
	}
	in, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", out.Fd()))
	if err != nil {
		return err
	}
	out.Close()
	if err := leaseFromWriters(in); err != nil {
		in.Close()
		return err
	}
	if err := disk.unchanged(in); err != nil {
		in.Close()
		return err
	}
	p.file, p.disk, p.path = in, disk, fmt.Sprintf("/proc/self/fd/%d", in.Fd())
	return nil
}

// How long to wait for the clock of the file system, which ticks at least every 10 ms.
const (
	clockPause = 500 * time.Microsecond
	clockTries = 100
)

// settled returns the state of the file, once the clock of the file system has gone on: then
// any later change has another time.
func settled(f *os.File) (*diskFile, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return nil, err
	}
	for range clockTries {
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now); err != nil {
			return nil, err
		}
		if now.Nano() > stat.Ctim.Nano() {
			return &diskFile{stat.Ctim, stat.Size}, nil
		}
		time.Sleep(clockPause)
	}
	return nil, errors.New("the clock of the file system stands still")
}

// unchanged is Unchanged of a program in the file f.
func (d *diskFile) unchanged(f *os.File) error {
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if held(f) != unix.F_RDLCK || stat.Ctim != d.changed || stat.Size != d.size {
		return ErrChanged
	}
	return nil
}

// lease takes a lease of the kind, or gives it back.
func lease(f *os.File, kind int) error {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, kind); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return nil
}

// held is the kind of the lease. It is F_UNLCK from the moment in which somebody tries to do
// what the lease excludes.
func held(f *os.File) int {
	kind, err := unix.FcntlInt(f.Fd(), unix.F_GETLEASE, 0)
	if err != nil {
		return unix.F_UNLCK
	}
	return kind
}

// A process that is being started has a copy of every descriptor of the host until it executes
// its program, and so perhaps of the one that wrote the file.
const (
	leasePause = 500 * time.Microsecond
	leaseTries = 40
)

// leaseFromWriters takes a lease against writers, which nobody gets while there is one.
func leaseFromWriters(f *os.File) (err error) {
	for range leaseTries {
		err = lease(f, unix.F_RDLCK)
		if !errors.Is(err, unix.EAGAIN) {
			return err
		}
		time.Sleep(leasePause)
	}
	return err
}
