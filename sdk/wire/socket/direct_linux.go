//go:build linux && (amd64 || arm64)

package socket

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Conn is one end of a connected stream socket. One goroutine may read while another one
// writes. Close may be called at any time.
type Conn struct {
	fd    int             // the socket; open while ready is open
	ready *os.File        // an epoll instance that watches the socket for bytes to read
	raw   syscall.RawConn // of ready

	// Each direction has a state and a function of its own, because both can be in use.
	in, out       transfer
	receive       func(uintptr) bool
	transmit, dup func(uintptr)
	duplicate     int // result of dup

	// For Poll, in the direction of reading.
	look   func(uintptr)
	goOn   func() bool
	peeked [1]byte
}

// transfer is a system call in progress in one direction.
type transfer struct {
	bytes []byte
	n     int
	errno syscall.Errno
}

// New returns the Conn of a connected stream socket, which it takes over. After an error the
// socket stays open.
func New(fd int) (*Conn, error) {
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	watch, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	readable := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP}
	err = syscall.EpollCtl(watch, syscall.EPOLL_CTL_ADD, fd, &readable)
	if err == nil {
		err = syscall.SetNonblock(watch, true) // so that os.NewFile gives it to Go's poller
	}
	if err != nil {
		_ = syscall.Close(watch)
		return nil, fmt.Errorf("epoll: %w", err)
	}
	c := &Conn{fd: fd, ready: os.NewFile(uintptr(watch), "stream")}
	c.raw, err = c.ready.SyscallConn()
	if err != nil {
		_ = c.ready.Close()
		return nil, err
	}
	c.receive = func(uintptr) bool {
		c.in.call(syscall.SYS_RECVFROM, c.fd, syscall.MSG_DONTWAIT)
		return c.in.errno != syscall.EAGAIN
	}
	c.transmit = func(uintptr) { c.out.call(syscall.SYS_SENDTO, c.fd, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL) }
	c.look = func(uintptr) {
		for more := true; more; more = c.in.errno == syscall.EAGAIN && c.goOn() {
			c.in.call(syscall.SYS_RECVFROM, c.fd, syscall.MSG_DONTWAIT|syscall.MSG_PEEK)
		}
	}
	c.dup = func(uintptr) {
		n, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(c.fd), syscall.F_DUPFD_CLOEXEC, 0)
		c.duplicate, c.out.errno = int(n), errno
	}
	return c, nil
}

// call makes the system call, which does not block.
func (t *transfer) call(trap uintptr, fd int, flags uintptr) {
	for {
		n, _, errno := syscall.RawSyscall6(trap, uintptr(fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(t.bytes))), uintptr(len(t.bytes)), flags, 0, 0)
		t.n, t.errno = int(n), errno
		if errno != syscall.EINTR {
			return
		}
	}
}

// Read implements [io.Reader]. It waits for bytes until the deadline.
func (c *Conn) Read(b []byte) (int, error) {
	c.in.bytes = b
	err := c.raw.Read(c.receive)
	c.in.bytes = nil
	switch {
	case err != nil:
		return 0, err
	case c.in.errno != 0:
		return 0, c.in.errno
	case c.in.n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return c.in.n, nil
}

// Poll looks for bytes to read repeatedly, while goOn reports true, and keeps the CPU. It
// reports whether Read would not wait. Deadlines do not end it.
func (c *Conn) Poll(goOn func() bool) bool {
	c.in.bytes, c.goOn = c.peeked[:], goOn
	err := c.raw.Control(c.look) // the socket is not closed during this call
	c.in.bytes, c.goOn = nil, nil
	return err != nil || c.in.errno != syscall.EAGAIN
}

// Write implements [io.Writer]. It waits until the other end reads.
func (c *Conn) Write(b []byte) (int, error) {
	written, err := c.WriteNow(b)
	if err != nil || written == len(b) {
		return written, err
	}
	n, err := c.writeSlowly(b[written:])
	return written + n, err
}

// WriteNow writes as many bytes as the socket takes without waiting.
func (c *Conn) WriteNow(b []byte) (written int, err error) {
	for written < len(b) {
		c.out.bytes = b[written:]
		err := c.raw.Control(c.transmit) // the socket is not closed during this call
		c.out.bytes = nil
		switch {
		case err != nil:
			return written, err
		case c.out.errno == syscall.EAGAIN:
			return written, nil
		case c.out.errno != 0:
			return written, c.out.errno
		}
		written += c.out.n
	}
	return written, nil
}

// writeSlowly writes to an end that does not read fast enough. Only during this call, Go's
// poller watches the socket itself.
func (c *Conn) writeSlowly(b []byte) (int, error) {
	if err := c.raw.Control(c.dup); err != nil {
		return 0, err
	}
	if c.out.errno != 0 {
		return 0, c.out.errno
	}
	f := os.NewFile(uintptr(c.duplicate), "stream")
	defer f.Close()
	return f.Write(b)
}

// SetReadDeadline sets the time at which a Read ends with [os.ErrDeadlineExceeded]. The zero
// time means no deadline.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.ready.SetReadDeadline(t) }

// Close closes the socket. Calls under way fail.
func (c *Conn) Close() error {
	_ = c.raw.Control(c.shutdown) // ends a Write that waits
	if err := c.ready.Close(); err != nil {
		return err // closed already
	}
	return syscall.Close(c.fd) // no other goroutine uses it: Close of a file waits for calls in progress
}

func (c *Conn) shutdown(uintptr) { _ = syscall.Shutdown(c.fd, syscall.SHUT_RDWR) }

// WakeMonitor wakes the monitor thread of the Go runtime, if it sleeps because the process
// was idle. Reads and writes of a Conn do not wake it.
func WakeMonitor() { _, _ = syscall.Getpriority(syscall.PRIO_PROCESS, 0) } // any call that the scheduler notices
