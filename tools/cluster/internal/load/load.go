// Package load runs many concurrent clients that check every answer. [Start] starts a [Load], and
// [Load.Stop] returns its [Tally].
//
// Each client has its own address and connection, keeps within the default limits of a server, and sends
// no request twice. Each call without an answer, or with a wrong answer, is counted as a [Failure].
package load

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Options are the options of a load.
type Options struct {
	Workers  int              // concurrent clients
	Rate     int              // calls per second of all clients; 0 means no limit
	Patience time.Duration    // timeout of one call
	Others   []netip.AddrPort // more addresses to read snapshots from
	Current  bool             // only calls without a pin
}

// Load is a running load. Stop ends it.
type Load struct {
	target   netip.AddrPort
	others   []netip.AddrPort // more addresses to read snapshots from
	truth    *Truth
	crowd    *Crowd
	patience time.Duration
	every    time.Duration // interval between two calls of a worker
	current  bool

	book    book
	sent    atomic.Int64
	started time.Time
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// Crowd hands out client addresses, each once.
type Crowd struct {
	mu   sync.Mutex
	next netip.Addr
	all  netip.Prefix
}

// NewCrowd returns a Crowd of the addresses.
func NewCrowd(all netip.Prefix) *Crowd { return &Crowd{next: all.Addr().Next(), all: all} }

// Take returns the next address. After the last one it starts again.
func (c *Crowd) Take() netip.Addr {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.all.Contains(c.next) {
		c.next = c.all.Addr().Next()
	}
	addr := c.next
	c.next = c.next.Next()
	return addr
}

// Start starts clients of the target.
func Start(ctx context.Context, target netip.AddrPort, truth *Truth, crowd *Crowd, o Options) *Load {
	ctx, stop := context.WithCancel(ctx)
	l := &Load{target: target, others: o.Others, truth: truth, crowd: crowd, patience: o.Patience, current: o.Current, started: time.Now(), stop: stop}
	l.book.t.Calls = map[Call]int{}
	if o.Rate > 0 {
		l.every = time.Duration(o.Workers) * time.Second / time.Duration(o.Rate)
	}
	for n := range o.Workers {
		l.done.Go(func() { l.work(ctx, n) })
	}
	return l
}

// Sent returns the number of calls so far.
func (l *Load) Sent() int { return int(l.sent.Load()) }

// Now returns the tally so far.
func (l *Load) Now() Tally {
	l.book.mu.Lock()
	defer l.book.mu.Unlock()
	t := l.book.t
	t.Failures = append([]Failure(nil), t.Failures...)
	t.Current = append([]Sample(nil), t.Current...)
	t.Took = time.Since(l.started)
	return t
}

// Stop waits for the calls in progress, and returns the tally of all calls.
func (l *Load) Stop() Tally {
	l.stop()
	l.done.Wait()
	return l.Now()
}

// The calls of one client. The default limits allow 60 calculations and 60 snapshots in a minute. A batch of up to
// 1,000 rows counts as one calculation.
const (
	pinnedCalls   = 36
	currentCalls  = 18
	snapshotCalls = 3
	batchRows     = 50
)

// work runs one client after the other.
func (l *Load) work(ctx context.Context, n int) {
	pace := &pace{every: l.every, next: time.Now().Add(l.every * time.Duration(n%7) / 7)}
	for x := n*1_000_000 + 1; ctx.Err() == nil; {
		c := &client{load: l, addr: l.crowd.Take(), target: l.target}
		x = l.visit(ctx, c, pace, x)
		c.leave()
	}
}

// visit makes the calls of a client, until one fails, and returns the next number to send.
func (l *Load) visit(ctx context.Context, c *client, p *pace, x int) int {
	for i := range pinnedCalls + currentCalls + snapshotCalls + 1 {
		if !p.wait(ctx) {
			return x
		}
		x++
		l.sent.Add(1)
		if err := l.call(c, i, x); err != nil {
			return x
		}
	}
	return x
}

// call makes the i-th call of a client. It does not interrupt a started call.
func (l *Load) call(c *client, i, x int) error {
	ctx, num := context.Background(), float64(x)
	pin := l.truth.pin(x)
	if l.truth.state(pin) != Served && i%3 == 0 {
		pin = "1.0.0"
	}
	switch {
	case l.current:
		return c.timed(Current, func() (string, error) { return c.calculate(ctx, "", num) })
	case i == 5:
		return c.timed(Batch, func() (string, error) {
			err := c.batch(ctx, "1.0.0", batchRows)
			l.book.note(func(t *Tally) { t.Rows += batchRows })
			return "", err
		})
	case i%19 == 7:
		return l.snapshotAndRead(ctx, c, num)
	case i%3 == 2:
		return c.timed(Current, func() (string, error) { return c.calculate(ctx, "", num) })
	}
	return c.timed(Pinned, func() (string, error) { return c.calculate(ctx, pin, num) })
}

// snapshotAndRead creates a snapshot, and reads it here and at the other addresses.
func (l *Load) snapshotAndRead(ctx context.Context, c *client, x float64) error {
	var made *record
	err := c.timed(Snapshot, func() (_ string, err error) {
		made, err = c.snapshot(ctx, "1.0.0", x)
		return "", err
	})
	if err != nil {
		return err
	}
	readers := []*client{c}
	for _, other := range l.others {
		reader := &client{load: l, addr: c.addr, target: other}
		defer reader.leave()
		readers = append(readers, reader)
	}
	for _, reader := range readers {
		err := c.timed(Read, func() (string, error) {
			unstored, err := reader.readBack(ctx, made, "1.0.0", x)
			if unstored {
				l.book.note(func(t *Tally) { t.Unstored++ })
			}
			return "", err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pace limits the call rate of a worker.
type pace struct {
	every time.Duration
	next  time.Time
}

// wait waits for the next call, and reports false when there is none.
func (p *pace) wait(ctx context.Context) bool {
	if p.every == 0 {
		return ctx.Err() == nil
	}
	p.next = p.next.Add(p.every)
	if late := time.Since(p.next); late > time.Second {
		p.next = time.Now() // do not catch up on missed calls
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(p.next)):
		return true
	}
}
