package limit

import (
	"container/list"
	"context"
	"net/netip"
	"sync"
)

// Budget is an amount of bytes or places that clients share. At any time no client holds more than its share,
// and all clients together hold no more than the total. The zero Prefix means callers that cannot be
// distinguished: only the total applies to them.
//
// A nil Budget has no limits. A Budget is safe for concurrent use.
type Budget struct {
	total, share int64
	pressed      func() // called when Pressed changes; may be nil

	mu      sync.Mutex
	used    int64
	high    bool // see Pressed
	by      map[netip.Prefix]int64
	waiting list.List // of *waiter, in the order of arrival
}

// waiter is a blocked call of Acquire.
type waiter struct {
	client netip.Prefix
	n      int64
	ready  chan struct{} // closed when the amount is acquired
}

// NewBudget returns a Budget with the total. One client can hold at most the share. If pressed is not nil, it
// is called in a new goroutine whenever the result of Pressed changes.
func NewBudget(total, share int64, pressed func()) *Budget {
	return &Budget{total: max(1, total), share: max(1, min(share, total)), pressed: pressed, by: map[netip.Prefix]int64{}}
}

// Pressed becomes true when more than a quarter of the total is held. It becomes false when nothing is held.
func (b *Budget) Pressed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.high
}

// press sets the result of Pressed.
func (b *Budget) press(high bool) {
	if b.high == high {
		return
	}
	b.high = high
	if b.pressed != nil {
		go b.pressed()
	}
}

// TryAcquire acquires n for the client. It returns false if n is not available now.
func (b *Budget) TryAcquire(client netip.Prefix, n int64) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.fits(n) || !b.fitsClient(client, n) {
		return false
	}
	b.acquire(client, n)
	return true
}

// Acquire waits until n is available and acquires it for the client. If n is more than the
// client may ever hold, it acquires that maximum instead. It returns the acquired amount, or
// the error of the context.
func (b *Budget) Acquire(ctx context.Context, client netip.Prefix, n int64) (taken int64, err error) {
	if b == nil {
		return 0, nil
	}
	w := b.queue(client, n)
	select {
	case <-w.ready:
		return w.n, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.ready: // granted while the call ended
		return w.n, nil
	default:
	}
	for e := b.waiting.Front(); e != nil; e = e.Next() {
		if e.Value == w {
			b.waiting.Remove(e)
			break
		}
	}
	b.grant() // later waiters may be able to continue
	return 0, context.Cause(ctx)
}

// queue appends a waiter, and grants the available amount.
func (b *Budget) queue(client netip.Prefix, n int64) *waiter {
	w := &waiter{client, min(n, b.total), make(chan struct{})}
	if client.IsValid() {
		w.n = min(n, b.share)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting.PushBack(w)
	b.grant()
	return w
}

// Release returns n of the amount that the client holds.
func (b *Budget) Release(client netip.Prefix, n int64) {
	if b == nil || n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.by[client] -= n
	if b.by[client] <= 0 {
		delete(b.by, client)
	}
	b.grant()
	if b.used == 0 {
		b.press(false)
	}
}

// grant serves waiters in order. If a waiter exceeds the share of its client, grant skips it and all later
// waiters of that client. It does not skip a waiter that exceeds the total, because smaller requests could then
// starve that waiter forever.
func (b *Budget) grant() {
	var passed map[netip.Prefix]bool // clients with a skipped waiter
	for e := b.waiting.Front(); e != nil; {
		w := e.Value.(*waiter)
		next := e.Next()
		switch {
		case passed[w.client]:
		case !b.fitsClient(w.client, w.n):
			if passed == nil {
				passed = map[netip.Prefix]bool{}
			}
			passed[w.client] = true
		case !b.fits(w.n):
			return
		default:
			b.acquire(w.client, w.n)
			b.waiting.Remove(e)
			close(w.ready)
		}
		e = next
	}
}

func (b *Budget) fits(n int64) bool { return b.used+n <= b.total }

func (b *Budget) fitsClient(client netip.Prefix, n int64) bool {
	return !client.IsValid() || b.by[client]+n <= b.share
}

func (b *Budget) acquire(client netip.Prefix, n int64) {
	b.used += n
	b.by[client] += n
	if b.used > b.total/4 {
		b.press(true)
	}
}

// ShareTaken reports whether the client holds its whole share.
func (b *Budget) ShareTaken(client netip.Prefix) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.fitsClient(client, 1)
}

// Exhausted reports whether the client could not acquire anything now.
func (b *Budget) Exhausted(client netip.Prefix) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.fits(1) || !b.fitsClient(client, 1)
}

// Share returns the amount that one client may hold at a time.
func (b *Budget) Share() int64 {
	if b == nil {
		return 0
	}
	return b.share
}

// Used returns the amount that is held now.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
