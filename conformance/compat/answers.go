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

// Engine is one of the two that are compared.
type Engine struct {
	Spec    sdk.Spec
	Digest  string // of its executable, "" if there is none
	Open    conformance.Open
	Vectors []byte
}

// answer is what a caller of one engine gets.
type answer struct {
	outcome   *sdk.Outcome
	rejection *sdk.Error
	failure   error // the service's own fault: 500
}

func (a *answer) kind() string {
	switch {
	case a.outcome != nil:
		return "a result"
	case a.rejection != nil:
		return a.rejection.Code
	}
	return "a failure"
}

// callLimit is how long one call may take, as in a host.
const callLimit = 5 * time.Second

// asker asks one engine, of which it starts another instance when one has failed.
type asker struct {
	*Engine
	instance sdk.Engine
	end      func()
}

// ask returns the answer to the inputs. The error is that no engine could be started.
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

// read makes values of the inputs as the host does.
func (a *asker) read(inputs string) (value.Values, error) {
	object, err := strictjson.ParseObject([]byte(inputs))
	if err != nil {
		return nil, sdk.Reject("INVALID_JSON", "", "%v", err)
	}
	values, _, err := request.Read(&a.Spec, object)
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
		if err = a.Spec.CheckOutcome(values, o); err == nil {
			return answer{outcome: &o}
		}
	case errors.As(err, &rejection):
		if err = a.Spec.CheckRejection(rejection); err == nil {
			return answer{rejection: rejection}
		}
	}
	a.stop() // what has failed once answers for nothing else
	return answer{failure: err}
}
