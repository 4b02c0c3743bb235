package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// diskFile is the proof that an unnamed file still has the bytes that were hashed. The proof uses
// two properties of the kernel. A process can have a lease on a file. The kernel notifies it before
// any user, including root, opens or truncates the file in conflict with the lease. And every write
// or change of the mode updates the change time (ctime), which no program can set.
//
// The file is written under a lease that excludes all other processes, and runs under a lease that
// excludes writers. Between the two, the file has no lease for a short time. A change in that time
// has a change time that is later than the recorded one.
type diskFile struct {
	changed unix.Timespec
	size    int64
}

// trusted are the magic numbers of the file systems on which the proof holds. Their files can only
// be written through this kernel and this file system. This is not so for network file systems, for
// FUSE, and for layers over another file system. A file of a tmpfs would be in memory anyway.
var trusted = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC}

// readToDisk is ReadProgramInto without memory to fall back on. The error wraps errNoDisk if
// memory may help.
func readToDisk(dir string, open func() (io.ReadCloser, error)) (*Program, error) {
	out, err := createUnnamed(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDisk, err)
	}
	defer out.Close() // reopen may have closed it already, which does no harm
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
	hashed, err := copyHashed(out, in)
	if err == nil {
		err = tooLarge(limited)
	}
	if err != nil {
		return nil, fmt.Errorf("keep executable: %w", err)
	}
	p := &Program{hashed: hashed, size: maxProgram + 1 - limited.N}
	if err := p.reopen(out); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoDisk, err)
	}
	if err := p.complete(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// createUnnamed returns an empty file that never gets a name, under a lease that excludes all other
// processes. Its mode lets the user of a sandboxed engine execute it.
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

// settled waits until the clock of the file system has advanced, and returns the state of the file.
// After that, any later change has another time.
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
	return nil, errors.New("the clock of the file system does not advance")
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

// lease takes a lease of the kind, or releases it.
func lease(f *os.File, kind int) error {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, kind); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return nil
}

// held returns the kind of the lease. It is F_UNLCK as soon as a process tries an operation that
// the lease excludes.
func held(f *os.File) int {
	kind, err := unix.FcntlInt(f.Fd(), unix.F_GETLEASE, 0)
	if err != nil {
		return unix.F_UNLCK
	}
	return kind
}

// Until a process that is being started executes its program, it has a copy of every descriptor of
// the server. So it can have a copy of the descriptor that wrote the file.
const (
	leasePause = 500 * time.Microsecond
	leaseTries = 40
)

// leaseFromWriters takes a lease that excludes writers. The kernel refuses it while there is a
// writer.
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
