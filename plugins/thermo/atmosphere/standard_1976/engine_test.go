package main

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func air(t ask.Tester, z float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"geometric_altitude": z}).Number
}

func altitudes(t *rapid.T) float64 { return rapid.Float64Range(lowest, highest-1).Draw(t, "Z") }

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestHydrostatics weighs a thin layer of air: it is what the pressure falls by.
func TestHydrostatics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := altitudes(t)
		low, mid, high := air(t, z), air(t, z+0.5), air(t, z+1)
		weight := mid["density"] * 9.80665 * (high["geopotential_altitude"] - low["geopotential_altitude"])
		if fall := low["pressure"] - high["pressure"]; !near(fall, weight, 1e-6) {
			t.Fatalf("at %v m the pressure falls by %v Pa/m, and the air weighs %v", z, fall, weight)
		}
	})
}

func TestGasLawAndSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := air(t, altitudes(t))
		const r = 8314.32 / 28.9644
		if !near(a["pressure"], a["density"]*r*a["temperature"], 1e-15) || !near(a["speed_of_sound"]*a["speed_of_sound"], 1.4*a["pressure"]/a["density"], 1e-15) {
			t.Fatalf("the air is no ideal gas: %v", a)
		}
	})
}

func TestPressureAndDensityFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := altitudes(t)
		if low, high := air(t, z), air(t, z+1); high["pressure"] >= low["pressure"] || high["density"] >= low["density"] {
			t.Fatalf("from %v m upwards: %v after %v", z, high, low)
		}
	})
}

// TestLayersAreContinuous looks at both sides of each boundary, which no binary64
// altitude hits.
func TestLayersAreContinuous(t *testing.T) {
	for _, l := range table[1:] {
		z := geometric(l.base).Float()
		below, above := air(t, math.Nextafter(z, 0)), air(t, math.Nextafter(z, highest))
		for name, want := range below {
			if !near(above[name], want, 1e-14) {
				t.Errorf("%s at %v m: %v below, %v above", name, z, want, above[name])
			}
		}
	}
}

// TestTable has the temperatures and pressures at which the layers of the published
// tables begin, as they are printed there.
func TestTable(t *testing.T) {
	for i, want := range []struct{ temperature, pressure float64 }{
		{288.15, 101325}, {216.65, 22632.1}, {216.65, 5474.89}, {228.65, 868.019}, {270.65, 110.906}, {270.65, 66.9389}, {214.65, 3.95642},
	} {
		if l := table[i]; l.temperature.Float() != want.temperature || !near(l.pressure.Float(), want.pressure, 1e-5) {
			t.Errorf("layer %d begins with %v K and %v Pa, want %+v", i, l.temperature.Float(), l.pressure.Float(), want)
		}
	}
}

func TestSeaLevel(t *testing.T) {
	a := air(t, 0)
	for name, want := range map[string]float64{"temperature": 288.15, "pressure": 101325, "density": 1.225, "speed_of_sound": 340.294, "dynamic_viscosity": 1.7894e-5, "geopotential_altitude": 0} {
		if !near(a[name], want, 2e-5) {
			t.Errorf("%s = %v, want %v", name, a[name], want)
		}
	}
}

func TestProfileHasTheBends(t *testing.T) {
	in := Input{GeometricAltitude: 12_345}
	f, err := in.Draw(t.Context(), "profile")
	if err != nil || f.Check() != nil {
		t.Fatal(err, f.Check())
	}
	c, p := f.Curves[0], f.Points[0]
	for _, l := range table[1:] {
		i := slices.Index(c.Y, geometric(l.base).Float())
		if i < 0 || math.Abs(c.X[i]-l.temperature.Float()) > 1e-9 {
			t.Errorf("the bend at %v m is missing", geometric(l.base).Float())
		}
	}
	if p.Y != 12_345 || p.X != air(t, 12_345)["temperature"] {
		t.Errorf("the point is at %v K, %v m", p.X, p.Y)
	}
}
