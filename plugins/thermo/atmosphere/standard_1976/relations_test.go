package standard_1976

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../standard_1976.calc.md")

func air(t ask.Tester, z float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"geometric_altitude": z}).Number
}

func altitudes(t *rapid.T) float64 { return rapid.Float64Range(-5000, 86_000-1).Draw(t, "Z") }

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// TestHydrostatics compares the weight of a thin layer of air with the fall of the pressure.
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
	const radius = 6_356_766
	for _, base := range []int64{11_000, 20_000, 32_000, 47_000, 51_000, 71_000} {
		z, _ := big.NewRat(radius*base, radius-base).Float64()
		below, above := air(t, math.Nextafter(z, 0)), air(t, math.Nextafter(z, 1e6))
		for name, want := range below {
			if !near(above[name], want, 1e-14) {
				t.Errorf("%s at %v m: %v below, %v above", name, z, want, above[name])
			}
		}
	}
}
