package limit

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// key identifies the window of one client on one surface. It has two words, which are fast to compare and to
// hash.
type key struct {
	network uint64 // the IPv4 address, or the upper half of the IPv6 address
	kind    uint64 // the surface's index and the family
}

// Families of clients. The zero Prefix has none.
const (
	noFamily = iota
	ipv4
	ipv6
	families
)

// keyOf returns the key of a client from Client.
func keyOf(surface int, client netip.Prefix) key {
	k := key{0, uint64(surface) * families}
	switch addr := client.Addr(); {
	case addr.Is4():
		b := addr.As4()
		k.network, k.kind = uint64(binary.BigEndian.Uint32(b[:])), k.kind+ipv4
	case addr.Is6():
		b := addr.As16()
		k.network, k.kind = binary.BigEndian.Uint64(b[:]), k.kind+ipv6
	}
	return k
}

// surface returns the surface's index.
func (k key) surface() int { return int(k.kind / families) }

// record holds the times of the accepted calls that can still count. Most decisions need only the oldest time,
// which is in the record. The other times are in a ring that grows as needed. A record fills one line of a CPU
// cache, because with thousands of clients the memory accesses dominate the time of a decision.
type record struct {
	network    uint64 // of the key
	kind       uint8  // of the key
	class      uint8
	head, n    uint16 // n counts the oldest call too
	prev, next *record
	oldest     time.Duration
	ring       []time.Duration
}

func (r *record) key() key { return key{r.network, uint64(r.kind)} }

// at returns the i-th oldest time.
func (r *record) at(i int) time.Duration {
	if i == 0 {
		return r.oldest
	}
	return r.ring[r.index(i)]
}

// index returns the index of the i-th oldest time in the ring, i > 0. It wraps around without a division,
// because a decision calls it many times.
func (r *record) index(i int) int {
	i += int(r.head) - 1
	if i >= len(r.ring) {
		i -= len(r.ring)
	}
	return i
}

func (r *record) set(i int, t time.Duration) {
	if i == 0 {
		r.oldest = t
		return
	}
	r.ring[r.index(i)] = t
}

func (r *record) used() int { return int(r.n) }

// capacity returns the number of calls that fit into the memory of the record.
func (r *record) capacity() int { return 1 + len(r.ring) }

// freeAt returns when the oldest call leaves the window.
func (r *record) freeAt() time.Duration { return r.oldest + Window }

// expiry returns when the last call leaves the window.
func (r *record) expiry() time.Duration {
	if r.n == 0 {
		return 0
	}
	return r.at(r.used()-1) + Window
}

// prune forgets the calls that no longer count.
func (r *record) prune(now time.Duration) {
	for r.n > 0 && r.freeAt() <= now {
		if r.n > 1 {
			r.oldest = r.at(1)
			r.head = uint16(r.index(2))
		}
		r.n--
	}
}

func (r *record) push(now time.Duration) {
	r.set(r.used(), now)
	r.n++
}

// remove removes a call that push recorded.
func (r *record) remove(at time.Duration) {
	i := r.used() - 1
	for i >= 0 && r.at(i) != at {
		i--
	}
	if i < 0 {
		return
	}
	for ; i < r.used()-1; i++ {
		r.set(i, r.at(i+1))
	}
	r.n--
}

// grow extends the memory to at least this number of calls.
func (r *record) grow(capacity int) {
	ring := make([]time.Duration, capacity-1)
	for i := 1; i < r.used(); i++ {
		ring[i-1] = r.at(i)
	}
	r.ring, r.head = ring, 0
}

// A list of records is a ring of links. Its head is a record without a client.

func (r *record) unlink() {
	if r.next != nil {
		r.prev.next, r.next.prev = r.next, r.prev
	}
}

// linkBefore inserts the record before next.
func (r *record) linkBefore(next *record) {
	r.unlink()
	r.prev, r.next = next.prev, next
	r.prev.next, next.prev = r, r
}
