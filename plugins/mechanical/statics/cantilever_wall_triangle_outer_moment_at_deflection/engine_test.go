package main

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func delta(t ask.Tester, in ask.In) float64 { return ask.For(t, engine, in).Number["delta"] }

// TestPublicVectorsToTheLastBit holds the engine to its promise: the nearest
// binary64, not one within a tolerance.
func TestPublicVectorsToTheLastBit(t *testing.T) {
	var cases []struct {
		ID, Kind string
		Inputs   ask.In
		Expected struct{ Delta float64 }
	}
	if err := json.Unmarshal(vectors, &cases); err != nil {
		t.Fatal(err)
	}
	public := 0
	for _, c := range cases {
		if c.Inputs == nil || c.Kind == "rejection" {
			continue
		}
		if strings.HasPrefix(c.ID, "P0") {
			public++
		}
		got := delta(t, c.Inputs)
		if math.Float64bits(got) != math.Float64bits(c.Expected.Delta) {
			t.Errorf("%s: delta = %v, want %v", c.ID, got, c.Expected.Delta)
		}
	}
	if public != 49 {
		t.Errorf("%d public vectors, want 49", public)
	}
}

// beams draws a beam with any loads. Sums and products of a few of its numbers are
// exact in binary64, so that properties hold to the last bit.
func beams(t *rapid.T) ask.In {
	eighths := func(name string, from, to int) float64 { return float64(rapid.IntRange(from, to).Draw(t, name)) / 8 }
	length := eighths("length", 1, 80)
	within := func(name string) float64 { return eighths(name, 0, int(8*length)) }
	in := ask.In{
		"length": length, "flexural_rigidity": eighths("rigidity", 1, 1000),
		"triangle_peak_load": eighths("w0", -100, 100), "triangle_length": eighths("b", 1, int(8*length)),
		"outer_uniform_load": eighths("w", -100, 100), "outer_start": within("a"),
		"tip_moment": eighths("M0", -100, 100), "position": within("x"),
	}
	if rapid.Bool().Draw(t, "timoshenko") {
		in = ask.With(in, ask.In{"model": "timoshenko", "shear_rigidity": eighths("kAG", 1, 1000)})
	}
	return in
}

var loads = []string{"triangle_peak_load", "outer_uniform_load", "tip_moment"}

func TestLoadsSuperpose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := beams(t)
		sum, largest := 0.0, 0.0
		for _, only := range loads {
			alone := ask.With(in, nil)
			for _, other := range loads {
				if other != only {
					alone[other] = 0
				}
			}
			d := delta(t, alone)
			sum, largest = sum+d, max(largest, math.Abs(d))
		}
		if got := delta(t, in); math.Abs(got-sum) > 4e-16*3*largest {
			t.Fatalf("all loads %v, one by one %v", got, sum)
		}
	})
}

func TestScalingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := beams(t)
		want := delta(t, in)
		turned, doubled := ask.With(in, nil), ask.With(in, nil)
		for _, load := range loads {
			turned[load] = -in[load].(float64)
			doubled[load] = 2 * in[load].(float64)
		}
		if got := delta(t, turned); got != -want {
			t.Fatalf("loads turned around: %v, want %v", got, -want)
		}
		if got := delta(t, doubled); got != 2*want {
			t.Fatalf("loads doubled: %v, want %v", got, 2*want)
		}
		stiff := ask.With(in, ask.In{"flexural_rigidity": 4 * in["flexural_rigidity"].(float64)})
		if k, ok := in["shear_rigidity"].(float64); ok {
			stiff["shear_rigidity"] = 4 * k
		}
		if got := delta(t, stiff); got != want/4 {
			t.Fatalf("four times as stiff: %v, want %v", got, want/4)
		}
		split := ask.With(in, ask.In{"flexural_rigidity": nil, "E": 0.5, "I": 2 * in["flexural_rigidity"].(float64)})
		if got := delta(t, split); got != want {
			t.Fatalf("E and I in place of EI: %v, want %v", got, want)
		}
	})
}

func TestDeflectionGrowsTowardsTheTip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := beams(t)
		for _, load := range loads {
			in[load] = math.Abs(in[load].(float64))
		}
		x, length := in["position"].(float64), in["length"].(float64)
		here, tip := delta(t, in), delta(t, ask.With(in, ask.In{"position": nil}))
		wall := delta(t, ask.With(in, ask.In{"position": 0}))
		if wall != 0 || here < 0 || here > tip {
			t.Fatalf("wall %v, x = %v: %v, tip %v", wall, x, here, tip)
		}
		further := delta(t, ask.With(in, ask.In{"outer_start": (in["outer_start"].(float64) + length) / 2}))
		if further > here {
			t.Fatalf("less uniform load: %v, more than %v", further, here)
		}
		if in["model"] == "timoshenko" {
			if bending := delta(t, ask.With(in, ask.In{"model": nil})); bending > here {
				t.Fatalf("shear deformation takes away: %v from %v", here, bending)
			}
		}
	})
}

// TestPiecesMeet moves the ends of the loads to the position from both sides: the
// formulas of both pieces must agree there.
func TestPiecesMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := beams(t)
		x := rapid.IntRange(1, int(8*in["length"].(float64))).Draw(t, "joint")
		in["position"], in["triangle_length"], in["outer_start"] = float64(x)/8, float64(x)/8, float64(x)/8
		want := delta(t, in)
		most := ask.With(in, ask.In{"outer_start": 0, "triangle_length": nil})
		for _, load := range loads {
			most[load] = math.Abs(in[load].(float64))
		}
		near := 1e-12 * delta(t, most)
		for _, end := range []string{"triangle_length", "outer_start"} {
			for _, to := range []float64{0, math.Inf(1)} {
				moved := math.Nextafter(in[end].(float64), to)
				if moved > in["length"].(float64) {
					continue
				}
				if got := delta(t, ask.With(in, ask.In{end: moved})); math.Abs(got-want) > near {
					t.Fatalf("%s = %v: %v, want about %v", end, moved, got, want)
				}
			}
		}
	})
}

func TestDerivedInputsAreEchoed(t *testing.T) {
	in := ask.In{"L": 4, "EI": 1e6, "w0": 1, "w": 1, "c": 1.5}
	echo := ask.For(t, engine, in).Echo
	for name, want := range map[string]any{
		"length": 4.0, "triangle_length": 4.0, "position": 4.0, "outer_start": 2.5, "outer_length": 1.5,
		"model": eulerBernoulli, "tip_moment": 0.0,
	} {
		if echo[name] != want {
			t.Errorf("echo of %s = %v, want %v", name, echo[name], want)
		}
	}
	unloaded := ask.For(t, engine, ask.In{"L": 4, "EI": 1e6, "M0": 1}).Echo
	if v, ok := unloaded["outer_start"]; ok {
		t.Errorf("outer_start = %v is echoed without an outer load", v)
	}
}

func TestModelsSayWhatTheyAssume(t *testing.T) {
	in := ask.In{"L": 2, "EI": 1e6, "w0": 1, "kAG": 1e6}
	for model, want := range map[string]struct{ formula, assumption string }{
		eulerBernoulli: {"", "Shear deformation is neglected."},
		timoshenko:     {"cantilever_timoshenko_superposition_v1", "Shear deformation is included, with a constant shear correction."},
	} {
		a := ask.For(t, engine, ask.With(in, ask.In{"model": model}))
		if a.Formula != want.formula || !slices.Contains(a.Assumptions, want.assumption) || a.Text["model"] != model {
			t.Errorf("%s: formula %q, assumptions %q, model %s", model, a.Formula, a.Assumptions, a.Text["model"])
		}
	}
	for sent, want := range map[string]int{"kAG": 2, "section_depth": 1} {
		if a := ask.For(t, engine, ask.In{"L": 2, "EI": 1e6, "w0": 1, sent: 0.1}); len(a.Assumptions) != want {
			t.Errorf("%s without shear: assumptions %q, want %d", sent, a.Assumptions, want)
		}
	}
}

// touching is a beam whose deflection touches zero at x = 0.5 and is positive
// everywhere else: EI delta = 720 x^2 (x - 1/2)^2 (25/12 - x)/120.
var touching = ask.In{"L": 1, "EI": 1e9, "w0": 720, "w": -276, "a": 0, "M0": 24.25}

func TestWarnings(t *testing.T) {
	base := ask.In{"length": 2, "flexural_rigidity": 1e6}
	for name, c := range map[string]struct {
		in   ask.In
		want map[string]sdk.Severity
	}{
		"none":                   {ask.With(base, ask.In{"w0": 10}), nil},
		"no load":                {base, map[string]sdk.Severity{noLoad: sdk.Info}},
		"uniform load nowhere":   {ask.With(base, ask.In{"w": 10, "a": 2}), nil},
		"a tenth of the length":  {ask.In{"L": 1, "EI": 5, "M0": 1}, nil},
		"more than a tenth":      {ask.In{"L": 1, "EI": 5, "M0": 1.0000000000000002, "x": 0}, map[string]sdk.Severity{largeDeflection: sdk.Caution}},
		"more than three tenths": {ask.In{"L": 1, "EI": 5, "M0": -3.0000000000000004}, map[string]sdk.Severity{largeDeflection: sdk.Critical}},
		"L/h of 10":              {ask.With(base, ask.In{"w0": 10, "h": 0.2}), map[string]sdk.Severity{shearNotIncluded: sdk.Caution}}, // 10 * binary64(0.2) > 2
		"L/h just above 10":      {ask.With(base, ask.In{"w0": 10, "h": 0.19999999999999998}), nil},
		"deep with shear":        {ask.With(base, ask.In{"w0": 10, "h": 1, "model": "timoshenko", "kAG": 1e6}), nil},
		"exact cancellation":     {ask.In{"L": 2, "EI": 1e5, "w": 1000, "a": 0, "M0": -1000}, map[string]sdk.Severity{illConditioned: sdk.Info}},
		"near cancellation":      {ask.In{"L": 2, "EI": 1e5, "w": 1000, "a": 0, "M0": -999.9999}, map[string]sdk.Severity{illConditioned: sdk.Info}},
		"K of four million":      {ask.In{"L": 2, "EI": 1e5, "w": 1000, "a": 0, "M0": -999.9995}, map[string]sdk.Severity{illConditioned: sdk.Info}},
		"K below a million":      {ask.In{"L": 2, "EI": 1e5, "w": 1000, "a": 0, "M0": -999.995}, nil},
		"at the wall":            {ask.In{"L": 2, "EI": 1e5, "w": 1000, "a": 0, "M0": -1000, "x": 0}, nil},
		"reversal":               {ask.In{"L": 3, "EI": 1e6, "w": 1000, "a": 0, "M0": -3000}, map[string]sdk.Severity{signReversal: sdk.Info}},
		"reversal at a joint":    {ask.In{"L": 2, "EI": 1e6, "w": 12, "a": 1, "M0": -14}, map[string]sdk.Severity{signReversal: sdk.Info}},
		"touching zero":          {touching, nil},
		"dipping below zero":     {ask.With(touching, ask.In{"M0": 24.249999999999996}), map[string]sdk.Severity{signReversal: sdk.Info}},
		"staying above zero":     {ask.With(touching, ask.In{"M0": 24.250000000000004}), nil},
	} {
		if got := ask.For(t, engine, c.in).Warnings; !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestSignReversalAgreesWithSampling compares the exact judgement with deflections
// at many positions, which can miss a reversal but not invent one.
func TestSignReversalAgreesWithSampling(t *testing.T) {
	beamsSeen, missed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		beamsSeen++
		in := beams(t)
		_, warned := ask.For(t, engine, in).Warnings[signReversal]
		const samples = 64
		seen := map[bool]bool{}
		for i := 1; i < samples; i++ {
			if d := delta(t, ask.With(in, ask.In{"position": in["length"].(float64) * float64(i) / samples})); d != 0 {
				seen[d < 0] = true
			}
		}
		if sampled := len(seen) == 2; sampled && !warned {
			t.Fatalf("both signs occur, and no warning was given")
		} else if warned && !sampled {
			missed++
		}
	})
	if missed > beamsSeen/5 {
		t.Errorf("of %d beams, %d have a warning and no sampled reversal", beamsSeen, missed)
	}
}

// TestAllocations limits the memory that a calculation needs, also where exact fractions decide.
func TestAllocations(t *testing.T) {
	for _, in := range ask.Vectors(engine, vectors) {
		n := testing.AllocsPerRun(2, func() { engine.Calculate(t.Context(), in) }) // rejections, too
		if n > 100 {
			t.Errorf("%v allocations at %v, want at most 100", n, in)
		}
	}
}

func BenchmarkCalculate(b *testing.B) {
	spec := engine.Spec()
	for name, in := range map[string]map[string]float64{
		"one load":              {"length": 3, "elastic_modulus": 210e9, "second_moment_of_area": 8.356e-5, "triangle_peak_load": 12000},
		"all loads":             {"length": 3, "elastic_modulus": 210e9, "second_moment_of_area": 8.356e-5, "triangle_peak_load": 12000, "triangle_length": 2.2, "outer_uniform_load": 5000, "outer_start": 1.3, "tip_moment": 700, "position": 2.7},
		"mixed signs":           {"length": 3, "elastic_modulus": 210e9, "second_moment_of_area": 8.356e-5, "triangle_peak_load": 12000, "triangle_length": 2.2, "outer_uniform_load": 5000, "outer_start": 1.3, "tip_moment": -70000.3, "position": 2.7},
		"mixed signs, touching": {"length": 1, "flexural_rigidity": 1e9, "triangle_peak_load": 720, "outer_uniform_load": -276, "outer_start": 0, "tip_moment": 24.25, "position": 0.5},
		"mixed signs, far apart": {"length": 1.1e150, "flexural_rigidity": 1.1e300, "triangle_peak_load": 1.7e-300, "triangle_length": 1.3e-150,
			"outer_uniform_load": -1.9e-308, "outer_start": 1.1e100, "tip_moment": 1.7e-300, "position": 1.9e120},
	} {
		values := make(value.Values, len(spec.Inputs))
		for i := range spec.Inputs {
			values[i], _ = spec.Inputs[i].DefaultValue()
		}
		for field, v := range in {
			values[spec.Input(field)] = value.NumberOf(v)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := engine.Calculate(b.Context(), values); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
