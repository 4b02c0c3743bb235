package batch

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// RowCalls returns how many calls that number of rows of a batch counts as.
func RowCalls(rows int) int { return (rows + admittedRows - 1) / admittedRows }

// StudyTooLarge returns the problem of a study with more calls than the limit for 60 s. It can never
// succeed.
func StudyTooLarge(calls, limit int) *problem.Problem {
	return problem.New(problem.CodeStudyTooLarge, fmt.Sprintf("Take at most %d calculations: fewer draws or points.", limit*admittedRows),
		"the study counts as %d calls, and one client can make %d in 60 s", calls, limit)
}

// Row is one calculation of many with the same release: an answer or a problem.
type Row struct {
	Answer  *calc.Answer
	Problem *problem.Problem
}

// Rows answers many calculations of one capability together, each in the same way as Calculate. The
// pins apply to all of them. They are sent to the engine like the rows of a batch. Results are not
// stored in the cache. The error is a *problem.Problem about the release, or the error of the context.
func Rows(ctx context.Context, s *calc.Service, id string, pins []versions.Pin, inputs []strictjson.Value) ([]Row, error) {
	from := s.Publication(pins)
	_, release, err := from.Catalog().Release(id, pins)
	if err != nil {
		return nil, problem.Of(err)
	}
	rows := make([]Row, len(inputs))
	g := group{engine: from.Engine(release)}
	var answered []*Row // the rows of the group
	for i := range inputs {
		typed := make(value.Values, len(release.Spec.Inputs))
		conversions, err := request.ReadInto(typed, &release.Spec, inputs[i])
		if err != nil {
			rows[i].Problem = problem.Of(err)
			continue
		}
		rows[i].Answer = g.engine.Answer(id, inputs[i], typed, conversions)
		g.rows, answered = append(g.rows, typed), append(answered, &rows[i])
	}
	for len(g.results) < len(g.rows) && ctx.Err() == nil {
		g.computeNext(ctx)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	records := newRowRecords(ctx, s)
	for i, row := range answered {
		receipt := records.row(g.engine, uint64(i)+1, g.rows[i], g.results[i].Outcome.Result, g.results[i].Err)
		g.engine.NotifyRow(g.rows[i], &g.results[i])
		if err := g.results[i].Err; err != nil {
			*row = Row{Problem: problem.Of(err)}
			continue
		}
		row.Answer.Receipt = receipt
		row.Answer.Success.Outcome = g.results[i].Outcome
	}
	return rows, nil
}
