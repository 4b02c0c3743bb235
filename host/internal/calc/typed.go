package calc

import (
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// Typed returns the inputs of a request as the release that it means takes them: with presets, units and
// defaults resolved. The warnings are about the release and the tables of its presets: see
// [catalog.IsLifecycleWarning]. Every error is a *problem.Problem.
func (s *Service) Typed(req Request) (value.Values, []sdk.Warning, error) {
	from := s.Publication(req.Pins)
	resolved, err := Resolve(from.catalog, &req, nil)
	if err != nil {
		return nil, nil, problem.Of(err)
	}
	_, notices := resolved.Presets.All()
	return resolved.Inputs, slices.Concat(notices, from.Engine(resolved.Release).Template.Warnings), nil
}

// Inputs returns inputs that were computed before as the release takes them, with presets, units and
// defaults resolved, whether or not it may run. Presets without a version of their table use the tables of
// the argument. The error is a *problem.Problem or a [TableError].
func Inputs(c *catalog.Catalog, r *catalog.Release, inputs strictjson.Value, tables catalog.Tables) (value.Values, error) {
	p := presets{catalog: c, tables: tables, skipCurrent: true}
	inputs, err := p.apply(&r.Spec, inputs)
	if err != nil {
		return nil, err
	}
	values, _, err := request.Read(&r.Spec, inputs)
	if err != nil {
		return nil, problem.Of(err)
	}
	return values, nil
}
