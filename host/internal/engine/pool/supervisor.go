package pool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// supervisor manages the processes of one program: the current process, which all calls
// share, and the standby processes. It starts, replaces and ends them.
type supervisor struct {
	pool    *Pool
	release *registry.Release
	spec    *sdk.Spec // published; answers are checked against it
	log     *limitedLog
	lines   *process.Log   // of the log lines of its processes
	poison  *quarantine    // requests that failed twice
	memory  *process.Share // for the answers of its processes
	starts  *rate.Limiter  // of processes that are, or will be, the current one
	trials  *trials        // bounds the cost of inputs that kill processes
	caution *caution

	known  atomic.Bool // a process has described itself as published, and served the stream
	warm   atomic.Bool // a process is kept even if it is not used
	called atomic.Bool // there was a call since the last look of the watch
	used   time.Time   // last look that found a call; only the watch uses it

	current atomic.Pointer[worker] // set in the phase running, nil in others; written under mu

	standbys chan *worker  // idle standby processes
	capacity chan struct{} // has one token per existing standby process
	spares   chan *worker  // processes that can replace the current one
	spared   atomic.Int32  // number of spares that exist or start

	mu        sync.Mutex // guards what follows
	phase     phase
	start     *start // set in the phase starting
	backoff   backoff
	lastStart startOutcome
	ran       bool        // some process has started
	sealed    *executable // kept while processes run or start
	launching int         // number of processes that are starting
	workers   map[*worker]struct{}
}

// start is a start of the current process that callers wait for.
type start struct {
	done   chan struct{}
	worker *worker
	err    error
}

func newSupervisor(p *Pool, r *registry.Release) *supervisor {
	log := p.options.Log.With("capability", r.Capability, "version", r.Version)
	return &supervisor{
		pool: p, release: r, spec: r.EngineSpec(), workers: map[*worker]struct{}{}, poison: newQuarantine(),
		memory:   p.memory.Share(),
		starts:   rate.NewLimiter(p.options.StartRate, startBurst),
		trials:   newTrials(p.options.StartRate / trialPart),
		caution:  newCaution(),
		log:      &limitedLog{log: log},
		lines:    process.NewLog(log, p.options.EngineLog),
		standbys: make(chan *worker, maxStandbys), capacity: make(chan struct{}, maxStandbys),
		spares: make(chan *worker, maxSpares),
	}
}

// observe counts an event.
func (s *supervisor) observe(e Event) {
	metrics := s.pool.options.Metrics
	switch e {
	case Started:
		metrics.Running(s.release.Capability, s.release.Version, 1)
	case Ended:
		metrics.Running(s.release.Capability, s.release.Version, -1)
	}
	metrics.Engine(s.release.Capability, s.release.Version, string(e))
}

// move applies an event to the phase. If the phase changes, the given process becomes the
// current one; nil means none. The supervisor is locked.
func (s *supervisor) move(e event, current *worker) {
	was := s.phase
	s.phase = was.after(e)
	if s.phase != was {
		s.current.Store(current)
	}
}

// acquire returns the current process. If there is none, it starts one and waits. The caller
// must release the process.
func (s *supervisor) acquire(ctx context.Context) (*worker, error) {
	s.noteCall()
	for {
		if w := s.current.Load(); w != nil && w.acquire() {
			return w, nil
		}
		st, err := s.ensureStart(ctx)
		if err != nil {
			return nil, err
		}
		select {
		case <-st.done:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: it is being started: %w", ErrUnavailable, ctx.Err())
		}
		if st.err != nil {
			return nil, st.err
		}
		if st.worker.acquire() {
			return st.worker, nil
		}
	}
}

// noteCall records for the watch that the program is used. It writes rarely, because all processors
// share the memory that it writes.
func (s *supervisor) noteCall() {
	if !s.called.Load() {
		s.called.Store(true)
	}
}

// ensureStart starts the current process, unless a start is already in progress, and returns the start. All
// callers that wait share one start.
func (s *supervisor) ensureStart(ctx context.Context) (*start, error) {
	if err := s.pause(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.phase {
	case closed:
		return nil, ErrClosed
	case running:
		return &start{done: closedChannel, worker: s.current.Load()}, nil
	case starting:
		return s.start, nil
	}
	st := &start{done: make(chan struct{})}
	s.move(needed, nil)
	s.start = st
	s.pool.tasks.Go(func() { s.finish(st) })
	return st, nil
}

var closedChannel = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// pause waits until the program may be started again. If that takes too long, it returns an
// error with the reason.
func (s *supervisor) pause(ctx context.Context) error {
	s.mu.Lock()
	rest, err := s.backoff.rest(time.Now())
	s.mu.Unlock()
	if rest <= 0 || err != nil {
		return err
	}
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	case <-s.pool.ending.Done():
		return ErrClosed
	}
}

// finish makes a spare or an idle standby the current process, or starts one. Under caution it
// prepares spares, because the process will end soon.
func (s *supervisor) finish(st *start) {
	defer close(st.done)
	w := s.takeSpare()
	if w == nil {
		w = s.takeStandby()
	}
	var err error
	if w == nil {
		w, err = s.launchNext(s.pool.ending)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		st.err = err
		s.move(startFailed, nil)
		return
	}
	if s.caution.on(time.Now()) {
		for range maxSpares {
			s.prepare()
		}
	}
	st.worker = w
	s.move(started, w)
	if w.draining() { // the process has ended in the meantime
		s.move(drained, nil)
	}
}

// drain takes a process out of service. It gets no more calls, and calls under way get the
// drain time. A program in use gets another process. Why is the failure, or nil if the
// process was only not needed.
func (s *supervisor) drain(w *worker, why error) {
	s.mu.Lock()
	was := w.move(drain)
	if was == draining {
		s.mu.Unlock()
		return
	}
	lost := errors.Is(why, process.ErrLost)
	w.lost = lost
	w.empty(s.pool.options.Drain)
	wasCurrent := s.current.Load() == w
	if wasCurrent {
		s.move(drained, nil)
	}
	if why != nil && was == fresh {
		s.fail()
	}
	s.mu.Unlock()
	if lost && was == tried && w.calls.Load() > 0 {
		s.caution.lose(time.Now())
	}
	if wasCurrent && why != nil {
		_, _ = s.ensureStart(closedContext) // a later caller receives the error
	}
}

// closedContext is a context that has ended, for work that must not wait.
var closedContext = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// fail counts a failed start. The supervisor is locked.
func (s *supervisor) fail() {
	if s.backoff.fail(time.Now()) {
		s.observe(BackedOff)
	}
}

// clearFailures resets the count of failures after a good answer.
func (s *supervisor) clearFailures() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backoff.reset()
}

// state returns the state of the program. The current process, if any, gets a health check.
func (s *supervisor) state(ctx context.Context) State {
	s.mu.Lock()
	failing, backingOff := s.backoff.failure != nil, s.backoff.backingOff(time.Now())
	s.mu.Unlock()
	w := s.current.Load()
	switch {
	case w != nil && w.process.Healthy(ctx) == nil:
		return Running
	case w != nil:
		return Unanswered
	case failing:
		return Failing
	case backingOff:
		return BackingOff
	}
	return Idle
}

// fault returns why no process can run, or nil if no reason is known.
func (s *supervisor) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.backoff.fault(time.Now())
}

// all lists the processes.
func (s *supervisor) all() []*worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.workers))
}

// close ends the processes.
func (s *supervisor) close() {
	s.mu.Lock()
	s.move(ended, nil)
	s.mu.Unlock()
	s.warm.Store(false)
	for _, w := range s.all() {
		s.drain(w, nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropUnused()
}
