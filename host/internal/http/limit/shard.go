package limit

import (
	"sync"
	"time"
)

// There is a list of records for each quarter of the limit that is used, and one for exhausted
// records. A record is in the list that was right when its last call was accepted. Since then
// calls can only have left its window, so it may have used less.
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
	slots   int                   // room of all records
	evicted int64

	expiry time.Duration // nothing expires before

	maxRecords, maxSlots int

	// When nothing may be evicted, there is no search before fullUntil, which is when the
	// first exhausted record stops being exhausted.
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

// accept records a call if it may be accepted. It returns how many calls count then, and the
// time until the oldest of them leaves the window, or until there is room.
func (s *shard) accept(k key, now time.Duration) (allowed bool, used int, wait time.Duration) {
	s.dropExpired(now)
	limit := s.limits[k.surface()]
	r := s.records[k]
	if r == nil {
		if !s.makeRoom(now, 1, 1, nil) {
			return false, 0, s.fullUntil - now
		}
		r = &record{network: k.network, kind: uint8(k.kind)}
		s.records[k] = r
		s.slots += r.room()
	}
	r.prune(now)
	if r.used() >= limit {
		return false, r.used(), r.freeAt() - now
	}
	if r.used() == r.room() {
		room := min(2*r.room(), limit)
		if !s.makeRoom(now, 0, room-r.room(), r) {
			return false, r.used(), s.fullUntil - now
		}
		s.slots += room - r.room()
		r.grow(room)
	}
	r.push(now)
	s.list(r)
	return true, r.used(), r.freeAt() - now
}

// undo takes back the call that was accepted at the time.
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
	s.slots -= r.room()
}

// dropExpired forgets some records without calls that count: more than one call can add, so
// that all are forgotten in time. The first of each list expires first.
func (s *shard) dropExpired(now time.Duration) {
	if now < s.expiry {
		return
	}
	s.expiry = now + Window // of a call that is accepted now
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

// makeRoom evicts records, but not the one to keep, until there is room for more.
func (s *shard) makeRoom(now time.Duration, records, slots int, keep *record) bool {
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

// victim returns the oldest of the least used records, nil if all are exhausted.
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

// relist moves records that are listed as exhausted but no longer are.
func (s *shard) relist(now time.Duration) {
	s.fullUntil = now + Window
	list := &s.lists[exhausted]
	for r := list.next; r != list; {
		next := r.next // listing r elsewhere changes it
		r.prune(now)
		if r.used() < s.limits[r.key().surface()] {
			s.list(r)
		} else {
			s.fullUntil = min(s.fullUntil, r.freeAt())
		}
		r = next
	}
}
