package plane_wall

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

var engine = ask.Document("../plane_wall.calc.md")

func drawLayers(t *rapid.T) []ask.In {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ask.In {
		return ask.In{"thickness": float64(rapid.IntRange(1, 4096).Draw(t, "t")) / 8192, "conductivity": rapid.Float64Range(0.01, 400).Draw(t, "k")}
	}), 1, 8).Draw(t, "layers")
}

// walls draws a wall. The area and the thicknesses have few digits, so that their multiples and halves are exact decimals.
func walls(t *rapid.T) ask.In {
	in := ask.In{
		"temperature_hot": rapid.Float64Range(200, 2000).Draw(t, "T1"), "temperature_cold": rapid.Float64Range(200, 2000).Draw(t, "T2"),
		"layers": drawLayers(t), "area": float64(rapid.IntRange(1, 800).Draw(t, "A")) / 8,
	}
	for _, name := range []string{"film_hot", "film_cold"} {
		if rapid.Bool().Draw(t, name) {
			in[name] = rapid.Float64Range(1, 1e4).Draw(t, "h")
		}
	}
	return in
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestLayersInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := walls(t)
		shuffled := rapid.Permutation(in["layers"].([]ask.In)).Draw(t, "shuffled")
		a, b := ask.For(t, engine, in).Number, ask.For(t, engine, ask.With(in, ask.In{"layers": shuffled})).Number
		if !maps.Equal(a, b) {
			t.Fatalf("%v, and with the layers shuffled %v", a, b)
		}
	})
}

// TestThickAndThinWalls cuts a layer in two, which changes nothing, and adds a layer, which resists more.
func TestThickAndThinWalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := walls(t)
		a := ask.For(t, engine, in).Number
		wall := in["layers"].([]ask.In)
		half := ask.In{"thickness": wall[0]["thickness"].(float64) / 2, "conductivity": wall[0]["conductivity"]}
		cut := append([]ask.In{half, half}, wall[1:]...)
		if b := ask.For(t, engine, ask.With(in, ask.In{"layers": cut})).Number; !maps.Equal(a, b) {
			t.Fatalf("%v, and with a layer cut in two %v", a, b)
		}
		more := append([]ask.In{half}, wall...)
		if b := ask.For(t, engine, ask.With(in, ask.In{"layers": more})).Number; b["r_value"] <= a["r_value"] || b["u_value"] >= a["u_value"] {
			t.Fatalf("with a further layer R = %v after %v", b["r_value"], a["r_value"])
		}
	})
}

func TestSidesAndAreas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := walls(t)
		a := ask.For(t, engine, in).Number
		turned := ask.For(t, engine, ask.With(in, ask.In{"temperature_hot": in["temperature_cold"], "temperature_cold": in["temperature_hot"]})).Number
		if turned["heat_flow"] != -a["heat_flow"] || turned["r_value"] != a["r_value"] {
			t.Fatalf("%v, and turned around %v", a, turned)
		}
		double := ask.For(t, engine, ask.With(in, ask.In{"area": 2 * in["area"].(float64)})).Number
		if double["heat_flow"] != 2*a["heat_flow"] || double["heat_flux"] != a["heat_flux"] || double["thermal_resistance"] != a["thermal_resistance"]/2 {
			t.Fatalf("%v, and on twice the area %v", a, double)
		}
		if !near(a["u_value"]*a["r_value"], 1, 4e-16) || !near(a["heat_flow"]*a["thermal_resistance"], a["heat_flux"]*a["r_value"], 1e-15) {
			t.Fatalf("results do not fit each other: %v", a)
		}
	})
}

func TestEveryFaultyLayerIsNamed(t *testing.T) {
	_, err := ask.Try(t, engine, ask.In{"temperature_hot": 1, "temperature_cold": 1, "layers": []ask.In{
		{"thickness": 1, "conductivity": 0}, {"thickness": 1, "conductivity": 1}, {"thickness": -1, "conductivity": 1},
	}})
	e, ok := err.(*sdk.Error)
	if !ok || len(e.Invalid) != 2 || e.Invalid[0].Name != "layers.0.conductivity" || e.Invalid[1].Name != "layers.2.thickness" {
		t.Errorf("%+v, want the conductivity of layer 0 and the thickness of layer 2", err)
	}
}
