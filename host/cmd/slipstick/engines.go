package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/jail"
	"github.com/slipstick/slipstick/host/internal/pool"
	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/host/internal/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// engines runs published releases in a pool of processes, and counts and traces it.
type engines struct {
	pool    *pool.Pool
	jail    *jail.Jail // nil without one
	metrics *telemetry.Metrics
	tracer  *telemetry.Tracer
}

func newEngines(log *slog.Logger, metrics *telemetry.Metrics, tracer *telemetry.Tracer, jailed jailed, unary bool) (*engines, error) {
	p, err := pool.New(&pool.Options{Log: log, Confiner: jailed.confiner(), Unary: unary, Observe: func(p pool.Program, e pool.Event) {
		switch e {
		case pool.Started:
			metrics.Running(p.Spec.Capability, p.Spec.Version, 1)
		case pool.Ended:
			metrics.Running(p.Spec.Capability, p.Spec.Version, -1)
		}
		metrics.Engine(p.Spec.Capability, p.Spec.Version, string(e))
	}})
	if err != nil {
		return nil, err
	}
	return &engines{p, jailed.jail, metrics, tracer}, nil
}

func program(r *registry.Release) pool.Program {
	return pool.Program{Digest: r.EngineDigest, Spec: r.EngineSpec(), Open: r.OpenEngine}
}

// Calculate implements [calc.Engines].
func (e *engines) Calculate(ctx context.Context, limit time.Duration, r *registry.Release, in sdk.Values) (sdk.Outcome, error) {
	ctx, end := e.trace(ctx, r)
	start := time.Now()
	o, err := e.pool.Calculate(ctx, limit, program(r), in)
	end(err)
	e.metrics.Calculation(r.Capability, r.Version, outcomeOf(err), time.Since(start))
	return o, problemOf(r, err)
}

// CalculateBatch implements [calc.Engines].
func (e *engines) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []sdk.Values) ([]sdk.Result, error) {
	ctx, end := e.trace(ctx, r)
	start := time.Now()
	results, err := e.pool.CalculateBatch(ctx, limit, program(r), rows)
	end(err)
	e.metrics.Batch(r.Capability, r.Version, len(rows), time.Since(start))
	for i := range results {
		results[i].Err = problemOf(r, results[i].Err)
	}
	return results, problemOf(r, err)
}

// Draw implements [calc.Engines].
func (e *engines) Draw(ctx context.Context, limit time.Duration, r *registry.Release, plot string, in sdk.Values) (*sdk.Figure, error) {
	ctx, end := e.trace(ctx, r)
	f, err := e.pool.Draw(ctx, limit, program(r), plot, in)
	end(err)
	return f, problemOf(r, err)
}

// trace begins the span of a call of an engine, which end ends.
func (e *engines) trace(ctx context.Context, r *registry.Release) (_ context.Context, end func(error)) {
	ctx, traceparent, end := e.tracer.Engine(ctx, r.Capability, r.Version, r.EngineDigest)
	if traceparent != "" {
		ctx = process.WithTraceparent(ctx, traceparent)
	}
	return ctx, end
}

func outcomeOf(err error) string {
	var rejection *sdk.Error
	switch {
	case err == nil:
		return "success"
	case errors.As(err, &rejection):
		return "rejected"
	}
	return "failed"
}

func problemOf(r *registry.Release, err error) error {
	if errors.Is(err, pool.ErrUnavailable) || errors.Is(err, pool.ErrClosed) {
		return calc.Unavailable(r.Capability, r.Version, err)
	}
	return err
}

// starters is how many engines are started, or asked for their health, at once.
const starters = 4

// startCurrent starts the current release of every capability and says why some do not
// start. Those are tried again when they are asked for; others start when they are
// first asked for.
func (e *engines) startCurrent(ctx context.Context, catalog *calc.Catalog) map[*calc.Release]error {
	return each(catalog, func(entry *calc.Entry, r *calc.Release) error {
		if r.Version != entry.Current {
			return nil
		}
		return e.pool.Start(ctx, program(r), true)
	})
}

// down tells why the engine of a release does not run, nil if nothing is known against it.
func (e *engines) down(r *calc.Release) error { return e.pool.Failure(program(r)) }

// What states tells of releases beside the states of package pool.
const (
	stateDamaged   = "damaged in the registry"
	stateUntrusted = "not signed by a trusted key"
	stateRevoked   = "revoked"
)

// states tells of every release how it is: ok, idle, or what is wrong.
func (e *engines) states(ctx context.Context, catalog *calc.Catalog) map[string]string {
	var mu sync.Mutex
	states := map[string]string{}
	each(catalog, func(_ *calc.Entry, r *calc.Release) error {
		state := string(e.pool.State(ctx, program(r)))
		if refusal := e.refusal(r); refusal != nil && state != string(pool.Running) {
			state = string(pool.Failing)
			if private := (*jail.PrivateError)(nil); errors.As(refusal, &private) {
				state = "wants to read the host's own files"
			}
		}
		mu.Lock()
		defer mu.Unlock()
		states[r.Capability+"@"+r.Version] = state
		return nil
	})
	for _, entry := range catalog.Entries() {
		if entry.Problem != nil && len(entry.Releases) == 0 {
			states[entry.ID] = stateDamaged
		}
		for _, r := range entry.Releases {
			switch name := r.Capability + "@" + r.Version; {
			case errors.Is(r.Problem, registry.ErrUntrusted):
				states[name] = stateUntrusted
			case r.Problem != nil:
				states[name] = stateDamaged
			case r.Standing.State == registry.Revoked:
				states[name] = stateRevoked
			}
		}
	}
	return states
}

// each calls visit with every release that can be read and may run, a few at a time, and returns
// the errors.
func each(catalog *calc.Catalog, visit func(*calc.Entry, *calc.Release) error) map[*calc.Release]error {
	turns := make(chan struct{}, starters)
	var mu sync.Mutex
	failed := map[*calc.Release]error{}
	var wg sync.WaitGroup
	for _, entry := range catalog.Entries() {
		for _, r := range entry.Releases {
			if !r.Available() {
				continue
			}
			turns <- struct{}{}
			wg.Go(func() {
				defer func() { <-turns }()
				if err := visit(entry, r); err != nil {
					mu.Lock()
					defer mu.Unlock()
					failed[r] = err
				}
			})
		}
	}
	wg.Wait()
	return failed
}
