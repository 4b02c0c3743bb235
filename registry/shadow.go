package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
)

// SetShadow states how servers compare a release with the current one. It adds a statement and
// keeps the earlier ones. A signed statement gets the next sequence number of the capability,
// see [evidence.Lead].
//
// The error means that nothing has changed. The version is not published, cannot be used for
// calculations, or is the current one; or the registry is damaged.
func (r *Registry) SetShadow(ctx context.Context, capability, version string, next evidence.Shadow) error {
	err := r.change(ctx, capability, func(e *edit) (*store.Index, error) {
		releases, err := e.layout.releases(e.was)
		if err != nil {
			return nil, err
		}
		rel, err := find(releases, version)
		if err != nil {
			return nil, err
		}
		records, err := e.layout.recorded(e.was)
		if err != nil {
			return nil, err
		}
		if next.Sample > 0 {
			if err := rel.mayBeCompared(e.leads(rel, &records)); err != nil {
				return nil, err
			}
		}
		next.Sequence, err = e.number(&records)
		if err != nil {
			return nil, err
		}
		if err := next.Check(); err != nil {
			return nil, err
		}
		return e.record(ctx, sign.Shadow, rel, next, next.Since)
	})
	if err != nil {
		return fmt.Errorf("the comparison of %.200s %.100s cannot be changed: %w", capability, version, err)
	}
	return nil
}

// mayBeCompared returns why a release cannot be compared with the current one. Current is true
// for the current release itself.
func (rel *Release) mayBeCompared(current bool) error {
	switch {
	case rel.Table != nil:
		return errors.New("it is a table, which computes nothing")
	case rel.Lifecycle.State == evidence.Revoked:
		return fmt.Errorf("it was revoked and is never computed with again: %s", rel.Lifecycle.Reason)
	case current:
		return errors.New("it is the current version, which answers already: name one that may become it")
	}
	return nil
}
