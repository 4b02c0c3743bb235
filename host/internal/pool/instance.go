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
)

// instance is one process of a program and the calls it has.
type instance struct {
	slot     *slot
	process  *process.Process
	calls    atomic.Int64
	called   atomic.Bool  // it has been given a call
	proven   atomic.Bool  // it has given a good answer
	wrong    atomic.Int32 // answers in a row that broke the contract
	probing  atomic.Bool  // a health check is under way
	answered atomic.Int64 // when it last passed one, Unix nanoseconds
	freed    atomic.Int64 // when it became an idle spare

	retire  sync.Once
	retired atomic.Bool
	killed  atomic.Bool   // its end is our doing
	lost    atomic.Bool   // a call got no answer: it may have ended by itself
	unused  chan struct{} // closed once it is retired and has no calls
	close   sync.Once     // of unused
}

// hold counts a call, unless the instance takes none any more. Release ends it.
func (i *instance) hold() bool {
	i.calls.Add(1)
	if i.retired.Load() {
		i.release()
		return false
	}
	return true
}

func (i *instance) release() {
	if i.calls.Add(-1) == 0 && i.retired.Load() {
		i.close.Do(func() { close(i.unused) })
	}
}

// heard is when the process last showed that it is alive.
func (i *instance) heard() time.Time {
	if t := i.process.Heard(); t.UnixNano() > i.answered.Load() {
		return t
	}
	return time.Unix(0, i.answered.Load())
}

// call notes that the process has been given a call.
func (i *instance) call() {
	if !i.called.Load() {
		i.called.Store(true)
	}
}

// compute computes once. A process that loses the call, or keeps breaking the contract,
// gets no further calls.
func (i *instance) compute(ctx context.Context, limit time.Duration, in sdk.Values) (sdk.Outcome, error) {
	i.call()
	o, err := i.process.CalculateWithin(ctx, limit, in)
	err = judge(i.slot.program.Spec, in, o, err)
	i.note(ctx, err)
	if err != nil {
		return sdk.Outcome{}, err
	}
	return o, nil
}

// computeBatch computes every row. The error is that of the whole batch; a row that
// breaks the contract has one of its own.
func (i *instance) computeBatch(ctx context.Context, limit time.Duration, rows []sdk.Values) ([]sdk.Result, error) {
	i.call()
	results, err := i.process.CalculateBatch(ctx, limit, rows)
	if err != nil {
		i.note(ctx, err)
		return nil, judgeError(i.slot.program.Spec, err)
	}
	for k := range results {
		r := &results[k]
		if r.Err = judge(i.slot.program.Spec, rows[k], r.Outcome, r.Err); broken(r.Err) {
			err = r.Err
		}
	}
	i.note(ctx, err)
	return results, nil
}

// maxWrong is how many wrong answers in a row a process survives: one or two may well
// be the inputs' doing.
const maxWrong = 3

// note draws the consequences of one answer for the process.
func (i *instance) note(ctx context.Context, err error) {
	switch {
	case errors.Is(err, process.ErrBusy): // says nothing about the process
	case !broken(err):
		if i.wrong.Load() != 0 {
			i.wrong.Store(0)
		}
		if i.proven.CompareAndSwap(false, true) {
			i.slot.forgive()
		}
	case errors.Is(ctx.Err(), context.Canceled): // a caller who left says nothing about the process
	case errors.Is(err, process.ErrContract):
		i.slot.observe(Broke)
		if i.wrong.Add(1) >= maxWrong || i.process.Gone() {
			i.slot.retire(i, err)
		}
	default:
		i.slot.observe(Lost)
		i.slot.retire(i, err)
	}
}

// broken reports whether the error is the process's fault, so that another process may
// do better.
func broken(err error) bool {
	return errors.Is(err, process.ErrLost) || errors.Is(err, process.ErrContract)
}

// judge compares what a process answered with what the release may answer.
func judge(spec *sdk.Spec, in sdk.Values, o sdk.Outcome, err error) error {
	if err == nil {
		if err := sdk.CheckOutcome(spec, in, o); err != nil {
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
	if err := sdk.CheckRejection(spec, rejection); err != nil {
		return fmt.Errorf("%w: %w", process.ErrContract, err)
	}
	return rejection
}
