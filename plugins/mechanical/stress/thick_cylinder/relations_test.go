package thick_cylinder

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../thick_cylinder.calc.md")

// signed draws a number of either sign that is zero or not tiny, so that products of some
// do not underflow.
func signed(t *rapid.T, name string, most float64) float64 {
	return float64(rapid.Int64Range(-1<<50, 1<<50).Draw(t, name)) * 0x1p-50 * most
}

func cylinders(t *rapid.T) (in ask.In, inner, outer, inside, outside float64) {
	inner = rapid.Float64Range(1e-3, 10).Draw(t, "ri")
	outer = inner * rapid.Float64Range(1.0001, 20).Draw(t, "ro/ri")
	inside, outside = signed(t, "pi", 1e9), signed(t, "po", 1e9)
	return ask.In{"inner_radius": inner, "outer_radius": outer, "internal_pressure": inside, "external_pressure": outside}, inner, outer, inside, outside
}

func at(t ask.Tester, in ask.In, radius float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.With(in, ask.In{"radius": radius})).Number
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestPressuresAtTheSurfaces compares with the radial stress, which is the pressure exactly.
func TestPressuresAtTheSurfaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, inner, outer, inside, outside := cylinders(t)
		if got := at(t, in, inner)["radial_stress"]; got != -inside {
			t.Fatalf("radial stress inside %v, pressure %v", got, inside)
		}
		if got := at(t, in, outer)["radial_stress"]; got != -outside {
			t.Fatalf("radial stress outside %v, pressure %v", got, outside)
		}
		if ask.For(t, engine, in).Number["hoop_stress"] != at(t, in, inner)["hoop_stress"] {
			t.Fatal("without a radius the result differs from the stress at the inner radius")
		}
	})
}

// TestEquilibrium checks r d(radial)/dr = hoop - radial everywhere, and that the axial stress carries
// the pressures on the ends.
func TestEquilibrium(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, inner, outer, inside, outside := cylinders(t)
		r := inner + (outer-inner)*rapid.Float64Range(0.05, 0.95).Draw(t, "r")
		here := at(t, in, r)
		h := 1e-4 * min(r-inner, outer-r)
		slope := (at(t, in, r+h)["radial_stress"] - at(t, in, r-h)["radial_stress"]) / (2 * h)
		size := (math.Abs(inside) + math.Abs(outside)) * outer / (outer - inner)
		if difference := here["hoop_stress"] - here["radial_stress"]; math.Abs(r*slope-difference) > 1e-5*size*outer/(outer-inner) {
			t.Fatalf("r ds/dr = %v, hoop - radial = %v", r*slope, difference)
		}
		if sum := here["hoop_stress"] + here["radial_stress"]; math.Abs(sum-2*here["axial_stress_closed_ends"]) > 4e-16*size*2 {
			t.Fatalf("hoop + radial = %v, twice the axial stress %v", sum, 2*here["axial_stress_closed_ends"])
		}
		ends := math.Pi * (outer*outer - inner*inner) * here["axial_stress_closed_ends"]
		if force := math.Pi * (inside*inner*inner - outside*outer*outer); math.Abs(ends-force) > 1e-14*math.Pi*(math.Abs(inside)*inner*inner+math.Abs(outside)*outer*outer)*outer/(outer-inner) {
			t.Fatalf("axial stress carries %v, the ends %v", ends, force)
		}
	})
}

func TestPressuresSuperpose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, inner, outer, _, _ := cylinders(t)
		r := min(inner+(outer-inner)*rapid.Float64Range(0, 1).Draw(t, "r"), outer)
		both := at(t, in, r)
		only := func(other string) map[string]float64 {
			return at(t, ask.With(in, ask.In{other: 0}), r)
		}
		inside, outside := only("external_pressure"), only("internal_pressure")
		for name := range both {
			if sum := inside[name] + outside[name]; math.Abs(both[name]-sum) > 4e-16*(math.Abs(inside[name])+math.Abs(outside[name])) {
				t.Fatalf("%s %v, by one pressure at a time %v", name, both[name], sum)
			}
		}
	})
}

// TestThinWall compares the mean hoop stress with p r/t. The shortest decimal of the outer radius is 1 + t.
func TestThinWall(t *testing.T) {
	for _, wall := range []float64{0.01, 1e-6, 1e-12} {
		outer := 1 + wall
		a := ask.For(t, engine, ask.In{"inner_radius": 1, "outer_radius": outer, "internal_pressure": 1e5})
		mean := (a.Number["hoop_stress"] + at(t, ask.In{"inner_radius": 1, "outer_radius": outer, "internal_pressure": 1e5}, outer)["hoop_stress"]) / 2
		if want := 1e5 / wall; !near(mean, want, wall+1e-14) {
			t.Errorf("a wall of %v: mean hoop stress %v, want %v", wall, mean, want)
		}
	}
}

func TestHoopStressFallsOutwards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, inner, outer, _, _ := cylinders(t)
		in["internal_pressure"], in["external_pressure"] = 1e6, 0
		before := at(t, in, inner)
		for i := 1; i <= 4; i++ {
			here := at(t, in, min(inner+(outer-inner)*float64(i)/4, outer))
			if here["hoop_stress"] >= before["hoop_stress"] || here["radial_stress"] <= before["radial_stress"] || here["hoop_stress"] <= 0 {
				t.Fatalf("hoop %v, radial %v, further inside %v", here["hoop_stress"], here["radial_stress"], before)
			}
			before = here
		}
	})
}
