package process

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// watchdogInterval is the time between two checks of the streams in use.
const watchdogInterval = 100 * time.Millisecond

// watchdog checks all streams in use at regular intervals for calls that need not wait any longer.
// While no stream is in use, it has no timer.
type watchdog struct {
	mu       sync.Mutex
	inUse    map[*stream]struct{}
	ticking  bool      // there is a timer, or a check is under way
	checking []*stream // streams of a check; the memory is reused
}

// streams watches the streams of all engines.
var streams = &watchdog{inUse: map[*stream]struct{}{}}

// add starts to watch a stream. The stream is locked.
func (w *watchdog) add(s *stream) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inUse[s] = struct{}{}
	if !w.ticking {
		w.ticking = true
		time.AfterFunc(watchdogInterval, w.check)
	}
}

// remove stops watching a stream. The stream is locked.
func (w *watchdog) remove(s *stream) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.inUse, s)
}

// check runs one check of all streams in use. It does not hold the mutex while it checks them,
// because locked streams are added and removed.
func (w *watchdog) check() {
	w.mu.Lock()
	w.checking = slices.AppendSeq(w.checking[:0], maps.Keys(w.inUse))
	w.mu.Unlock()
	now := time.Now()
	for _, s := range w.checking {
		s.check(now)
	}
	clear(w.checking)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ticking = len(w.inUse) > 0
	if w.ticking {
		time.AfterFunc(watchdogInterval, w.check)
	}
}
