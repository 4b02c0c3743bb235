package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
)

// launchNext starts a process that is, or will be, the current one, when the start rate allows it.
func (s *supervisor) launchNext(ctx context.Context) (*worker, error) {
	if err := s.starts.Wait(ctx); err != nil {
		return nil, fmt.Errorf("%w: its processes end too often: %w", ErrUnavailable, err)
	}
	return s.launch(ctx)
}

// launch starts a process and checks that it is the published engine.
func (s *supervisor) launch(ctx context.Context) (*worker, error) {
	s.mu.Lock()
	last := s.lastStart
	s.mu.Unlock()
	done, err := s.pool.places.take(ctx, last, s.release.Capability)
	if err != nil {
		return nil, s.interrupted(err)
	}
	s.mu.Lock()
	s.launching++
	s.mu.Unlock()
	engine, err := s.open(ctx, last)
	done()
	s.mu.Lock()
	s.launching--
	if err == nil && s.phase == closed {
		err = ErrClosed
	}
	if err != nil {
		stopped := ctx.Err()
		if stopped != nil {
			err = s.interrupted(stopped)
		} else {
			s.fail()
			if !errors.Is(err, process.ErrMachine) {
				s.lastStart = failing
			}
			err = fmt.Errorf("%w: %w", ErrUnavailable, err)
			s.backoff.failure = err
		}
		s.dropUnused()
		s.mu.Unlock()
		if engine != nil {
			engine.Close()
		}
		if stopped == nil && !errors.Is(err, ErrClosed) {
			s.observe(StartFailed)
			s.log.warn("an engine does not start", "error", err)
		}
		return nil, err
	}
	w := &worker{supervisor: s, process: engine, unused: make(chan struct{})}
	s.backoff.failure, s.lastStart, s.ran = nil, proven, true
	s.workers[w] = struct{}{}
	s.mu.Unlock()
	w.answered.Store(time.Now().UnixNano())
	s.observe(Started)
	s.pool.tasks.Go(w.attend)
	return w, nil
}

// interrupted is the error of a start whose context has ended, because the pool closes or the
// time of the caller is over.
func (s *supervisor) interrupted(stopped error) error {
	if s.pool.ending.Err() != nil {
		return ErrClosed
	}
	return fmt.Errorf("%w: it is being started: %w", ErrUnavailable, stopped)
}

// open launches a process and compares its Spec with the published one.
func (s *supervisor) open(ctx context.Context, last startOutcome) (engine, error) {
	executable, err := s.pool.executables.acquire(s.release)
	if err != nil {
		return nil, err
	}
	defer s.pool.executables.release(executable, true)
	s.hold(executable)
	options := s.pool.launch
	options.ReadOnly, options.Memory, options.Log = s.spec.ReadOnlyPaths, s.memory, s.lines
	if s.known.Load() {
		options.Known = s.spec
	}
	launch := func(ctx context.Context) (engine, error) {
		dir, err := s.pool.dir.ensure()
		if err != nil {
			return nil, err
		}
		mine := options
		mine.Dir = dir
		return s.pool.start(ctx, executable.Program, &mine)
	}
	if last != failing {
		launch = twice(launch, options.StartTimeout/slowStart, s.pool.overloaded)
	}
	engine, err := launch(ctx)
	if err != nil {
		return nil, err
	}
	claimed := engine.Spec()
	if err := process.SameSpec(&claimed, s.spec); err != nil {
		engine.Close()
		return nil, err
	}
	s.known.Store(engine.HasStream())
	return engine, nil
}

// slowStart is the part of StartTimeout, as 1/slowStart, after which a start is slow.
const slowStart = 5

// twice returns a function that launches a process. If the process fails or is slow, the function
// launches a second one, because the first may have been killed or stopped from outside. On an
// overloaded machine every start is slow, and a second process would make it slower. The function
// returns the process that is ready first, and closes the other.
func twice(launch func(context.Context) (engine, error), slow time.Duration, overloaded func() bool) func(context.Context) (engine, error) {
	type launched struct {
		process engine
		err     error
	}
	return func(ctx context.Context) (engine, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		results := make(chan launched, 2)
		launches, ended := 0, 0
		launchOne := func() {
			launches++
			go func() {
				p, err := launch(ctx)
				results <- launched{p, err}
			}()
		}
		launchOne()
		late := time.NewTicker(slow)
		defer late.Stop()
		for {
			select {
			case <-late.C:
				if launches < 2 && !overloaded() {
					launchOne()
				}
			case r := <-results:
				ended++
				switch {
				case r.err == nil:
					cancel()
					if ended < launches {
						other := <-results
						if other.err == nil {
							other.process.Close()
						}
					}
					return r.process, nil
				case ctx.Err() == nil && launches < 2:
					launchOne()
				case ended == launches:
					return nil, r.err
				}
			}
		}
	}
}

// disown counts a start as failed if the process was used, and then reported another Spec than the
// published one. Later processes must report their Spec before they are used.
func (s *supervisor) disown(err error) {
	s.known.Store(false)
	s.mu.Lock()
	s.fail()
	s.lastStart = failing
	s.backoff.failure = fmt.Errorf("%w: %w", ErrUnavailable, err)
	s.mu.Unlock()
	s.observe(StartFailed)
	s.log.warn("an engine does not start", "error", err)
}

// hold keeps the executable while processes run from it, and releases the previous executable.
func (s *supervisor) hold(x *executable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed == x {
		return
	}
	if s.sealed != nil {
		s.pool.executables.release(s.sealed, false)
	}
	s.pool.executables.retain(x)
	s.sealed = x
}

// replaceChanged ends the processes of an executable that another program may have written. The
// kernel refuses writers of a program that runs, except in some versions since Linux 6.11; there
// the lease makes them wait.
func (s *supervisor) replaceChanged() {
	s.mu.Lock()
	changed := error(nil)
	if s.sealed != nil {
		changed = s.sealed.Unchanged()
	}
	s.mu.Unlock()
	if changed == nil {
		return
	}
	for _, w := range s.all() {
		if !w.draining() {
			s.log.warn("the server replaces an engine process", "pid", w.process.PID(), "error", changed)
			s.drain(w, fmt.Errorf("%w: %w", process.ErrLost, changed))
			w.kill()
		}
	}
}

// dropUnused releases the executable if no process runs or starts from it. It keeps the
// executable of a warm program for the next process, unless that program does not start. The
// supervisor is locked.
func (s *supervisor) dropUnused() {
	starts := s.backoff.failure == nil
	if len(s.workers) == 0 && s.sealed != nil && s.launching == 0 && !(s.warm.Load() && starts) {
		s.pool.executables.release(s.sealed, starts)
		s.sealed = nil
	}
}
