package engines

import (
	"context"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/registry"
)

// askedAtOnce is how many engines are asked for their health at the same time.
const askedAtOnce = 4

// StartCurrent starts the current release of every capability, and returns an error for each
// release that does not start. Such a release starts at its first call, as all others do. The
// pool bounds how many start at the same time.
func (e *Engines) StartCurrent(ctx context.Context, catalog *calc.Catalog) map[*calc.Release]error {
	return each(catalog, len(catalog.Entries()), func(entry *calc.Entry, r *calc.Release) error {
		if r.Version != entry.Current {
			return nil
		}
		return e.Start(ctx, r, true)
	})
}

// Down returns why the engine of a release cannot run, or nil if no reason is known.
func (e *Engines) Down(r *calc.Release) error { return e.pool.Failure(e.program(r)) }

// NeverStarts returns why the engine of a release does not start, or nil if it has started once, or
// was not tried.
func (e *Engines) NeverStarts(r *calc.Release) error { return e.pool.NeverStarts(e.program(r)) }

// Start starts the engine of a release. An engine that is not kept ends after a while without
// calls.
func (e *Engines) Start(ctx context.Context, r *calc.Release, keep bool) error {
	return e.pool.Start(ctx, e.program(r), keep)
}

// Used reports whether a process of the release runs.
func (e *Engines) Used(r *calc.Release) bool { return e.pool.Used(e.program(r)) }

// Rest ends the process of a release. The next call starts another one.
func (e *Engines) Rest(r *calc.Release) { e.pool.Rest(e.program(r)) }

// End ends the engine of a release, which must not run any more.
func (e *Engines) End(r *calc.Release) { e.pool.End(e.program(r)) }

// Check returns the releases whose engines could not be confined, with the reasons. So these
// are known before the first call.
func (e *Engines) Check(catalog *calc.Catalog) map[*calc.Release]error {
	return each(catalog, askedAtOnce, func(_ *calc.Entry, r *calc.Release) error { return e.refusal(r) })
}

// refusal returns why the jail would not let an engine read the paths that its release asks
// for, or nil.
func (e *Engines) refusal(r *registry.Release) error { return e.jail.Refusal(r.Spec.ReadOnlyPaths) }

// each calls visit with every release that can be read and executed, so many at the same time.
// It returns the errors by release.
func each(catalog *calc.Catalog, atOnce int, visit func(*calc.Entry, *calc.Release) error) map[*calc.Release]error {
	turns := make(chan struct{}, atOnce)
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
