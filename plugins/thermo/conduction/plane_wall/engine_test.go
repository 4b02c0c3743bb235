package main

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/layers"
	"github.com/slipstick/slipstick/sdk"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func drawLayers(t *rapid.T) []ask.In {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ask.In {
		return ask.In{"thickness": rapid.Float64Range(1e-4, 0.5).Draw(t, "t"), "conductivity": rapid.Float64Range(0.01, 400).Draw(t, "k")}
	}), 1, 8).Draw(t, "layers")
}

func walls(t *rapid.T) ask.In {
	in := ask.In{
		"temperature_hot": rapid.Float64Range(200, 2000).Draw(t, "T1"), "temperature_cold": rapid.Float64Range(200, 2000).Draw(t, "T2"),
		"layers": drawLayers(t), "area": rapid.Float64Range(0.1, 100).Draw(t, "A"),
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
		shuffled := append([]ask.In(nil), in["layers"].([]ask.In)...)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		a, b := ask.For(t, engine, in).Number, ask.For(t, engine, ask.With(in, ask.In{"layers": shuffled})).Number
		if !maps.Equal(a, b) {
			t.Fatalf("%v, and with the layers shuffled %v", a, b)
		}
	})
}

// TestThickAndThinWalls has the limits: a layer cut in two is the same layer, and more
// of anything resists more.
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

// TestEveryFluxIsTheSame checks the drawn temperatures: each layer passes the heat.
func TestEveryFluxIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{TemperatureHot: rapid.Float64Range(200, 2000).Draw(t, "T1"), TemperatureCold: 100, Area: 1}
		for _, l := range drawLayers(t) {
			in.Layers = append(in.Layers, layers.Layer{Thickness: l["thickness"].(float64), Conductivity: l["conductivity"].(float64)})
		}
		in.FilmHot = new(rapid.Float64Range(1, 1e3).Draw(t, "h1"))
		flux := ask.For(t, engine, ask.In{"temperature_hot": in.TemperatureHot, "temperature_cold": 100, "layers": sent(in.Layers), "film_hot": *in.FilmHot}).Number["heat_flux"]
		f := draw(t, &in)
		c := f.Curves[0]
		if got := *in.FilmHot * (c.Y[0] - c.Y[1]); !near(got, flux, 1e-9) {
			t.Fatalf("the film passes %v W/m2, want %v", got, flux)
		}
		for i, l := range in.Layers {
			if got := l.Conductivity * (c.Y[i+1] - c.Y[i+2]) / l.Thickness; !near(got, flux, 1e-6) {
				t.Fatalf("layer %d passes %v W/m2, want %v", i, got, flux)
			}
		}
	})
}

// sent is the wall as a caller sends it.
func sent(of []layers.Layer) []ask.In {
	var wall []ask.In
	for _, l := range of {
		wall = append(wall, ask.In{"thickness": l.Thickness, "conductivity": l.Conductivity})
	}
	return wall
}

func draw(t ask.Tester, in *Input) *sdk.Figure {
	t.Helper()
	f, err := in.Draw(t.Context(), "temperature")
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		t.Fatalf("%+v: %v", in, err)
	}
	return f
}

func TestFigureMarksTheFaces(t *testing.T) {
	in := Input{TemperatureHot: 300, TemperatureCold: 280, Layers: []layers.Layer{{Thickness: 0.1, Conductivity: 1}, {Thickness: 0.1, Conductivity: 1}}, FilmCold: new(10.0)}
	want := []sdk.Point{
		{Label: "first face", X: 0, Y: 300}, {Label: "between layers 1 and 2", X: 0.1, Y: 300 - 20.0/3},
		{Label: "last face", X: 0.2, Y: 300 - 40.0/3}, {Label: "last fluid", X: 0.22, Y: 280},
	}
	got := draw(t, &in).Points
	if len(got) != len(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i, p := range got {
		if p.Label != want[i].Label || !near(p.X, want[i].X, 1e-12) || !near(p.Y, want[i].Y, 1e-12) {
			t.Errorf("%+v, want %+v", p, want[i])
		}
	}
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
