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

	"github.com/slipstick/slipstick/host/internal/process"
)

// supervisor looks after the processes of one program: the current one, which all calls
// share, and the standbys.
type supervisor struct {
	pool    *Pool
	program Program
	log     *limitedLog
	inputs  *quarantine    // those that failed twice
	memory  *process.Share // for the answers of its processes
	starts  *rate.Limiter  // what inputs that kill processes can cost

	warm   atomic.Bool   // a process is kept, even when it is not used
	called atomic.Bool   // since the watch looked last
	used   time.Time     // when that was last so; the watch's own
	calls  atomic.Uint64 // for the canary

	current atomic.Pointer[worker] // of the phase running, nil in others; mu is held to set it

	standbys chan *worker  // that wait for a call
	room     chan struct{} // one token per standby that exists

	mu        sync.Mutex // guards what follows
	phase     phase
	start     *start // of the phase starting
	backoff   backoff
	sealed    *process.Program // kept while processes run or start
	launching int              // processes that start, of sealed
	workers   map[*worker]struct{}
}

// start is a start of the current process that callers wait for.
type start struct {
	done   chan struct{}
	worker *worker
	err    error
}

func newSupervisor(p *Pool, program Program) *supervisor {
	return &supervisor{
		pool: p, program: program, workers: map[*worker]struct{}{}, inputs: newQuarantine(),
		memory:   p.memory.Share(),
		starts:   rate.NewLimiter(p.options.StartRate, startBurst),
		log:      &limitedLog{log: p.options.Log.With("capability", program.Spec.Capability, "version", program.Spec.Version)},
		standbys: make(chan *worker, maxStandbys), room: make(chan struct{}, maxStandbys),
	}
}

func (s *supervisor) observe(e Event) { s.pool.options.Observe(s.program, e) }

// move changes the phase. The current process is the given one, nil for none, unless the
// event changes nothing. The supervisor is locked.
func (s *supervisor) move(e event, current *worker) {
	was := s.phase
	if s.phase = was.after(e); s.phase != was {
		s.current.Store(current)
	}
}

// acquire returns the current process, after starting one if there is none. The
// caller releases it.
func (s *supervisor) acquire(ctx context.Context) (*worker, error) {
	if !s.called.Load() {
		s.called.Store(true)
	}
	for {
		if w := s.current.Load(); w != nil && w.acquire() {
			return w, nil
		}
		st, err := s.begin(ctx)
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

// begin makes sure that the current process is being started, once for all who wait.
func (s *supervisor) begin(ctx context.Context) (*start, error) {
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

// pause waits while the program has a rest, if that is short, and says why it cannot
// run if it is not.
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

// finish makes an idle standby the current process, or starts one.
func (s *supervisor) finish(st *start) {
	defer close(st.done)
	w := s.takeStandby()
	var err error
	if w == nil {
		w, err = s.launch(s.pool.ending)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		st.err = err
		s.move(startFailed, nil)
		return
	}
	st.worker = w
	s.move(started, w)
	if w.draining() { // meanwhile
		s.move(drained, nil)
	}
}

// drain takes a process out of service: it gets no more calls, those it has get the
// drain time, and a program in use gets another. Why is nil when the process was only
// not needed.
func (s *supervisor) drain(w *worker, why error) {
	s.mu.Lock()
	was := w.move(drain)
	if was == draining {
		s.mu.Unlock()
		return
	}
	w.lost = errors.Is(why, process.ErrLost)
	w.empty(s.pool.options.Drain)
	wasCurrent := s.current.Load() == w
	if wasCurrent {
		s.move(drained, nil)
	}
	if why != nil && was == fresh {
		s.fail()
	}
	s.mu.Unlock()
	if wasCurrent && why != nil {
		_, _ = s.begin(closedContext) // who needs it will see why not
	}
}

// closedContext has ended: what is done under it waits for nothing.
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

// forgive forgets failures, after a good answer.
func (s *supervisor) forgive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backoff.forgive()
}

// state asks the current process for its health, if there is one.
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

// fault tells why no process can run, as far as that is known.
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
