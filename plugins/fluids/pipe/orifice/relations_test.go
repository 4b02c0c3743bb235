package orifice

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../orifice.calc.md")

// The coefficient depends on the Reynolds number. Flows with the same Reynolds number have the same coefficient.
func TestSameReynoldsNumberHasSameCoefficient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Float64Range(0.2, 5).Draw(t, "k")
		in := ask.In{
			"taps":                  rapid.SampledFrom([]string{"corner", "flange", "d_and_half_d"}).Draw(t, "taps"),
			"pipe_diameter":         0.1,
			"orifice_diameter":      rapid.Float64Range(0.02, 0.075).Draw(t, "d"),
			"differential_pressure": rapid.Float64Range(1e3, 1e5).Draw(t, "dp"),
			"density":               1000, "dynamic_viscosity": rapid.Float64Range(3e-4, 3e-3).Draw(t, "mu"),
		}
		a := ask.For(t, engine, in).Number
		b := ask.For(t, engine, ask.With(in, ask.In{
			"differential_pressure": in["differential_pressure"].(float64) * k * k,
			"dynamic_viscosity":     in["dynamic_viscosity"].(float64) * k,
		})).Number
		if math.Abs(a["discharge_coefficient"]-b["discharge_coefficient"]) > 1e-14 {
			t.Fatalf("coefficients %v and %v", a["discharge_coefficient"], b["discharge_coefficient"])
		}
		if want := k * a["mass_flow"]; math.Abs(b["mass_flow"]-want) > 1e-14*want {
			t.Fatalf("mass flow %v kg/s, want %v kg/s", b["mass_flow"], want)
		}
	})
}
