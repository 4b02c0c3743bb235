package sdk

import (
	"context"
	"fmt"
	"reflect"

	"github.com/slipstick/slipstick/sdk/value"
)

// Repeater is an Engine that can compute one outcome after the other in the same memory.
// Engines of [New] are Repeaters.
type Repeater interface {
	Engine

	// Repeat returns a function that computes as Calculate does. The outcome is valid until
	// the next call. It can share memory with the values of the call, which must stay
	// unchanged until then. Unlike Calculate, the function is not safe for concurrent use.
	Repeat() func(ctx context.Context, in value.Values) (*Outcome, error)
}

// Repeat implements [Repeater].
func (e *typed[In, Out]) Repeat() func(context.Context, value.Values) (*Outcome, error) {
	c := newCalculation(e)
	c.pointers = make([]reflect.Value, len(e.in.fields))
	return c.compute
}

// calculation is one calculation with its memory. If it has pointers, it is repeated, and uses
// all memory again except lists and the texts of notes.
type calculation[In, Out any] struct {
	engine   *typed[In, Out]
	notes    notes
	in       In
	out      Out
	pointers []reflect.Value // for each input, the target of its pointer

	result, completed value.Values
	outcome           Outcome
}

func newCalculation[In, Out any](e *typed[In, Out]) *calculation[In, Out] {
	return &calculation[In, Out]{engine: e, result: make(value.Values, len(e.out.fields)), completed: make(value.Values, len(e.in.fields))}
}

// compute computes the outcome of the values.
func (c *calculation[In, Out]) compute(ctx context.Context, values value.Values) (o *Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			o, err = nil, fmt.Errorf("engine panicked: %v", p)
		}
	}()
	e, n := c.engine, &c.notes
	*n = notes{Context: ctx, assumptions: n.assumptions[:0], warnings: n.warnings[:0]}
	completed, err := c.accept(n, values)
	if err != nil {
		return nil, err
	}
	c.out, err = e.calculate(n, c.in)
	if err := fault(err); err != nil {
		return nil, err
	}
	e.out.encode(c.result, reflect.ValueOf(&c.out).Elem())
	c.outcome = Outcome{Result: c.result, Inputs: completed, Formula: n.formula, Assumptions: n.assumptions, Warnings: n.warnings}
	if err := finish(&e.spec, values, &c.outcome); err != nil {
		return nil, err
	}
	n.warnings = c.outcome.Warnings // including the warnings of finish, so that their memory is used again
	return &c.outcome, nil
}

// accept fills the In with the values, completes it and checks the ranges. It returns the
// completed values.
func (c *calculation[In, Out]) accept(ctx context.Context, values value.Values) (value.Values, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var empty In
	c.in = empty
	in := reflect.ValueOf(&c.in).Elem()
	if err := c.engine.in.decode(in, values, c.pointers); err != nil {
		return nil, err
	}
	completed := c.completed
	if completer, ok := any(&c.in).(Completer); ok {
		if err := fault(completer.Complete(ctx)); err != nil {
			return nil, err
		}
		c.engine.in.encode(completed, in)
	} else if c.pointers != nil {
		completed = values
	} else {
		copy(completed, values)
	}
	return completed, checkRanges(c.engine.spec.Inputs, values, completed)
}
