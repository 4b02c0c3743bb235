package main

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func of(t ask.Tester, outer, inner float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"outer_diameter": outer, "inner_diameter": inner}).Number
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// powers are the powers of a length in the outputs.
var powers = map[string]int{"area": 2, "second_moment": 4, "polar_moment": 4, "section_modulus": 3, "plastic_modulus": 3, "radius_of_gyration": 1}

func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outer := rapid.Float64Range(0.01, 10).Draw(t, "D")
		inner := outer * rapid.Float64Range(0, 0.999).Draw(t, "d/D")
		shift := rapid.IntRange(-60, 60).Draw(t, "shift")
		small, large := of(t, outer, inner), of(t, math.Ldexp(outer, shift), math.Ldexp(inner, shift))
		for name, power := range powers {
			if want := math.Ldexp(small[name], power*shift); large[name] != want {
				t.Fatalf("%s of 2^%d the size: %v, want %v", name, shift, large[name], want)
			}
		}
	})
}

// TestTubeIsCircleLessHole compares the sums with two solid sections, and the rest with
// their definitions.
func TestTubeIsCircleLessHole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outer := rapid.Float64Range(0.01, 10).Draw(t, "D")
		inner := outer * rapid.Float64Range(0.001, 0.999).Draw(t, "d/D")
		tube, whole, hole := of(t, outer, inner), of(t, outer, 0), of(t, inner, 0)
		for _, name := range []string{"area", "second_moment", "polar_moment", "plastic_modulus"} {
			if want := whole[name] - hole[name]; math.Abs(tube[name]-want) > 4e-16*whole[name] {
				t.Fatalf("%s %v, circle %v less hole %v", name, tube[name], whole[name], hole[name])
			}
		}
		if tube["polar_moment"] != 2*tube["second_moment"] {
			t.Fatalf("polar moment %v, second moment %v", tube["polar_moment"], tube["second_moment"])
		}
		if want := tube["section_modulus"] * outer / 2; !near(tube["second_moment"], want, 1e-15) {
			t.Fatalf("second moment %v, from the modulus %v", tube["second_moment"], want)
		}
		if r := tube["radius_of_gyration"]; !near(tube["second_moment"], r*r*tube["area"], 2e-15) {
			t.Fatalf("second moment %v, from the radius of gyration %v", tube["second_moment"], r*r*tube["area"])
		}
	})
}

// TestThinTube: a wall of t at the mean diameter D has pi D t, pi D^3 t/8 and D^2 t.
func TestThinTube(t *testing.T) {
	wall := math.Ldexp(1, -50)
	a := of(t, 1, 1-2*wall)
	for name, want := range map[string]float64{
		"area": math.Pi * wall, "second_moment": math.Pi * wall / 8, "plastic_modulus": wall, "radius_of_gyration": math.Sqrt2 / 4,
	} {
		if !near(a[name], want, 1e-14) {
			t.Errorf("%s %v, want %v", name, a[name], want)
		}
	}
}

func TestFigure(t *testing.T) {
	solid, tube := look.At(t, engine, "section", ask.In{"D": 2}), look.At(t, engine, "section", ask.In{"D": 2, "d": 1})
	if len(solid.Curves) != 3 || len(tube.Curves) != 4 {
		t.Fatalf("%d and %d curves, want one and two beside the axes", len(solid.Curves), len(tube.Curves))
	}
	if got, want := look.Sizes(t, tube), (map[string]float64{"D": 2, "d": 1}); !maps.Equal(got, want) || len(solid.Dimensions) != 1 {
		t.Errorf("dimensions %v, want %v", got, want)
	}
	for i, radius := range []float64{1, 0.5} {
		c := tube.Curves[i]
		for k := range c.X {
			if !near(math.Hypot(c.X[k], c.Y[k]), radius, 1e-15) {
				t.Errorf("%s passes (%v, %v), want a radius of %v", c.Label, c.X[k], c.Y[k], radius)
			}
		}
	}
}

func BenchmarkCalculate(b *testing.B) {
	values := value.Values{value.NumberOf(0.06), value.NumberOf(0.05)}
	for b.Loop() {
		if _, err := engine.Calculate(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}
