package cylinder

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../cylinder.calc.md")

// pipes draws a pipe. The length and the thicknesses have few digits, so that their multiples and halves are exact decimals.
func pipes(t *rapid.T) ask.In {
	in := ask.In{
		"inner_diameter": rapid.Float64Range(0.005, 2).Draw(t, "d"), "length": float64(rapid.IntRange(1, 800).Draw(t, "L")) / 8,
		"temperature_inner": rapid.Float64Range(200, 2000).Draw(t, "T1"), "temperature_outer": rapid.Float64Range(200, 2000).Draw(t, "T2"),
		"layers": rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ask.In {
			return ask.In{"thickness": float64(rapid.IntRange(1, 4096).Draw(t, "t")) / 8192, "conductivity": rapid.Float64Range(0.01, 400).Draw(t, "k")}
		}), 1, 6).Draw(t, "layers"),
	}
	for _, name := range []string{"film_inner", "film_outer"} {
		if rapid.Bool().Draw(t, name) {
			in[name] = rapid.Float64Range(1, 1e4).Draw(t, "h")
		}
	}
	return in
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestALayerCutInTwoIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := pipes(t)
		wall := in["layers"].([]ask.In)
		half := ask.In{"thickness": wall[0]["thickness"].(float64) / 2, "conductivity": wall[0]["conductivity"]}
		a, b := ask.For(t, engine, in).Number, ask.For(t, engine, ask.With(in, ask.In{"layers": append([]ask.In{half, half}, wall[1:]...)})).Number
		if !maps.Equal(a, b) {
			t.Fatalf("%v, and with a layer cut in two %v", a, b)
		}
	})
}

func TestDirectionLengthAndFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := pipes(t)
		a := ask.For(t, engine, in).Number
		turned := ask.For(t, engine, ask.With(in, ask.In{"temperature_inner": in["temperature_outer"], "temperature_outer": in["temperature_inner"]})).Number
		if turned["heat_flow"] != -a["heat_flow"] {
			t.Fatalf("%v W one way, %v the other", a["heat_flow"], turned["heat_flow"])
		}
		if long := ask.For(t, engine, ask.With(in, ask.In{"length": 4 * in["length"].(float64)})).Number; long["heat_flow"] != 4*a["heat_flow"] || long["ua"] != 4*a["ua"] {
			t.Fatalf("four times the length: %v after %v", long, a)
		}
		if !near(a["ua"]*a["thermal_resistance"], 1, 4e-16) {
			t.Fatalf("UA %v is not 1/R, R = %v", a["ua"], a["thermal_resistance"])
		}
	})
}

// TestWidePipesAreWalls compares a pipe of a large diameter with a plane wall.
func TestWidePipesAreWalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, thick := rapid.Float64Range(0.01, 400).Draw(t, "k"), rapid.Float64Range(1e-4, 0.1).Draw(t, "t")
		const d = 1e9
		got := ask.For(t, engine, ask.In{
			"inner_diameter": d, "temperature_inner": 300, "temperature_outer": 290, "layers": []ask.In{{"thickness": thick, "conductivity": k}},
		}).Number["thermal_resistance"]
		if want := thick / k / (math.Pi * d); !near(got, want, 1e-9) {
			t.Fatalf("R = %v, a wall has %v", got, want)
		}
	})
}

// TestCriticalRadius checks that insulation on a thin wire increases the loss up to the radius k/h.
func TestCriticalRadius(t *testing.T) {
	resistance := func(thick float64) float64 {
		return ask.For(t, engine, ask.In{
			"inner_diameter": 0.002, "temperature_inner": 350, "temperature_outer": 290, "film_outer": 10,
			"layers": []ask.In{{"thickness": thick, "conductivity": 0.1}},
		}).Number["thermal_resistance"]
	}
	const critical = 0.1/10 - 0.001 // thickness at the radius k/h
	if at := resistance(critical); at >= resistance(0.8*critical) || at >= resistance(1.2*critical) || resistance(0.001) <= at {
		t.Errorf("the least resistance is not at the radius k/h")
	}
}
