package batch

import (
	"context"
	"errors"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// Series computes many calculations of one release from typed inputs, in order. It must not be used
// concurrently.
type Series struct {
	group   group
	records rowRecords
}

// NewSeries returns an empty series. The text describes the request in records.
func NewSeries(ctx context.Context, s *calc.Service, r *catalog.Release, text []byte) *Series {
	n := &Series{group: group{engine: s.Published().Engine(r)}, records: newRowRecords(ctx, s)}
	if n.records.text != nil {
		n.records.text.Write(text)
	}
	return n
}

// Compute computes the next rows. They are sent to the engine like the rows of a batch. The error
// of a row is a rejection. The returned error is a *problem.Problem if a row could not be computed,
// or the error of the context.
func (n *Series) Compute(ctx context.Context, rows []value.Values) ([]response.Result, error) {
	g := &n.group
	g.rows, g.results = rows, nil
	for len(g.results) < len(rows) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		g.computeNext(ctx)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for i := range g.results {
		if err := g.results[i].Err; err != nil && !errors.As(err, new(*sdk.Error)) {
			return nil, problem.Of(err)
		}
	}
	n.records.series(g)
	return g.results, nil
}

// End records the series, if it has more rows than have their own records.
func (n *Series) End() { n.records.keep(n.records.end()) }
