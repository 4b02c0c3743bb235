//go:build unix && !(linux && (amd64 || arm64))

package socket

import (
	"os"
	"syscall"
)

// Conn is one end of a connected stream socket. One goroutine may read while another one
// writes. Close may be called at any time.
type Conn struct{ *os.File }

// New returns the Conn of a connected stream socket, which it takes over. After an error the
// socket stays open.
func New(fd int) (*Conn, error) {
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return &Conn{os.NewFile(uintptr(fd), "stream")}, nil
}

// WriteNow writes as many bytes as the socket takes without waiting.
func (c *Conn) WriteNow(b []byte) (written int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var errno error
	err = raw.Write(func(fd uintptr) bool {
		for written < len(b) && errno == nil {
			var n int
			n, errno = syscall.Write(int(fd), b[written:])
			written += max(0, n)
		}
		return true
	})
	if err == nil && errno != syscall.EAGAIN {
		err = errno
	}
	return written, err
}

// WakeMonitor does nothing here: every Read wakes the monitor thread of the Go runtime.
func WakeMonitor() {}
