package analysis_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/study/analysis"
)

// every has one distribution of each kind.
var every = []analysis.Distribution{
	{Kind: analysis.Normal, Estimate: 10, Standard: 2},
	{Kind: analysis.Student, Estimate: 10, Standard: 2, Freedom: 9},
	{Kind: analysis.Rectangular, Estimate: 10, Width: 2},
	{Kind: analysis.Curved, Estimate: 10, Width: 2, Inner: 0.5},
	{Kind: analysis.Trapezoidal, Estimate: 10, Width: 2, Inner: 0.5},
	{Kind: analysis.Triangular, Estimate: 10, Width: 2},
	{Kind: analysis.Arcsine, Estimate: 10, Width: 2},
	{Kind: analysis.Exponential, Estimate: 10},
	{Kind: analysis.Gamma, Estimate: 10},
}

// itself is a model with its inputs as outputs.
var itself = analysis.Func(func(p []float64) analysis.Answer { return analysis.Answer{Values: slices.Clone(p)} })

// Draws have the mean and the standard deviation of their distribution. Their bits never change, because users store seeds
// of studies for years, and use them on other processors.
func TestDraws(t *testing.T) {
	const draws = 40_000
	d, err := (&analysis.MonteCarlo{Inputs: every, Draws: draws, Probability: big.NewRat(95, 100), Seed: 4}).Run(context.Background(), itself)
	if err != nil {
		t.Fatal(err)
	}
	var means []float64
	for i, of := range every {
		o := d.Outputs[i]
		u := of.StandardDeviation()
		if math.Abs(o.Mean-of.Mean()) > 5*u/math.Sqrt(draws) || math.Abs(o.Standard-u) > 0.03*u {
			t.Errorf("%s: mean %v and standard deviation %v, want %v and %v", of.Kind, o.Mean, o.Standard, of.Mean(), u)
		}
		means = append(means, o.Mean)
	}
	if want := []float64{10.014144114810007, 9.992214063276755, 10.005990643143495, 9.990566695322979, 10.001202833905467, 10.00478256518386, 10.00304085957056, 10.064659691053302, 10.997437286582898}; !slices.Equal(means, want) {
		t.Errorf("the means are %#v", means)
	}
}

// Correlated draws have the wanted correlation, and an independent input has none.
func TestCorrelatedDraws(t *testing.T) {
	const draws, r = 40_000, -0.8
	inputs := []analysis.Distribution{every[0], every[2], every[0]}
	m := &analysis.MonteCarlo{Inputs: inputs, Draws: draws, Probability: big.NewRat(95, 100), Seed: 4, Correlation: [][]float64{{1, 0, r}, {0, 1, 0}, {r, 0, 1}}}
	d, err := m.Run(context.Background(), analysis.Func(func(p []float64) analysis.Answer {
		return analysis.Answer{Values: []float64{p[0] + p[2], p[0] + p[1]}}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{math.Sqrt(4 + 4 + 2*r*4), math.Sqrt(4 + 4.0/3)} {
		if got := d.Outputs[i].Standard; math.Abs(got-want) > 0.03*want {
			t.Errorf("sum %d has the standard deviation %v, want %v", i, got, want)
		}
	}
}
