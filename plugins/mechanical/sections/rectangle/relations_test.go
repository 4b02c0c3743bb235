package rectangle

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../rectangle.calc.md")

func of(t ask.Tester, in ask.In) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, in).Number
}

// size is a dimension in eighths, so that sums, halves and multiples of some are exact, also as decimals.
func size(t *rapid.T, name string) float64 { return float64(rapid.IntRange(1, 800).Draw(t, name)) / 8 }

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// turned are the outputs that exchange when the section is turned by a right angle.
var turned = map[string]string{
	"area": "area", "torsion_constant": "torsion_constant",
	"second_moment_x": "second_moment_y", "section_modulus_x": "section_modulus_y",
	"plastic_modulus_x": "plastic_modulus_y", "radius_of_gyration_x": "radius_of_gyration_y",
}

func TestTurnedByARightAngle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.In{"width": size(t, "b"), "height": size(t, "h")}
		if rapid.Bool().Draw(t, "hollow") {
			in["wall_thickness"] = min(in["width"].(float64), in["height"].(float64)) / 4
		}
		upright := of(t, in)
		in["width"], in["height"] = in["height"], in["width"]
		lying := of(t, in)
		for a, b := range turned {
			if upright[a] != lying[b] || upright[b] != lying[a] {
				t.Fatalf("%s and %s: %v, turned %v", a, b, upright, lying)
			}
		}
	})
}

// powers are the powers of a length in the outputs.
var powers = map[string]int{
	"area": 2, "second_moment_x": 4, "second_moment_y": 4, "section_modulus_x": 3, "section_modulus_y": 3,
	"plastic_modulus_x": 3, "plastic_modulus_y": 3, "radius_of_gyration_x": 1, "radius_of_gyration_y": 1, "torsion_constant": 4,
}

func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, h, shift := size(t, "b"), size(t, "h"), rapid.IntRange(0, 20).Draw(t, "shift")
		small := of(t, ask.In{"b": b, "h": h})
		large := of(t, ask.In{"b": math.Ldexp(b, shift), "h": math.Ldexp(h, shift)})
		for name, power := range powers {
			if want := math.Ldexp(small[name], power*shift); large[name] != want {
				t.Fatalf("%s of 2^%d the size: %v, want %v", name, shift, large[name], want)
			}
		}
	})
}

// TestHollowIsOuterLessInner compares with two solid sections.
func TestHollowIsOuterLessInner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, h := 1+size(t, "b"), 1+size(t, "h")
		wall := float64(rapid.IntRange(1, int(8*min(b, h)-1)/2).Draw(t, "wall")) / 8 // b - 2t is exact then
		hollow := of(t, ask.In{"b": b, "h": h, "t": wall})
		outer, inner := of(t, ask.In{"b": b, "h": h}), of(t, ask.In{"b": b - 2*wall, "h": h - 2*wall})
		for _, name := range []string{"area", "second_moment_x", "second_moment_y", "plastic_modulus_x", "plastic_modulus_y"} {
			if want := outer[name] - inner[name]; math.Abs(hollow[name]-want) > 4e-16*outer[name] {
				t.Fatalf("%s %v, outer %v less inner %v", name, hollow[name], outer[name], inner[name])
			}
		}
		if _, given := hollow["torsion_constant"]; given {
			t.Fatal("a torsion constant of a hollow section")
		}
		if shape := hollow["plastic_modulus_x"] / hollow["section_modulus_x"]; shape < 1 || shape > 1.5 {
			t.Fatalf("shape factor %v: a tube lies between a pair of flanges, 1, and a solid, 1.5", shape)
		}
	})
}

func TestThinWallsAddUp(t *testing.T) {
	b, h, wall := 0.2, 0.3, 1e-14
	a := of(t, ask.In{"b": b, "h": h, "t": wall})
	for name, want := range map[string]float64{
		"area":            2 * (b + h) * wall,
		"second_moment_x": (b*h*h/2 + h*h*h/6) * wall,
		"second_moment_y": (h*b*b/2 + b*b*b/6) * wall,
	} {
		if !near(a[name], want, 1e-12) {
			t.Errorf("%s of a thin wall %v, want %v", name, a[name], want)
		}
	}
}

// TestTorsionConstantLiesBetweenBounds uses two upper bounds: the polar moment, which only a circle reaches, and
// the constant of an infinite strip.
func TestTorsionConstantLiesBetweenBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(0.01, 100).Draw(t, "b")
		b := rapid.Float64Range(0.01, 100).Draw(t, "h")
		out := of(t, ask.In{"b": a, "h": b})
		j, p, q := out["torsion_constant"], max(a, b), min(a, b)
		if polar := out["second_moment_x"] + out["second_moment_y"]; j >= polar {
			t.Fatalf("J = %v, above the polar moment %v", j, polar)
		}
		if strip := p * q * q * q / 3; j >= strip || j < 0.4217*strip {
			t.Fatalf("J = %v of %v x %v, a strip has %v", j, a, b, strip)
		}
		if more := of(t, ask.In{"b": a * 1.001, "h": b})["torsion_constant"]; more <= j {
			t.Fatalf("J falls from %v to %v as the section widens", j, more)
		}
	})
}

// TestTorsionConstantOfStrips uses that the ends of a long strip lack
// 192 * 31 zeta(5)/(32 pi^5) = 0.63025 of the thickness.
func TestTorsionConstantOfStrips(t *testing.T) {
	const missing = 0.630248876
	for _, length := range []float64{20, 1e3, 1e6} {
		want := (length - missing) / 3
		if got := of(t, ask.In{"b": length, "h": 1})["torsion_constant"]; !near(got, want, 1e-9) {
			t.Errorf("J of 1 x %v: %v, want %v", length, got, want)
		}
	}
}
