package axial_member

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../axial_member.calc.md")

// signed draws a number of either sign that is zero or not tiny, so that products of some
// do not underflow.
func signed(t *rapid.T, name string, most float64) float64 {
	return float64(rapid.Int64Range(-1<<50, 1<<50).Draw(t, name)) * 0x1p-50 * most
}

// bars draws lengths with few digits, so that their decimals are exact.
func bars(t *rapid.T) ask.In {
	return ask.In{
		"axial_force":        signed(t, "F", 1e6),
		"length":             float64(rapid.IntRange(10, 100<<10).Draw(t, "L")) / (1 << 10),
		"area":               rapid.Float64Range(1e-6, 1).Draw(t, "A"),
		"elastic_modulus":    rapid.Float64Range(1e6, 1e12).Draw(t, "E"),
		"thermal_expansion":  signed(t, "alpha", 1e-4),
		"temperature_change": signed(t, "dT", 1e3),
	}
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestEnergyIsHalfForceTimesElongation holds for the elongation by the force.
func TestEnergyIsHalfForceTimesElongation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(bars(t), ask.In{"temperature_change": 0})
		a := ask.For(t, engine, in).Number
		f := in["axial_force"].(float64)
		if want := f * a["elongation"] / 2; !near(a["strain_energy"], want, 1e-15) {
			t.Fatalf("energy %v, F dL/2 = %v", a["strain_energy"], want)
		}
		if !near(f, a["stiffness"]*a["elongation"], 1e-15) {
			t.Fatalf("F = %v, k dL = %v", f, a["stiffness"]*a["elongation"])
		}
		if !near(a["stress"], in["elastic_modulus"].(float64)*a["mechanical_strain"], 1e-15) {
			t.Fatalf("stress %v, strain %v", a["stress"], a["mechanical_strain"])
		}
	})
}

func TestForceAndHeatSuperpose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := bars(t)
		both := ask.For(t, engine, in).Number
		force := ask.For(t, engine, ask.With(in, ask.In{"temperature_change": 0})).Number
		heat := ask.For(t, engine, ask.With(in, ask.In{"axial_force": 0})).Number
		sum, size := force["elongation"]+heat["elongation"], math.Abs(force["elongation"])+math.Abs(heat["elongation"])
		if math.Abs(both["elongation"]-sum) > 3e-16*size {
			t.Fatalf("elongation %v, by force and by heat %v", both["elongation"], sum)
		}
		if both["stress"] != force["stress"] || both["strain_energy"] != force["strain_energy"] || heat["stress"] != 0 {
			t.Fatalf("heat changes the stress of a free bar: %v and %v", both, force)
		}
	})
}

func TestTurningEverythingAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := bars(t)
		a := ask.For(t, engine, in).Number
		b := ask.For(t, engine, ask.With(in, ask.In{"axial_force": -in["axial_force"].(float64), "temperature_change": -in["temperature_change"].(float64)})).Number
		for _, name := range []string{"stress", "mechanical_strain", "thermal_strain", "elongation"} {
			if a[name] != -b[name] {
				t.Fatalf("%s = %v, turned around %v", name, a[name], b[name])
			}
		}
		if a["strain_energy"] != b["strain_energy"] || a["stiffness"] != b["stiffness"] {
			t.Fatalf("%v, turned around %v", a, b)
		}
	})
}

// TestInSeries: a bar of twice the length stretches twice as far and is half as stiff.
func TestInSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := bars(t)
		a, b := ask.For(t, engine, in).Number, ask.For(t, engine, ask.With(in, ask.In{"length": 2 * in["length"].(float64)})).Number
		if b["elongation"] != 2*a["elongation"] || b["stiffness"] != a["stiffness"]/2 || b["strain_energy"] != 2*a["strain_energy"] || b["stress"] != a["stress"] {
			t.Fatalf("%v, twice as long %v", a, b)
		}
	})
}
