package trust

import (
	"testing"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
)

func TestWordsOfProofs(t *testing.T) {
	spec := &sdk.Spec{Outputs: []sdk.Field{{Name: "critical_load", Label: "Critical load"}}}
	for _, c := range []struct {
		proof report.Proof
		want  proofRow
		claim string
		holds bool
	}{
		{report.Proof{Output: "critical_load", Verdict: report.Proved, Vectors: 3, Generated: 4, Undecided: 1},
			proofRow{Name: "Critical load", Verdict: "proved", Class: "ok", Compared: 7, Undecided: 1}, "yes: 1 of 1 output proved; 7 numbers compared, 1 undecided", true},
		{report.Proof{Output: "critical_load", Verdict: report.Declared, Vectors: 1, Tolerance: 1e-9, Reason: "rounded"},
			proofRow{Name: "Critical load", Verdict: "within 1e-9, as declared", Class: "ok", Compared: 1, Reason: "rounded"}, "yes: 0 of 1 output proved, 1 within a declared tolerance; 1 number compared", true},
		{report.Proof{Output: "critical_load", Verdict: report.Taken, Reason: "a table"},
			proofRow{Name: "Critical load", Verdict: "not given by the formula", Reason: "a table"}, "partly: 0 of 1 output proved, 1 taken; 0 numbers compared", false},
	} {
		c.want.Output = "critical_load"
		if got := rowOfProof(&c.proof, spec); got != c.want {
			t.Errorf("%+v, want %+v", got, c.want)
		}
		r := &report.Report{Proofs: []report.Proof{c.proof}}
		if got := proved(r.CountProofs()); got != c.claim || r.CountProofs().Whole() != c.holds {
			t.Errorf("%s, want %s", got, c.claim)
		}
	}
	if got := proved(nil); got != "not compared" {
		t.Errorf("without a Definition: %s", got)
	}
}
