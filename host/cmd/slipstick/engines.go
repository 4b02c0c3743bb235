package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/pool"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// engines runs published releases in a pool of processes.
type engines struct{ pool *pool.Pool }

func newEngines(log *slog.Logger) (*engines, error) {
	p, err := pool.New(&pool.Options{Log: log})
	if err != nil {
		return nil, err
	}
	return &engines{p}, nil
}

func program(r *registry.Release) pool.Program {
	return pool.Program{Digest: r.EngineDigest, Spec: &r.Spec, Read: r.Engine}
}

// Calculate implements [calc.Engines].
func (e *engines) Calculate(ctx context.Context, r *registry.Release, in sdk.Values) (sdk.Outcome, error) {
	o, err := e.pool.Calculate(ctx, program(r), in)
	if errors.Is(err, pool.ErrUnavailable) || errors.Is(err, pool.ErrClosed) {
		return o, calc.Unavailable(r.Capability, r.Version, err)
	}
	return o, err
}

// startAll starts every release that can be read, a few at a time, and marks the
// others as out of service.
func (e *engines) startAll(ctx context.Context, capabilities []registry.Capability) {
	const starters = 4
	turns := make(chan struct{}, starters)
	var wg sync.WaitGroup
	for _, c := range capabilities {
		for _, r := range c.Releases {
			if r.Problem != nil {
				continue
			}
			turns <- struct{}{}
			wg.Go(func() {
				defer func() { <-turns }()
				if err := e.pool.Start(ctx, program(r)); err != nil {
					r.Problem = fmt.Errorf("engine will not start: %w", err)
				}
			})
		}
	}
	wg.Wait()
}

// readRegistry verifies and returns what the registry in the directory holds.
func readRegistry(ctx context.Context, dir string) ([]registry.Capability, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("no registry: %w; scripts/serve makes var/registry, slipstick publish --to DIR another", err)
	}
	reg, err := registry.Open(dir)
	if err != nil {
		return nil, err
	}
	return reg.Capabilities(ctx)
}

// openService returns a service of what the registry holds, and its close.
func openService(ctx context.Context, dir string, log *slog.Logger, o *calc.Options, warm bool) (*calc.Service, func() error, error) {
	capabilities, err := readRegistry(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	e, err := newEngines(log)
	if err != nil {
		return nil, nil, err
	}
	if warm {
		e.startAll(ctx, capabilities)
	}
	return calc.New(calc.NewCatalog(capabilities), e, o), e.pool.Close, nil
}
