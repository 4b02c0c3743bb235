package parallel_resistance

import (
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../parallel_resistance.calc.md")

// near allows for the rounding of some results that are combined.
func near(a, b float64) bool { return math.Abs(a-b) <= 4e-15*max(math.Abs(a), math.Abs(b)) }

func combine(t ask.Tester, resistances []float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"resistances": resistances}).Number
}

var lists = rapid.SliceOfN(rapid.Float64Range(1e-6, 1e9), 1, 20)

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := lists.Draw(t, "R")
		a := combine(t, list)
		if b := combine(t, rapid.Permutation(list).Draw(t, "permuted")); !maps.Equal(a, b) {
			t.Fatalf("%v, in another order %v", a, b)
		}
	})
}

func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := lists.Draw(t, "R")
		a := combine(t, list)
		n, least, most := float64(len(list)), slices.Min(list), slices.Max(list)
		if p := a["parallel_resistance"]; p > least || p*n < least*(1-1e-15) {
			t.Fatalf("%v ohm in parallel", p)
		}
		if s := a["series_resistance"]; s < most || s > n*most*(1+1e-15) {
			t.Fatalf("%v ohm in series", s)
		}
		larger := slices.Clone(list)
		for i := range larger {
			larger[i] *= 2
		}
		if b := combine(t, larger); b["parallel_resistance"] != 2*a["parallel_resistance"] || b["series_resistance"] != 2*a["series_resistance"] {
			t.Fatalf("%v, with twice the resistances %v", a, b)
		}
	})
}

func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, more := lists.Draw(t, "R"), lists.Draw(t, "more")
		for _, name := range []string{"parallel_resistance", "series_resistance"} {
			grouped := combine(t, []float64{combine(t, list)[name], combine(t, more)[name]})[name]
			if all := combine(t, slices.Concat(list, more))[name]; !near(grouped, all) {
				t.Fatalf("%s: in groups %v ohm, all at once %v ohm", name, grouped, all)
			}
		}
	})
}

func TestEqualResistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, doublings := rapid.Float64Range(1e-6, 1e9).Draw(t, "R"), rapid.IntRange(0, 6).Draw(t, "doublings")
		n := 1 << doublings
		if a := combine(t, slices.Repeat([]float64{r}, n)); a["parallel_resistance"] != r/float64(n) || a["series_resistance"] != r*float64(n) {
			t.Fatalf("%d times %v ohm: %v", n, r, a)
		}
	})
}
