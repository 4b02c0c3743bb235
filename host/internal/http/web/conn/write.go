package conn

import (
	"errors"
	"net/netip"

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
