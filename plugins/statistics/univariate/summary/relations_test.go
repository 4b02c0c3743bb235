package summary

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var engine = ask.Document("../summary.calc.md")

func numbers(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 40).Draw(t, "data")
}

func summary(t ask.Tester, data any) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"data": data}).Number
}

// withoutOrder removes the result that depends on the order of the data.
func withoutOrder(results map[string]float64) map[string]float64 {
	delete(results, "autocorrelation_lag1")
	return results
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := numbers(t)
		want := summary(t, data)
		backwards := slices.Clone(data)
		slices.Reverse(backwards)
		if got := summary(t, backwards); !maps.Equal(got, want) {
			t.Fatalf("backwards, where the autocorrelation is the same too: %v, want %v", got, want)
		}
		rand.Shuffle(len(data), func(i, j int) { data[i], data[j] = data[j], data[i] })
		if got := withoutOrder(summary(t, data)); !maps.Equal(got, withoutOrder(want)) {
			t.Fatalf("shuffled: %v, want %v", got, want)
		}
	})
}

// TestShiftAndScale moves decimals by any amount. The measures of the spread are equal to the last bit.
func TestShiftAndScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tenths := rapid.SliceOfN(rapid.IntRange(-999, 999), 2, 30).Draw(t, "tenths")
		shift := rapid.Int64Range(-1e15, 1e15).Draw(t, "shift")
		literals := func(shift, by int64) []string {
			var data []string
			for _, d := range tenths {
				data = append(data, fmt.Sprintf("%de-1", by*(10*shift+int64(d))))
			}
			return data
		}
		a, b := summary(t, literals(0, 1)), summary(t, literals(shift, 1))
		for _, name := range []string{"variance", "standard_deviation", "standard_error", "autocorrelation_lag1"} {
			if a[name] != b[name] {
				t.Fatalf("%s = %v, and %v with all moved by %d", name, a[name], b[name], shift)
			}
		}
		turned := summary(t, literals(0, -2))
		if turned["mean"] != -2*a["mean"] || turned["variance"] != 4*a["variance"] || turned["minimum"] != -2*a["maximum"] || turned["autocorrelation_lag1"] != a["autocorrelation_lag1"] {
			t.Fatalf("%v, and times -2 %v", a, turned)
		}
	})
}

func TestOrderOfResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := numbers(t)
		s, n := summary(t, data), float64(len(data))
		spread := s["maximum"] - s["minimum"]
		switch {
		case s["minimum"] > s["median"] || s["median"] > s["maximum"] || s["minimum"] > s["mean"] || s["mean"] > s["maximum"]:
			t.Fatalf("mean or median lies outside the data: %v", s)
		case s["count"] != n || math.Abs(s["autocorrelation_lag1"]) > 1:
			t.Fatalf("%v of %v observations", s, n)
		case s["standard_deviation"] > spread*math.Sqrt(n/(n-1))/2*(1+1e-15):
			t.Fatalf("standard deviation %v of data that span %v", s["standard_deviation"], spread)
		case math.Abs(s["mean"]-s["median"]) > s["standard_deviation"]*(1+1e-12):
			t.Fatalf("mean %v and median %v are farther apart than %v", s["mean"], s["median"], s["standard_deviation"])
		}
	})
}
