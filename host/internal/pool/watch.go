package pool

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/sdk"
)

// spareLife is how long a spare is kept after its last use.
const spareLife = 10 * time.Second

// watch looks after the processes until the pool ends.
func (p *Pool) watch() {
	ticker := time.NewTicker(p.options.ProbeEvery / 3)
	defer ticker.Stop()
	for {
		select {
		case <-p.ending.Done():
			return
		case now := <-ticker.C:
			for _, s := range p.all() {
				s.look(now)
			}
		}
	}
}

// look asks silent processes for their health, ends what is not needed and starts what
// is to be kept.
func (s *slot) look(now time.Time) {
	s.mu.Lock()
	instances := make([]*instance, 0, len(s.instances))
	for i := range s.instances {
		instances = append(instances, i)
	}
	s.mu.Unlock()
	if s.called.Swap(false) {
		s.used = now
	}
	idle := now.Sub(s.used)
	for _, i := range instances {
		switch silent := now.Sub(i.heard()); {
		case i.retired.Load():
		case silent > s.pool.options.ProbeEvery && i.probing.CompareAndSwap(false, true):
			s.pool.tasks.Go(i.probe)
		case silent > s.pool.options.ProbeEvery+s.pool.options.ProbeTimeout/2 && i == s.current.Load() && len(s.room) == 0:
			s.prepare()
		}
	}
	switch i := s.current.Load(); {
	case i == nil && s.warm.Load():
		_, _ = s.begin(closedContext)
	case i != nil && !s.warm.Load() && idle > s.pool.options.IdleStop && i.calls.Load() == 0:
		s.observe(Idled)
		s.retire(i, nil)
	}
	s.endSpare(now)
}

// probe asks the process for its health and ends it if it does not answer.
func (i *instance) probe() {
	defer i.probing.Store(false)
	s := i.slot
	ctx, cancel := context.WithTimeout(s.pool.ending, s.pool.options.ProbeTimeout)
	defer cancel()
	err := i.process.Healthy(ctx)
	if err == nil {
		i.answered.Store(time.Now().UnixNano())
		return
	}
	if s.pool.ending.Err() != nil || i.retired.Load() {
		return
	}
	s.observe(Hung)
	s.log.warn("engine does not answer its health check", "pid", i.process.PID(), "error", err)
	s.retire(i, fmt.Errorf("%w: %w", process.ErrLost, err))
	i.kill() // its calls would wait in vain
}

// canary now and then repeats a calculation and compares: an engine computes the same
// from the same.
func (s *slot) canary(i *instance, in sdk.Values, was sdk.Outcome) {
	every := s.pool.options.Canary
	if every < 0 || s.calls.Add(1)%uint64(every) != 0 || !i.hold() {
		return
	}
	s.pool.tasks.Go(func() {
		defer i.release()
		ctx, cancel := context.WithTimeout(s.pool.ending, time.Second)
		defer cancel()
		again, err := i.process.Calculate(ctx, in)
		if err == nil && !sameOutcome(was, again) {
			s.observe(Differed)
			s.log.warn("engine computed another outcome from the same inputs")
		}
	})
}
