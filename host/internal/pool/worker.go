package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// worker is one process of a program and the calls it has.
type worker struct {
	supervisor *supervisor
	process    *process.Process
	life       atomic.Int32 // a life; the supervisor is locked when it drains
	calls      atomic.Int64
	proven     atomic.Bool  // it has given a good answer
	wrong      atomic.Int32 // answers in a row that broke the contract
	probing    atomic.Bool  // a health check is under way
	answered   atomic.Int64 // when it last passed one, Unix nanoseconds
	freed      time.Time    // when it became an idle standby

	killed bool          // its end is our doing; the supervisor is locked
	lost   bool          // a call got no answer: it may have ended by itself; the supervisor is locked
	unused chan struct{} // closed once it drains and has no calls
	once   sync.Once     // of unused
}

// move changes the life of the process and returns what it was before.
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

// acquire counts a call, unless the process takes none any more. Release ends it.
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

// empty lets the calls of a process that drains end, and kills it when they take longer
// than the time.
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

// lastAlive is when the process last showed that it is alive.
func (w *worker) lastAlive() time.Time {
	if t := w.process.LastReceived(); t.UnixNano() > w.answered.Load() {
		return t
	}
	return time.Unix(0, w.answered.Load())
}

// call notes that the process has been given a call.
func (w *worker) call() {
	if life(w.life.Load()) == fresh {
		w.move(called)
	}
}

// attend waits for the end of the process, or of its use, and clears up.
func (w *worker) attend() {
	s := w.supervisor
	select {
	case <-w.process.Exited():
	case <-w.unused:
		if w.is(&w.lost) {
			w.awaitExit()
		}
	}
	if w.process.Gone() && !w.is(&w.killed) {
		s.observe(Crashed)
		s.log.warn("engine process ended", "pid", w.process.PID(), "lane", w.process.StreamEnd(), "printed", w.process.Printed())
	}
	s.drain(w, fmt.Errorf("%w: the process ended", process.ErrLost))
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

// exitNotice is how much later than its calls the kernel may tell of a process that has
// ended.
const exitNotice = 200 * time.Millisecond

// awaitExit gives the kernel time to tell that the process has ended.
func (w *worker) awaitExit() {
	late := time.NewTimer(exitNotice)
	defer late.Stop()
	select {
	case <-w.process.Exited():
	case <-late.C:
	case <-w.supervisor.pool.ending.Done():
	}
}

// kill ends the process, whatever calls it has.
func (w *worker) kill() {
	w.supervisor.mu.Lock()
	w.killed = true
	w.supervisor.mu.Unlock()
	w.process.Kill()
}

// compute computes once. A process that loses the call, or keeps breaking the contract,
// gets no further calls.
func (w *worker) compute(ctx context.Context, limit time.Duration, in value.Values) (sdk.Outcome, error) {
	w.call()
	o, err := w.process.CalculateWithin(ctx, limit, in)
	err = judge(w.supervisor.program.Spec, in, o, err)
	w.note(ctx, err)
	if err != nil {
		return sdk.Outcome{}, err
	}
	return o, nil
}

// computeBatch computes every row. The error is that of the whole batch; a row that
// breaks the contract has one of its own.
func (w *worker) computeBatch(ctx context.Context, limit time.Duration, rows []value.Values) ([]response.Result, error) {
	w.call()
	results, err := w.process.CalculateBatch(ctx, limit, rows)
	if err != nil {
		w.note(ctx, err)
		return nil, judgeError(w.supervisor.program.Spec, err)
	}
	for k := range results {
		r := &results[k]
		if r.Err = judge(w.supervisor.program.Spec, rows[k], r.Outcome, r.Err); broken(r.Err) {
			err = r.Err
		}
	}
	w.note(ctx, err)
	return results, nil
}

// maxWrong is how many wrong answers in a row a process survives: one or two may well
// be the inputs' doing.
const maxWrong = 3

// note draws the consequences of one answer for the process.
func (w *worker) note(ctx context.Context, err error) {
	switch {
	case errors.Is(err, process.ErrBusy): // says nothing about the process
	case !broken(err):
		if w.wrong.Load() != 0 {
			w.wrong.Store(0)
		}
		if w.proven.CompareAndSwap(false, true) {
			w.supervisor.forgive()
		}
	case errors.Is(ctx.Err(), context.Canceled): // a caller who left says nothing about the process
	case errors.Is(err, process.ErrContract):
		w.supervisor.observe(Broke)
		if w.wrong.Add(1) >= maxWrong || w.process.Gone() {
			w.supervisor.drain(w, err)
		}
	default:
		w.supervisor.observe(Lost)
		w.supervisor.drain(w, err)
	}
}

// broken reports whether the error is the process's fault, so that another process may
// do better.
func broken(err error) bool {
	return errors.Is(err, process.ErrLost) || errors.Is(err, process.ErrContract)
}

// judge compares what a process answered with what the release may answer.
func judge(spec *sdk.Spec, in value.Values, o sdk.Outcome, err error) error {
	if err == nil {
		if err := spec.CheckOutcome(in, o); err != nil {
			return fmt.Errorf("%w: %w", process.ErrContract, err)
		}
		return nil
	}
	return judgeError(spec, err)
}

// judgeError returns an error of a process, which as a rejection must be one that the
// release may answer.
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
	return rejection
}
