package euler_johnson

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../euler_johnson.calc.md")

// columns draws a column of about any slenderness.
func columns(t *rapid.T) ask.In {
	return ask.In{
		"length":                rapid.Float64Range(0.1, 10).Draw(t, "L"),
		"elastic_modulus":       rapid.Float64Range(1e9, 300e9).Draw(t, "E"),
		"area":                  rapid.Float64Range(1e-4, 1e-2).Draw(t, "A"),
		"second_moment_of_area": rapid.Float64Range(1e-7, 1e-5).Draw(t, "I"),
		"yield_strength":        rapid.Float64Range(1e7, 1e9).Draw(t, "Sy"),
	}
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestFormulasMeet: at the transition both give half the yield strength, with the same
// slope.
func TestFormulasMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := columns(t)
		sy := in["yield_strength"].(float64)
		a := ask.For(t, engine, in).Number
		length := in["length"].(float64) * a["transition_slenderness"] / a["slenderness_ratio"]
		below := ask.For(t, engine, ask.With(in, ask.In{"length": length * (1 - 1e-6)}))
		at := ask.For(t, engine, ask.With(in, ask.In{"length": length})).Number["critical_stress"]
		above := ask.For(t, engine, ask.With(in, ask.In{"length": length * (1 + 1e-6)}))
		if below.Text["regime"] != "johnson" || above.Text["regime"] != "euler" {
			t.Fatalf("regimes %s below and %s above", below.Text["regime"], above.Text["regime"])
		}
		if !near(at, sy/2, 1e-14) {
			t.Fatalf("critical stress at the transition %v, want %v", at, sy/2)
		}
		slopeBelow := (at - below.Number["critical_stress"]) / (1e-6 * sy)
		slopeAbove := (above.Number["critical_stress"] - at) / (1e-6 * sy)
		if !near(slopeBelow, -1, 1e-5) || !near(slopeAbove, -1, 1e-5) { // d ln stress / d ln length = -2
			t.Fatalf("slopes %v below and %v above, want -1", slopeBelow, slopeAbove)
		}
	})
}

func TestConsistency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := columns(t)
		a := ask.For(t, engine, in)
		n, area, sy := a.Number, in["area"].(float64), in["yield_strength"].(float64)
		if !near(n["critical_load"], n["critical_stress"]*area, 4e-16) {
			t.Fatalf("load %v, stress %v", n["critical_load"], n["critical_stress"])
		}
		if n["critical_load"] > n["euler_load"]*(1+4e-16) || n["critical_stress"] > sy {
			t.Fatalf("critical load %v above Euler's %v or yield", n["critical_load"], n["euler_load"])
		}
		if (a.Text["regime"] == "euler") != (n["slenderness_ratio"] >= n["transition_slenderness"]) {
			t.Fatalf("%s at a slenderness of %v, transition %v", a.Text["regime"], n["slenderness_ratio"], n["transition_slenderness"])
		}
		for name, more := range map[string]float64{"length": -1, "elastic_modulus": 1, "second_moment_of_area": 1} {
			b := ask.For(t, engine, ask.With(in, ask.In{name: in[name].(float64) * 1.01})).Number
			if more*(b["critical_load"]-n["critical_load"]) <= 0 {
				t.Fatalf("with 1 %% more %s the critical load goes from %v to %v", name, n["critical_load"], b["critical_load"])
			}
		}
		b := ask.For(t, engine, ask.With(in, ask.In{"yield_strength": nil}))
		if _, given := b.Number["transition_slenderness"]; given || b.Text["regime"] != "euler" || b.Number["critical_load"] != n["euler_load"] {
			t.Fatalf("without yield strength: %v", b)
		}
	})
}

// TestEndConditions compares them with their factors: the load is the inverse square of the factor.
func TestEndConditions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := columns(t)
		pinned := ask.For(t, engine, in).Number["euler_load"]
		for condition, factor := range map[string]float64{"pinned_pinned": 1, "fixed_free": 2, "fixed_fixed": 0.5, "fixed_pinned": 0.7} {
			a := ask.For(t, engine, ask.With(in, ask.In{"end_condition": condition}))
			b := ask.For(t, engine, ask.With(in, ask.In{"effective_length_factor": factor}))
			if got := a.Number["euler_load"] / pinned; !near(got, 1/(factor*factor), 1e-15) {
				t.Fatalf("%s carries %v of a pinned column, want %v", condition, got, 1/(factor*factor))
			}
			if a.Echo["effective_length_factor"] != factor || !near(a.Number["critical_load"], b.Number["critical_load"], 1e-15) {
				t.Fatalf("%s: %v, by its factor %v", condition, a, b)
			}
			if v, ok := b.Echo["end_condition"]; ok {
				t.Fatalf("end_condition %v is echoed with a factor", v)
			}
		}
	})
}
