package limit

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/netip"
	"slices"
	"time"
)

// DefaultClients is the default number of clients that a Local stores. With their calls they take less than 200
// MB.
const DefaultClients = 1 << 20

const (
	callsPerClient  = 4 // stored calls, on average over all clients
	maxShards       = 64
	clientsPerShard = 4096 // minimum, so that all shards are about equally full
)

// Options are the options of a Local.
type Options struct {
	// Clients is the maximum number of stored clients. A client of two surfaces counts twice. 0 means
	// DefaultClients.
	Clients int

	// Clock returns the time since a fixed start and never goes back. Nil means the monotonic clock of the
	// process, which is independent of the wall clock.
	Clock func() time.Duration
}

// Local keeps the windows of one process. It is safe for concurrent use.
//
// Its memory is bounded: it stores at most Options.Clients clients and four times as many accepted calls. When
// the memory is full, Local first forgets clients without calls in the window. If that is not enough, it
// forgets the clients that have used the smallest part of their limit, in quarters. Among equals it forgets the
// client accepted longest ago. Only in this case can a client get more than N calls in a window; Evicted counts
// these clients. Local never forgets an exhausted client within its window. If all clients are exhausted, it
// refuses new clients until the first exhausted client may call again. It also refuses further calls of a known
// client if it cannot store them.
type Local struct {
	limits []int // by surface
	clock  func() time.Duration
	seed   maphash.Seed
	shards []shard
}

// NewLocal returns a Local without any calls. Nil limits mean the defaults. It panics if the limits are not
// valid for ParseLimits.
func NewLocal(limits Limits, options *Options) *Local {
	all, err := limits.complete()
	if err != nil {
		panic(err)
	}
	var o Options
	if options != nil {
		o = *options
	}
	if o.Clients <= 0 {
		o.Clients = DefaultClients
	}
	if o.Clock == nil {
		start := time.Now()
		o.Clock = func() time.Duration { return time.Since(start) }
	}
	l := &Local{clock: o.Clock, seed: maphash.MakeSeed()}
	for _, surface := range surfaces {
		l.limits = append(l.limits, all[surface])
	}
	l.shards = make([]shard, min(max(o.Clients/clientsPerShard, 1), maxShards))
	records := (o.Clients + len(l.shards) - 1) / len(l.shards)
	for i := range l.shards {
		l.shards[i].init(l.limits, records, max(callsPerClient*records, slices.Max(l.limits)))
	}
	return l
}

// Allow decides on a call, which counts if it is allowed. The client must come from Client.
// Allow panics if the surface does not exist.
func (l *Local) Allow(_ context.Context, surface string, client netip.Prefix) Decision {
	d, _ := l.reserve(surface, client)
	return d
}

// reserve is like Allow, and also returns the time of the call, which undo needs.
func (l *Local) reserve(surface string, client netip.Prefix) (Decision, time.Duration) {
	index := surfaceIndex(surface)
	limit := l.limits[index]
	if limit == 0 {
		return Decision{Surface: surface, Allowed: true}, 0
	}
	k := keyOf(index, client)
	s := l.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := l.clock() // under the lock, so that times are recorded in order
	allowed, used, wait := s.accept(k, now)
	return decide(surface, allowed, limit, used, wait), now
}

// undo takes back an allowed call.
func (l *Local) undo(surface string, client netip.Prefix, at time.Duration) {
	k := keyOf(surfaceIndex(surface), client)
	s := l.shard(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undo(k, at)
}

// Clients returns the number of stored clients.
func (l *Local) Clients() int {
	var n int
	l.each(func(s *shard) { n += len(s.records) })
	return n
}

// Evicted returns how many clients were forgotten while their calls still counted, because the memory was full.
func (l *Local) Evicted() int64 {
	var n int64
	l.each(func(s *shard) { n += s.evicted })
	return n
}

func (l *Local) each(f func(s *shard)) {
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		f(s)
		s.mu.Unlock()
	}
}

func (l *Local) shard(k key) *shard {
	return &l.shards[maphash.Comparable(l.seed, k)%uint64(len(l.shards))]
}

func surfaceIndex(surface string) int {
	i := slices.Index(surfaces, surface)
	if i < 0 {
		panic(fmt.Sprintf("limit: no surface %q", surface))
	}
	return i
}
