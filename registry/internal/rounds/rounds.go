// Package rounds looks at many things again and again, each by itself: one that hangs
// costs nothing but itself.
package rounds

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Options are how much is done at once. The zero value is not useful.
type Options struct {
	Parallel int           // looks under way
	Slow     time.Duration // a look that has lasted so long no longer counts for Parallel
	Most     int           // looks under way, also those that hang
}

// Rounds starts looks that each have a name, and never two of one name at a time. It is
// not safe for concurrent use.
type Rounds[T any] struct {
	o       Options
	running map[string]time.Time // since when
	turns   map[string]uint64    // when a name had its last turn
	turn    uint64
	ended   chan ended[T]
}

type ended[T any] struct {
	name  string
	found T
}

// New returns Rounds in which nothing is under way.
func New[T any](o Options) *Rounds[T] {
	return &Rounds[T]{
		o: o, running: map[string]time.Time{}, turns: map[string]uint64{},
		ended: make(chan ended[T], o.Most), // a look that was given up can end, whoever listens
	}
}

// Timeout is how long a round waits for the looks that it has started. The zero value
// waits until all have ended.
type Timeout struct {
	Total time.Duration // in all
	Idle  time.Duration // while none ends
}

// Since returns when the look began that is under way under a name.
func (r *Rounds[T]) Since(name string) (began time.Time, running bool) {
	began, running = r.running[name]
	return began, running
}

// Run makes one round. It starts a look at each of the names that is not being looked at,
// those first that have waited longest, and gives what was found to take, in this
// goroutine: also that of looks of earlier rounds that have ended meanwhile. When its
// patience is over it leaves the rest to the next round. The error is that of the context.
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

// timer is one that never fires for zero.
func timer(d time.Duration) *time.Timer {
	if d > 0 {
		return time.NewTimer(d)
	}
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// queue is the order in which the names have their turn.
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

// forget drops the turns of names that are gone.
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

// mayStart reports whether there is room for one more look.
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
