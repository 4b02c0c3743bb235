package calc

import (
	"context"
	"errors"
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Typed returns the inputs of a request as the release that it means takes them: with presets, units and
// defaults resolved. The warnings are about the release and the tables of its presets: see
// [IsLifecycleWarning]. Every error is a *Problem.
func (s *Service) Typed(req Request) (value.Values, []sdk.Warning, error) {
	catalog := s.CatalogFor(req.Pins)
	resolved, err := catalog.resolve(&req, nil)
	if err != nil {
		return nil, nil, ProblemOf(err)
	}
	_, notices := resolved.presets.told()
	return resolved.inputs, slices.Concat(notices, catalog.common(resolved.release).template.Warnings), nil
}

// Known returns a release of which there is a Spec, whether or not it may run; nil if there is none.
func (c *Catalog) Known(id, version string) *Release {
	entry, err := c.Find(id)
	if err != nil {
		return nil
	}
	if r := entry.Version(version); r != nil && r.Spec.Capability != "" {
		return r
	}
	return nil
}

// Inputs returns inputs that were computed before as the release takes them, with presets, units and
// defaults resolved, whether or not it may run. Figures without a version of their table are from those
// of the argument. The error is a *Problem or a [FiguresError].
func (c *Catalog) Inputs(r *Release, inputs strictjson.Value, tables Tables) (value.Values, error) {
	p := presets{catalog: c, tables: tables, again: true}
	inputs, err := p.apply(&r.Spec, inputs)
	if err != nil {
		return nil, err
	}
	values, _, err := request.Read(&r.Spec, inputs)
	if err != nil {
		return nil, ProblemOf(err)
	}
	return values, nil
}

// Series is many calculations of one release from typed inputs, in their order. It is used by one
// goroutine.
type Series struct {
	service *Service
	group   group
	records rowRecords
}

// NewSeries returns an empty series. The text says in records what was asked for.
func (s *Service) NewSeries(ctx context.Context, r *Release, text []byte) *Series {
	n := &Series{service: s, group: group{release: r, size: s.Catalog().batchSize(r)}, records: s.newRowRecords(ctx)}
	if n.records.text != nil {
		n.records.text.Write(text)
	}
	return n
}

// Compute computes the next rows. They are sent to the engine as the rows of a batch are, and the
// error of each is a rejection. The error that is returned, a *Problem, is that a row could not be computed;
// or it is that of the context.
func (n *Series) Compute(ctx context.Context, rows []value.Values) ([]response.Result, error) {
	g := &n.group
	g.rows, g.results = rows, nil
	for len(g.results) < len(rows) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		n.service.computeNext(ctx, g)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for i := range g.results {
		if err := g.results[i].Err; err != nil && !errors.As(err, new(*sdk.Error)) {
			return nil, ProblemOf(err)
		}
	}
	n.records.series(g)
	return g.results, nil
}

// End has the series recorded, if it has more rows than have records of their own.
func (n *Series) End() { n.records.keep(n.records.end()) }
