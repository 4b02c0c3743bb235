package effectiveness_ntu

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../effectiveness_ntu.calc.md")

const (
	counterflow = "counterflow"
	parallel    = "parallel"
	maxMixed    = "crossflow_cmax_mixed"
	minMixed    = "crossflow_cmin_mixed"
)

var arrangements = []string{counterflow, parallel, maxMixed, minMixed}

func effectiveness(t ask.Tester, n, c float64, arrangement string) float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"ntu": n, "capacity_ratio": c, "arrangement": arrangement}).Number["effectiveness"]
}

func TestOrderOfArrangements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, c := rapid.Float64Range(0, 20).Draw(t, "N"), rapid.Float64Range(0, 1).Draw(t, "C")
		least, most := effectiveness(t, n, c, parallel), effectiveness(t, n, c, counterflow)
		for _, a := range arrangements {
			e := effectiveness(t, n, c, a)
			if e < least || e > most || e < 0 || e > -math.Expm1(-n)*(1+1e-15) {
				t.Fatalf("%s: %v lies outside %v and %v", a, e, least, most)
			}
		}
	})
}

func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, c := rapid.Float64Range(0.01, 5).Draw(t, "N"), rapid.Float64Range(0, 0.9).Draw(t, "C")
		a := rapid.SampledFrom(arrangements).Draw(t, "arrangement")
		e := effectiveness(t, n, c, a)
		if more := effectiveness(t, 1.01*n, c, a); more <= e {
			t.Fatalf("%s: more transfer units give %v after %v", a, more, e)
		}
		if worse := effectiveness(t, n, c+0.1, a); worse >= e {
			t.Fatalf("%s: a larger capacity ratio gives %v after %v", a, worse, e)
		}
	})
}

func TestLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(0.01, 1).Draw(t, "C")
		for a, want := range map[string]float64{
			counterflow: 1, parallel: 1 / (1 + c), maxMixed: -math.Expm1(-c) / c, minMixed: -math.Expm1(-1 / c),
		} {
			if got := effectiveness(t, 1e300, c, a); math.Abs(got-want) > 4e-16 {
				t.Fatalf("%s of infinite size: %v, want %v", a, got, want)
			}
			const small = 1e-9
			if got := effectiveness(t, small, c, a); math.Abs(got-small) > 2e-9*small {
				t.Fatalf("%s, a small one: %v, want %v", a, got, small)
			}
			if got := effectiveness(t, 3, 0, a); got != effectiveness(t, 3, 0, counterflow) {
				t.Fatalf("%s differs where one stream keeps its temperature", a)
			}
		}
	})
}

// TestContinuous crosses to the forms for C = 0 and C = 1.
func TestContinuous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Float64Range(0, 30).Draw(t, "N")
		for _, a := range arrangements {
			for _, step := range []struct{ at, by float64 }{{0, 1e-18}, {1, -0x1p-53}} {
				at, near := effectiveness(t, n, step.at, a), effectiveness(t, n, step.at+step.by, a)
				if math.Abs(at-near) > 2e-15 {
					t.Fatalf("%s, N = %v: %v at C = %v, %v near it", a, n, at, step.at, near)
				}
			}
		}
	})
}
