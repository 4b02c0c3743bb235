package process

import (
	"slices"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// benchSpec is the Spec of an ordinary engine.
func benchSpec() *sdk.Spec {
	number := func(name string) sdk.Field { return sdk.Field{Name: name, Type: sdk.TypeNumber, Required: true} }
	model := sdk.Field{Name: "model", Type: sdk.TypeString, Enum: []string{"euler_bernoulli", "timoshenko"}}
	return &sdk.Spec{
		Capability: "test.wire.bench", Version: "1.0.0", Tool: "bench", Warnings: []string{"SLENDER"},
		Inputs:   []sdk.Field{number("a"), number("b"), number("c"), number("d"), model},
		Outputs:  []sdk.Field{number("x"), number("y"), model},
		Formulas: []sdk.Formula{{ID: "first", Expression: "x"}, {ID: "second", Expression: "y"}},
	}
}

func benchInputs(i int) value.Values {
	n := float64(i)
	return value.Values{value.NumberOf(n), value.NumberOf(2), value.NumberOf(n * n), value.NumberOf(3), value.TextOf("euler_bernoulli")}
}

func benchOutcome(i int) sdk.Outcome {
	return sdk.Outcome{
		Result: value.Values{value.NumberOf(float64(i)), value.NumberOf(float64(2 * i)), value.TextOf("euler_bernoulli")},
		Inputs: benchInputs(i), Formula: "second",
	}
}

// newAnswers returns the answers of a single engine.
func newAnswers(spec *sdk.Spec) *answers {
	return &answers{spec, NewMemory(0, 2*maxBatchValues).Share()}
}

func BenchmarkOutcome(b *testing.B) {
	a, o := newAnswers(benchSpec()), benchOutcome(1)
	noted := benchOutcome(1)
	noted.Assumptions = []string{"The load acts in one plane.", "The wall does not turn."}
	noted.Warnings = []sdk.Warning{{Code: "SLENDER", Severity: sdk.Caution, Detail: "The member is slender.", Suggestion: "Check buckling."}}
	for name, o := range map[string]sdk.Outcome{"plain": o, "noted": noted} {
		body := contract.AppendOutcome(nil, 1, &o, nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.outcome(b.Context(), body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchBatch is an engine's answer to rows.
func benchBatch(b *testing.B, sent []value.Values, results []response.Result) []byte {
	b.Helper()
	batch, err := contract.DecodeBatch(contract.AppendBatch(nil, &contract.Batch{ID: 1, Rows: sent}, len(sent[0])), benchSpec())
	if err != nil {
		b.Fatal(err)
	}
	a := contract.NewBatchAnswer(benchSpec())
	a.Start(&batch)
	for i := range results {
		a.Add(sent[i], &results[i].Outcome, results[i].Err)
	}
	return a.Append(nil)
}

func BenchmarkBatchOutcome(b *testing.B) {
	const rows = 1024
	a := newAnswers(benchSpec())
	sent, results := make([]value.Values, rows), make([]response.Result, rows)
	for i := range rows {
		results[i].Outcome = benchOutcome(i)
		sent[i] = results[i].Outcome.Inputs
	}
	plain := benchBatch(b, sent, results)
	for i := range rows {
		o := &results[i].Outcome
		o.Inputs = slices.Clone(o.Inputs)
		o.Inputs[2] = value.NumberOf(-float64(i))
		if i < rows/4 {
			results[4*i].Outcome.Assumptions = []string{"The load acts in one plane."}
		}
	}
	noted := benchBatch(b, sent, results)
	for name, body := range map[string][]byte{"plain": plain, "noted": noted} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.batch(b.Context(), body, sent); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
