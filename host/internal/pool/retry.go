package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

const (
	// maxStandbys is the largest number of standby processes of a program, and so of second
	// attempts at the same time. A failing engine cannot multiply its load.
	maxStandbys = 4

	// standbyWait is how long a second attempt waits for a busy standby process before it
	// starts another one.
	standbyWait = 20 * time.Millisecond

	// firstShare is the part of the remaining time that a first attempt may take.
	firstShare = 0.4
)

func (s *supervisor) calculate(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error) {
	if err := s.inputs.find(in); err != nil {
		return sdk.Outcome{}, err
	}
	deadline := time.Now().Add(limit)
	w, err := s.within(ctx, deadline)
	if err != nil {
		return sdk.Outcome{}, err
	}
	o, err := s.first(ctx, time.Duration(float64(limit)*firstShare), w, in)
	if process.Unsent(err) { // the process had ended before, so this was no attempt
		if w, err = s.within(ctx, deadline); err != nil {
			return sdk.Outcome{}, err
		}
		o, err = s.first(ctx, time.Duration(float64(limit)*firstShare), w, in)
	}
	if !broken(err) {
		return o, err
	}
	if ctx.Err() != nil {
		return sdk.Outcome{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.log.warn("engine failed; trying again", "error", err)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	s.observe(Retried)
	return s.second(ctx, in)
}

// within is acquire with a deadline. It makes a context only if it must wait, which is rare.
func (s *supervisor) within(ctx context.Context, deadline time.Time) (*worker, error) {
	if w := s.current.Load(); w != nil && w.acquire() {
		s.noteCall()
		return w, nil
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return s.acquire(ctx)
}

// first makes the first attempt, on the current process.
func (s *supervisor) first(ctx context.Context, limit time.Duration, w *worker, in value.Values) (sdk.Outcome, error) {
	defer w.release()
	o, err := w.compute(ctx, limit, in)
	if err == nil {
		s.canary(w, in, o)
	}
	return o, err
}

// second makes the second attempt, alone on a standby process. If that fails too, the inputs
// are the cause, and are refused for a while.
func (s *supervisor) second(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	w, err := s.standby(ctx)
	if err != nil {
		return sdk.Outcome{}, err
	}
	wasIdle := !w.freed.IsZero()
	o, err := w.compute(ctx, left(ctx), in)
	s.giveBack(w)
	if wasIdle && process.Unsent(err) { // it had ended while it was idle
		return s.second(ctx, in)
	}
	if broken(err) && !errors.Is(ctx.Err(), context.Canceled) {
		s.observe(Quarantined)
		s.log.warn("engine failed twice", "error", err)
		s.inputs.add(in, err)
	}
	return o, err
}

// standby returns a standby process for exclusive use, until giveBack.
func (s *supervisor) standby(ctx context.Context) (*worker, error) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	if len(s.room) > 0 {
		wait.Reset(standbyWait)
	}
	var room chan struct{}
	for {
		select {
		case w := <-s.standbys:
			if w.acquire() {
				return w, nil
			}
			<-s.room
		case <-wait.C:
			room = s.room
		case room <- struct{}{}:
			w, err := s.launchStandby(ctx)
			if err != nil {
				<-s.room
				return nil, err
			}
			return w, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: no spare process: %w", ErrUnavailable, ctx.Err())
		}
	}
}

func (s *supervisor) launchStandby(ctx context.Context) (*worker, error) {
	if err := s.pause(ctx); err != nil {
		return nil, err
	}
	w, err := s.launch(ctx)
	if err != nil {
		return nil, err
	}
	if !w.acquire() {
		return nil, fmt.Errorf("%w: the spare process ended at once", ErrUnavailable)
	}
	return w, nil
}

// giveBack returns a standby process after use.
func (s *supervisor) giveBack(w *worker) {
	w.release()
	w.freed = time.Now()
	if w.draining() {
		<-s.room
		return
	}
	s.standbys <- w // does not block: the channel has room for all
}

// takeStandby removes an idle standby process for another use. It returns nil if there is
// none.
func (s *supervisor) takeStandby() *worker {
	for {
		select {
		case w := <-s.standbys:
			<-s.room
			if !w.draining() {
				return w
			}
		default:
			return nil
		}
	}
}

// endStandby ends the standby process that has been idle longest, if its time is over.
func (s *supervisor) endStandby(now time.Time) {
	select {
	case w := <-s.standbys:
		if now.Sub(w.freed) < standbyLife {
			s.standbys <- w
			return
		}
		<-s.room
		s.drain(w, nil)
	default:
	}
}

// prepare starts a standby process in advance, for the case that the current process is gone.
func (s *supervisor) prepare() {
	select {
	case s.room <- struct{}{}:
	default:
		return
	}
	s.pool.tasks.Go(func() {
		w, err := s.launchStandby(s.pool.ending)
		if err != nil {
			<-s.room
			return
		}
		s.giveBack(w)
	})
}

// left returns the time until the deadline of the context.
func left(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(1, time.Until(deadline))
}

// calculateBatch computes all rows together. Rows that fail then are computed one by one.
func (s *supervisor) calculateBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	results, err := w.computeBatch(ctx, time.Duration(float64(limit)*firstShare), rows)
	w.release()
	if process.Unsent(err) {
		if w, err = s.acquire(ctx); err != nil {
			return nil, err
		}
		results, err = w.computeBatch(ctx, time.Duration(float64(limit)*firstShare), rows)
		w.release()
	}
	switch {
	case broken(err) && ctx.Err() == nil:
		s.log.warn("engine failed; trying again", "rows", len(rows), "error", err)
		results = make([]response.Result, len(rows))
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
			if refused := s.inputs.find(rows[k]); refused != nil {
				r.Err = refused
			} else if ctx.Err() == nil {
				s.observe(Retried)
				r.Outcome, r.Err = s.second(ctx, rows[k])
			} else {
				r.Err = fmt.Errorf("%w: no time was left: %w", ErrUnavailable, r.Err)
			}
		}
	}
	return results, nil
}
