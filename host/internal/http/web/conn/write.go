package conn

import (
	"errors"
	"net/netip"
	"syscall"

	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// ErrBudget is the error of an answer that does not fit into the budget.
var ErrBudget = errors.New("the unread answers exceed their budget")

// WriteAnswer writes a whole answer to the client. The system accepts almost every answer immediately. Only the
// bytes that have to wait for the client count against the budget. They are written at the minimum rate, with
// deadlines. WriteAnswer reports whether bytes had to wait.
func (c *Conn) WriteAnswer(p []byte, b *limit.Budget, client netip.Prefix) (waited bool, err error) {
	n, err := c.writeNow(p)
	rest := int64(len(p) - n)
	if err != nil || rest == 0 {
		return false, err
	}
	if !b.TryAcquire(client, rest) {
		return true, ErrBudget
	}
	defer b.Release(client, rest)
	c.fresh()
	_, err = c.Write(p[n:])
	return true, err
}

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
