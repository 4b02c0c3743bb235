package page

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// Evidence returns the page about the checks of a release.
func (p *Pages) Evidence(r *catalog.Release) ([]byte, error) { return p.trust.Evidence(r) }

// Problem returns the page about an error code.
func (p *Pages) Problem(doc problem.Doc) ([]byte, error) { return p.site.Problem(doc) }

// Snapshot returns the page of a snapshot.
func (p *Pages) Snapshot(ctx context.Context, snap snapshot.Snapshot, query string) ([]byte, error) {
	return p.calculator.Snapshot(ctx, snap, query, nil)
}
