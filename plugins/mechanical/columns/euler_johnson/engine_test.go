package main

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

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

func with(in ask.In, name string, sent any) ask.In {
	out := maps.Clone(in)
	out[name] = sent
	return out
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
		below := ask.For(t, engine, with(in, "length", length*(1-1e-6)))
		at := ask.For(t, engine, with(in, "length", length)).Number["critical_stress"]
		above := ask.For(t, engine, with(in, "length", length*(1+1e-6)))
		if below.Text["regime"] != johnson || above.Text["regime"] != euler {
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
		if (a.Text["regime"] == euler) != (n["slenderness_ratio"] >= n["transition_slenderness"]) {
			t.Fatalf("%s at a slenderness of %v, transition %v", a.Text["regime"], n["slenderness_ratio"], n["transition_slenderness"])
		}
		for name, more := range map[string]float64{"length": -1, "elastic_modulus": 1, "second_moment_of_area": 1} {
			b := ask.For(t, engine, with(in, name, in[name].(float64)*1.01)).Number
			if more*(b["critical_load"]-n["critical_load"]) <= 0 {
				t.Fatalf("with 1 %% more %s the critical load goes from %v to %v", name, n["critical_load"], b["critical_load"])
			}
		}
		elastic := maps.Clone(in)
		delete(elastic, "yield_strength")
		b := ask.For(t, engine, elastic)
		if _, given := b.Number["transition_slenderness"]; given || b.Text["regime"] != euler || b.Number["critical_load"] != n["euler_load"] {
			t.Fatalf("without yield strength: %v", b)
		}
	})
}

// TestEndConditions are the classic multiples of the load of a pinned column.
func TestEndConditions(t *testing.T) {
	in := ask.In{"length": 8, "elastic_modulus": 200e9, "area": 0.004, "second_moment_of_area": 9e-6}
	pinned := ask.For(t, engine, in).Number["euler_load"]
	for condition, want := range map[string]float64{"pinned_pinned": 1, "fixed_free": 0.25, "fixed_fixed": 4, "fixed_pinned": 1 / 0.49} {
		a := ask.For(t, engine, with(in, "end_condition", condition))
		if got := a.Number["euler_load"] / pinned; !near(got, want, 1e-15) {
			t.Errorf("%s carries %v of a pinned column, want %v", condition, got, want)
		}
		if a.Echo["effective_length_factor"] != lengthFactors[condition] {
			t.Errorf("%s: the echo has K = %v", condition, a.Echo["effective_length_factor"])
		}
	}
}

func TestFactorTakesThePlaceOfTheEndCondition(t *testing.T) {
	in := ask.In{"length": 8, "elastic_modulus": 200e9, "area": 0.004, "second_moment_of_area": 9e-6, "K": 2}
	const says = "effective_length_factor was used in place of the factor of end_condition."
	for condition, replaced := range map[string]bool{"fixed_fixed": true, "fixed_free": false} {
		a := ask.For(t, engine, with(in, "end_condition", condition))
		if !near(a.Number["slenderness_ratio"], 16/a.Number["radius_of_gyration"], 1e-15) || slices.Contains(a.Assumptions, says) != replaced {
			t.Errorf("%s: slenderness %v, assumptions %q", condition, a.Number["slenderness_ratio"], a.Assumptions)
		}
	}
	if v, ok := ask.For(t, engine, in).Echo["end_condition"]; ok {
		t.Errorf("end_condition %v is echoed beside a factor", v)
	}
}

func TestFigure(t *testing.T) {
	in := ask.In{"length": 3, "elastic_modulus": 200e9, "area": 0.004, "second_moment_of_area": 9e-6, "yield_strength": 250e6}
	for _, length := range []float64{0.5, 3, 8, 30} {
		in["length"] = length
		f := look.At(t, engine, "curve", in)
		here := f.Points[0]
		if !near(interpolated(f.Curves[:2], here.X), here.Y, 1e-3) {
			t.Errorf("L = %v: (%v, %v) is not on the curve", length, here.X, here.Y)
		}
		joint := f.Points[1]
		for i, end := range []int{len(f.Curves[0].X) - 1, 0} {
			if c := f.Curves[i]; c.X[end] != joint.X || !near(c.Y[end], joint.Y, 1e-15) {
				t.Errorf("%s ends at (%v, %v), not in the transition", c.Label, c.X[end], c.Y[end])
			}
		}
		for _, y := range f.Curves[2].Y {
			if y > 250e6 {
				t.Errorf("Euler's formula is drawn up to %v, above yield", y)
			}
		}
	}
	delete(in, "yield_strength")
	if f := look.At(t, engine, "curve", in); len(f.Curves) != 1 || !near(interpolated(f.Curves, f.Points[0].X), f.Points[0].Y, 1e-3) {
		t.Errorf("without yield strength: %d curves, points %v", len(f.Curves), f.Points)
	}
}

// interpolated reads a stress off the curves.
func interpolated(curves []sdk.Curve, x float64) float64 {
	for _, c := range curves {
		for i := range len(c.X) - 1 {
			if c.X[i] <= x && x <= c.X[i+1] {
				return c.Y[i] + (c.Y[i+1]-c.Y[i])*(x-c.X[i])/(c.X[i+1]-c.X[i])
			}
		}
	}
	return math.NaN()
}

func TestFigureWithoutBounds(t *testing.T) {
	_, err := engine.(sdk.Plotter).Draw(t.Context(), "curve", value.Values{value.NumberOf(1e-150), value.NumberOf(1e200), value.NumberOf(1), value.NumberOf(1), {}, {}, {}})
	if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != sdk.CodeNonFiniteResult {
		t.Errorf("error %v, want %s", err, sdk.CodeNonFiniteResult)
	}
}

func BenchmarkCalculate(b *testing.B) {
	values := value.Values{value.NumberOf(3), value.NumberOf(200e9), value.NumberOf(0.004), value.NumberOf(9e-6), value.NumberOf(250e6), {}, {}}
	for b.Loop() {
		if _, err := engine.Calculate(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}
