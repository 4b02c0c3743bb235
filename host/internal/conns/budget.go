package conns

import (
	"container/list"
	"context"
	"net/netip"
	"sync"
)

// Budget is an amount that clients share, of bytes or of places. No client has more than
// its share at a time, and all together no more than the total. The zero Prefix stands
// for callers who cannot be told apart: for them the total alone counts.
//
// A nil Budget has no bounds. A Budget is safe for concurrent use.
type Budget struct {
	total, share int64
	pressed      func() // nil: nobody wants to know

	mu      sync.Mutex
	used    int64
	high    bool // more than a quarter was used since nothing was
	by      map[netip.Prefix]int64
	waiting list.List // of *waiter, who came first stands first
}

// waiter waits for an amount.
type waiter struct {
	client netip.Prefix
	n      int64
	ready  chan struct{} // closed once the amount is taken
}

// NewBudget returns a Budget of the total, in which a client has at most the share. If
// pressed is not nil, it is called in a goroutine of its own when more than a quarter of
// the total is taken, and when after that everything has been given back. It asks Pressed
// which of the two it is.
func NewBudget(total, share int64, pressed func()) *Budget {
	return &Budget{total: max(1, total), share: max(1, min(share, total)), pressed: pressed, by: map[netip.Prefix]int64{}}
}

// Pressed reports whether more than a quarter of the total was taken since nothing was.
func (b *Budget) Pressed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.high
}

// press notes whether much is taken.
func (b *Budget) press(high bool) {
	if b.high == high {
		return
	}
	b.high = high
	if b.pressed != nil {
		go b.pressed()
	}
}

// Try takes n for the client, or reports that there is no room for it now.
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

// Take takes n for the client and waits until there is room for it. Who asks for more
// than can ever be had takes what can be had. It returns what was taken, or the error of
// the context.
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
	case <-w.ready: // meanwhile
		return w.n, nil
	default:
	}
	for e := b.waiting.Front(); e != nil; e = e.Next() {
		if e.Value == w {
			b.waiting.Remove(e)
			break
		}
	}
	b.grant() // others may have stood behind it
	return 0, context.Cause(ctx)
}

// queue puts a waiter at the end, and grants what can be granted.
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

// Give gives back n of what the client took.
func (b *Budget) Release(client netip.Prefix, n int64) {
	if b == nil || n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.by[client] -= n; b.by[client] <= 0 {
		delete(b.by, client)
	}
	b.grant()
	if b.used == 0 {
		b.press(false)
	}
}

// grant takes for those who wait, in their order. Who has no room within the share of
// its client lets others pass; who has none within the total does not, or large amounts
// would never get their turn.
func (b *Budget) grant() {
	var passed map[netip.Prefix]bool // clients that one of theirs waits for
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

// ShareTaken reports whether the client has all of its share.
func (b *Budget) ShareTaken(client netip.Prefix) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.fitsClient(client, 1)
}

// Exhausted reports whether the client could take nothing at all now.
func (b *Budget) Exhausted(client netip.Prefix) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.fits(1) || !b.fitsClient(client, 1)
}

// Share is what one client may have at a time.
func (b *Budget) Share() int64 {
	if b == nil {
		return 0
	}
	return b.share
}

// Used is how much is taken now.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}
