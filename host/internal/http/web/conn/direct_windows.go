package conn

import (
	"errors"
	"syscall"
)

// writeNow writes nothing: a system call without Go's poller would wait.
func (c *Conn) writeNow([]byte) (int, error) { return 0, nil }

// Receive waits until bytes have arrived, or until the read deadline, and then reads them. The connection must be a
// socket, and nothing else may read from it in the meantime.
func (c *Conn) Receive(into Memory) error {
	inner, ok := c.Conn.(syscall.Conn)
	if !ok {
		return errors.ErrUnsupported
	}
	socket, err := inner.SyscallConn()
	if err != nil {
		return err
	}
	waited := false
	err = socket.Read(func(uintptr) bool {
		defer func() { waited = true }()
		return waited
	})
	if err != nil {
		return err
	}
	n, err := c.Conn.Read(into.Take())
	into.Received(n)
	if n > 0 {
		return nil
	}
	return err
}
