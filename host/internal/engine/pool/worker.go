package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// worker is one process of a program, with its calls.
type worker struct {
	supervisor *supervisor
	process    engine
	life       atomic.Int32 // a life; the supervisor is locked when it drains
	calls      atomic.Int64
	proven     atomic.Bool  // it has given at least one good answer
	wrong      atomic.Int32 // consecutive answers that broke the contract
	probing    atomic.Bool  // a health check is under way
	answered   atomic.Int64 // time of the last health check that it passed, Unix nanoseconds
	freed      time.Time    // time at which it became an idle standby process

	killed bool          // the pool has ended it; guarded by the supervisor
	lost   bool          // a call got no answer, so it may have ended by itself; guarded by the supervisor
	unused chan struct{} // closed when it drains and has no calls left
	once   sync.Once     // closes unused
}

// move applies a step to the state of the process, and returns the state before.
func (w *worker) move(s step) life {
	for {
		was := w.life.Load()
		if w.life.CompareAndSwap(was, int32(life(was).after(s))) {
			return life(was)
		}
	}
}

// draining reports whether the process takes no more calls.
func (w *worker) draining() bool { return life(w.life.Load()) == draining }

// acquire counts a call. It reports false if the process takes no more calls. Release ends
// the call.
func (w *worker) acquire() bool {
	w.calls.Add(1)
	if w.draining() {
		w.release()
		return false
	}
	return true
}

func (w *worker) release() {
	if w.calls.Add(-1) == 0 && w.draining() {
		w.once.Do(func() { close(w.unused) })
	}
}

// empty closes unused as soon as a draining process has no calls left. It kills the process if
// that takes longer than the given time. It does not wait.
func (w *worker) empty(within time.Duration) {
	if w.calls.Load() == 0 {
		w.once.Do(func() { close(w.unused) })
		return
	}
	late := time.AfterFunc(within, w.kill)
	w.supervisor.pool.tasks.Go(func() {
		<-w.unused
		late.Stop()
	})
}

// lastAlive returns the time of the last sign of life: an answer or a health check.
func (w *worker) lastAlive() time.Time {
	if t := w.process.LastReceived(); t.UnixNano() > w.answered.Load() {
		return t
	}
	return time.Unix(0, w.answered.Load())
}

// call records that the process gets a call.
func (w *worker) call() {
	if life(w.life.Load()) == fresh {
		w.move(called)
	}
}

// attend waits until the process has ended or is no longer used, and then cleans up.
func (w *worker) attend() {
	s := w.supervisor
	ended := fmt.Errorf("%w: the process ended", process.ErrLost)
	select {
	case <-w.process.Exited():
	case <-w.process.Ending():
		s.drain(w, ended)
		w.awaitExit()
	case <-w.unused:
		if w.is(&w.lost) {
			w.awaitExit()
		}
	}
	if err := w.process.Misdescribed(); err != nil {
		s.disown(err)
	} else if w.process.Ended() && !w.is(&w.killed) {
		s.observe(Crashed)
		s.log.warn("an engine process ended", "pid", w.process.PID(), "lane", w.process.StreamEnd(), "printed", w.process.Printed())
	}
	s.drain(w, ended)
	w.process.Close()
	s.mu.Lock()
	delete(s.workers, w)
	s.dropUnused()
	s.mu.Unlock()
	s.observe(Ended)
}

// is reads a flag that the supervisor guards.
func (w *worker) is(flag *bool) bool {
	w.supervisor.mu.Lock()
	defer w.supervisor.mu.Unlock()
	return *flag
}

// exitNotice is how long after the failure of its calls the end of a process may become
// known.
const exitNotice = 200 * time.Millisecond

// awaitExit waits briefly for the end of a process that may have died.
func (w *worker) awaitExit() {
	late := time.NewTimer(exitNotice)
	defer late.Stop()
	select {
	case <-w.process.Exited():
	case <-late.C:
	case <-w.supervisor.pool.ending.Done():
	}
}

// replaceUnfit drains the process if it should be replaced, and reports whether it did. The
// calls under way can still be answered.
func (w *worker) replaceUnfit(now time.Time) bool {
	err := w.process.Unfit(now)
	if err == nil {
		return false
	}
	event := Hung
	if errors.Is(err, process.ErrContract) {
		event = Broke
	}
	w.supervisor.observe(event)
	w.supervisor.log.warn("the server replaces an engine process", "pid", w.process.PID(), "error", err)
	w.supervisor.drain(w, err)
	return true
}

// kill ends the process immediately. Calls under way fail.
func (w *worker) kill() {
	w.supervisor.mu.Lock()
	w.killed = true
	w.supervisor.mu.Unlock()
	w.process.Kill()
}

// ask makes one attempt. A process that loses the request, or breaks the contract repeatedly,
// gets no further requests.
func (w *worker) ask(ctx context.Context, limit time.Duration, r request) (a answer, err error) {
	w.call()
	spec := w.supervisor.spec
	if r.plot == "" {
		a.outcome, err = w.process.CalculateWithin(ctx, limit, r.inputs)
		err = judge(spec, r.inputs, &a.outcome, err)
	} else {
		a.figure, err = w.draw(ctx, limit, r)
		err = judgeError(spec, err)
		if err == nil {
			a.figure.Show()
		}
	}
	w.note(ctx, err)
	if err != nil {
		return answer{}, err
	}
	return a, nil
}

func (w *worker) draw(ctx context.Context, limit time.Duration, r request) (*sdk.Figure, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return w.process.Draw(ctx, r.plot, r.inputs)
}

// computeBatch computes all rows. The error is about the whole batch. The result of a row
// that breaks the contract has an error of its own.
func (w *worker) computeBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error) {
	w.call()
	results, err := w.process.CalculateBatch(ctx, limit, rows)
	if err != nil {
		w.note(ctx, err)
		return nil, judgeError(w.supervisor.spec, err)
	}
	for k := range results {
		r := &results[k]
		r.Err = judge(w.supervisor.spec, rows[k], &r.Outcome, r.Err)
		if broken(r.Err) {
			err = r.Err
		}
	}
	w.note(ctx, err)
	return results, nil
}

// maxWrong is the number of consecutive answers that break the contract after which a process
// gets no more calls. One or two may well be caused by the inputs.
const maxWrong = 3

// note updates the state of the process after one answer.
func (w *worker) note(ctx context.Context, err error) {
	switch {
	case errors.Is(err, process.ErrBusy): // not the fault of the process
	case !broken(err):
		if w.wrong.Load() != 0 {
			w.wrong.Store(0)
		}
		if w.proven.CompareAndSwap(false, true) {
			w.supervisor.clearFailures()
		}
	case errors.Is(ctx.Err(), context.Canceled): // the caller has left, which is not the fault of the process
	case errors.Is(err, process.ErrContract):
		w.supervisor.observe(Broke)
		if w.wrong.Add(1) >= maxWrong || w.process.Ended() {
			w.supervisor.drain(w, err)
		}
	default:
		w.supervisor.observe(Lost)
		w.supervisor.drain(w, err)
	}
}

// broken reports whether an error is the fault of the process, so that another process may
// be able to answer.
func broken(err error) bool {
	return errors.Is(err, process.ErrLost) || errors.Is(err, process.ErrContract)
}

// judge checks an answer against the published Spec of the release, and makes its texts fit to be shown.
func judge(spec *sdk.Spec, in value.Values, o *sdk.Outcome, err error) error {
	if err == nil {
		if err := spec.CheckOutcome(in, *o); err != nil {
			return fmt.Errorf("%w: %w", process.ErrContract, err)
		}
		o.Show()
		return nil
	}
	return judgeError(spec, err)
}

// judgeError checks an error of a process. A rejection must be one that the release may
// answer; otherwise the error wraps process.ErrContract.
func judgeError(spec *sdk.Spec, err error) error {
	var rejection *sdk.Error
	switch {
	case errors.Is(err, process.ErrBusy):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case !errors.As(err, &rejection):
		return err
	}
	if err := spec.CheckRejection(rejection); err != nil {
		return fmt.Errorf("%w: %w", process.ErrContract, err)
	}
	rejection.Show()
	return rejection
}
