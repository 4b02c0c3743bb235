package main

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func pipes(t *rapid.T) ask.In {
	diameter := rapid.Float64Range(0.005, 2).Draw(t, "D")
	return ask.In{
		"density": rapid.Float64Range(0.5, 2000).Draw(t, "rho"), "dynamic_viscosity": rapid.Float64Range(1e-5, 1).Draw(t, "mu"),
		"diameter": diameter, "length": rapid.Float64Range(0.1, 1e4).Draw(t, "L"),
		"roughness": diameter * rapid.Float64Range(0, 0.049).Draw(t, "eps"),
		"velocity":  rapid.Float64Range(0.001, 50).Draw(t, "V"),
	}
}

// The chart marks what was computed.
func TestChart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := pipes(t)
		a, f := ask.For(t, engine, in).Number, look.At(t, engine, "moody", in)
		if at := f.Points[0]; at.X != a["reynolds"] || at.Y != a["darcy_friction_factor"] {
			t.Fatalf("marked %+v, want %v and %v", at, a["reynolds"], a["darcy_friction_factor"])
		}
	})
}

// TestAtRest: a fluid that does not flow loses nothing. It has no friction factor, and no place in the chart.
func TestAtRest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, name := range []string{"velocity", "volumetric_flow"} {
			in := ask.With(pipes(t), ask.In{"velocity": nil, "minor_loss_coefficient": 3})
			in[name] = 0
			a, f := ask.For(t, engine, in), look.At(t, engine, "moody", in)
			if _, has := a.Number["darcy_friction_factor"]; has || a.Number["pressure_drop"] != 0 || a.Number["head_loss"] != 0 || a.Text["regime"] != "laminar" {
				t.Fatalf("%s 0: %v, %v", name, a.Number, a.Text)
			}
			if len(f.Points) != 0 {
				t.Fatalf("%s 0: marked %+v", name, f.Points)
			}
			in[name] = 1e-9
			if slow := ask.For(t, engine, in).Number["pressure_drop"]; slow <= 0 {
				t.Fatalf("%s 1e-9: a drop of %v Pa", name, slow)
			}
		}
	})
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestLossGrowsAsPhysicsSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := pipes(t)
		a := ask.For(t, engine, in).Number
		long := ask.For(t, engine, ask.With(in, ask.In{"length": 2 * in["length"].(float64)})).Number
		if long["pressure_drop"] != 2*a["pressure_drop"] {
			t.Fatalf("twice the length: %v Pa, want %v", long["pressure_drop"], 2*a["pressure_drop"])
		}
		k := rapid.Float64Range(0, 20).Draw(t, "K")
		fitted := ask.For(t, engine, ask.With(in, ask.In{"minor_loss_coefficient": k})).Number
		v, rho := in["velocity"].(float64), in["density"].(float64)
		if want := a["pressure_drop"] + k*rho*v*v/2; !near(fitted["pressure_drop"], want, 1e-14) {
			t.Fatalf("with fittings %v Pa, want %v", fitted["pressure_drop"], want)
		}
		if want := a["pressure_drop"] / (rho * 9.80665); !near(a["head_loss"], want, 1e-15) {
			t.Fatalf("a head of %v m, want %v", a["head_loss"], want)
		}
		faster := ask.For(t, engine, ask.With(in, ask.In{"velocity": 1.01 * v})).Number
		if faster["pressure_drop"] <= a["pressure_drop"] {
			t.Fatalf("faster flow loses less: %v Pa, not %v", faster["pressure_drop"], a["pressure_drop"])
		}
	})
}

func TestVolumetricFlowIsVelocityTimesArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := pipes(t)
		d, v := in["diameter"].(float64), in["velocity"].(float64)
		want := ask.For(t, engine, in)
		got := ask.For(t, engine, ask.With(in, ask.In{"velocity": nil, "volumetric_flow": math.Pi / 4 * d * d * v}))
		if want.Text["regime"] != got.Text["regime"] {
			return // at the limit of a regime
		}
		for name, x := range want.Number {
			if !near(got.Number[name], x, 4e-15) {
				t.Fatalf("%s = %v by volume, %v by speed", name, got.Number[name], x)
			}
		}
	})
}

// TestPoiseuille compares laminar flow with the law that has no friction factor.
func TestPoiseuille(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(pipes(t), ask.In{"dynamic_viscosity": 500})
		a := ask.For(t, engine, in)
		d, l, v := in["diameter"].(float64), in["length"].(float64), in["velocity"].(float64)
		if want := 32 * 500 * l * v / (d * d); a.Text["regime"] != "laminar" || !near(a.Number["pressure_drop"], want, 1e-14) {
			t.Fatalf("%v Pa in %s flow, want %v", a.Number["pressure_drop"], a.Text["regime"], want)
		}
	})
}

// TestUnitsOfAnyScale measures in units in which all numbers are others, by powers of
// two so that nothing is rounded.
func TestUnitsOfAnyScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := pipes(t)
		scaled := maps.Clone(in)
		for name, by := range map[string]float64{"diameter": 8, "length": 8, "roughness": 8, "velocity": 8, "dynamic_viscosity": 64} {
			scaled[name] = by * in[name].(float64)
		}
		a, b := ask.For(t, engine, in).Number, ask.For(t, engine, scaled).Number
		if a["darcy_friction_factor"] != b["darcy_friction_factor"] || 64*a["pressure_drop"] != b["pressure_drop"] {
			t.Fatalf("%v, and scaled %v", a, b)
		}
	})
}

// TestFlowIsTold: a velocity that was not sent is derived, which the answer says.
func TestFlowIsTold(t *testing.T) {
	in := ask.In{"density": 1000, "dynamic_viscosity": 0.001, "diameter": 0.1, "length": 10}
	for name, want := range map[string]int{"velocity": 0, "volumetric_flow": 1} {
		if a := ask.For(t, engine, ask.With(in, ask.In{name: 0.02})); len(a.Assumptions) != want {
			t.Errorf("%s: assumptions %q, want %d", name, a.Assumptions, want)
		}
	}
}
