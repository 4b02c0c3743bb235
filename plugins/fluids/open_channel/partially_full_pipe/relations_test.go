package partially_full_pipe

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../partially_full_pipe.calc.md")

func TestFlowGivesDepth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Float64Range(0.1, 3).Draw(t, "D")
		in := ask.In{
			"diameter": d, "roughness_n": rapid.Float64Range(0.008, 0.03).Draw(t, "n"),
			"slope": rapid.Float64Range(1e-4, 0.1).Draw(t, "S"), "depth": rapid.Float64Range(0.01, 0.9).Draw(t, "h") * d,
		}
		a := ask.For(t, engine, in).Number
		b := ask.For(t, engine, ask.With(in, ask.In{"depth": nil, "volumetric_flow": a["volumetric_flow"]})).Number
		if math.Abs(b["depth"]-in["depth"].(float64)) > 1e-13*d {
			t.Fatalf("depth %v m from the flow, want %v m", b["depth"], in["depth"])
		}
	})
}

func TestHalfFullPipeHasHalfFlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Float64Range(0.1, 3).Draw(t, "D")
		a := ask.For(t, engine, ask.In{"diameter": d, "roughness_n": 0.013, "slope": 0.01, "depth": d / 2}).Number
		if math.Abs(a["flow_ratio"]-0.5) > 1e-15 {
			t.Fatalf("flow ratio %v, want 0.5", a["flow_ratio"])
		}
	})
}
