package sizing

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var (
	engine = ask.Document("../sizing.calc.md")
	loss   = ask.Document("../darcy_weisbach.calc.md")
)

// A pipe with the required diameter has the pressure loss that is allowed. Another document computes the loss.
func TestRequiredDiameterHasAllowedLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.In{
			"volumetric_flow":     rapid.Float64Range(1e-4, 0.5).Draw(t, "Q"),
			"density":             rapid.Float64Range(600, 1300).Draw(t, "rho"),
			"dynamic_viscosity":   rapid.Float64Range(3e-4, 3e-2).Draw(t, "mu"),
			"length":              rapid.Float64Range(5, 2000).Draw(t, "L"),
			"roughness":           rapid.Float64Range(0, 2e-4).Draw(t, "e"),
			"pressure_loss_limit": rapid.Float64Range(1e3, 2e5).Draw(t, "p"),
			"pipes":               []any{ask.In{"inner_diameter": 1}},
		}
		d := ask.For(t, engine, in).Number["required_diameter"]
		if in["roughness"].(float64) > 0.05*d {
			t.Skip("too rough for the other document")
		}
		a := ask.For(t, loss, ask.In{
			"volumetric_flow": in["volumetric_flow"], "density": in["density"], "dynamic_viscosity": in["dynamic_viscosity"],
			"length": in["length"], "roughness": in["roughness"], "diameter": d,
		}).Number
		if a["reynolds"] < 2300.1 {
			t.Skip("between the laminar and the turbulent diameter")
		}
		if limit := in["pressure_loss_limit"].(float64); math.Abs(a["pressure_drop"]-limit) > 1e-12*limit {
			t.Fatalf("pressure drop %v Pa with the required diameter %v m, want %v Pa", a["pressure_drop"], d, limit)
		}
	})
}
