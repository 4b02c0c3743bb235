package compat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Engine is one of the two engines to compare.
type Engine struct {
	Spec    sdk.Spec
	Digest  string           // of its executable; "" if it has none
	Open    conformance.Open // starts an instance
	Vectors []byte           // reference vectors, JSON
}

// answer is what a caller of one engine receives. Exactly one field is set.
type answer struct {
	outcome   *sdk.Outcome
	rejection *sdk.Error
	failure   error // a fault of the service, which a server answers with status 500
}

// kind describes the answer in a Difference.
func (a *answer) kind() string {
	switch {
	case a.outcome != nil:
		return "a result"
	case a.rejection != nil:
		return a.rejection.Code
	}
	return "a failure"
}

// callLimit bounds the time of one call. A server has the same limit by default.
const callLimit = 5 * time.Second

// asker sends requests to one engine. After a failure it starts a fresh instance.
type asker struct {
	*Engine
	instance sdk.Engine // nil while none runs
	end      func()     // ends the instance; may be nil
}

// ask returns the answer to the inputs. The error means that the context has ended or that
// no instance could be started.
func (a *asker) ask(ctx context.Context, inputs string) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	values, err := a.read(inputs)
	if err == nil {
		if err := a.start(ctx); err != nil {
			return answer{}, err
		}
		return a.calculate(ctx, values), nil
	}
	var rejection *sdk.Error
	if errors.As(err, &rejection) {
		return answer{rejection: rejection}, nil
	}
	return answer{failure: err}, nil
}

// read converts the JSON text of inputs to values, as the server does. The error is an
// *sdk.Error if the server would refuse the inputs.
func (a *asker) read(inputs string) (value.Values, error) {
	object, err := strictjson.ParseObject([]byte(inputs))
	if err != nil {
		return nil, sdk.Reject("INVALID_JSON", "", "%v", err)
	}
	values, err := request.ReadVector(&a.Spec, object)
	return values, err
}

func (a *asker) start(ctx context.Context) error {
	if a.instance != nil {
		return nil
	}
	instance, end, err := a.Open(ctx)
	if err != nil {
		return fmt.Errorf("start %s %s: %w", a.Spec.Capability, a.Spec.Version, err)
	}
	a.instance, a.end = instance, end
	return nil
}

func (a *asker) stop() {
	if a.instance != nil && a.end != nil {
		a.end()
	}
	a.instance = nil
}

func (a *asker) calculate(ctx context.Context, values value.Values) answer {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	o, err := a.instance.Calculate(ctx, append(value.Values(nil), values...))
	var rejection *sdk.Error
	switch {
	case err == nil:
		err = a.Spec.CheckOutcome(values, o)
		if err == nil {
			return answer{outcome: &o}
		}
	case errors.As(err, &rejection):
		err = a.Spec.CheckRejection(rejection)
		if err == nil {
			return answer{rejection: rejection}
		}
	}
	a.stop() // an instance that has failed gets no further requests
	return answer{failure: err}
}
