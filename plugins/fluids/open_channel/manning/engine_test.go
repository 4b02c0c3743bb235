package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
	"github.com/slipstick/slipstick/sdk"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func channels(t *rapid.T) ask.In {
	return ask.In{
		"bottom_width": rapid.Float64Range(0.1, 20).Draw(t, "b"), "depth": rapid.Float64Range(0.05, 5).Draw(t, "y"),
		"side_slope": rapid.Float64Range(0, 4).Draw(t, "z"), "slope": rapid.Float64Range(1e-5, 0.1).Draw(t, "S"),
		"roughness_n": rapid.Float64Range(0.008, 0.2).Draw(t, "n"),
	}
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

func TestSectionAndRadiusAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := channels(t)
		a := ask.For(t, engine, in).Number
		b := ask.For(t, engine, ask.In{
			"slope": in["slope"], "roughness_n": in["roughness_n"], "hydraulic_radius": a["hydraulic_radius"], "flow_area": a["flow_area"],
		}).Number
		for name, want := range b {
			if !near(a[name], want, 2e-15) {
				t.Fatalf("%s = %v by section, %v by radius", name, a[name], want)
			}
		}
	})
}

func TestSpeedScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := channels(t)
		v := ask.For(t, engine, in).Number["velocity"]
		for name, c := range map[string]struct {
			more ask.In
			want float64
		}{
			"slope times 4":     {ask.In{"slope": 4 * in["slope"].(float64)}, 2 * v},
			"half the n":        {ask.In{"roughness_n": in["roughness_n"].(float64) / 2}, 2 * v},
			"8 times the scale": {ask.In{"bottom_width": 8 * in["bottom_width"].(float64), "depth": 8 * in["depth"].(float64)}, 4 * v},
		} {
			if got := ask.For(t, engine, ask.With(in, c.more)).Number["velocity"]; got != c.want {
				t.Fatalf("%s: %v m/s, want %v", name, got, c.want)
			}
		}
	})
}

func TestDeeperCarriesMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := channels(t)
		a, b := ask.For(t, engine, in).Number, ask.For(t, engine, ask.With(in, ask.In{"depth": 1.01 * in["depth"].(float64)})).Number
		if b["volumetric_flow"] <= a["volumetric_flow"] || b["hydraulic_radius"] <= a["hydraulic_radius"] || a["hydraulic_radius"] >= in["depth"].(float64) {
			t.Fatalf("deeper: %v after %v", b, a)
		}
	})
}

// TestWideChannel has the limit in which the hydraulic radius is the depth.
func TestWideChannel(t *testing.T) {
	a := ask.For(t, engine, ask.In{"bottom_width": 1e12, "depth": 2, "slope": 0.0004, "roughness_n": 0.02}).Number
	if want := math.Cbrt(4) * 0.02 / 0.02; !near(a["velocity"], want, 1e-11) || !near(a["froude"], want/math.Sqrt(2*9.80665), 1e-11) {
		t.Errorf("%v m/s, Froude number %v, want %v m/s", a["velocity"], a["froude"], want)
	}
}

func TestAbsentOutputs(t *testing.T) {
	a := ask.For(t, engine, ask.In{"slope": 0.001, "roughness_n": 0.01, "hydraulic_radius": 1})
	if len(a.Number) != 2 || a.Formula != "manning_radius_v1" {
		t.Errorf("by hydraulic radius alone: %v by %s, want radius and speed", a.Number, a.Formula)
	}
	if a := ask.For(t, engine, ask.In{"slope": 0.001, "roughness_n": 0.01, "bottom_width": 1, "depth": 1}); a.Echo["side_slope"] != 0.0 || len(a.Number) != 7 {
		t.Errorf("rectangle: side slope %v, results %v", a.Echo["side_slope"], a.Number)
	}
}

// area is that of the polygon between a curve and y = 0.
func area(c sdk.Curve) float64 {
	twice := 0.0
	for i, x := range c.X {
		j := (i + 1) % len(c.X)
		twice += x*c.Y[j] - c.X[j]*c.Y[i]
	}
	return math.Abs(twice) / 2
}

func TestDrawnWaterHasTheFlowArea(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := channels(t)
		a := ask.For(t, engine, in).Number
		f, err := (&Input{
			BottomWidth: new(in["bottom_width"].(float64)), Depth: new(in["depth"].(float64)), SideSlope: new(in["side_slope"].(float64)),
		}).Draw(t.Context(), "section")
		if err != nil || f.Check() != nil {
			t.Fatal(err, f.Check())
		}
		water := f.Curves[0]
		if got := area(water); !near(got, a["flow_area"], 1e-14) || !near(water.X[3]-water.X[0], a["top_width"], 1e-15) {
			t.Fatalf("drawn: %v m2, %v m wide; computed %v", got, water.X[3]-water.X[0], a)
		}
		if got := look.Sizes(t, f); got["b"] != in["bottom_width"] || got["y"] != in["depth"] || !near(got["T"], a["top_width"], 1e-15) {
			t.Fatalf("dimensions %v of %v", got, in)
		}
	})
	f, err := (&Input{HydraulicRadius: new(0.5), FlowArea: new(3.0)}).Draw(t.Context(), "section")
	if err != nil || area(f.Curves[0]) != 3 || f.Check() != nil {
		t.Errorf("by hydraulic radius: %+v, %v, want an area of 3 m2", f, err)
	}
}

// TestDrawnStripIsTenTimesAsWideAsDeep: without an area it is a part of the perimeter.
func TestDrawnStripIsTenTimesAsWideAsDeep(t *testing.T) {
	f, err := (&Input{HydraulicRadius: new(0.5)}).Draw(t.Context(), "section")
	if err != nil {
		t.Fatal(err)
	}
	if water := f.Curves[0]; water.X[2]-water.X[1] != 5 || water.Y[1] != -0.5 {
		t.Errorf("%+v, want 5 m by 0.5 m", water)
	}
}
