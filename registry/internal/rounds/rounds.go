// Package rounds examines many resources repeatedly if any of them may hang. Each look runs in a
// goroutine of its own, so that one that hangs does not delay the others. Make [Rounds] with [New],
// and call [Rounds.Run] for each round.
package rounds

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Options bound how many looks are under way at the same time. The zero value is not useful.
type Options struct {
	Parallel int           // looks under way that are not slow
	Slow     time.Duration // after that long a look is slow
	Most     int           // all looks under way, including slow and hanging ones
}

// Rounds starts looks, each at a named resource. It never runs two looks at the same resource
// at a time. It is not safe for concurrent use.
type Rounds[T any] struct {
	o       Options
	running map[string]time.Time // start of the look under way, by name
	turns   map[string]uint64    // number of the last look, by name
	turn    uint64               // number of looks started so far
	ended   chan ended[T]        // buffered for every look that can be under way
}

type ended[T any] struct {
	name  string
	found T
}

// New returns Rounds without a look under way.
func New[T any](o Options) *Rounds[T] {
	return &Rounds[T]{
		o: o, running: map[string]time.Time{}, turns: map[string]uint64{},
		ended: make(chan ended[T], o.Most), // so that a look can end even if no goroutine receives
	}
}

// Timeout bounds how long a round waits for the looks that it has started. A zero field sets
// no bound.
type Timeout struct {
	Total time.Duration // since the start of the round
	Idle  time.Duration // since the last look that ended
}

// Since returns the start of the look under way at the named resource, if there is one.
func (r *Rounds[T]) Since(name string) (began time.Time, running bool) {
	began, running = r.running[name]
	return began, running
}

// Run makes one round. It starts a look at each name without a look under way, in the order of
// their last looks, longest ago first. It calls take in its own goroutine with the result of
// each look. That includes looks of earlier rounds that have ended since. When the timeout is
// over, Run leaves the rest to the next round. The error is the error of the context.
func (r *Rounds[T]) Run(ctx context.Context, names []string, t Timeout, look func(ctx context.Context, name string) T, take func(name string, found T)) error {
	r.forget(names)
	queue, own := r.queue(names), map[string]bool{}
	total, idle := timer(t.Total), timer(t.Idle)
	defer total.Stop()
	defer idle.Stop()
	for {
		for len(queue) > 0 && r.mayStart() {
			own[queue[0]] = true
			r.start(ctx, queue[0], look)
			queue = queue[1:]
		}
		if ctx.Err() != nil || len(own) == 0 && len(queue) == 0 && len(r.ended) == 0 {
			return ctx.Err()
		}
		var room <-chan time.Time
		if len(queue) > 0 && len(r.running) < r.o.Most {
			room = time.After(r.o.Slow)
		}
		select {
		case e := <-r.ended:
			delete(r.running, e.name)
			delete(own, e.name)
			take(e.name, e.found)
			if t.Idle > 0 {
				idle.Reset(t.Idle)
			}
		case <-room:
		case <-total.C:
			return nil
		case <-idle.C:
			return nil
		case <-ctx.Done():
		}
	}
}

// timer returns a timer. With a duration of zero it never fires.
func timer(d time.Duration) *time.Timer {
	if d > 0 {
		return time.NewTimer(d)
	}
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// queue returns the names without a look under way. The name with the oldest last look comes
// first.
func (r *Rounds[T]) queue(names []string) []string {
	var queue []string
	for _, name := range names {
		if _, busy := r.running[name]; !busy {
			queue = append(queue, name)
		}
	}
	slices.SortStableFunc(queue, func(a, b string) int { return cmp.Compare(r.turns[a], r.turns[b]) })
	return queue
}

// forget drops the records of names that no longer exist, once there are many.
func (r *Rounds[T]) forget(names []string) {
	if len(r.turns) <= 2*len(names)+r.o.Most {
		return
	}
	kept := make(map[string]uint64, len(names))
	for _, name := range names {
		kept[name] = r.turns[name]
	}
	r.turns = kept
}

// mayStart reports whether the bounds allow one more look.
func (r *Rounds[T]) mayStart() bool {
	if len(r.running) >= r.o.Most {
		return false
	}
	young := 0
	for _, began := range r.running {
		if time.Since(began) < r.o.Slow {
			young++
		}
	}
	return young < r.o.Parallel
}

func (r *Rounds[T]) start(ctx context.Context, name string, look func(context.Context, string) T) {
	r.turn++
	r.running[name], r.turns[name] = time.Now(), r.turn
	go func() { r.ended <- ended[T]{name, look(ctx, name)} }()
}
