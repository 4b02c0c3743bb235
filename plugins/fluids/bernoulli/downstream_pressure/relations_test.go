package downstream_pressure

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../downstream_pressure.calc.md")

// flows draws a flow whose numbers have few bits, so that properties hold exactly
// where no height is involved.
func flows(t *rapid.T) ask.In {
	eighths := func(name string, from, to int) float64 { return float64(rapid.IntRange(from, to).Draw(t, name)) / 8 }
	return ask.In{
		"density": eighths("rho", 1, 8000), "pressure_1": eighths("p1", 0, 8_000_000),
		"velocity_1": eighths("v1", -200, 200), "velocity_2": eighths("v2", -200, 200),
		"elevation_1": eighths("z1", -800, 800), "elevation_2": eighths("z2", -800, 800),
	}
}

func downstream(t ask.Tester, in ask.In) float64 {
	t.Helper()
	return ask.For(t, engine, in).Number["pressure_2"]
}

func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(flows(t), ask.In{"elevation_1": 0, "elevation_2": 0})
		back := ask.With(in, ask.In{"pressure_1": downstream(t, in), "velocity_1": in["velocity_2"], "velocity_2": in["velocity_1"]})
		if got := downstream(t, back); got != in["pressure_1"] {
			t.Fatalf("back to station 1: %v Pa, want %v", got, in["pressure_1"])
		}
	})
}

func TestNothingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := flows(t)
		head := rapid.Float64Range(0, 100).Draw(t, "head")
		same := ask.With(in, ask.In{"velocity_2": in["velocity_1"], "elevation_2": in["elevation_1"], "head_loss": head, "pump_head": head})
		if got := downstream(t, same); got != in["pressure_1"] {
			t.Fatalf("%v Pa become %v", in["pressure_1"], got)
		}
	})
}

// TestAHeadIsAHead compares a loss with the same difference of heights, and with a turbine of the same head.
func TestAHeadIsAHead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := flows(t)
		head := float64(rapid.IntRange(0, 800).Draw(t, "head")) / 8
		lost := downstream(t, ask.With(in, ask.In{"head_loss": head}))
		higher := downstream(t, ask.With(in, ask.In{"elevation_2": in["elevation_2"].(float64) + head}))
		turbine := downstream(t, ask.With(in, ask.In{"pump_head": -head}))
		if lost != higher || lost != turbine || head > 0 && lost >= downstream(t, in) {
			t.Fatalf("head of %v m: %v lost, %v higher, %v by a turbine", head, lost, higher, turbine)
		}
	})
}

func TestLevelsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := flows(t)
		up := float64(rapid.IntRange(-8000, 8000).Draw(t, "up")) / 8
		raised := ask.With(in, ask.In{"elevation_1": in["elevation_1"].(float64) + up, "elevation_2": in["elevation_2"].(float64) + up})
		if a, b := downstream(t, in), downstream(t, raised); a != b {
			t.Fatalf("%v Pa, and %v Pa with both stations %v m higher", a, b, up)
		}
	})
}
