package manning

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../manning.calc.md")

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

// TestWideChannel checks the limit in which the hydraulic radius is the depth.
func TestWideChannel(t *testing.T) {
	a := ask.For(t, engine, ask.In{"bottom_width": 1e12, "depth": 2, "slope": 0.0004, "roughness_n": 0.02}).Number
	if want := math.Cbrt(4) * 0.02 / 0.02; !near(a["velocity"], want, 1e-11) || !near(a["froude"], want/math.Sqrt(2*9.80665), 1e-11) {
		t.Errorf("%v m/s, Froude number %v, want %v m/s", a["velocity"], a["froude"], want)
	}
}
