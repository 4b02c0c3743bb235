package wire

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/slipstick/slipstick/sdk/internal/calllog"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// callContext is the context of one call in the engine. Most calls end before anything waits
// for the context, so it creates the channel and the timer only on demand.
type callContext struct {
	context.Context // values
	deadline        time.Time

	mu      sync.Mutex
	request *contract.RequestID // nil after the call, because the next call uses its memory
	done    chan struct{}
	timer   *time.Timer
	err     error
}

// Deadline implements [context.Context].
func (c *callContext) Deadline() (time.Time, bool) { return c.deadline, !c.deadline.IsZero() }

// Done implements [context.Context].
func (c *callContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		} else if !c.deadline.IsZero() {
			c.timer = time.AfterFunc(time.Until(c.deadline), func() { c.end(context.DeadlineExceeded) })
		}
	}
	return c.done
}

// Err implements [context.Context].
func (c *callContext) Err() error {
	if !c.deadline.IsZero() && !time.Now().Before(c.deadline) {
		c.end(context.DeadlineExceeded)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value implements [context.Context].
func (c *callContext) Value(key any) any {
	if key == (calllog.Key{}) {
		return c
	}
	return c.Context.Value(key)
}

// Logger implements [calllog.Maker].
func (c *callContext) Logger() hclog.Logger {
	c.mu.Lock()
	defer c.mu.Unlock()
	return callLogger(c.request)
}

// end ends the context and stops its timer. Only the first call has an effect. With
// [context.Canceled] the call itself has ended.
func (c *callContext) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == context.Canceled {
		c.request = nil
	}
	if c.err != nil {
		return
	}
	c.err = err
	if c.done != nil {
		close(c.done)
	}
	if c.timer != nil {
		c.timer.Stop()
	}
}
