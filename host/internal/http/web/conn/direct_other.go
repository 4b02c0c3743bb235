//go:build !windows

package conn

import (
	"cmp"
	"errors"
	"io"
	"os"
	"syscall"
)

// writeNow writes as many bytes as the system accepts without waiting. If the connection is not a socket, it
// writes nothing.
func (c *Conn) writeNow(p []byte) (n int, err error) {
	if err := c.openSocket(); err != nil || c.socket == nil {
		return 0, err
	}
	c.out, c.sent, c.sendErr = p, 0, nil
	if err := c.socket.Write(c.send); err != nil {
		return 0, err
	}
	c.out = nil
	return c.sent, c.sendErr
}

// openSocket prepares the connection for system calls, if it is a socket.
func (c *Conn) openSocket() (err error) {
	inner, ok := c.Conn.(syscall.Conn)
	if ok && c.socket == nil {
		c.socket, err = inner.SyscallConn()
		c.send, c.receive = c.sendNow, c.receiveNow
	}
	return err
}

// sendNow is one system call of writeNow. It always returns true, so that writeNow does not wait.
func (c *Conn) sendNow(fd uintptr) bool {
	n, err := sendNow(fd, c.out)
	c.sent = n
	if err != syscall.EAGAIN {
		c.sendErr = err
	}
	return true
}

// Receive reads the bytes that have arrived. If there are none, it waits until the read deadline. It reads
// bytes that have already arrived even after the deadline, because the server can be late and not the client.
// The connection must be a socket, and nothing else may read from it in the meantime.
func (c *Conn) Receive(into Memory) error {
	if err := c.openSocket(); err != nil {
		return err
	}
	if c.socket == nil {
		return errors.ErrUnsupported
	}
	c.in, c.receiveErr = into, nil
	err := c.socket.Read(c.receive)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		arrived := false
		if err := c.socket.Control(func(fd uintptr) { arrived = c.receive(fd) }); err != nil {
			return err
		}
		if arrived {
			err = nil
		}
	}
	return cmp.Or(err, c.receiveErr)
}

// receiveNow is one system call of Receive. It returns true if Receive does not have to wait.
func (c *Conn) receiveNow(fd uintptr) bool {
	n, err := receiveNow(fd, c.in.Take())
	c.in.Received(n)
	switch {
	case n > 0:
		return true
	case err == syscall.EAGAIN:
		return false
	case err == nil:
		err = io.EOF
	}
	c.receiveErr = err
	return true
}
