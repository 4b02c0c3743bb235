package i_section

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../i_section.calc.md")

// plates draws a section.
func plates(t *rapid.T) (d, bf, tf, tw float64) {
	d, bf = rapid.Float64Range(0.05, 2).Draw(t, "d"), rapid.Float64Range(0.05, 1).Draw(t, "bf")
	return d, bf, d / 2 * rapid.Float64Range(0.001, 0.999).Draw(t, "tf"), bf * rapid.Float64Range(0.001, 0.999).Draw(t, "tw")
}

func of(t ask.Tester, d, bf, tf, tw float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"depth": d, "flange_width": bf, "flange_thickness": tf, "web_thickness": tw}).Number
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestPlatesAddUp moves each plate from its own centroid by the parallel axis theorem.
func TestPlatesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, bf, tf, tw := plates(t)
		got := of(t, d, bf, tf, tw)
		hw, arm := d-2*tf, (d-tf)/2
		for name, want := range map[string]float64{
			"area":              2*bf*tf + hw*tw,
			"second_moment_x":   tw*hw*hw*hw/12 + 2*(bf*tf*tf*tf/12+bf*tf*arm*arm),
			"second_moment_y":   2*tf*bf*bf*bf/12 + hw*tw*tw*tw/12,
			"plastic_modulus_x": 2*bf*tf*arm + tw*hw*hw/4,
			"plastic_modulus_y": tf*bf*bf/2 + hw*tw*tw/4,
		} {
			if !near(got[name], want, 1e-14) {
				t.Fatalf("%s %v, of the plates %v", name, got[name], want)
			}
		}
		for axis, depth := range map[string]float64{"x": d, "y": bf} {
			i, s, z, r := got["second_moment_"+axis], got["section_modulus_"+axis], got["plastic_modulus_"+axis], got["radius_of_gyration_"+axis]
			if !near(i, s*depth/2, 1e-15) || !near(i, r*r*got["area"], 2e-15) || z <= s {
				t.Fatalf("about %s: I %v, S %v, Z %v, r %v", axis, i, s, z, r)
			}
		}
	})
}

// TestLimits compares with a pair of flanges without a web, and with a rectangle.
func TestLimits(t *testing.T) {
	d, bf, tf := 0.5, 0.25, 0.0625
	pair, full := of(t, d, bf, tf, 1e-300), of(t, d, bf, tf, math.Nextafter(bf, 0))
	hole := d - 2*tf
	for name, want := range map[string]struct{ pair, full float64 }{
		"area":              {2 * bf * tf, bf * d},
		"second_moment_x":   {bf * (d*d*d - hole*hole*hole) / 12, bf * d * d * d / 12},
		"second_moment_y":   {2 * tf * bf * bf * bf / 12, d * bf * bf * bf / 12},
		"plastic_modulus_y": {2 * tf * bf * bf / 4, d * bf * bf / 4},
	} {
		if !near(pair[name], want.pair, 1e-15) || !near(full[name], want.full, 1e-15) {
			t.Errorf("%s: %v and %v, want %v", name, pair[name], full[name], want)
		}
	}
}

func TestMoreMaterialIsStiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, bf, tf, tw := plates(t)
		less := of(t, d, bf, tf, tw)
		thicker := of(t, d, bf, tf+(d/2-tf)/16, tw+(bf-tw)/16)
		for _, name := range []string{"area", "second_moment_x", "second_moment_y", "plastic_modulus_x", "plastic_modulus_y"} {
			if thicker[name] <= less[name] {
				t.Fatalf("%s falls from %v to %v as the plates thicken", name, less[name], thicker[name])
			}
		}
	})
}

// TestScaling uses sizes with few digits, so that their decimals are exact.
func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eighths := func(name string, from, to int) float64 { return float64(rapid.IntRange(from, to).Draw(t, name)) / 8 }
		d, bf, tf, tw := eighths("d", 300, 800), eighths("bf", 100, 400), eighths("tf", 1, 149), eighths("tw", 1, 99)
		scale := math.Ldexp(1, rapid.IntRange(0, 20).Draw(t, "shift"))
		small, large := of(t, d, bf, tf, tw), of(t, scale*d, scale*bf, scale*tf, scale*tw)
		for name, power := range map[string]float64{"area": 2, "second_moment_x": 4, "section_modulus_y": 3, "plastic_modulus_x": 3, "radius_of_gyration_x": 1} {
			if want := small[name] * math.Pow(scale, power); large[name] != want {
				t.Fatalf("%s of %v the size: %v, want %v", name, scale, large[name], want)
			}
		}
	})
}
