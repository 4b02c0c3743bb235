package pool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/sdk"
)

// Back-off between starts of one program that fail, or whose process ends before its
// first call.
const (
	firstPause      = 100 * time.Millisecond
	maxPause        = 30 * time.Second
	quarantineAfter = 5 // such failures in a row
)

// slot is the place of one program's processes.
type slot struct {
	pool    *Pool
	program Program
	log     *limitedLog
	poisons *poisons
	memory  *process.Share // for the answers of its processes
	starts  *rate.Limiter  // what inputs that kill processes can cost

	warm    atomic.Bool
	called  atomic.Bool              // since the watch looked last
	used    time.Time                // when that was last so; the watch's own
	calls   atomic.Uint64            // for the canary
	current atomic.Pointer[instance] // nil when there is none; mu is held to set it

	spares chan *instance // that wait for a call
	room   chan struct{}  // one token per spare that exists

	mu        sync.Mutex // guards what follows
	starting  *start
	sealed    *process.Program // kept while processes run or start
	launching int              // processes that start, of sealed
	instances map[*instance]struct{}
	failures  int   // of starts, since the last good answer
	failure   error // of the last start, until one succeeds
	retryAt   time.Time
	closed    bool
}

// start is a start of the current process that callers wait for.
type start struct {
	done     chan struct{}
	instance *instance
	err      error
}

func newSlot(p *Pool, program Program) *slot {
	return &slot{
		pool: p, program: program, instances: map[*instance]struct{}{}, poisons: newPoisons(),
		memory: p.memory.Share(),
		starts: rate.NewLimiter(p.options.StartRate, startBurst),
		log:    &limitedLog{log: p.options.Log.With("capability", program.Spec.Capability, "version", program.Spec.Version)},
		spares: make(chan *instance, maxSpares), room: make(chan struct{}, maxSpares),
	}
}

func (s *slot) observe(e Event) { s.pool.options.Observe(s.program, e) }

// acquire returns the current process, after starting one if there is none. The
// caller releases it.
func (s *slot) acquire(ctx context.Context) (*instance, error) {
	if !s.called.Load() {
		s.called.Store(true)
	}
	for {
		if i := s.current.Load(); i != nil && i.hold() {
			return i, nil
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
		if st.instance.hold() {
			return st.instance, nil
		}
	}
}

// begin makes sure that the current process is being started, once for all who wait.
func (s *slot) begin(ctx context.Context) (*start, error) {
	if err := s.pause(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch i := s.current.Load(); {
	case s.closed:
		return nil, ErrClosed
	case i != nil && !i.retired.Load():
		return &start{done: closedChannel, instance: i}, nil
	case s.starting != nil:
		return s.starting, nil
	}
	st := &start{done: make(chan struct{})}
	s.starting = st
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
func (s *slot) pause(ctx context.Context) error {
	s.mu.Lock()
	rest, failure, failures := time.Until(s.retryAt), s.failure, s.failures
	s.mu.Unlock()
	switch {
	case rest <= 0:
		return nil
	case failure != nil:
		return failure
	case failures >= quarantineAfter:
		return fmt.Errorf("%w: %d processes failed one after the other; the next try is in %s", ErrUnavailable, failures, rest.Round(time.Second))
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

// finish makes an idle spare the current process, or starts one.
func (s *slot) finish(st *start) {
	defer close(st.done)
	i := s.takeSpare()
	var err error
	if i == nil {
		i, err = s.launch(s.pool.ending)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = nil
	if err != nil {
		st.err = err
		return
	}
	st.instance = i
	s.current.Store(i)
}

// launch starts a process and makes sure that it is the published engine.
func (s *slot) launch(ctx context.Context) (*instance, error) {
	if err := s.starts.Wait(ctx); err != nil {
		return nil, fmt.Errorf("%w: its processes end too often: %w", ErrUnavailable, err)
	}
	select {
	case s.pool.starts <- struct{}{}:
		defer func() { <-s.pool.starts }()
	case <-ctx.Done():
		return nil, ErrClosed
	}
	s.mu.Lock()
	s.launching++
	s.mu.Unlock()
	process, err := s.process(ctx)
	s.mu.Lock()
	s.launching--
	if err == nil && s.closed {
		err = ErrClosed
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ErrClosed
		} else {
			s.fail()
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
			s.failure = err
		}
		s.dropUnused()
		s.mu.Unlock()
		if process != nil {
			process.Close()
		}
		if !errors.Is(err, ErrClosed) {
			s.observe(StartFailed)
			s.log.warn("engine does not start", "error", err)
		}
		return nil, err
	}
	i := &instance{slot: s, process: process, unused: make(chan struct{})}
	s.failure = nil
	s.instances[i] = struct{}{}
	s.mu.Unlock()
	i.answered.Store(time.Now().UnixNano())
	s.observe(Started)
	s.pool.tasks.Go(i.attend)
	return i, nil
}

func (s *slot) process(ctx context.Context) (*process.Process, error) {
	program, err := s.seal()
	if err != nil {
		return nil, err
	}
	options := s.pool.launch
	options.ReadOnly, options.Memory = s.program.Spec.ReadOnlyPaths, s.memory
	process, err := launchTwice(ctx, program, &options)
	if err != nil {
		return nil, err
	}
	if err := sameSpec(process.Spec(), *s.program.Spec); err != nil {
		process.Close()
		return nil, err
	}
	return process, nil
}

// launchTwice launches a process, and another beside it when the first fails or takes a
// fifth of its time: it may have been killed or stopped from outside. The first that is
// ready is taken.
func launchTwice(ctx context.Context, program *process.Program, o *process.Options) (*process.Process, error) {
	type launched struct {
		process *process.Process
		err     error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan launched, 2)
	launch := func() {
		p, err := process.Launch(ctx, program, o)
		results <- launched{p, err}
	}
	go launch()
	slow := time.NewTimer(o.StartTimeout / 5)
	defer slow.Stop()
	for begun, ended := 1, 0; ; {
		select {
		case <-slow.C:
			if begun < 2 {
				begun++
				go launch()
			}
		case r := <-results:
			ended++
			switch {
			case r.err == nil:
				cancel()
				if ended < begun {
					other := <-results
					if other.err == nil {
						other.process.Close()
					}
				}
				return r.process, nil
			case ctx.Err() == nil && begun < 2:
				begun++
				go launch()
			case ended == begun:
				return nil, r.err
			}
		}
	}
}

// seal returns the verified executable, which is kept while processes run from it.
func (s *slot) seal() (*process.Program, error) {
	s.mu.Lock()
	sealed := s.sealed
	s.mu.Unlock()
	if sealed != nil {
		return sealed, nil
	}
	executable, err := s.program.Open()
	if err != nil {
		return nil, err
	}
	defer executable.Close()
	program, err := process.ReadProgram(executable)
	if err != nil {
		return nil, err
	}
	if program.Digest() != s.program.Digest {
		defer program.Close()
		return nil, fmt.Errorf("executable has digest %s, want %s", program.Digest(), s.program.Digest)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed != nil { // two started at once
		program.Close()
		return s.sealed, nil
	}
	s.sealed = program
	return program, nil
}

func sameSpec(claimed, published sdk.Spec) error {
	a, errA := json.Marshal(claimed)
	b, errB := json.Marshal(published)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return fmt.Errorf("engine describes itself as %s %s, otherwise than published", claimed.Capability, claimed.Version)
	}
	return nil
}

// attend waits for the end of the process, or of its use, and clears up.
func (i *instance) attend() {
	s := i.slot
	select {
	case <-i.process.Exited():
	case <-i.unused:
		if i.lost.Load() {
			i.awaitExit()
		}
	}
	if i.process.Gone() && !i.killed.Load() {
		s.observe(Crashed)
		s.log.warn("engine process ended", "pid", i.process.PID(), "lane", i.process.StreamEnd(), "printed", i.process.Printed())
	}
	s.retire(i, fmt.Errorf("%w: the process ended", process.ErrLost))
	i.process.Close()
	s.mu.Lock()
	delete(s.instances, i)
	s.dropUnused()
	s.mu.Unlock()
	s.observe(Ended)
}

// exitNotice is how much later than its calls the kernel may tell of a process that has
// ended.
const exitNotice = 200 * time.Millisecond

// awaitExit gives the kernel time to tell that the process has ended.
func (i *instance) awaitExit() {
	late := time.NewTimer(exitNotice)
	defer late.Stop()
	select {
	case <-i.process.Exited():
	case <-late.C:
	case <-i.slot.pool.ending.Done():
	}
}

// kill ends the process, whatever calls it has.
func (i *instance) kill() {
	i.killed.Store(true)
	i.process.Kill()
}

// dropUnused gives the executable back when nothing runs or starts from it. That of a
// program that is kept warm stays for the next process, unless it does not start. The
// slot is locked.
func (s *slot) dropUnused() {
	kept := s.warm.Load() && s.failure == nil
	if len(s.instances) == 0 && s.sealed != nil && s.launching == 0 && !kept {
		s.sealed.Close()
		s.sealed = nil
	}
}

// retire takes a process out of service: it gets no more calls, those it has get the
// drain time, and a program in use gets another. Why is nil when the process was only
// not needed.
func (s *slot) retire(i *instance, why error) {
	i.retire.Do(func() {
		i.lost.Store(errors.Is(why, process.ErrLost))
		i.retired.Store(true)
		if i.calls.Load() == 0 {
			i.close.Do(func() { close(i.unused) })
		} else {
			stop := time.AfterFunc(s.pool.options.Drain, i.kill)
			s.pool.tasks.Go(func() {
				<-i.unused
				stop.Stop()
			})
		}
		s.mu.Lock()
		wasCurrent := s.current.CompareAndSwap(i, nil)
		if why != nil && !i.called.Load() {
			s.fail()
		}
		s.mu.Unlock()
		if wasCurrent && why != nil {
			_, _ = s.begin(closedContext) // who needs it will see why not
		}
	})
}

// closedContext has ended: what is done under it waits for nothing.
var closedContext = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// fail counts a failed start. The slot is locked.
func (s *slot) fail() {
	s.failures++
	pause := time.Duration(0)
	if s.failures > 1 {
		pause = min(firstPause<<min(s.failures-2, 16), maxPause)
	}
	if s.failures == quarantineAfter {
		s.observe(Quarantined)
	}
	if s.failures >= quarantineAfter {
		pause = maxPause
	}
	s.retryAt = time.Now().Add(pause)
}

// forgive forgets failures, after a good answer.
func (s *slot) forgive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.retryAt = 0, time.Time{}
}

// state asks the current process for its health, if there is one.
func (s *slot) state(ctx context.Context) State {
	s.mu.Lock()
	failures, failure, resting := s.failures, s.failure, time.Now().Before(s.retryAt)
	s.mu.Unlock()
	i := s.current.Load()
	switch {
	case i != nil && i.process.Healthy(ctx) == nil:
		return Running
	case i != nil:
		return Unanswered
	case failure != nil:
		return Failing
	case resting && failures >= quarantineAfter:
		return Resting
	}
	return Idle
}

// fault tells why no process can run, as far as that is known.
func (s *slot) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failure != nil:
		return s.failure
	case s.failures >= quarantineAfter && time.Now().Before(s.retryAt):
		return fmt.Errorf("%w: %d processes failed one after the other", ErrUnavailable, s.failures)
	}
	return nil
}

// close ends the processes.
func (s *slot) close() {
	s.mu.Lock()
	s.closed = true
	instances := make([]*instance, 0, len(s.instances))
	for i := range s.instances {
		instances = append(instances, i)
	}
	s.mu.Unlock()
	s.warm.Store(false)
	for _, i := range instances {
		s.retire(i, nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropUnused()
}
