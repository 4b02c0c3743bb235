package pool

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// standbyLife is how long a standby process is kept after its last use.
const standbyLife = 10 * time.Second

// A program without new calls for restAfter rests. Its processes without calls under way get their health
// checks restFactor times less often. A call ends the rest, so a process that hangs is found as quickly
// as otherwise.
const (
	restAfter  = 10 * time.Second
	restFactor = 10
)

// watch checks all programs at regular intervals until the pool is closed.
func (p *Pool) watch() {
	ticker := time.NewTicker(p.options.ProbeEvery / 3)
	defer ticker.Stop()
	for {
		select {
		case <-p.ending.Done():
			return
		case now := <-ticker.C:
			for _, s := range p.all() {
				s.check(now)
			}
		}
	}
}

// check checks the health of silent processes, ends unused processes, and starts processes that
// must be kept.
func (s *supervisor) check(now time.Time) {
	rests := now.Sub(s.used) > restAfter
	if s.called.Swap(false) {
		if rests {
			s.wake(now)
		}
		s.used, rests = now, false
	}
	unused := now.Sub(s.used)
	s.replaceChanged()
	for _, w := range s.all() {
		every := s.pool.options.ProbeEvery
		if rests && w.calls.Load() == 0 {
			every *= restFactor
		}
		switch silent := now.Sub(w.lastAlive()); {
		case w.draining():
		case w.replaceUnfit(now):
		case silent > every && w.probing.CompareAndSwap(false, true):
			s.pool.tasks.Go(w.probe)
		case silent > every+s.pool.options.ProbeTimeout/2 && w == s.current.Load() && len(s.capacity) == 0:
			s.prepare()
		}
	}
	switch w := s.current.Load(); {
	case w == nil && s.warm.Load():
		_, _ = s.ensureStart(closedContext)
	case w != nil && !s.warm.Load() && unused > s.pool.options.IdleStop && w.calls.Load() == 0:
		s.observe(Idled)
		s.drain(w, nil)
	}
	s.endStandby(now)
}

// wake ends the rest of a program. Its processes are not silent before they have had time to answer.
func (s *supervisor) wake(now time.Time) {
	for _, w := range s.all() {
		w.answered.Store(now.UnixNano())
	}
}

// probe makes a health check and kills the process if it does not answer.
func (w *worker) probe() {
	defer w.probing.Store(false)
	s := w.supervisor
	ctx, cancel := context.WithTimeout(s.pool.ending, s.pool.options.ProbeTimeout)
	defer cancel()
	err := w.process.Healthy(ctx)
	if err == nil {
		w.answered.Store(time.Now().UnixNano())
		return
	}
	if s.pool.ending.Err() != nil || w.draining() {
		return
	}
	s.observe(Hung)
	s.log.warn("an engine does not answer its health check", "pid", w.process.PID(), "error", err)
	s.drain(w, fmt.Errorf("%w: %w", process.ErrLost, err))
	w.kill() // so that its calls fail now and can be repeated
}
