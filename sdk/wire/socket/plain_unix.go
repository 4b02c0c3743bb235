//go:build unix && !(linux && (amd64 || arm64))

package socket

import (
	"os"
	"syscall"
	"time"
)

// Conn is one end of a connected stream socket. One goroutine may read while another one
// writes. Close may be called at any time.
type Conn struct {
	*os.File
	timeout time.Duration
}

// New returns the Conn of a connected stream socket, which it takes over. After an error the
// socket stays open.
func New(fd int, o *Options) (*Conn, error) {
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	c := &Conn{File: os.NewFile(uintptr(fd), "stream")}
	if o != nil {
		c.timeout = o.WriteTimeout
	}
	return c, nil
}

// Write implements [io.Writer].
func (c *Conn) Write(b []byte) (int, error) {
	if c.timeout > 0 {
		if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
			return 0, err
		}
	}
	return c.File.Write(b)
}

// WakeMonitor does nothing here: every Read wakes the monitor thread of the Go runtime.
func WakeMonitor() {}
