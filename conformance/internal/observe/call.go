package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// lateError reports a call that did not return by its deadline.
type lateError struct {
	limit time.Duration
	after time.Duration // time until it returned; 0 if it was given up
}

func (e *lateError) Error() string {
	if e.after == 0 {
		return fmt.Sprintf("did not return by its deadline of %v and was given up", e.limit)
	}
	return fmt.Sprintf("returned after %v, later than its deadline of %v", e.after.Round(time.Millisecond), e.limit)
}

var errExited = errors.New("ended its goroutine without returning")

// within calls f and waits for it, at most for limit plus grace. The context of f ends after
// the limit. A call that takes longer than the limit is a *lateError, even if f succeeds
// within the grace period. If f panics, or its goroutine ends without returning, that is an
// error too.
//
// A call that was given up continues in its goroutine. So f must not touch data that the
// caller uses afterwards.
func within[T any](ctx context.Context, limit, grace time.Duration, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	started, done := time.Now(), make(chan result, 1)
	go func() {
		r := result{err: errExited}
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("panicked: %v", p)
			}
			done <- r
		}()
		r.value, r.err = f(ctx)
	}()
	giveUp := time.NewTimer(limit + grace)
	defer giveUp.Stop()
	var none T
	select {
	case r := <-done:
		if after := time.Since(started); after >= limit {
			return none, &lateError{limit, after}
		}
		return r.value, r.err
	case <-giveUp.C:
		return none, &lateError{limit, 0}
	}
}

// codeInvalidJSON is the code with which the server rejects a body that is not a JSON object.
const codeInvalidJSON = "INVALID_JSON"

// read converts the JSON text of inputs to values, as the server does. The rejection is the
// answer of the server without calling the engine; nil if the inputs can be read.
func read(spec *sdk.Spec, text string) (value.Values, *sdk.Error, error) {
	inputs, err := strictjson.ParseObject([]byte(text))
	if err != nil {
		return nil, sdk.Reject(codeInvalidJSON, "", "%v", err), nil
	}
	values, err := request.ReadVector(spec, inputs)
	var rejection *sdk.Error
	if errors.As(err, &rejection) {
		return nil, rejection, nil
	}
	return values, nil, err
}

// draw asks the engine for one plot and checks the drawing.
func draw(ctx context.Context, engine sdk.Engine, spec *sdk.Spec, inputs string, plot *sdk.Plot) error {
	plotter, ok := engine.(sdk.Plotter)
	if !ok {
		return errors.New("the engine does not draw")
	}
	in, rejection, err := read(spec, inputs)
	if err != nil {
		return err
	}
	if rejection != nil {
		return rejection
	}
	figure, err := plotter.Draw(ctx, plot.ID, in)
	if err == nil && figure == nil {
		err = errors.New("no figure")
	}
	if err != nil {
		return err
	}
	return plot.Check(figure)
}

// ask makes one call and classifies the answer. It never fails: every error is part of the
// answer. It reads the inputs twice, because an engine may overwrite its values, and the rules
// need the original ones.
func ask(ctx context.Context, engine sdk.Engine, spec *sdk.Spec, inputs string, limit, grace time.Duration) Answer {
	a, err := within(ctx, limit, grace, func(ctx context.Context) (Answer, error) {
		sent, rejection, err := read(spec, inputs)
		if err != nil || rejection != nil {
			return Answer{Kind: Rejected, Early: true, Rejection: rejection}, err
		}
		given, _, err := read(spec, inputs)
		if err != nil {
			return Answer{}, err
		}
		o, err := engine.Calculate(ctx, given)
		a := Answer{Kind: Answered, Sent: sent, Outcome: o}
		switch {
		case err == nil:
		case errors.As(err, &a.Rejection) && a.Rejection != nil:
			a.Kind = Rejected
		default:
			a.Kind, a.Problem = Failed, err.Error() // here, where a panic of Error is caught
		}
		return a, nil
	})
	if _, ok := errors.AsType[*lateError](err); ok {
		return Answer{Kind: Late, Problem: err.Error()}
	}
	if err != nil {
		return Answer{Kind: Failed, Problem: err.Error()}
	}
	return a
}
