package main

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/slipstick/slipstick/sdk"
)

func plots() []sdk.Plot {
	return []sdk.Plot{{
		ID: "histogram", Title: "Histogram",
		Summary: "How many observations lie in each of equal intervals from the least to the greatest, as many intervals as Sturges's rule says. The mean and one standard deviation to both sides are dashed, the median is marked.",
		X:       sdk.Axis{Label: "observation", Symbol: "y"},
		Y:       sdk.Axis{Label: "number of observations"},
	}}
}

// intervals returns how many intervals a histogram of n observations has by Sturges's rule: one more than
// the logarithm of n to the base of 2, rounded up.
func intervals(n int) int { return bits.Len(uint(n-1)) + 1 }

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	low, high, n := out.Minimum, out.Maximum, intervals(out.Count)
	if low == high { // one bar around the only value
		low, high, n = low-0.5, high+0.5, 1
	}
	counts := make([]float64, n)
	for _, d := range in.Data {
		part := (float64(d.Float/2) - float64(low/2)) / (float64(high/2) - float64(low/2)) // halves, which do not overflow
		counts[min(n-1, max(0, int(part*float64(n))))]++
	}
	bars, top := sdk.Curve{Label: "observations", Style: sdk.Area}, 0.0
	edge := func(i int) float64 {
		part := float64(i) / float64(n)
		return float64(low*(1-part)) + float64(high*part)
	}
	for i, count := range counts {
		bars.X = append(bars.X, edge(i), edge(i), edge(i+1), edge(i+1))
		bars.Y = append(bars.Y, 0, count, count, 0)
		top = max(top, count)
	}
	upright := func(label string, x float64) sdk.Curve {
		return sdk.Curve{Label: label, Style: sdk.Guide, X: []float64{x, x}, Y: []float64{0, top}}
	}
	return &sdk.Figure{
		Curves: []sdk.Curve{bars, upright("mean", out.Mean), upright("one standard deviation", out.Mean-out.StandardDeviation), upright("one standard deviation", out.Mean+out.StandardDeviation)},
		Points: []sdk.Point{{Label: fmt.Sprintf("median %.6g", out.Median), X: out.Median}},
	}, nil
}
