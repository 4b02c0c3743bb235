package pool

import (
	"context"
	"slices"
	"sync"
	"time"
)

// startOutcome is the outcome of the last start of a program.
type startOutcome int

const (
	untried startOutcome = iota // the program has not been started
	proven                      // its last start succeeded
	failing                     // its last start failed
)

// placesOf is the number of places for the starts of programs with each startOutcome. Each outcome
// has its own places. The programs that fail share one.
var placesOf = [...]int{untried: 4, proven: 4, failing: 1}

// startsPerCapability is how many starts of one capability can be under way in each lane.
const startsPerCapability = 2

// places bounds the processes that start at the same time. A start needs the CPU until the process
// answers, so it holds a place until then. A start that takes longer than the hold time releases
// its place, because a process that sleeps needs no CPU. It still counts for its capability, so a
// capability whose versions all hang has a few such processes at most. On an overloaded machine a
// slow start does need the CPU, and keeps its place. Further starts would make all starts slower,
// until none is in time.
type places struct {
	hold       time.Duration
	overloaded func() bool

	mu    sync.Mutex
	lanes [len(placesOf)]lane
}

// lane has the starts of programs with one startOutcome.
type lane struct {
	taken    int            // places
	underway map[string]int // starts by capability, with or without a place
	waiting  []*turn        // in the order in which they came
}

// turn is a start that needs a place.
type turn struct {
	capability string
	granted    chan struct{} // closed when it has a place
	holds      bool          // it has a place
}

func newPlaces(hold time.Duration, overloaded func() bool) *places {
	p := &places{hold: hold, overloaded: overloaded}
	for i := range p.lanes {
		p.lanes[i].underway = map[string]int{}
	}
	return p
}

// take waits for a place. The caller must call done when the start has ended. The error is the
// error of the context.
func (p *places) take(ctx context.Context, s startOutcome, capability string) (done func(), err error) {
	t := &turn{capability: capability, granted: make(chan struct{})}
	p.mu.Lock()
	p.lanes[s].waiting = append(p.lanes[s].waiting, t)
	p.grant(s)
	p.mu.Unlock()
	select {
	case <-t.granted:
	case <-ctx.Done():
		if p.leave(s, t) {
			return nil, ctx.Err()
		}
	}
	ended := make(chan struct{})
	go p.watch(s, t, ended)
	return func() {
		close(ended)
		p.end(s, t)
	}, nil
}

// watch releases the place of a slow start.
func (p *places) watch(s startOutcome, t *turn, ended <-chan struct{}) {
	late := time.NewTicker(p.hold)
	defer late.Stop()
	for {
		select {
		case <-ended:
			return
		case <-late.C:
			if !p.overloaded() {
				p.release(s, t)
				return
			}
		}
	}
}

// leave removes a start that waits. It reports false if the start has a place already.
func (p *places) leave(s startOutcome, t *turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.lanes[s]
	i := slices.Index(l.waiting, t)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// release frees the place of a start that continues.
func (p *places) release(s startOutcome, t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.holds {
		t.holds = false
		p.lanes[s].taken--
		p.grant(s)
	}
}

// end removes a start, with its place if it has one.
func (p *places) end(s startOutcome, t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.lanes[s]
	if t.holds {
		t.holds = false
		l.taken--
	}
	l.underway[t.capability]--
	if l.underway[t.capability] == 0 {
		delete(l.underway, t.capability)
	}
	p.grant(s)
}

// grant gives free places to the starts that wait. The places are locked.
func (p *places) grant(s startOutcome) {
	l := &p.lanes[s]
	for l.taken < placesOf[s] {
		i := l.next()
		if i < 0 {
			return
		}
		t := l.waiting[i]
		l.waiting = slices.Delete(l.waiting, i, i+1)
		l.taken++
		l.underway[t.capability]++
		t.holds = true
		close(t.granted)
	}
}

// next returns the index of the start that gets the next place, or -1 if there is none. It is
// the first one among the capabilities with the fewest starts under way.
func (l *lane) next() int {
	best, fewest := -1, startsPerCapability
	for i, t := range l.waiting {
		if n := l.underway[t.capability]; n < fewest {
			best, fewest = i, n
		}
	}
	return best
}
