package pool

import (
	"context"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
)

// askedAtOnce is how many engines are asked for their health at the same time.
const askedAtOnce = 4

// StartCurrent starts the current release of every capability, and returns an error for each
// release that does not start. Such a release starts at its first call, as all others do. The
// pool bounds how many start at the same time.
func (p *Pool) StartCurrent(ctx context.Context, published *catalog.Catalog) map[*catalog.Release]error {
	return each(published, len(published.Entries()), func(entry *catalog.Entry, r *catalog.Release) error {
		if r.Version != entry.Current {
			return nil
		}
		return p.Start(ctx, r, true)
	})
}

// Check returns the releases with engines that cannot be confined, and the reasons. So operators
// know them before the first call.
func (p *Pool) Check(published *catalog.Catalog) map[*catalog.Release]error {
	return each(published, askedAtOnce, func(_ *catalog.Entry, r *catalog.Release) error { return p.refusal(r) })
}

// refusal returns why the sandbox would not let an engine read the paths that its release asks
// for, or nil.
func (p *Pool) refusal(r *registry.Release) error { return p.sandbox.Check(r.Spec.ReadOnlyPaths) }

// each calls visit with every release that can be read and executed, some at the same time. It
// returns the errors by release.
func each(published *catalog.Catalog, atOnce int, visit func(*catalog.Entry, *catalog.Release) error) map[*catalog.Release]error {
	turns := make(chan struct{}, atOnce)
	var mu sync.Mutex
	failed := map[*catalog.Release]error{}
	var wg sync.WaitGroup
	for _, entry := range published.Entries() {
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
