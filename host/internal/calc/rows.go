package calc

import (
	"context"

	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// RowCalls returns how many calls that many rows of a batch count as.
func RowCalls(rows int) int { return (rows + admittedRows - 1) / admittedRows }

// Row is one calculation of many with the same release: an answer, or the problem in its place.
type Row struct {
	Answer  *Answer
	Problem *Problem
}

// Rows answers many calculations of one capability together, each as Calculate would. The pins
// count for all of them. They are sent to the engine as the rows of a batch are. Results are not
// stored in the cache. The error is that of the release, a *Problem, or that of the context.
func (s *Service) Rows(ctx context.Context, id string, pins []versions.Pin, inputs []strictjson.Value) ([]Row, error) {
	catalog := s.CatalogFor(pins)
	_, release, err := catalog.Release(id, pins)
	if err != nil {
		return nil, ProblemOf(err)
	}
	rows := make([]Row, len(inputs))
	g := group{release: release, template: catalog.common(release).template, size: catalog.batchSize(release)}
	var answered []*Row // those of the rows of the group
	for i := range inputs {
		typed := make(value.Values, len(release.Spec.Inputs))
		conversions, err := request.ReadInto(typed, &release.Spec, inputs[i])
		if err != nil {
			rows[i].Problem = ProblemOf(err)
			continue
		}
		rows[i].Answer = &Answer{Release: release, sent: inputs[i], asked: typed, Success: response.Success{
			Template: g.template, ID: id, Conversions: conversions,
		}}
		g.rows, answered = append(g.rows, typed), append(answered, &rows[i])
	}
	for len(g.results) < len(g.rows) && ctx.Err() == nil {
		s.computeNext(ctx, &g)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	records := s.newRowRecords(ctx)
	for i, row := range answered {
		receipt := records.row(release, uint64(i)+1, g.rows[i], g.results[i].Outcome.Result, g.results[i].Err)
		catalog.tellRow(release, g.rows[i], &g.results[i])
		if err := g.results[i].Err; err != nil {
			*row = Row{Problem: ProblemOf(err)}
			continue
		}
		row.Answer.Receipt = receipt
		row.Answer.Success.Outcome = g.results[i].Outcome
	}
	return rows, nil
}
