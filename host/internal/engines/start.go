package engines

import (
	"context"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/registry"
)

// starters is how many engines are started, or asked for their health, at once.
const starters = 4

// StartCurrent starts the current release of every capability and says why some do not
// start. Those are tried again when they are asked for; others start when they are
// first asked for.
func (e *Engines) StartCurrent(ctx context.Context, catalog *calc.Catalog) map[*calc.Release]error {
	return each(catalog, func(entry *calc.Entry, r *calc.Release) error {
		if r.Version != entry.Current {
			return nil
		}
		return e.Start(ctx, r, true)
	})
}

// Down tells why the engine of a release does not run, nil if nothing is known against it.
func (e *Engines) Down(r *calc.Release) error { return e.pool.Failure(program(r)) }

// Start starts the engine of a release, or says why it does not. One that is not kept ends
// when nobody has used it for a while.
func (e *Engines) Start(ctx context.Context, r *calc.Release, keep bool) error {
	return e.pool.Start(ctx, program(r), keep)
}

// Used reports whether a process of the release runs.
func (e *Engines) Used(r *calc.Release) bool { return e.pool.Used(program(r)) }

// End ends the engine of a release, which must not run any more.
func (e *Engines) End(r *calc.Release) { e.pool.End(program(r)) }

// Check returns why engines that can be read would not be confined, so that it is known
// before they are asked for.
func (e *Engines) Check(catalog *calc.Catalog) map[*calc.Release]error {
	return each(catalog, func(_ *calc.Entry, r *calc.Release) error { return e.refusal(r) })
}

// refusal is why the jail would not let the engine read what its release asks for, nil
// if it does not ask or may.
func (e *Engines) refusal(r *registry.Release) error { return e.jail.Refusal(r.Spec.ReadOnlyPaths) }

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
