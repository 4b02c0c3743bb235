package conn

import (
	"cmp"
	"errors"
	"io"
	"os"
	"syscall"
)

// Memory is where a connection receives.
type Memory interface {
	// Take returns the memory for what may have arrived.
	Take() []byte

	// Received is called after every Take: n bytes have arrived there. While the connection
	// waits, the memory is free for others.
	Received(n int)
}

// Receive reads what has arrived, and waits for it if there is nothing, until the read deadline.
// What arrived before Receive looks is read after the deadline too: a busy host is late, not its client.
// The connection must be a socket, and must not be read in another way meanwhile.
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

// receiveNow is one system call of Receive. It reports whether there is nothing to wait for.
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
