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

func (s *slot) calculate(ctx context.Context, in sdk.Values) (sdk.Outcome, error) {
	if err := s.poisons.find(in); err != nil {
		return sdk.Outcome{}, err
	}
	o, err := s.first(ctx, in)
	if !broken(err) {
		return o, err
	}
	if ctx.Err() != nil {
		return sdk.Outcome{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.log.warn("engine failed; trying again", "error", err)
	return s.second(ctx, in)
}

// first computes on the current process, and keeps time back for another attempt.
func (s *slot) first(ctx context.Context, in sdk.Values) (sdk.Outcome, error) {
	i, err := s.acquire(ctx)
	if err != nil {
		return sdk.Outcome{}, err
	}
	defer i.release()
	o, err := i.compute(ctx, share(ctx), in)
	if err == nil {
		s.canary(i, in, o)
	}
	return o, err
}

// share is what a first attempt may take, 0 for as long as it likes.
func share(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(1, time.Duration(float64(time.Until(deadline))*firstShare))
}

// second computes alone on a spare process. What fails here too is the inputs' doing:
// they are refused for a while.
func (s *slot) second(ctx context.Context, in sdk.Values) (sdk.Outcome, error) {
	s.observe(Retried)
	i, err := s.spare(ctx)
	if err != nil {
		return sdk.Outcome{}, err
	}
	o, err := i.compute(ctx, 0, in)
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

// calculateBatch computes the rows together, and those that this fails for one by one.
func (s *slot) calculateBatch(ctx context.Context, rows []sdk.Values) ([]sdk.Result, error) {
	results, err := s.firstBatch(ctx, rows)
	switch {
	case broken(err) && ctx.Err() == nil:
		s.log.warn("engine failed; trying again", "rows", len(rows), "error", err)
		results = make([]sdk.Result, len(rows))
		for k := range results {
			results[k].Err = err
		}
	case err != nil:
		return nil, err
	}
	for k := range results {
		if r := &results[k]; broken(r.Err) {
			if poison := s.poisons.find(rows[k]); poison != nil {
				r.Err = poison
			} else if ctx.Err() == nil {
				r.Outcome, r.Err = s.second(ctx, rows[k])
			}
		}
	}
	return results, nil
}

func (s *slot) firstBatch(ctx context.Context, rows []sdk.Values) ([]sdk.Result, error) {
	i, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer i.release()
	return i.computeBatch(ctx, share(ctx), rows)
}
