package limit

import (
	"sync"
	"time"
)

// There is a list of records for each used quarter of the limit, and a list of exhausted records. A record is
// in the list that was right when its last call was accepted. Since then calls can only have left its window,
// so it may have used less.
const (
	quarters  = 4
	exhausted = quarters
)

// shard keeps a part of the records under one lock.
type shard struct {
	mu      sync.Mutex
	limits  []int // by surface
	records map[key]*record
	lists   [exhausted + 1]record // oldest first
	slots   int                   // sum of the capacities of all records
	evicted int64

	expiry time.Duration // nothing expires earlier

	maxRecords, maxSlots int

	// fullUntil is when the first exhausted record stops being exhausted. If nothing can be evicted, there is
	// no search before then.
	fullUntil time.Duration

	_ [64]byte // keeps the locks of two shards off one cache line
}

func (s *shard) init(limits []int, maxRecords, maxSlots int) {
	s.limits, s.maxRecords, s.maxSlots = limits, maxRecords, maxSlots
	s.records = map[key]*record{}
	for i := range s.lists {
		s.lists[i].prev, s.lists[i].next = &s.lists[i], &s.lists[i]
	}
}

// accept records a call if it is allowed. It returns how many calls count then. It also returns the time until
// the oldest call leaves the window, or until memory becomes free.
func (s *shard) accept(k key, now time.Duration) (allowed bool, used int, wait time.Duration) {
	s.dropExpired(now)
	limit := s.limits[k.surface()]
	r := s.records[k]
	if r == nil {
		if !s.evictUntilFits(now, 1, 1, nil) {
			return false, 0, s.fullUntil - now
		}
		r = &record{network: k.network, kind: uint8(k.kind)}
		s.records[k] = r
		s.slots += r.capacity()
	}
	r.prune(now)
	if r.used() >= limit {
		return false, r.used(), r.freeAt() - now
	}
	if r.used() == r.capacity() {
		capacity := min(2*r.capacity(), limit)
		if !s.evictUntilFits(now, 0, capacity-r.capacity(), r) {
			return false, r.used(), s.fullUntil - now
		}
		s.slots += capacity - r.capacity()
		r.grow(capacity)
	}
	r.push(now)
	s.list(r)
	return true, r.used(), r.freeAt() - now
}

// undo removes the call that was accepted at the time.
func (s *shard) undo(k key, at time.Duration) {
	r := s.records[k]
	if r == nil {
		return
	}
	r.remove(at)
	if r.n == 0 {
		s.forget(r)
		return
	}
	s.list(r)
	s.expiry = min(s.expiry, r.expiry())
}

func (s *shard) list(r *record) {
	limit := s.limits[r.key().surface()]
	r.class = uint8(min(r.used()*quarters/limit, exhausted))
	r.linkBefore(&s.lists[r.class])
	if r.class == exhausted {
		s.fullUntil = min(s.fullUntil, r.freeAt())
	}
}

func (s *shard) forget(r *record) {
	r.unlink()
	delete(s.records, r.key())
	s.slots -= r.capacity()
}

// dropExpired forgets some records without calls that count. It forgets more records than one call can add, so
// that all are forgotten in time. The first record of each list expires first.
func (s *shard) dropExpired(now time.Duration) {
	if now < s.expiry {
		return
	}
	s.expiry = now + Window // when a call that is accepted now expires
	for i := range s.lists {
		list := &s.lists[i]
		for range 4 {
			if list.next == list || list.next.expiry() > now {
				break
			}
			s.forget(list.next)
		}
		if list.next != list {
			s.expiry = min(s.expiry, list.next.expiry())
		}
	}
}

// evictUntilFits evicts records, except for keep, until the records and slots fit.
func (s *shard) evictUntilFits(now time.Duration, records, slots int, keep *record) bool {
	for len(s.records)+records > s.maxRecords || s.slots+slots > s.maxSlots {
		victim := s.victim(keep)
		if victim == nil && now >= s.fullUntil {
			s.relist(now)
			victim = s.victim(keep)
		}
		if victim == nil {
			return false
		}
		if victim.expiry() > now {
			s.evicted++
		}
		s.forget(victim)
	}
	return true
}

// victim returns the oldest of the least used records, or nil if all are exhausted.
func (s *shard) victim(keep *record) *record {
	for i := range exhausted {
		list := &s.lists[i]
		for r := list.next; r != list; r = r.next {
			if r != keep {
				return r
			}
		}
	}
	return nil
}

// relist moves records that are listed as exhausted but are not exhausted any more.
func (s *shard) relist(now time.Duration) {
	s.fullUntil = now + Window
	list := &s.lists[exhausted]
	for r := list.next; r != list; {
		next := r.next // moving r to another list changes it
		r.prune(now)
		if r.used() < s.limits[r.key().surface()] {
			s.list(r)
		} else {
			s.fullUntil = min(s.fullUntil, r.freeAt())
		}
		r = next
	}
}
