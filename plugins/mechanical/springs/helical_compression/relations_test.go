package helical_compression

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../helical_compression.calc.md")

// signed draws a number of either sign that is zero or not tiny, so that products of some
// do not underflow.
func signed(t *rapid.T, name string, most float64) float64 {
	return float64(rapid.Int64Range(-1<<50, 1<<50).Draw(t, name)) * 0x1p-50 * most
}

func springs(t *rapid.T) ask.In {
	wire := rapid.Float64Range(1e-4, 0.1).Draw(t, "d")
	return ask.In{
		"wire_diameter":      wire,
		"mean_coil_diameter": wire * rapid.Float64Range(1.01, 50).Draw(t, "C"),
		"active_coils":       float64(rapid.IntRange(4, 800).Draw(t, "8 n")) / 8, // twice as many are exact as a decimal too
		"shear_modulus":      rapid.Float64Range(1e9, 1e11).Draw(t, "G"),
		"force":              signed(t, "F", 1e5),
	}
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestRateOfTwistedWire: a wire of length pi D n under the torque F D/2 twists. The
// deflection is D/2 times the twist.
func TestRateOfTwistedWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := springs(t)
		a := ask.For(t, engine, in).Number
		d, mean, n, g, f := in["wire_diameter"].(float64), in["mean_coil_diameter"].(float64), in["active_coils"].(float64), in["shear_modulus"].(float64), in["force"].(float64)
		twist := f * mean / 2 * (math.Pi * mean * n) / (g * math.Pi * math.Pow(d, 4) / 32)
		if want := twist * mean / 2; !near(a["deflection"], want, 1e-14) {
			t.Fatalf("deflection %v, of the twist %v", a["deflection"], want)
		}
		if got := a["spring_rate"] * a["deflection"]; !near(got, f, 1e-15) {
			t.Fatalf("rate times deflection %v, force %v", got, f)
		}
	})
}

// TestWahlFactor is above 1 and falls with the index, towards 1 as
// 1 + (0.75 + 0.615)/C: curvature and direct shear.
func TestWahlFactor(t *testing.T) {
	factor := func(t ask.Tester, c float64) float64 {
		return ask.For(t, engine, ask.In{"d": 1, "D": c, "n": 1, "G": 1, "F": 1}).Number["wahl_factor"]
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(1.01, 1000).Draw(t, "C")
		k, looser := factor(t, c), factor(t, c*1.01)
		if k <= 1 || looser >= k {
			t.Fatalf("factor %v at an index of %v, %v at 1 %% more", k, c, looser)
		}
	})
	if got := (factor(t, 1e8) - 1) * 1e8; !near(got, 0.75+0.615, 1e-7) {
		t.Errorf("of a large index C the factor is 1 + %v/C, want 1.365", got)
	}
}

// TestStressOfTwistedWire: F D/2 over the section modulus pi d^3/16, times Wahl's factor.
func TestStressOfTwistedWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := springs(t)
		a := ask.For(t, engine, in).Number
		torsion := in["force"].(float64) * in["mean_coil_diameter"].(float64) / 2 / (math.Pi * math.Pow(in["wire_diameter"].(float64), 3) / 16)
		if want := a["wahl_factor"] * torsion; !near(a["shear_stress"], want, 2e-15) {
			t.Fatalf("shear stress %v, want %v", a["shear_stress"], want)
		}
		b := ask.For(t, engine, ask.With(in, ask.In{"force": -in["force"].(float64)})).Number
		if b["shear_stress"] != -a["shear_stress"] || b["deflection"] != -a["deflection"] || b["spring_rate"] != a["spring_rate"] {
			t.Fatalf("%v, pulled %v", a, b)
		}
	})
}

// TestInSeries: twice the coils are half as stiff, and bear the same stress.
func TestInSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := springs(t)
		a, b := ask.For(t, engine, in).Number, ask.For(t, engine, ask.With(in, ask.In{"active_coils": 2 * in["active_coils"].(float64)})).Number
		if b["spring_rate"] != a["spring_rate"]/2 || b["deflection"] != 2*a["deflection"] || b["shear_stress"] != a["shear_stress"] {
			t.Fatalf("%v, twice the coils %v", a, b)
		}
	})
}
