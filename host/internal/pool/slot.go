package pool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// Back-off between failed starts of one program.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 30 * time.Second
)

// slot is the place of one program's process.
type slot struct {
	program Program
	options wire.Options
	observe func(Event)

	turn    chan struct{} // held by whoever looks at or changes what follows
	running *wire.Process
	closed  bool
	failure error // of the last start, until one succeeds
	pause   time.Duration
	retryAt time.Time
}

// lock waits for the slot until the context ends.
func (s *slot) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
}

func (s *slot) unlock() { <-s.turn }

// try computes once. With attempts left after this one it keeps back the time for
// them.
func (s *slot) try(ctx context.Context, in sdk.Values, left int) (sdk.Outcome, error) {
	process, err := s.process(ctx)
	if err != nil {
		return sdk.Outcome{}, err
	}
	attempt := ctx
	if deadline, ok := ctx.Deadline(); ok && left > 0 {
		var cancel context.CancelFunc
		attempt, cancel = context.WithTimeout(ctx, time.Until(deadline)*2/5)
		defer cancel()
	}
	o, err := process.Calculate(attempt, in)
	err = s.judge(in, o, err)
	broken := errors.Is(err, wire.ErrLost) || errors.Is(err, wire.ErrContract)
	if broken && !errors.Is(ctx.Err(), context.Canceled) { // a caller who left says nothing about the process
		s.discard(process)
	}
	if err != nil {
		return sdk.Outcome{}, err
	}
	return o, nil
}

// judge compares what the process answered with what the release may answer.
func (s *slot) judge(in sdk.Values, o sdk.Outcome, err error) error {
	var rejection *sdk.Error
	switch {
	case err == nil:
		err = sdk.CheckOutcome(s.program.Spec, in, o)
	case errors.As(err, &rejection):
		if err = sdk.CheckRejection(s.program.Spec, rejection); err == nil {
			return rejection
		}
	default:
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w", wire.ErrContract, err)
	}
	return nil
}

// process returns the running process, after starting one if there is none.
func (s *slot) process(ctx context.Context) (*wire.Process, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if s.running != nil {
		select {
		case <-s.running.Exited():
			s.end(s.running)
		default:
			return s.running, nil
		}
	}
	if s.failure != nil && time.Now().Before(s.retryAt) {
		return nil, s.failure
	}
	process, err := s.launch(ctx)
	if err != nil {
		s.observe(StartFailed)
		if ctx.Err() == nil { // a caller who left says nothing about the program
			s.pause = min(max(firstPause, 2*s.pause), maxPause)
			s.retryAt = time.Now().Add(s.pause)
			s.failure = fmt.Errorf("%w: %w", ErrUnavailable, err)
			return nil, s.failure
		}
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.observe(Started)
	s.running, s.failure, s.pause = process, nil, 0
	return process, nil
}

// launch starts a process and makes sure that it is the published engine.
func (s *slot) launch(ctx context.Context) (*wire.Process, error) {
	executable, err := s.program.Read()
	if err != nil {
		return nil, err
	}
	program, err := wire.NewProgram(executable)
	if err != nil {
		return nil, err
	}
	defer program.Close() // the process keeps its own hold
	if program.Digest() != s.program.Digest {
		return nil, fmt.Errorf("executable has digest %s, want %s", program.Digest(), s.program.Digest)
	}
	process, err := wire.Launch(ctx, program, &s.options)
	if err != nil {
		return nil, err
	}
	if err := sameSpec(process.Spec(), *s.program.Spec); err != nil {
		process.Close()
		return nil, err
	}
	return process, nil
}

func sameSpec(claimed, published sdk.Spec) error {
	a, errA := json.Marshal(claimed)
	b, errB := json.Marshal(published)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return fmt.Errorf("engine describes itself as %s %s, otherwise than published", claimed.Capability, claimed.Version)
	}
	return nil
}

// discard ends the process unless another has already taken its place.
func (s *slot) discard(process *wire.Process) {
	s.turn <- struct{}{}
	defer s.unlock()
	if s.running == process {
		s.end(process)
	}
}

// end ends the running process.
func (s *slot) end(process *wire.Process) {
	s.running = nil
	process.Close()
	s.observe(Ended)
}

func (s *slot) close() {
	s.turn <- struct{}{}
	defer s.unlock()
	s.closed = true
	if s.running != nil {
		s.end(s.running)
	}
}
