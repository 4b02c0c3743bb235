package lmtd

import (
	"maps"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../lmtd.calc.md")

// exchangers draws the differences at the ends, which are exact, and the temperatures from them.
func exchangers(t *rapid.T) (in ask.In, delta1, delta2 float64) {
	eighths := func(name string, to int) float64 { return float64(rapid.IntRange(0, to).Draw(t, name)) / 8 }
	hot, drop := eighths("hot", 8000), eighths("drop", 800)
	delta1, delta2 = 1+eighths("delta 1", 800), 1+eighths("delta 2", 800)
	in = ask.In{"hot_in": hot, "hot_out": hot - drop, "flow": rapid.SampledFrom([]string{"counterflow", "parallel"}).Draw(t, "flow")}
	first, second := "cold_out", "cold_in"
	if in["flow"] == "parallel" {
		first, second = second, first
	}
	in[first], in[second] = hot-delta1, hot-drop-delta2
	return in, delta1, delta2
}

func lmtd(t ask.Tester, in ask.In) float64 {
	t.Helper()
	return ask.For(t, engine, in).Number["lmtd"]
}

func counterflow(delta1, delta2 float64) ask.In {
	return ask.In{"hot_in": delta1, "hot_out": delta2, "cold_in": 0, "cold_out": 0}
}

func TestBetweenGeometricAndArithmeticMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, a, b := exchangers(t)
		m := lmtd(t, in)
		if m < math.Sqrt(a*b)*(1-1e-15) || m > (a+b)/2 {
			t.Fatalf("%v lies outside %v and %v", m, math.Sqrt(a*b), (a+b)/2)
		}
		if back := lmtd(t, counterflow(b, a)); back != m {
			t.Fatalf("%v, and with the ends exchanged %v", m, back)
		}
		if four := lmtd(t, counterflow(4*a, 4*b)); four != 4*m {
			t.Fatalf("%v, and four times the differences %v", m, four)
		}
	})
}

func TestOnlyDifferencesCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _, _ := exchangers(t)
		shift := float64(rapid.IntRange(-1000, 1000).Draw(t, "shift"))
		moved := maps.Clone(in)
		for _, name := range []string{"hot_in", "hot_out", "cold_in", "cold_out"} {
			moved[name] = in[name].(float64) + shift
		}
		if a, b := lmtd(t, in), lmtd(t, moved); a != b {
			t.Fatalf("%v, and on another scale %v", a, b)
		}
	})
}

// TestNearlyEqual compares with the first terms of the series near equal differences, where the textbook formula
// divides zero by zero.
func TestNearlyEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(1, 100).Draw(t, "a")
		x := math.Pow(10, rapid.Float64Range(-16, -5.5).Draw(t, "log10 x"))
		b := a * (1 + x)
		got, want := lmtd(t, counterflow(a, b)), a+(b-a)/2-(b-a)*(b-a)/(12*a)
		if math.Abs(got-want) > 3e-16*want {
			t.Fatalf("lmtd(%v, %v) = %v, want %v", a, b, got, want)
		}
	})
}

func TestGrowsWithEitherDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, a, b := exchangers(t)
		if m := lmtd(t, counterflow(a, b)); lmtd(t, counterflow(a+1, b)) <= m || lmtd(t, counterflow(a, b+1)) <= m {
			t.Fatalf("the mean of %v and %v does not grow with them", a, b)
		}
	})
}
