package thin_shell

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../thin_shell.calc.md")

func TestGreatestPressureNeedsThickness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.In{
			"shape":                      rapid.SampledFrom([]string{"cylinder", "sphere"}).Draw(t, "shape"),
			"inside_radius":              rapid.Float64Range(0.1, 3).Draw(t, "R"),
			"thickness":                  rapid.Float64Range(0.005, 0.02).Draw(t, "t"),
			"corrosion_allowance":        rapid.Float64Range(0, 0.003).Draw(t, "c"),
			"joint_efficiency":           rapid.Float64Range(0.7, 1).Draw(t, "E"),
			"circumferential_efficiency": rapid.Float64Range(0.3, 1).Draw(t, "E_c"),
			"allowable_stress":           138e6, "pressure": 1e5, "least_thickness": 0,
		}
		a := ask.For(t, engine, in).Number
		b := ask.For(t, engine, ask.With(in, ask.In{"pressure": a["greatest_pressure"]})).Number
		if want := in["thickness"].(float64); math.Abs(b["required_thickness"]-want) > 1e-14*want {
			t.Fatalf("required thickness %v m at the greatest pressure, want %v m", b["required_thickness"], want)
		}
	})
}
