package conductor_resistance

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../conductor_resistance.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

// wires draws lengths with few digits, so that their decimals are exact.
func wires(t *rapid.T) ask.In {
	in := ask.In{
		"length":                  float64(rapid.IntRange(1, 10_000<<10).Draw(t, "length")) / (1 << 10),
		"resistivity":             rapid.Float64Range(1e-9, 1e-5).Draw(t, "resistivity"),
		"temperature_coefficient": rapid.Float64Range(0, 0.005).Draw(t, "alpha"),
		"temperature":             rapid.Float64Range(-100, 300).Draw(t, "T"),
	}
	if rapid.Bool().Draw(t, "by gauge") {
		in["awg"] = rapid.IntRange(-3, 40).Draw(t, "awg")
	} else {
		in["area"] = rapid.Float64Range(1e-9, 1e-2).Draw(t, "area")
	}
	return in
}

func resistance(t ask.Tester, in ask.In) float64 {
	t.Helper()
	return ask.For(t, engine, in).Number["resistance"]
}

func TestWiresInSeriesAndInParallel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := wires(t)
		r := resistance(t, in)
		if twice := resistance(t, ask.With(in, ask.In{"length": 2 * in["length"].(float64)})); twice != 2*r {
			t.Fatalf("twice the length has %v ohm, not twice %v ohm", twice, r)
		}
		thick := ask.With(in, ask.In{"area": 2 * ask.For(t, engine, in).Number["area"]})
		delete(thick, "awg")
		if half := resistance(t, thick); !near(2*half, r) {
			t.Fatalf("twice the cross section has %v ohm, not half of %v ohm", half, r)
		}
	})
}

func TestTemperature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := wires(t)
		at := func(temperature float64) float64 {
			return resistance(t, ask.With(in, ask.In{"temperature": temperature}))
		}
		cold, mean, hot := at(0), at(50), at(100)
		if !near(cold+hot, 2*mean) || hot < cold {
			t.Fatalf("%v ohm at 0 degC, %v at 50, %v at 100: not on a rising line", cold, mean, hot)
		}
		if plain := resistance(t, ask.With(in, ask.In{"temperature_coefficient": 0})); at(20) != plain {
			t.Fatalf("%v ohm at the reference temperature, %v ohm without a coefficient", at(20), plain)
		}
	})
}

// TestGauges has the construction of the gauge: 39 steps from 4/0 to 36 are a factor 92
// of the diameter.
func TestGauges(t *testing.T) {
	area := func(n int) float64 { return ask.For(t, engine, ask.In{"length": 1, "awg": n}).Number["area"] }
	if got, want := area(-3)/area(36), 92.0*92; !near(got, want) {
		t.Errorf("4/0 has %v times the cross section of 36, want %v", got, want)
	}
	if got, want := math.Sqrt(4*area(36)/math.Pi), 0.127e-3; !near(got, want) {
		t.Errorf("gauge 36 is %v m thick, want %v", got, want)
	}
	for n := -2; n < 40; n++ {
		if got, want := area(n-1)*area(n+1), area(n)*area(n); !near(got, want) {
			t.Errorf("gauges %d to %d are no geometric series", n-1, n+1)
		}
		if area(n) >= area(n-1) {
			t.Errorf("gauge %d is not thinner than %d", n, n-1)
		}
	}
}
