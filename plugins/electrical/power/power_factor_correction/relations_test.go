package power_factor_correction

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../power_factor_correction.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

func correct(t ask.Tester, in ask.In) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, in).Number
}

func TestPowerFactorAfterCorrection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(1, 1e6).Draw(t, "P")
		a := rapid.Float64Range(0.1, 0.9).Draw(t, "before")
		b := rapid.Float64Range(a, 0.95).Draw(t, "after")
		q := correct(t, ask.In{"active_power": p, "pf_initial": a, "pf_target": b})["capacitor_var"]
		left := p*math.Sqrt((1-a)*(1+a))/a - q
		if got := p / math.Hypot(p, left); math.Abs(got-b) > 1e-14 {
			t.Fatalf("%v var leave the power factor %v, want %v", q, got, b)
		}
		if q < 0 {
			t.Fatalf("%v var", q)
		}
	})
}

func TestStepsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(0.1, 0.5).Draw(t, "a")
		b := rapid.Float64Range(0.6, 0.7).Draw(t, "b")
		c := rapid.Float64Range(0.8, 1).Draw(t, "c")
		step := func(from, to float64) float64 {
			return correct(t, ask.In{"active_power": 1000, "pf_initial": from, "pf_target": to})["capacitor_var"]
		}
		if two, one := step(a, b)+step(b, c), step(a, c); !near(two, one) {
			t.Fatalf("in two steps %v var, in one %v var", two, one)
		}
		if step(a, a) != 0 || step(1, 1) != 0 {
			t.Fatal("equal power factors are corrected")
		}
	})
}

// TestCapacitorsOfRelatedCircuits uses frequencies with few digits, so that their decimals are exact.
func TestCapacitorsOfRelatedCircuits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.In{"active_power": 1e4, "pf_initial": 0.7, "pf_target": 0.95, "volts": rapid.Float64Range(1, 1e5).Draw(t, "volts"), "frequency": float64(rapid.IntRange(10<<10, 100<<10).Draw(t, "f")) / (1 << 10)}
		of := func(more ask.In) map[string]float64 { return correct(t, ask.With(in, more)) }
		single := of(nil)
		f, v, c := in["frequency"].(float64), in["volts"].(float64), single["capacitance"]
		if got := 2 * math.Pi * f * c * v * v; !near(got, single["capacitor_var"]) {
			t.Fatalf("%v F at %v V take %v var, want %v", c, v, got, single["capacitor_var"])
		}
		wye, delta := of(ask.In{"circuit": "3", "connection": "wye"})["capacitance"], of(ask.In{"circuit": "3"})["capacitance"]
		if wye != c || !near(3*delta, c) {
			t.Fatalf("single phase %v F, wye %v F, delta %v F", c, wye, delta)
		}
		for _, connection := range []string{"wye", "delta"} {
			line := of(ask.In{"circuit": "3", "connection": connection, "volts": math.Sqrt(3) * v})["capacitance"]
			if neutral := of(ask.In{"circuit": "3", "connection": connection, "phase": "ln"})["capacitance"]; !near(neutral, line) {
				t.Fatalf("%s: %v F by the voltage to neutral, %v F by the voltage between lines", connection, neutral, line)
			}
		}
		if half := of(ask.In{"frequency": 2 * f})["capacitance"]; half != c/2 {
			t.Fatalf("at twice the frequency %v F, not half of %v F", half, c)
		}
	})
}
