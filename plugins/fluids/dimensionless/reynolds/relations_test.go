package reynolds

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../reynolds.calc.md")

// flows draws a flow whose numbers have few bits, so that products are exact.
func flows(t *rapid.T) ask.In {
	eighths := func(name string, from, to int) float64 { return float64(rapid.IntRange(from, to).Draw(t, name)) / 8 }
	return ask.In{
		"velocity": eighths("V", 0, 1000), "characteristic_length": eighths("L", 1, 1000),
		"density": eighths("rho", 1, 8000), "dynamic_viscosity": eighths("mu", 1, 100),
	}
}

func reynolds(t ask.Tester, in ask.In) float64 {
	t.Helper()
	return ask.For(t, engine, in).Number["reynolds"]
}

func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := flows(t)
		re := reynolds(t, in)
		for name, want := range map[string]float64{"velocity": 2 * re, "characteristic_length": 2 * re, "density": 2 * re, "dynamic_viscosity": re / 2} {
			once := in[name].(float64)
			in[name] = 2 * once
			if got := reynolds(t, in); got != want {
				t.Fatalf("%s doubled: %v, want %v", name, got, want)
			}
			in[name] = once
		}
	})
}

func TestKinematicViscosityIsDynamicByDensity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := flows(t)
		nu := in["dynamic_viscosity"].(float64) / in["density"].(float64)
		want := reynolds(t, in)
		got := reynolds(t, ask.In{"velocity": in["velocity"], "characteristic_length": in["characteristic_length"], "kinematic_viscosity": nu})
		if math.Abs(got-want) > 4e-16*want { // nu is rounded
			t.Fatalf("%v with nu, %v with mu and rho", got, want)
		}
	})
}

func TestRegimesInOrder(t *testing.T) {
	order := map[string]int{"laminar": 0, "transitional": 1, "turbulent": 2}
	rapid.Check(t, func(t *rapid.T) {
		at := func(re float64) int {
			return order[ask.For(t, engine, ask.In{"V": re, "L": 1, "nu": 1}).Text["regime"]]
		}
		a, b := rapid.Float64Range(0, 6000).Draw(t, "a"), rapid.Float64Range(0, 6000).Draw(t, "b")
		if at(min(a, b)) > at(max(a, b)) {
			t.Fatalf("the regimes of %v and %v are in the wrong order", a, b)
		}
	})
}
