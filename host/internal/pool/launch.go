package pool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/sdk"
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
		return nil, ErrClosed
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
		if ctx.Err() != nil {
			err = ErrClosed
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
		if !errors.Is(err, ErrClosed) {
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
	engine, err := launchTwice(ctx, executable.Program, &options)
	if err != nil {
		return nil, err
	}
	if err := sameSpec(engine.Spec(), *s.program.Spec); err != nil {
		engine.Close()
		return nil, err
	}
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

func sameSpec(claimed, published sdk.Spec) error {
	a, errA := json.Marshal(claimed)
	b, errB := json.Marshal(published)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return fmt.Errorf("engine describes itself as %s %s, otherwise than published", claimed.Capability, claimed.Version)
	}
	return nil
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
