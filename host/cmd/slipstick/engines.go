package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/pool"
	"github.com/slipstick/slipstick/host/internal/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

// engines runs published releases in a pool of processes, and counts and traces it.
type engines struct {
	pool    *pool.Pool
	metrics *telemetry.Metrics
	tracer  *telemetry.Tracer
}

func newEngines(log *slog.Logger, metrics *telemetry.Metrics, tracer *telemetry.Tracer) (*engines, error) {
	p, err := pool.New(&pool.Options{Log: log, Observe: func(p pool.Program, e pool.Event) {
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
	return &engines{p, metrics, tracer}, nil
}

func program(r *registry.Release) pool.Program {
	return pool.Program{Digest: r.EngineDigest, Spec: &r.Spec, Read: r.Engine}
}

// Calculate implements [calc.Engines].
func (e *engines) Calculate(ctx context.Context, r *registry.Release, in sdk.Values) (sdk.Outcome, error) {
	ctx, traceparent, end := e.tracer.Engine(ctx, r.Capability, r.Version, r.EngineDigest)
	if traceparent != "" {
		ctx = wire.WithTraceparent(ctx, traceparent)
	}
	start := time.Now()
	o, err := e.pool.Calculate(ctx, program(r), in)
	end(err)
	var rejection *sdk.Error
	outcome := "success"
	switch {
	case errors.As(err, &rejection):
		outcome = "rejected"
	case err != nil:
		outcome = "failed"
	}
	e.metrics.Calculation(r.Capability, r.Version, outcome, time.Since(start))
	if errors.Is(err, pool.ErrUnavailable) || errors.Is(err, pool.ErrClosed) {
		return o, calc.Unavailable(r.Capability, r.Version, err)
	}
	return o, err
}

// starters is how many engines are started, or asked for their health, at once.
const starters = 4

// startAll starts every release that can be read and says why some do not start.
// Those are tried again when they are asked for.
func (e *engines) startAll(ctx context.Context, catalog *calc.Catalog) map[*calc.Release]error {
	return each(catalog, func(r *calc.Release) error {
		return e.pool.Start(ctx, program(r))
	})
}

// check tells of every current release whether it answers now: ok, or what is wrong.
func (e *engines) check(ctx context.Context, catalog *calc.Catalog) map[string]string {
	down := each(catalog, func(r *calc.Release) error {
		return e.pool.Check(ctx, program(r))
	})
	states := map[string]string{}
	for _, entry := range catalog.Entries() {
		if entry.Problem != nil && len(entry.Releases) == 0 {
			states[entry.ID] = "damaged in the registry"
		}
		for _, r := range entry.Releases {
			state := "ok"
			switch {
			case r.Problem != nil:
				state = "damaged in the registry"
			case down[r] != nil:
				state = "does not answer"
			}
			states[r.Capability+"@"+r.Version] = state
		}
	}
	return states
}

// each calls visit with every release that can be read, a few at a time, and returns
// the errors.
func each(catalog *calc.Catalog, visit func(*calc.Release) error) map[*calc.Release]error {
	turns := make(chan struct{}, starters)
	var mu sync.Mutex
	failed := map[*calc.Release]error{}
	var wg sync.WaitGroup
	for _, entry := range catalog.Entries() {
		for _, r := range entry.Releases {
			if r.Problem != nil {
				continue
			}
			turns <- struct{}{}
			wg.Go(func() {
				defer func() { <-turns }()
				if err := visit(r); err != nil {
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

// openCatalog verifies and reads what the registry in the directory holds, without
// running anything.
func openCatalog(ctx context.Context, dir string) (*calc.Catalog, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("no registry: %w; scripts/serve makes var/registry, slipstick publish --to DIR another", err)
	}
	reg, err := registry.Open(dir)
	if err != nil {
		return nil, err
	}
	capabilities, err := reg.Capabilities(ctx)
	if err != nil {
		return nil, err
	}
	return calc.NewCatalog(capabilities), nil
}
