package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/sdk"
)

const (
	// maxSpares bounds the spare processes of a program, and so how many second
	// attempts it has at once: a failing engine cannot multiply its load.
	maxSpares = 4

	// spareWait is how long a second attempt waits for a spare that exists before it
	// starts another.
	spareWait = 20 * time.Millisecond

	// firstShare of the time left is what a first attempt may take.
	firstShare = 0.4
)

func (s *slot) calculate(ctx context.Context, limit time.Duration, in sdk.Values) (sdk.Outcome, error) {
	if err := s.poisons.find(in); err != nil {
		return sdk.Outcome{}, err
	}
	deadline := time.Now().Add(limit)
	i, err := s.within(ctx, deadline)
	if err != nil {
		return sdk.Outcome{}, err
	}
	o, err := s.first(ctx, time.Duration(float64(limit)*firstShare), i, in)
	if !broken(err) {
		return o, err
	}
	if ctx.Err() != nil {
		return sdk.Outcome{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.log.warn("engine failed; trying again", "error", err)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return s.second(ctx, in)
}

// within is acquire, until the deadline. Almost always there is nothing to wait for.
func (s *slot) within(ctx context.Context, deadline time.Time) (*instance, error) {
	if i := s.current.Load(); i != nil && i.hold() {
		s.called.Store(true)
		return i, nil
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return s.acquire(ctx)
}

// first computes on the current process.
func (s *slot) first(ctx context.Context, limit time.Duration, i *instance, in sdk.Values) (sdk.Outcome, error) {
	defer i.release()
	o, err := i.compute(ctx, limit, in)
	if err == nil {
		s.canary(i, in, o)
	}
	return o, err
}

// second computes alone on a spare process. What fails here too is the inputs' doing:
// they are refused for a while.
func (s *slot) second(ctx context.Context, in sdk.Values) (sdk.Outcome, error) {
	s.observe(Retried)
	i, err := s.spare(ctx)
	if err != nil {
		return sdk.Outcome{}, err
	}
	o, err := i.compute(ctx, left(ctx), in)
	s.giveBack(i)
	if broken(err) && !errors.Is(ctx.Err(), context.Canceled) {
		s.observe(Poisoned)
		s.log.warn("engine failed twice", "error", err)
		s.poisons.add(in, err)
	}
	return o, err
}

// spare returns a process that nobody else uses, until giveBack.
func (s *slot) spare(ctx context.Context) (*instance, error) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	if len(s.room) > 0 {
		wait.Reset(spareWait)
	}
	var room chan struct{}
	for {
		select {
		case i := <-s.spares:
			if i.hold() {
				return i, nil
			}
			<-s.room
		case <-wait.C:
			room = s.room
		case room <- struct{}{}:
			i, err := s.launchSpare(ctx)
			if err != nil {
				<-s.room
				return nil, err
			}
			return i, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: no spare process: %w", ErrUnavailable, ctx.Err())
		}
	}
}

func (s *slot) launchSpare(ctx context.Context) (*instance, error) {
	if err := s.pause(ctx); err != nil {
		return nil, err
	}
	i, err := s.launch(ctx)
	if err != nil {
		return nil, err
	}
	if !i.hold() {
		return nil, fmt.Errorf("%w: the spare process ended at once", ErrUnavailable)
	}
	return i, nil
}

// giveBack lets others have a spare.
func (s *slot) giveBack(i *instance) {
	i.release()
	i.freed.Store(time.Now().UnixNano())
	if i.retired.Load() {
		<-s.room
		return
	}
	s.spares <- i // there is room for all
}

// takeSpare returns an idle spare for other use, nil if there is none.
func (s *slot) takeSpare() *instance {
	for {
		select {
		case i := <-s.spares:
			<-s.room
			if !i.retired.Load() {
				return i
			}
		default:
			return nil
		}
	}
}

// endSpare ends the spare that has waited longest, if it has waited for long.
func (s *slot) endSpare(now time.Time) {
	select {
	case i := <-s.spares:
		if now.Sub(time.Unix(0, i.freed.Load())) < spareLife {
			s.spares <- i
			return
		}
		<-s.room
		s.retire(i, nil)
	default:
	}
}

// prepare starts a spare, to have it when the current process turns out to be gone.
func (s *slot) prepare() {
	select {
	case s.room <- struct{}{}:
	default:
		return
	}
	s.pool.tasks.Go(func() {
		i, err := s.launchSpare(s.pool.ending)
		if err != nil {
			<-s.room
			return
		}
		s.giveBack(i)
	})
}

// left is the time until the context's deadline.
func left(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(1, time.Until(deadline))
}

// calculateBatch computes the rows together, and those that this fails for one by one.
func (s *slot) calculateBatch(ctx context.Context, limit time.Duration, rows []sdk.Values) ([]sdk.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	i, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	results, err := i.computeBatch(ctx, time.Duration(float64(limit)*firstShare), rows)
	i.release()
	switch {
	case broken(err) && ctx.Err() == nil:
		s.log.warn("engine failed; trying again", "rows", len(rows), "error", err)
		results = make([]sdk.Result, len(rows))
		for k := range results {
			results[k].Err = err
		}
	case broken(err):
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case err != nil:
		return nil, err
	}
	for k := range results {
		if r := &results[k]; broken(r.Err) {
			if poison := s.poisons.find(rows[k]); poison != nil {
				r.Err = poison
			} else if ctx.Err() == nil {
				r.Outcome, r.Err = s.second(ctx, rows[k])
			} else {
				r.Err = fmt.Errorf("%w: no time was left: %w", ErrUnavailable, r.Err)
			}
		}
	}
	return results, nil
}
