package limit

import (
	"net/netip"
	"time"
)

// key names the window of one client on one surface.
type key struct {
	addr          [16]byte
	bits, surface uint8
}

const noBits = 255 // of the zero Prefix

func keyOf(surface uint8, client netip.Prefix) key {
	if !client.IsValid() {
		return key{bits: noBits, surface: surface}
	}
	bits := client.Bits()
	if client.Addr().Is4() {
		bits += 128 - 32
	}
	return key{client.Addr().As16(), uint8(bits), surface}
}

// record holds the times of the accepted calls that may still count, in a ring that
// grows as needed. It fills a 64-byte allocation.
type record struct {
	key
	class      uint8
	head, n    uint16
	prev, next *record
	ring       []time.Duration
}

// at returns the i-th oldest time.
func (r *record) at(i int) time.Duration { return r.ring[r.index(i)] }

// index wraps around without a division: a decision needs it many times.
func (r *record) index(i int) int {
	if i += int(r.head); i >= len(r.ring) {
		i -= len(r.ring)
	}
	return i
}

func (r *record) used() int { return int(r.n) }

// freeAt returns when the oldest call leaves the window.
func (r *record) freeAt() time.Duration { return r.at(0) + Window }

// expired reports whether no call counts any longer.
func (r *record) expired(now time.Duration) bool {
	return r.n == 0 || r.at(r.used()-1) <= now-Window
}

// prune forgets the calls that no longer count.
func (r *record) prune(now time.Duration) {
	for r.n > 0 && r.freeAt() <= now {
		r.head = uint16(r.index(1))
		r.n--
	}
}

func (r *record) push(now time.Duration) {
	r.ring[r.index(r.used())] = now
	r.n++
}

// remove takes back a call that push recorded.
func (r *record) remove(at time.Duration) {
	i := r.used() - 1
	for i >= 0 && r.at(i) != at {
		i--
	}
	if i < 0 {
		return
	}
	for ; i < r.used()-1; i++ {
		r.ring[r.index(i)] = r.at(i + 1)
	}
	r.n--
}

func (r *record) grow(size int) {
	ring := make([]time.Duration, size)
	for i := range r.used() {
		ring[i] = r.at(i)
	}
	r.ring, r.head = ring, 0
}

// A list of records is a ring of links. Its head is a record without a client.

func (r *record) unlink() {
	if r.next != nil {
		r.prev.next, r.next.prev = r.next, r.prev
	}
}

// linkBefore moves the record to the place before next.
func (r *record) linkBefore(next *record) {
	r.unlink()
	r.prev, r.next = next.prev, next
	r.prev.next, next.prev = r, r
}
