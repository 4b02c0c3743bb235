package publish

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/text"
)

// Replaced makes the document of a release again with another version of a calculation that it calls, as
// [text.Replaced], and starts its engine once. Table returns a version of a published table, nil if there is none.
func Replaced(ctx context.Context, r *registry.Release, with *sdk.Spec, table func(id, version string) *registry.Release, launch process.Options) (*Unpublished, error) {
	var tables []*preset.Table
	collect(&r.Spec, table, &tables)
	collect(with, table, &tables)
	made, err := text.Replaced(&r.Spec, with, tables)
	if err != nil {
		return nil, err
	}
	data, err := document.EngineOf(r.Capability, made, build.Here)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(r.Capability, data, launch)
	if err != nil {
		return nil, err
	}
	return e.unpublished(ctx)
}

// collect adds the published tables that a calculation uses, also through others.
func collect(s *sdk.Spec, table func(id, version string) *registry.Release, tables *[]*preset.Table) {
	for i := range s.Uses {
		u := &s.Uses[i]
		if u.Spec != nil {
			collect(u.Spec, table, tables)
		} else if r := table(u.ID, u.Version); r != nil && r.Table != nil {
			*tables = append(*tables, r.Table)
		}
	}
}
