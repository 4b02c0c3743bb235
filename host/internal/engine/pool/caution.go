package pool

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// If several processes of a program end in calls, the program gets its calls one at a time. Then a
// call that ends a process fails no other call.
const (
	cautionAfter = 3                      // processes that ended in calls,
	cautionTime  = 10 * time.Second       // in this time; and how long caution lasts after the last one
	aloneTime    = 100 * time.Millisecond // after which other calls need not wait for a call without an answer
)

// caution decides whether the calls of a program are made one at a time.
type caution struct {
	until atomic.Int64 // end of the caution, Unix nanoseconds; 0 if there is none
	turns chan struct{}

	mu   sync.Mutex
	lost [cautionAfter]time.Time // when the last processes ended, oldest first
}

func newCaution() *caution { return &caution{turns: make(chan struct{}, 1)} }

// lose records that a process ended in a call.
func (c *caution) lose(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	copy(c.lost[:], c.lost[1:])
	c.lost[cautionAfter-1] = now
	if c.on(now) || now.Sub(c.lost[0]) < cautionTime {
		c.until.Store(now.Add(cautionTime).UnixNano())
	}
}

// on reports whether there is caution now.
func (c *caution) on(now time.Time) bool { return now.UnixNano() < c.until.Load() }

// enter waits until the caller can make a call. Without caution, which is the usual case, it
// returns nil at once. Otherwise the caller must call leave of the result.
func (c *caution) enter(ctx context.Context, deadline time.Time) (*aloneTurn, error) {
	until := c.until.Load()
	if until == 0 {
		return nil, nil
	}
	if time.Now().UnixNano() >= until {
		c.until.CompareAndSwap(until, 0)
		return nil, nil
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case c.turns <- struct{}{}:
		return &aloneTurn{caution: c}, nil
	case <-ctx.Done():
	case <-late.C:
	}
	return nil, fmt.Errorf("%w: many of its processes end, so its calls are made one at a time, and there was no time left", ErrUnavailable)
}

// aloneTurn is a call that is made alone. A nil aloneTurn is a call without caution.
type aloneTurn struct {
	caution *caution
	late    *time.Timer
	once    sync.Once
}

// sent bounds the time in which the call is alone.
func (t *aloneTurn) sent() {
	if t != nil && t.late == nil {
		t.late = time.AfterFunc(aloneTime, t.end)
	}
}

// leave lets the next call start.
func (t *aloneTurn) leave() {
	if t == nil {
		return
	}
	if t.late != nil {
		t.late.Stop()
	}
	t.end()
}

func (t *aloneTurn) end() { t.once.Do(func() { <-t.caution.turns }) }

// Second attempts of a program can end processes at 1/trialPart of its StartRate, after a burst of
// trialBurst. All calls that end together with a bad one must get their second attempts in time.
const (
	trialPart  = 5
	trialBurst = 60
)

// trials is the budget of processes that second attempts can end. Processes that replace the
// current one have another budget, so that good calls do not wait for bad ones.
type trials struct {
	limit *rate.Limiter
	first chan struct{} // held by the second attempt that waits for the budget; the others wait for it
}

func newTrials(limit rate.Limit) *trials {
	return &trials{rate.NewLimiter(limit, trialBurst), make(chan struct{}, 1)}
}

// wait returns when there is budget for a second attempt. The error is the error of the context.
func (t *trials) wait(ctx context.Context) error {
	if t.limit.Tokens() >= 1 {
		return nil
	}
	select {
	case t.first <- struct{}{}:
		defer func() { <-t.first }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		missing := 1 - t.limit.Tokens()
		if missing <= 0 {
			return nil
		}
		pause := time.NewTimer(time.Millisecond + time.Duration(missing/float64(t.limit.Limit())*float64(time.Second)))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

// spend records that a second attempt ended a process.
func (t *trials) spend() { t.limit.Reserve() }
