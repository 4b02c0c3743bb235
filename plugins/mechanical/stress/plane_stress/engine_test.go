package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func of(t ask.Tester, sx, sy, tau float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"sigma_x": sx, "sigma_y": sy, "tau_xy": tau}).Number
}

// signed draws a number of either sign that is zero or not tiny, so that products of some
// do not underflow.
func signed(t *rapid.T, name string, most float64) float64 {
	return float64(rapid.Int64Range(-1<<50, 1<<50).Draw(t, name)) * 0x1p-50 * most
}

func states(t *rapid.T) (sx, sy, tau float64) {
	return signed(t, "sx", 1e9), signed(t, "sy", 1e9), signed(t, "tau", 1e9)
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// turned returns the stresses on faces that are turned counterclockwise.
func turned(sx, sy, tau, angle float64) (tx, ty, txy float64) {
	sin, cos := math.Sincos(angle)
	tx = sx*cos*cos + sy*sin*sin + 2*tau*sin*cos
	ty = sx*sin*sin + sy*cos*cos - 2*tau*sin*cos
	return tx, ty, (sy-sx)*sin*cos + tau*(cos*cos-sin*sin)
}

// TestTurningTheElement changes no invariant, and the angle by as much.
func TestTurningTheElement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sx, sy, tau := states(t)
		angle := rapid.Float64Range(-3, 3).Draw(t, "angle")
		a := of(t, sx, sy, tau)
		tx, ty, txy := turned(sx, sy, tau, angle)
		b := of(t, tx, ty, txy)
		size := math.Abs(sx) + math.Abs(sy) + math.Abs(tau)
		for _, name := range []string{"sigma_1", "sigma_2", "tau_max_in_plane", "tau_max_absolute", "von_mises", "tresca"} {
			if math.Abs(a[name]-b[name]) > 1e-14*size {
				t.Fatalf("%s = %v, turned %v", name, a[name], b[name])
			}
		}
		if a["tau_max_in_plane"] > 1e-3*size {
			if off := math.Remainder(a["principal_angle"]-angle-b["principal_angle"], math.Pi); math.Abs(off) > 1e-11 {
				t.Fatalf("principal angle %v, turned by %v it is %v", a["principal_angle"], angle, b["principal_angle"])
			}
		}
	})
}

// TestPrincipalFaces: on faces turned by the principal angle there is no shear, and the
// normal stresses are the principal stresses.
func TestPrincipalFaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sx, sy, tau := states(t)
		a := of(t, sx, sy, tau)
		p1, p2, shear := turned(sx, sy, tau, a["principal_angle"])
		size := math.Abs(sx) + math.Abs(sy) + math.Abs(tau)
		if math.Abs(p1-a["sigma_1"]) > 1e-14*size || math.Abs(p2-a["sigma_2"]) > 1e-14*size || math.Abs(shear) > 1e-14*size {
			t.Fatalf("on the principal faces %v, %v and %v, want %v, %v and 0", p1, p2, shear, a["sigma_1"], a["sigma_2"])
		}
		if angle := a["principal_angle"]; angle < -math.Pi/2 || angle > math.Pi/2 { // math.Pi/2 lies below pi/2
			t.Fatalf("principal angle %v", angle)
		}
	})
}

func TestInvariantsAndBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sx, sy, tau := states(t)
		a := of(t, sx, sy, tau)
		s1, s2, size := a["sigma_1"], a["sigma_2"], math.Abs(sx)+math.Abs(sy)+math.Abs(tau)
		if math.Abs(s1+s2-sx-sy) > 4e-16*size || math.Abs(s1*s2-(sx*sy-tau*tau)) > 4e-16*size*size {
			t.Fatalf("sum %v, product %v of %v, %v, %v", s1+s2, s1*s2, sx, sy, tau)
		}
		if s1 < s2 || s1 < max(sx, sy) || s2 > min(sx, sy) {
			t.Fatalf("%v and %v do not enclose %v and %v", s1, s2, sx, sy)
		}
		if want := math.Sqrt(s1*s1 - s1*s2 + s2*s2); !near(a["von_mises"], want, 1e-14) {
			t.Fatalf("von Mises %v, of the principal stresses %v", a["von_mises"], want)
		}
		if vm, tresca := a["von_mises"], a["tresca"]; vm > tresca*(1+4e-16) || vm < tresca*math.Sqrt(3)/2*(1-4e-16) {
			t.Fatalf("von Mises %v and Tresca %v", vm, tresca)
		}
		if a["tresca"] != 2*a["tau_max_absolute"] || a["tau_max_absolute"] < a["tau_max_in_plane"] {
			t.Fatalf("Tresca %v, greatest shear %v, in the plane %v", a["tresca"], a["tau_max_absolute"], a["tau_max_in_plane"])
		}
	})
}

// TestSymmetry: turned around, mirrored and with the faces exchanged the same numbers
// come back.
func TestSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sx, sy, tau := states(t)
		a, opposite, mirrored, exchanged := of(t, sx, sy, tau), of(t, -sx, -sy, -tau), of(t, sx, sy, -tau), of(t, sy, sx, tau)
		if a["sigma_1"] != -opposite["sigma_2"] || a["sigma_2"] != -opposite["sigma_1"] || a["von_mises"] != opposite["von_mises"] || a["tresca"] != opposite["tresca"] {
			t.Fatalf("%v, turned around %v", a, opposite)
		}
		for _, b := range []map[string]float64{mirrored, exchanged} {
			for _, name := range []string{"sigma_1", "sigma_2", "tau_max_in_plane", "tau_max_absolute", "von_mises", "tresca"} {
				if a[name] != b[name] {
					t.Fatalf("%s = %v, mirrored %v", name, a[name], b[name])
				}
			}
		}
		if tau != 0 && a["principal_angle"] != -mirrored["principal_angle"] {
			t.Fatalf("principal angle %v, mirrored %v", a["principal_angle"], mirrored["principal_angle"])
		}
	})
}

func TestKnownStates(t *testing.T) {
	for name, c := range map[string]struct {
		sx, sy, tau float64
		want        map[string]float64
	}{
		"tension":     {3, 0, 0, map[string]float64{"sigma_1": 3, "sigma_2": 0, "tau_max_in_plane": 1.5, "tau_max_absolute": 1.5, "von_mises": 3, "tresca": 3, "principal_angle": 0}},
		"compression": {0, -3, 0, map[string]float64{"sigma_1": 0, "sigma_2": -3, "tau_max_absolute": 1.5, "von_mises": 3, "tresca": 3, "principal_angle": 0}},
		"along y":     {0, 3, 0, map[string]float64{"sigma_1": 3, "principal_angle": math.Pi / 2}},
		"shear":       {0, 0, 2, map[string]float64{"sigma_1": 2, "sigma_2": -2, "von_mises": math.Sqrt(12), "tresca": 4, "principal_angle": math.Pi / 4}},
		"all around":  {5, 5, 0, map[string]float64{"sigma_1": 5, "sigma_2": 5, "tau_max_in_plane": 0, "tau_max_absolute": 2.5, "von_mises": 5, "tresca": 5, "principal_angle": 0}},
		"two axes":    {4, 1, 0, map[string]float64{"tau_max_in_plane": 1.5, "tau_max_absolute": 2, "tresca": 4}},
		"pressed":     {-1, -4, 0, map[string]float64{"tau_max_in_plane": 1.5, "tau_max_absolute": 2, "tresca": 4}},
	} {
		answer := ask.For(t, engine, ask.In{"sigma_x": c.sx, "sigma_y": c.sy, "tau_xy": c.tau})
		if len(answer.Warnings) > 0 {
			t.Errorf("%s: warnings %v", name, answer.Warnings)
		}
		got := answer.Number
		for output, want := range c.want {
			if got[output] != want {
				t.Errorf("%s: %s = %v, want %v", name, output, got[output], want)
			}
		}
	}
}

func TestFigure(t *testing.T) {
	f := look.At(t, engine, "mohr", ask.In{"sx": 100, "sy": 20, "tau": 30})
	want := map[string][2]float64{"x face": {100, 30}, "y face": {20, -30}, "sigma_1": {110, 0}, "sigma_2": {10, 0}, "centre": {60, 0}}
	for _, p := range f.Points {
		if at, known := want[p.Label]; !known || p.X != at[0] || p.Y != at[1] {
			t.Errorf("%s at (%v, %v), want %v", p.Label, p.X, p.Y, at)
		}
		if r := math.Hypot(p.X-60, p.Y); p.Label != "centre" && !near(r, 50, 1e-15) {
			t.Errorf("%s is %v from the centre", p.Label, r)
		}
	}
	for i := range f.Curves[0].X {
		if r := math.Hypot(f.Curves[0].X[i]-60, f.Curves[0].Y[i]); !near(r, 50, 1e-14) {
			t.Errorf("point %d of the circle is %v from the centre", i, r)
		}
	}
	look.At(t, engine, "mohr", ask.In{"sx": 0, "sy": 0, "tau": 0}) // a circle without a radius
}

func TestFigureWithoutBounds(t *testing.T) {
	_, err := engine.(sdk.Plotter).Draw(t.Context(), "mohr", value.Values{value.NumberOf(1.7e308), value.NumberOf(1.7e308), value.NumberOf(1.7e308)})
	if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != sdk.CodeNonFiniteResult {
		t.Errorf("error %v, want %s", err, sdk.CodeNonFiniteResult)
	}
}

func BenchmarkCalculate(b *testing.B) {
	values := value.Values{value.NumberOf(100e6), value.NumberOf(20e6), value.NumberOf(30e6)}
	for b.Loop() {
		if _, err := engine.Calculate(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}
