package main

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/sdk"
)

func drawn(t interface {
	Fatal(...any)
	Helper()
}, data ...float64) *sdk.Figure {
	t.Helper()
	in := Input{}
	for _, x := range data {
		in.Data = append(in.Data, sdk.Decimal{Float: x})
	}
	f, err := in.Draw(context.Background(), "histogram")
	if err == nil {
		err = engine.Spec().Plots[0].Check(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestHistogram counts what lies under each bar.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 2, 60).Draw(t, "data")
		bars := drawn(t, data...).Curves[0]
		total, last := 0.0, len(bars.X)-4
		for i := 0; i < len(bars.X); i += 4 {
			from, to, count := bars.X[i], bars.X[i+2], bars.Y[i+1]
			least, most := 0.0, 0.0 // those at an edge may be rounded to either side
			slack := 1e-12 * (math.Abs(from) + math.Abs(to))
			for _, x := range data {
				if x > from+slack && x < to-slack {
					least++
				}
				if x >= from-slack && x <= to+slack {
					most++
				}
			}
			if count < least || count > most || i < last && bars.X[i+4] != to {
				t.Fatalf("from %v to %v: %v drawn, between %v and %v counted", from, to, count, least, most)
			}
			total += count
		}
		if total != float64(len(data)) {
			t.Fatalf("%v of %d observations are drawn", total, len(data))
		}
	})
}

func TestIntervals(t *testing.T) {
	for n, want := range map[int]int{2: 2, 3: 3, 4: 3, 5: 4, 64: 7, 65: 8, 1000: 11} { // 1 + log2 n, rounded up
		if got := intervals(n); got != want {
			t.Errorf("%d observations in %d intervals, want %d", n, got, want)
		}
	}
}

func TestHistogramAtTheEnds(t *testing.T) {
	if bars := drawn(t, 7, 7, 7).Curves[0]; len(bars.X) != 4 || bars.Y[1] != 3 || bars.X[0] != 6.5 || bars.X[2] != 7.5 {
		t.Errorf("of equal data: %+v", bars)
	}
	bars := drawn(t, -1e308, 1e308, 1e308).Curves[0]
	if last := len(bars.Y) - 1; bars.Y[1] != 1 || bars.Y[last-1] != 2 || bars.X[0] != -1e308 || bars.X[last] != 1e308 {
		t.Errorf("of enormous data: %+v", bars)
	}
}
