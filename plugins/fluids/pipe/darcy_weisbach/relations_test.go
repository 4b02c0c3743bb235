package darcy_weisbach

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var (
	engine         = ask.Document("../darcy_weisbach.calc.md")
	frictionFactor = ask.Document("../friction_factor.calc.md")
)

// pipes draws sizes, speeds and viscosities with few digits, so that their decimals are exact.
func pipes(t *rapid.T) ask.In {
	diameter := rapid.IntRange(3, 2<<9).Draw(t, "D")
	return ask.In{
		"density":           rapid.Float64Range(0.5, 2000).Draw(t, "rho"),
		"dynamic_viscosity": math.Ldexp(float64(rapid.IntRange(1, 1000).Draw(t, "mu")), -rapid.IntRange(10, 17).Draw(t, "shift")),
		"diameter":          float64(diameter) / (1 << 9),
		"length":            float64(rapid.IntRange(100, 10_000<<10).Draw(t, "L")) / (1 << 10),
		"roughness":         float64(rapid.IntRange(0, 3*diameter).Draw(t, "eps")) / (1 << 15), // at most 3/64 of the diameter
		"velocity":          float64(rapid.IntRange(1, 50<<10).Draw(t, "V")) / (1 << 10),
	}
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestLossGrowsWithLengthFittingsAndSpeed(t *testing.T) {
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

// TestUnitsOfAnyScale scales all quantities by powers of two, so that nothing is rounded.
func TestUnitsOfAnyScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := pipes(t)
		scaled := ask.In{"density": in["density"]}
		for name, by := range map[string]float64{"diameter": 8, "length": 8, "roughness": 8, "velocity": 8, "dynamic_viscosity": 64} {
			scaled[name] = by * in[name].(float64)
		}
		a, b := ask.For(t, engine, in).Number, ask.For(t, engine, scaled).Number
		if a["darcy_friction_factor"] != b["darcy_friction_factor"] || 64*a["pressure_drop"] != b["pressure_drop"] {
			t.Fatalf("%v, and scaled %v", a, b)
		}
	})
}

func TestAgreesWithFrictionFactor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := pipes(t)
		a := ask.For(t, engine, in)
		roughness := in["roughness"].(float64) / in["diameter"].(float64)
		b := ask.For(t, frictionFactor, ask.In{"reynolds": a.Number["reynolds"], "relative_roughness": roughness})
		if got, want := a.Number["darcy_friction_factor"], b.Number["darcy_friction_factor"]; !near(got, want, 1e-15) || a.Text["regime"] != b.Text["regime"] {
			t.Fatalf("f = %v in %s flow, by itself %v in %s flow", got, a.Text["regime"], want, b.Text["regime"])
		}
	})
}
