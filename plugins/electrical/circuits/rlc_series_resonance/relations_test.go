package rlc_series_resonance

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../rlc_series_resonance.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

type circuit struct{ r, l, c float64 }

func circuits(t *rapid.T) circuit {
	return circuit{
		rapid.Float64Range(0.01, 1e4).Draw(t, "R"),
		rapid.Float64Range(1e-6, 10).Draw(t, "L"),
		rapid.Float64Range(1e-12, 1e-3).Draw(t, "C"),
	}
}

func (c circuit) solve(t ask.Tester) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"resistance": c.r, "inductance": c.l, "capacitance": c.c}).Number
}

// reactance returns the reactance at a frequency, and the sum of the magnitudes of its terms.
func (c circuit) reactance(f float64) (x, magnitude float64) {
	w := 2 * math.Pi * f
	return w*c.l - 1/(w*c.c), w*c.l + 1/(w*c.c)
}

func TestReactance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		a := c.solve(t)
		for name, want := range map[string]float64{"resonant_frequency": 0, "lower_half_power_frequency": -c.r, "upper_half_power_frequency": c.r} {
			if x, magnitude := c.reactance(a[name]); math.Abs(x-want) > 1e-15*magnitude {
				t.Fatalf("at %s = %v Hz the reactance is %v ohm, want %v ohm", name, a[name], x, want)
			}
		}
	})
}

func TestSharpness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := circuits(t).solve(t)
		f0, f1, f2, q, b := a["resonant_frequency"], a["lower_half_power_frequency"], a["upper_half_power_frequency"], a["quality_factor"], a["bandwidth"]
		if math.Abs(f2-f1-b) > 4e-16*(f2+b) {
			t.Fatalf("from %v to %v Hz, bandwidth %v Hz", f1, f2, b)
		}
		if !near(f1*f2, f0*f0) || !near(q*b, f0) || !near(2*q*a["damping_ratio"], 1) || !near(2*math.Pi*f0, a["resonant_angular_frequency"]) {
			t.Fatalf("%v does not fit together", a)
		}
		if f1 > f0 || f2 < f0 {
			t.Fatalf("resonance at %v Hz is not between %v and %v Hz", f0, f1, f2)
		}
	})
}

func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := circuits(t)
		a := c.solve(t)
		impedance := circuit{2 * c.r, 2 * c.l, c.c / 2}.solve(t) // at all frequencies twice the impedance
		if impedance["resonant_frequency"] != a["resonant_frequency"] || impedance["quality_factor"] != a["quality_factor"] || impedance["characteristic_impedance"] != 2*a["characteristic_impedance"] {
			t.Fatalf("%v, with twice the impedance %v", a, impedance)
		}
		frequency := circuit{c.r, c.l / 2, c.c / 2}.solve(t) // the same impedance at twice the frequency
		for name, got := range frequency {
			want := a[name]
			switch name {
			case "resonant_frequency", "resonant_angular_frequency", "bandwidth", "lower_half_power_frequency", "upper_half_power_frequency":
				want *= 2
			}
			if got != want {
				t.Fatalf("%s = %v at twice the frequencies, want %v", name, got, want)
			}
		}
	})
}
