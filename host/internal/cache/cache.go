// Package cache keeps results that depend on their key alone, within a limit of bytes.
// Concurrent requests for one key share a single computation. A result that is requested only
// once is not kept: it would cost memory and time of the garbage collector, and would evict
// results that are requested again.
package cache

import (
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
		s.max, s.entries = maxBytes/shardCount, map[string]*entry[V]{}
		s.ring.next, s.ring.prev = &s.ring, &s.ring
	}
	return c
}

// shard is one part of the keys.
type shard[V any] struct {
	mu      sync.Mutex
	entries map[string]*entry[V]
	ring    entry[V] // sentinel; its next is the most recently used entry
	max     int64
	stats   Stats
	seen    [seenCount]uint32 // marks of recently requested keys
}

// seenCount is about how many recently requested keys a shard remembers without their values.
const seenCount = 1 << 12

// sawBefore reports whether a key with this hash was requested recently, and remembers it.
// Collisions of marks can make it wrong in either direction, which costs only speed.
func (s *shard[V]) sawBefore(hash uint64) bool {
	place, mark := &s.seen[hash>>4%seenCount], uint32(hash>>32)|1
	if *place == mark {
		return true
	}
	*place = mark
	return false
}

// entry is a value, or a computation in progress.
type entry[V any] struct {
	prev, next *entry[V] // nil until there is a value
	key        string
	value      V
	size       int64
	done       chan struct{} // made by the first waiter, closed when the computation ends
}

// Stats are figures since the cache was made.
type Stats struct {
	Hits, Misses, Evictions uint64
	Entries, Bytes          int64
}

// Stats adds up the figures.
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
// before. Concurrent calls with the same key wait for the first one; if that fails, the next
// one computes. Errors are not kept.
func (c *Cache[V]) Do(ctx context.Context, key []byte, compute func() (V, int64, error)) (value V, hit bool, err error) {
	hash := maphash.Bytes(c.seed, key)
	s := &c.shards[hash%shardCount]
	for {
		s.mu.Lock()
		e, known := s.entries[string(key)]
		switch {
		case !known:
			e = &entry[V]{key: string(key)}
			s.entries[e.key] = e
			s.stats.Misses++
			keep := s.sawBefore(hash)
			s.mu.Unlock()
			value, err = s.fill(e, keep, compute)
			return value, false, err
		case e.next != nil:
			s.stats.Hits++
			s.unlink(e)
			s.link(e)
			value = e.value
			s.mu.Unlock()
			return value, true, nil
		}
		if e.done == nil {
			e.done = make(chan struct{})
		}
		done := e.done
		s.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return value, false, ctx.Err()
		}
	}
}

// fill computes the entry's value. The value is kept if keep is true, or if another call waits
// for it.
func (s *shard[V]) fill(e *entry[V], keep bool, compute func() (V, int64, error)) (value V, err error) {
	var size int64
	computed := false
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if computed && (keep || e.done != nil) {
			e.value, e.size = value, size+int64(len(e.key))+overhead
			s.link(e)
			s.stats.Entries++
			s.stats.Bytes += e.size
			s.evict()
		} else {
			delete(s.entries, e.key)
		}
		if e.done != nil {
			close(e.done)
		}
	}()
	value, size, err = compute()
	computed = err == nil
	return value, err
}

// evict removes the least recently used values until the rest fits.
func (s *shard[V]) evict() {
	for s.stats.Bytes > s.max && s.ring.prev != &s.ring {
		e := s.ring.prev
		s.unlink(e)
		delete(s.entries, e.key)
		s.stats.Bytes -= e.size
		s.stats.Entries--
		s.stats.Evictions++
	}
}

func (s *shard[V]) link(e *entry[V]) {
	e.prev, e.next = &s.ring, s.ring.next
	e.prev.next, e.next.prev = e, e
}

func (s *shard[V]) unlink(e *entry[V]) {
	e.prev.next, e.next.prev = e.next, e.prev
}
