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

// startAll starts every release that can be read, a few at a time, and says why some
// do not start. Those are tried again when they are asked for.
func (e *engines) startAll(ctx context.Context, catalog *calc.Catalog) map[*calc.Release]error {
	const starters = 4
	turns := make(chan struct{}, starters)
	var mu sync.Mutex
	down := map[*calc.Release]error{}
	var wg sync.WaitGroup
	for _, entry := range catalog.Entries() {
		for _, r := range entry.Releases {
			if r.Problem != nil {
				continue
			}
			turns <- struct{}{}
			wg.Go(func() {
				defer func() { <-turns }()
				if err := e.pool.Start(ctx, program(r)); err != nil {
					mu.Lock()
					defer mu.Unlock()
					down[r] = err
				}
			})
		}
	}
	wg.Wait()
	return down
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

// openCatalog reads what the registry holds, without running anything.
func openCatalog(ctx context.Context, dir string) (*calc.Catalog, error) {
	capabilities, err := readRegistry(ctx, dir)
	if err != nil {
		return nil, err
	}
	return calc.NewCatalog(capabilities), nil
}
