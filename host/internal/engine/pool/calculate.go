package pool

import (
	"context"
	"errors"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

var _ calc.Engines = (*Pool)(nil)

// Calculate computes on a process of the program, within the limit. If the process dies,
// hangs or breaks the contract, it is replaced and the calculation is repeated once. An
// answer that breaks the contract is never returned.
//
// The error is an *sdk.Error if the engine rejects the inputs. Otherwise it may wrap
// ErrUnavailable, ErrClosed, or an error of package process. It is a [problem.Problem] in the first
// two cases.
func (p *Pool) Calculate(ctx context.Context, limit time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	ctx, end := p.trace(ctx, r)
	start := time.Now()
	a, err := p.ask(ctx, limit, r, request{inputs: in})
	end(err)
	p.options.Metrics.Calculation(r.Capability, r.Version, outcomeOf(err), time.Since(start))
	return a.outcome, problemOf(r, err)
}

// CalculateBatch computes one outcome per row, each as Calculate does. The error is about the
// whole batch.
func (p *Pool) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	ctx, end := p.trace(ctx, r)
	start := time.Now()
	s, err := p.supervisor(r)
	var results []response.Result
	if err == nil {
		results, err = s.calculateBatch(ctx, limit, rows)
	}
	end(err)
	p.options.Metrics.Batch(r.Capability, r.Version, len(rows), time.Since(start))
	for i := range results {
		results[i].Err = problemOf(r, results[i].Err)
	}
	return results, problemOf(r, err)
}

// Draw draws a plot of the program, within the limit. It repeats and refuses requests as Calculate
// does, separately for each plot. The error is as from Calculate.
func (p *Pool) Draw(ctx context.Context, limit time.Duration, r *registry.Release, plot string, in value.Values) (*sdk.Figure, error) {
	ctx, end := p.trace(ctx, r)
	a, err := p.ask(ctx, limit, r, request{plot, in})
	end(err)
	return a.figure, problemOf(r, err)
}

// trace starts the span of a call of an engine. The returned function ends it.
func (p *Pool) trace(ctx context.Context, r *registry.Release) (_ context.Context, end func(error)) {
	ctx, traceparent, end := p.options.Tracer.Engine(ctx, r.Capability, r.Version, r.EngineDigest)
	if traceparent != "" {
		ctx = process.WithTraceparent(ctx, traceparent)
	}
	return ctx, end
}

// outcomeOf returns the outcome of a call for metrics.
func outcomeOf(err error) string {
	if err == nil {
		return "success"
	}
	if _, rejected := errors.AsType[*sdk.Error](err); rejected {
		return "rejected"
	}
	return "failed"
}

// problemOf returns the problem of a server with an engine that is not available. It returns other
// errors unchanged.
func problemOf(r *registry.Release, err error) error {
	if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrClosed) {
		return problem.Unavailable(r.Capability, r.Version, err)
	}
	return err
}
