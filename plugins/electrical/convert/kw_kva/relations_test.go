package kw_kva

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../kw_kva.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

func power(t ask.Tester, mode string, a, pf float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"mode": mode, "a": a, "pf": pf}).Number
}

func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, pf := rapid.Float64Range(1e-3, 1e6).Draw(t, "a"), rapid.Float64Range(0.01, 1).Draw(t, "pf")
		there := power(t, "kw_to_kva", a, pf)
		for name, got := range power(t, "kva_to_kw", there["kva"], pf) {
			if !near(got, there[name]) {
				t.Fatalf("%s = %v, and back %v", name, there[name], got)
			}
		}
	})
}

// TestRightTriangle uses powers with few digits, so that their decimals are exact.
func TestRightTriangle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, pf := float64(rapid.IntRange(1, 1_000_000<<6).Draw(t, "a"))/(1<<6), rapid.Float64Range(0.01, 1).Draw(t, "pf")
		for _, mode := range []string{"kw_to_kva", "kva_to_kw"} {
			p := power(t, mode, a, pf)
			if got := math.Hypot(p["kw"], p["kvar"]); !near(got, p["kva"]) {
				t.Fatalf("%s: %v: the sides give %v kVA", mode, p, got)
			}
			if double := power(t, mode, 2*a, pf); double["kvar"] != 2*p["kvar"] || double["kva"] != 2*p["kva"] || double["kw"] != 2*p["kw"] {
				t.Fatalf("%s: %v, of twice the power %v", mode, p, double)
			}
		}
		worse, better := power(t, "kw_to_kva", a, pf*0.99), power(t, "kw_to_kva", a, pf)
		if worse["kva"] <= better["kva"] || worse["kvar"] <= better["kvar"] {
			t.Fatalf("power factor %v: %v, and a worse one: %v", pf, better, worse)
		}
	})
}

func TestWithoutReactivePower(t *testing.T) {
	for _, mode := range []string{"kw_to_kva", "kva_to_kw"} {
		if p := power(t, mode, 7, 1); p["kw"] != 7 || p["kva"] != 7 || p["kvar"] != 0 {
			t.Errorf("%s of 7 with power factor 1: %v", mode, p)
		}
	}
}
