package stats_test

import (
	"testing"

	"github.com/slipstick/slipstick/host/tools/bench/internal/stats"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{9, 1}, 5},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 100, 2}, 3},
	} {
		if got := stats.Median(tt.values); got != tt.want {
			t.Errorf("Median(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestMedianLeavesItsValues(t *testing.T) {
	values := []float64{3, 1, 2}
	stats.Median(values)
	if values[0] != 3 || values[1] != 1 || values[2] != 2 {
		t.Errorf("the values became %v", values)
	}
}

// The second round ran on a machine half as fast. The ratio is the median of the ratios in each round,
// not the ratio of the medians.
func TestRoundByRound(t *testing.T) {
	a, b := []float64{90, 45, 90}, []float64{100, 50, 100, 7}
	if got := stats.Ratio(a, b); got != 0.9 {
		t.Errorf("Ratio = %v, want 0.9", got)
	}
	if got := stats.Excess([]float64{10, 30, 25}, []float64{8, 21, 20}); got != 5 {
		t.Errorf("Excess = %v, want 5", got)
	}
	if got := stats.Ratio([]float64{1, 2}, []float64{0, 4}); got != 0.5 {
		t.Errorf("Ratio = %v, want the ratio of the only complete round", got)
	}
	if stats.Ratio(nil, b) != 0 || stats.Excess(a, nil) != 0 {
		t.Error("something came of nothing")
	}
}

func TestPercentile(t *testing.T) {
	var hundred []int
	for i := range 100 {
		hundred = append(hundred, i+1)
	}
	for p, want := range map[float64]int{0: 1, 0.5: 1, 50: 50, 98.5: 99, 99: 99, 100: 100} {
		if got := stats.Percentile(hundred, p); got != want {
			t.Errorf("percentile %v of 1 to 100 = %d, want %d", p, got, want)
		}
	}
	if got := stats.Percentile[int](nil, 50); got != 0 {
		t.Errorf("percentile of nothing = %d", got)
	}
}
