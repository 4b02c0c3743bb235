package process

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// watchdogInterval is the time between two looks at the streams in use.
const watchdogInterval = 100 * time.Millisecond

// watchdog looks at all streams in use, at regular intervals, for calls that need not wait any
// longer. While no stream is in use it has no timer.
type watchdog struct {
	mu      sync.Mutex
	inUse   map[*stream]struct{}
	ticking bool      // there is a timer, or a look is under way
	looking []*stream // memory of a look, which is used again
}

// streams looks at the streams of all engines.
var streams = &watchdog{inUse: map[*stream]struct{}{}}

// join adds a stream, which is locked.
func (p *watchdog) join(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inUse[s] = struct{}{}
	if !p.ticking {
		p.ticking = true
		time.AfterFunc(watchdogInterval, p.look)
	}
}

// leave removes a stream, which is locked.
func (p *watchdog) leave(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.inUse, s)
}

// look looks at the streams in use. It does not hold the mutex meanwhile, since streams that
// are locked join and leave.
func (p *watchdog) look() {
	p.mu.Lock()
	p.looking = slices.AppendSeq(p.looking[:0], maps.Keys(p.inUse))
	p.mu.Unlock()
	now := time.Now()
	for _, s := range p.looking {
		s.look(now)
	}
	clear(p.looking)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticking = len(p.inUse) > 0
	if p.ticking {
		time.AfterFunc(watchdogInterval, p.look)
	}
}
