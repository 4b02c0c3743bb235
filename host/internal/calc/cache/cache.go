// Package cache keeps results that depend on their key alone, within a limit of bytes.
// Concurrent requests for one key share a single computation. A result that is requested only
// once is not kept. It would cost memory and garbage collection, and would evict results that
// are requested again.
package cache

import (
	"bytes"
	"context"
	"hash/maphash"
	"sync"
)

// Cache keeps values of type V by key. It is safe for concurrent use.
type Cache[V any] struct {
	seed   maphash.Seed
	shards [shardCount]shard[V]
}

// shardCount is the number of shards, each with its own lock.
const shardCount = 16

// overhead is the approximate size of an entry without its key and value, in bytes.
const overhead = 160

// New returns a Cache of at most the number of bytes. Callers report the sizes of values.
func New[V any](maxBytes int64) *Cache[V] {
	c := &Cache[V]{seed: maphash.MakeSeed()}
	for i := range c.shards {
		s := &c.shards[i]
		s.max, s.entries = maxBytes/shardCount, map[uint64]*entry[V]{}
		s.ring.next, s.ring.prev = &s.ring, &s.ring
	}
	return c
}

// shard is one part of the keys. Keys are found by their hash. If two keys have the same hash,
// which is next to impossible, the second one is neither shared nor kept.
type shard[V any] struct {
	mu      sync.Mutex
	entries map[uint64]*entry[V] // values that are kept, by the hash of the key
	flights []*flight[V]         // computations in progress, which are few
	spare   []*flight[V]         // their memory is reused by the next computations
	ring    entry[V]             // sentinel; its next is the most recently used entry
	max     int64
	stats   Stats
	seen    [seenCount]uint32 // marks of recently requested keys
}

// seenCount is about how many recently requested keys a shard remembers without their values.
const seenCount = 1 << 12

// seenBefore reports whether a key with this hash was requested recently, and remembers it.
// Collisions of marks can make it wrong in either direction, which costs only speed.
func (s *shard[V]) seenBefore(hash uint64) bool {
	place, mark := &s.seen[hash>>4%seenCount], uint32(hash>>32)|1
	if *place == mark {
		return true
	}
	*place = mark
	return false
}

// entry is a value that is kept.
type entry[V any] struct {
	prev, next *entry[V]
	hash       uint64
	key        string
	value      V
	size       int64
}

// flight is a computation in progress. It is reused, with its key, unless a caller waited.
type flight[V any] struct {
	hash  uint64
	key   []byte
	keep  bool          // the key was requested before
	done  chan struct{} // made by the first waiter, closed when the computation has ended
	value V             // set before done is closed
	ok    bool          // there is a value
}

// Stats are counts since the cache was made.
type Stats struct {
	Hits, Misses, Evictions uint64
	Entries, Bytes          int64
}

// Stats adds up the counts.
func (c *Cache[V]) Stats() Stats {
	var sum Stats
	for i := range c.shards {
		s := &c.shards[i]
		s.mu.Lock()
		sum.Hits += s.stats.Hits
		sum.Misses += s.stats.Misses
		sum.Evictions += s.stats.Evictions
		sum.Entries += s.stats.Entries
		sum.Bytes += s.stats.Bytes
		s.mu.Unlock()
	}
	return sum
}

// Do returns the value of the key, and whether it was in the cache. If not, Do calls compute,
// which returns the value and its size in bytes. The value is kept if the key was requested
// before. Concurrent calls with the same key wait for the first one and get its value, which
// counts as a hit. If the first one fails, the next one computes. Errors are not kept. The key
// may be reused when Do has returned.
func (c *Cache[V]) Do(ctx context.Context, key []byte, compute func() (V, int64, error)) (value V, hit bool, err error) {
	hash := maphash.Bytes(c.seed, key)
	s := &c.shards[hash%shardCount]
	for {
		s.mu.Lock()
		if e := s.entries[hash]; e != nil && e.key == string(key) {
			s.stats.Hits++
			s.touch(e)
			value = e.value
			s.mu.Unlock()
			return value, true, nil
		}
		f, mine := s.join(hash, key)
		if mine {
			s.stats.Misses++
			s.mu.Unlock()
			value, err = s.fill(f, compute)
			return value, false, err
		}
		done := f.done
		s.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return value, false, ctx.Err()
		}
		if f.ok {
			s.countHit()
			return f.value, true, nil
		}
	}
}

// join returns the computation of the key that is in progress. If there is none, it starts
// one, which the caller has to fill.
func (s *shard[V]) join(hash uint64, key []byte) (f *flight[V], mine bool) {
	for _, f := range s.flights {
		if f.hash == hash && bytes.Equal(f.key, key) {
			if f.done == nil {
				f.done = make(chan struct{})
			}
			return f, false
		}
	}
	if n := len(s.spare); n > 0 {
		f, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		f = new(flight[V])
	}
	f.hash, f.key, f.keep = hash, append(f.key[:0], key...), s.seenBefore(hash)
	s.flights = append(s.flights, f)
	return f, true
}

// fill computes the value of a flight. The value is kept if the key was requested before, or
// if another call waits for it.
func (s *shard[V]) fill(f *flight[V], compute func() (V, int64, error)) (value V, err error) {
	var size int64
	computed := false
	defer func() { s.land(f, value, size, computed) }() // also if compute panics
	value, size, err = compute()
	computed = err == nil
	return value, err
}

// land ends a flight: it keeps the value, and gives it to the waiting calls.
func (s *shard[V]) land(f *flight[V], value V, size int64, computed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if computed && (f.keep || f.done != nil) {
		s.keep(f, value, size)
	}
	last := len(s.flights) - 1
	for i, other := range s.flights {
		if other == f {
			s.flights[i], s.flights[last] = s.flights[last], nil
			s.flights = s.flights[:last]
			break
		}
	}
	if f.done != nil {
		f.value, f.ok = value, computed
		close(f.done)
	} else if len(s.spare) < maxSpare && cap(f.key) <= maxSpareKey {
		s.spare = append(s.spare, f)
	}
}

// Bounds on the memory that a shard keeps for computations to come.
const (
	maxSpare    = 64
	maxSpareKey = 1 << 10
)

// keep makes an entry of the value of a flight. It does nothing if another key has the hash.
func (s *shard[V]) keep(f *flight[V], value V, size int64) {
	if s.entries[f.hash] != nil {
		return
	}
	e := &entry[V]{hash: f.hash, key: string(f.key), value: value, size: size + int64(len(f.key)) + overhead}
	s.entries[e.hash] = e
	s.link(e)
	s.stats.Entries++
	s.stats.Bytes += e.size
	s.evict()
}

func (s *shard[V]) countHit() {
	s.mu.Lock()
	s.stats.Hits++
	s.mu.Unlock()
}

// evict removes the least recently used values until the rest fits.
func (s *shard[V]) evict() {
	for s.stats.Bytes > s.max && s.ring.prev != &s.ring {
		e := s.ring.prev
		s.unlink(e)
		delete(s.entries, e.hash)
		s.stats.Bytes -= e.size
		s.stats.Entries--
		s.stats.Evictions++
	}
}

// touch makes the entry the most recently used one.
func (s *shard[V]) touch(e *entry[V]) {
	if s.ring.next != e {
		s.unlink(e)
		s.link(e)
	}
}

func (s *shard[V]) link(e *entry[V]) {
	e.prev, e.next = &s.ring, s.ring.next
	e.prev.next, e.next.prev = e, e
}

func (s *shard[V]) unlink(e *entry[V]) {
	e.prev.next, e.next.prev = e.next, e.prev
}
