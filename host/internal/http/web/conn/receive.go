package conn

import (
	"cmp"
	"errors"
	"io"
	"os"
	"syscall"
)

// Memory is the buffer into which a connection receives.
type Memory interface {
	// Take returns the memory for bytes that have possibly arrived.
	Take() []byte

	// Received is called after every Take: n bytes have arrived. While the connection waits, others can use the
	// memory.
	Received(n int)
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
