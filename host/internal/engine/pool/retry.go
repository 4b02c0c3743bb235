package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

const (
	// maxStandbys is the largest number of standby processes of a program, and so of second
	// attempts at the same time. A failing engine cannot multiply its load.
	maxStandbys = 4

	// maxSpares is the largest number of spare processes of a program.
	maxSpares = 3

	// standbyWait is how long a second attempt waits for a busy standby process before it
	// starts another one.
	standbyWait = 20 * time.Millisecond

	// firstShare is the part of the remaining time that a first attempt may take.
	firstShare = 0.4
)

// request is a question to an engine: a calculation, or a plot of it.
type request struct {
	plot   string // id; "" for the calculation
	inputs value.Values
}

// answer is the answer to a request: an outcome or a plot.
type answer struct {
	outcome sdk.Outcome
	figure  *sdk.Figure
	took    time.Duration // of a second attempt
}

// ask makes a first attempt, and a second one if the process loses the request or breaks the
// contract.
func (p *Pool) ask(ctx context.Context, limit time.Duration, of *registry.Release, r request) (answer, error) {
	s, err := p.supervisor(of)
	if err != nil {
		return answer{}, err
	}
	if err := s.poison.find(r); err != nil {
		return answer{}, err
	}
	deadline := time.Now().Add(limit)
	a, err := s.first(ctx, deadline, time.Duration(float64(limit)*firstShare), r)
	if !broken(err) {
		return a, err
	}
	if ctx.Err() != nil {
		return answer{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	s.log.warn("an engine failed; the server tries again", "plot", r.plot, "error", err)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	s.observe(Retried)
	return s.second(ctx, limit, 0, r)
}

// first makes the first attempt, on the current process. If a process had ended before the attempt,
// first makes another one.
func (s *supervisor) first(ctx context.Context, deadline time.Time, limit time.Duration, r request) (a answer, err error) {
	alone, err := s.caution.enter(ctx, deadline)
	if err != nil {
		return a, err
	}
	defer alone.leave()
	for range 2 {
		w, err := s.within(ctx, deadline)
		if err != nil {
			return a, err
		}
		alone.sent()
		a, err = w.ask(ctx, limit, r)
		w.release()
		if !process.Unsent(err) {
			return a, err
		}
	}
	return a, err
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

// second makes the second attempt, alone on a standby process, within the time. If that fails
// too, the request is the cause, and is refused for a while. A request that only had no answer
// must have had enough time for that.
func (s *supervisor) second(ctx context.Context, within, enough time.Duration, r request) (answer, error) {
	if err := s.trials.wait(ctx); err != nil {
		return answer{}, fmt.Errorf("%w: too many of its processes end to try again: %w", ErrUnavailable, err)
	}
	w, err := s.standby(ctx)
	if err != nil {
		return answer{}, err
	}
	if !w.freed.IsZero() { // it may have ended at the same time as the first process, from outside
		check, cancel := context.WithTimeout(ctx, s.pool.options.ProbeTimeout)
		err := w.process.Healthy(check)
		cancel()
		if err != nil && ctx.Err() != nil {
			s.giveBack(w)
			return answer{}, fmt.Errorf("%w: no spare process: %w", ErrUnavailable, ctx.Err())
		}
		if err != nil {
			s.drain(w, err)
			w.kill()
			s.giveBack(w)
			return s.second(ctx, within, enough, r)
		}
	}
	within = min(within, left(ctx))
	start := time.Now()
	a, err := w.ask(ctx, within, r)
	if err == nil {
		a.took = time.Since(start)
	}
	s.giveBack(w)
	if process.Unsent(err) { // it ended before it had the request
		return s.second(ctx, within, enough, r)
	}
	if broken(err) && !errors.Is(ctx.Err(), context.Canceled) && (within >= enough || !late(err)) {
		s.observe(Quarantined)
		s.log.warn("an engine failed twice", "plot", r.plot, "error", err)
		s.poison.add(r, err)
	}
	return a, err
}

// standby returns a standby process for exclusive use, until giveBack.
func (s *supervisor) standby(ctx context.Context) (*worker, error) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	if len(s.capacity) > 0 {
		wait.Reset(standbyWait)
	}
	var free chan struct{}
	for {
		select {
		case w := <-s.standbys:
			if w.acquire() {
				return w, nil
			}
			<-s.capacity
		case <-wait.C:
			free = s.capacity
		case free <- struct{}{}:
			w, err := s.launchStandby(ctx)
			if err != nil {
				<-s.capacity
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

// giveBack makes a standby process available again after use.
func (s *supervisor) giveBack(w *worker) {
	w.release()
	w.freed = time.Now()
	if w.draining() {
		s.trials.spend()
		<-s.capacity
		return
	}
	s.standbys <- w // does not block: the channel is large enough for all
}

// takeStandby removes an idle standby process for another use. It returns nil if there is
// none.
func (s *supervisor) takeStandby() *worker {
	for {
		select {
		case w := <-s.standbys:
			<-s.capacity
			if !w.draining() {
				return w
			}
		default:
			return nil
		}
	}
}

// endStandby ends the spare and the standby process that have been idle longest, if their time is
// over.
func (s *supervisor) endStandby(now time.Time) {
	select {
	case w := <-s.spares:
		if now.Sub(w.freed) < standbyLife {
			s.spares <- w
			break
		}
		s.spared.Add(-1)
		s.drain(w, nil)
	default:
	}
	select {
	case w := <-s.standbys:
		if now.Sub(w.freed) < standbyLife {
			s.standbys <- w
			break
		}
		<-s.capacity
		s.drain(w, nil)
	default:
	}
}

// prepare starts a spare process in advance, in case the current process has ended, unless there
// are enough spare processes.
func (s *supervisor) prepare() {
	if s.spared.Add(1) > maxSpares {
		s.spared.Add(-1)
		return
	}
	s.pool.tasks.Go(func() {
		w, err := s.launchSpare()
		if err != nil {
			s.spared.Add(-1)
			return
		}
		w.freed = time.Now()
		s.spares <- w // does not block: the channel is large enough for all
	})
}

func (s *supervisor) launchSpare() (*worker, error) {
	if err := s.pause(s.pool.ending); err != nil {
		return nil, err
	}
	return s.launchNext(s.pool.ending)
}

// takeSpare removes a spare process for use. It returns nil if there is none.
func (s *supervisor) takeSpare() *worker {
	select {
	case w := <-s.spares:
		s.spared.Add(-1)
		if !w.draining() {
			return w
		}
	default:
	}
	return nil
}

// late reports whether a request failed because its time was over.
func late(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// left returns the time until the deadline of the context.
func left(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(1, time.Until(deadline))
}
