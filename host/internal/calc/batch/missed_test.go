package batch

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// The record of a batch lists the rows that a limit or a failure refused. Its digest covers the other rows.
func TestMissedRows(t *testing.T) {
	limited, failed, wrong := problem.RateLimited(60, 1), problem.Overloaded("", ""), problem.Of(sdk.Reject("TOO_LONG", "length", "too long"))
	result := value.Values{value.NumberOf(1)}
	answered := record.AppendOutcome(nil, record.Outcome{Result: result})
	rejected := record.AppendOutcome(nil, record.Outcome{Code: "TOO_LONG", Field: "length"})
	for name, tt := range map[string]struct {
		rows     []*problem.Problem // nil: a result
		missed   []record.Span
		answered uint64
		outcomes []byte
	}{
		"all":       {[]*problem.Problem{nil, wrong, nil}, nil, 3, slices.Concat(answered, rejected, answered)},
		"the first": {[]*problem.Problem{failed, nil}, []record.Span{{First: 0, Count: 1}}, 1, answered},
		"the last":  {[]*problem.Problem{nil, limited, limited}, []record.Span{{First: 1, Count: 2}}, 1, answered},
		"apart":     {[]*problem.Problem{limited, failed, wrong, limited, nil}, []record.Span{{First: 0, Count: 2}, {First: 3, Count: 1}}, 2, slices.Concat(rejected, answered)},
		"none":      {[]*problem.Problem{limited}, []record.Span{{First: 0, Count: 1}}, 0, nil},
	} {
		n := rowRecords{from: new(calc.Publication)}
		n.make()
		for _, p := range tt.rows {
			n.outcome(result, p)
		}
		n.outcomes.Write(n.scratch)
		r := n.end()
		if !slices.Equal(r.Missed, tt.missed) || r.Answered() != tt.answered || r.Rows != uint64(len(tt.rows)) || r.Outcomes != sha256.Sum256(tt.outcomes) {
			t.Errorf("%s: missed %v, answered %d of %d", name, r.Missed, r.Answered(), r.Rows)
		}
		if b := r.Append(nil, nil); r.Rows > 0 {
			if got, err := record.Parse(b, new(record.Releases)); err != nil || !slices.Equal(got.Missed, tt.missed) {
				t.Errorf("%s reads back as %v, %v", name, got.Missed, err)
			}
		}
	}

	n := rowRecords{from: new(calc.Publication)}
	n.make()
	const rows = 4 * record.MaxMissed
	for i := range rows {
		n.outcome(result, nil)
		if i%2 == 0 {
			n.outcome(nil, limited)
		}
	}
	r := n.end()
	last := r.Missed[len(r.Missed)-1]
	if len(r.Missed) != record.MaxMissed || last.First+last.Count != r.Rows || r.Answered() == 0 {
		t.Errorf("%d spans, the last %v of %d rows", len(r.Missed), last, r.Rows)
	}
}
