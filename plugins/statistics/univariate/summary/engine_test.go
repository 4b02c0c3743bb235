package main

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func numbers(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 40).Draw(t, "data")
}

func summary(t ask.Tester, data any) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"data": data}).Number
}

// withoutOrder are the results that the order of the data does not change.
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

// TestShiftAndScale moves data of thirds of decimals by any amount: what measures the
// spread does not change in the last bit, as it would in any floating-point algorithm.
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

// TestDecimalStringsKeepWhatNumbersLose repeats the hardest kind of the reference
// datasets: tenths on an offset of ten millions. From decimal strings the standard
// deviation is a tenth to the last digit; binary64 of the data have eight.
func TestDecimalStringsKeepWhatNumbersLose(t *testing.T) {
	var decimals []string
	var floats []float64
	for i := range 1001 {
		literal := [...]string{"10000000.1", "10000000.3"}[i%2]
		if i == 0 {
			literal = "10000000.2"
		}
		decimals = append(decimals, literal)
		f, _ := strconv.ParseFloat(literal, 64)
		floats = append(floats, f)
	}
	exact, rounded := summary(t, decimals), summary(t, floats)
	if exact["mean"] != 10000000.2 || exact["standard_deviation"] != 0.1 || exact["autocorrelation_lag1"] != -0.999 {
		t.Errorf("from decimal strings: %v, want mean 10000000.2, standard deviation 0.1, autocorrelation -0.999", exact)
	}
	if lost := math.Abs(rounded["standard_deviation"]/0.1 - 1); lost < 1e-10 || lost > 1e-7 {
		t.Errorf("from JSON numbers the standard deviation is off by %v, want some 1e-8", lost)
	}
}

func TestEqualData(t *testing.T) {
	a := ask.For(t, engine, ask.In{"data": []string{"0.1", "0.10", "1e-1"}})
	if _, ok := a.Number["autocorrelation_lag1"]; ok || a.Number["variance"] != 0 || a.Number["mean"] != 0.1 {
		t.Errorf("%v, want no spread and no autocorrelation", a.Number)
	}
}

// Benchmarks of as much data as a request of 64 KiB holds.

func benchmark(b *testing.B, literal func(i int) value.Value) {
	var items []value.Value
	for size := 0; size < 64<<10; {
		v := literal(len(items))
		items = append(items, v)
		size += len(v.Text()) + 3
		if v.Kind() == value.Number {
			size += len(strconv.FormatFloat(v.Number(), 'g', -1, 64)) - 2
		}
	}
	values := value.Values{value.ListOf(items...)}
	b.ReportMetric(float64(len(items)), "observations")
	for b.Loop() {
		if _, err := engine.Calculate(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNumbers(b *testing.B) {
	benchmark(b, func(i int) value.Value { return value.NumberOf(20 + float64(i*7919%1000)/1000) })
}

func BenchmarkDecimals(b *testing.B) {
	benchmark(b, func(i int) value.Value { return value.ExactOf(fmt.Sprintf("10000000.%d", 1+i%9)) })
}

// BenchmarkWorst has one number whose many digits all others are then counted in, and
// those are as large as their sum of squares allows.
func BenchmarkWorst(b *testing.B) {
	first := "1." + strings.Repeat("7", 390) + "e-300"
	benchmark(b, func(i int) value.Value { return value.ExactOf([]string{first, "1e150", "-3e149"}[min(i, 1+i%2)]) })
}
