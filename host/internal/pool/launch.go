package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/process"
)

// launch starts a process and checks that it is the published engine.
func (s *supervisor) launch(ctx context.Context) (*worker, error) {
	if err := s.starts.Wait(ctx); err != nil {
		return nil, fmt.Errorf("%w: its processes end too often: %w", ErrUnavailable, err)
	}
	select {
	case s.pool.starts <- struct{}{}:
		defer func() { <-s.pool.starts }()
	case <-ctx.Done():
		return nil, s.interrupted(ctx.Err())
	}
	s.mu.Lock()
	s.launching++
	s.mu.Unlock()
	engine, err := s.open(ctx)
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
			s.log.warn("engine does not start", "error", err)
		}
		return nil, err
	}
	w := &worker{supervisor: s, process: engine, unused: make(chan struct{})}
	s.backoff.failure = nil
	s.workers[w] = struct{}{}
	s.mu.Unlock()
	w.answered.Store(time.Now().UnixNano())
	s.observe(Started)
	s.pool.tasks.Go(w.attend)
	return w, nil
}

// interrupted is the error of a start whose context has ended: the pool closes, or the caller
// waits no longer.
func (s *supervisor) interrupted(stopped error) error {
	if s.pool.ending.Err() != nil {
		return ErrClosed
	}
	return fmt.Errorf("%w: it is being started: %w", ErrUnavailable, stopped)
}

// open launches a process and compares its Spec with the published one.
func (s *supervisor) open(ctx context.Context) (*process.Process, error) {
	executable, err := s.pool.executables.acquire(s.program)
	if err != nil {
		return nil, err
	}
	defer s.pool.executables.release(executable, true)
	s.hold(executable)
	options := s.pool.launch
	options.ReadOnly, options.Memory = s.program.Spec.ReadOnlyPaths, s.memory
	if s.known.Load() {
		options.Known = s.program.Spec
	}
	engine, err := launchTwice(ctx, executable.Program, &options)
	if err != nil {
		return nil, err
	}
	claimed := engine.Spec()
	if err := process.SameSpec(&claimed, s.program.Spec); err != nil {
		engine.Close()
		return nil, err
	}
	s.known.Store(engine.HasStream())
	return engine, nil
}

// launchTwice launches a process. If that fails, or takes more than a fifth of its time, it
// launches a second one, because the first may have been killed or stopped from outside. It
// returns the process that is ready first, and closes the other.
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

// disown counts the start of a process as failed that was used before it described itself
// otherwise than published. Later ones describe themselves first.
func (s *supervisor) disown(err error) {
	s.known.Store(false)
	s.mu.Lock()
	s.fail()
	s.backoff.failure = fmt.Errorf("%w: %w", ErrUnavailable, err)
	s.mu.Unlock()
	s.observe(StartFailed)
	s.log.warn("engine does not start", "error", err)
}

// hold keeps the executable while processes run from it, and gives back the one before.
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

// replaceChanged ends the processes of an executable that somebody may have written. The kernel
// refuses writers of a program that runs, except in some versions since Linux 6.11; there the
// lease makes them wait.
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
			s.log.warn("engine process is replaced", "pid", w.process.PID(), "error", changed)
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
