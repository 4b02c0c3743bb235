package analysis_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/study/analysis"
	"github.com/slipstick/slipstick/sdk"
)

// Results are correct at the ends of binary64, where squares and differences of numbers overflow.
func TestFiguresAtTheEnds(t *testing.T) {
	for _, scale := range []float64{1, 1e-300, 1e-200, 1e200, 5e307} {
		mean, standard := analysis.MeanAndStandard([]float64{1 * scale, 2 * scale, 3 * scale})
		near(t, "mean", mean, 2*scale, 1e-15)
		near(t, "standard deviation", standard, scale, 1e-15)
		spread := analysis.Spread([]analysis.Block{{Mean: scale}, {Mean: 3 * scale}})
		near(t, "spread", spread[0], scale, 1e-15)
		d := analysis.Distribution{Kind: analysis.Trapezoidal, Width: 3 * scale, Inner: scale}
		near(t, "standard deviation of a trapezoid", d.StandardDeviation(), math.Sqrt(10.0/6)*scale, 1e-15)
	}
	if mean, standard := analysis.MeanAndStandard([]float64{-math.MaxFloat64, math.MaxFloat64, 0}); mean != 0 || standard != math.MaxFloat64 {
		t.Errorf("mean %v, standard deviation %v", mean, standard)
	}
	sorted := []float64{-1.7e308, -1.6e308, 0, 1e308, 1.5e308, 1.7e308}
	if _, shortest := analysis.Intervals(sorted, big.NewRat(1, 2)); shortest != (analysis.Interval{Low: 0, High: 1.7e308}) {
		t.Errorf("shortest %v", shortest)
	}
	if list := analysis.Logarithmic(ratOf("5e-324"), ratOf("1.7976931348623157e308"), 2); !slices.Equal(list, []float64{5e-324, math.MaxFloat64}) {
		t.Error(list)
	}
	if list := analysis.Logarithmic(ratOf("1e-307"), ratOf("1e307"), 3); !slices.Equal(list, []float64{1e-307, 1, 1e307}) {
		t.Error(list)
	}
	m := &analysis.MonteCarlo{Inputs: []analysis.Distribution{{Kind: analysis.Rectangular, Width: 1.7e308}}, Draws: 1000, Probability: big.NewRat(1, 2), Seed: 3, Histogram: 4}
	d, err := m.Run(context.Background(), itself)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "width", d.Outputs[0].Width, 0.85e308, 0.01)
	for _, n := range d.Outputs[0].Counts {
		if n < 200 {
			t.Errorf("counts %v", d.Outputs[0].Counts)
		}
	}
}

// The law of propagation gives the same result in other units of the inputs, as long as binary64 has the numbers.
func TestBudgetAtTheEnds(t *testing.T) {
	for _, unit := range []float64{1, 1e-160, 1e-200, 1e160, 1e200} {
		for _, of := range []float64{1, 1e-90, 1e90} {
			m := analysis.Func(func(p []float64) analysis.Answer {
				x, y := p[0]/unit, p[1]/unit
				return analysis.Answer{Values: []float64{(3*x + 4*y) * of, (4*x - 3*y) * of}}
			})
			inputs := []analysis.Input{{Estimate: 10 * unit, Standard: unit, Freedom: 9}, {Estimate: 20 * unit, Standard: unit, Freedom: 9}}
			b, err := analysis.Propagate(context.Background(), m, inputs, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "uncertainty", b.Of[0].Standard, 5*of, 1e-9)
			near(t, "degrees of freedom", b.Of[0].Freedom, 9*625/337.0, 1e-9)
			if math.Abs(b.Correlation[0][1]) > 1e-9 || math.Abs(b.Correlation[0][0]-1) > 1e-9 {
				t.Errorf("unit %v, %v: correlation %v", unit, of, b.Correlation)
			}
		}
	}
	// Steps that overflow on one side do not give a slope of 0.
	s, err := analysis.Slopes(context.Background(), analysis.Func(func(p []float64) analysis.Answer {
		if math.IsInf(p[0], 0) {
			return analysis.Answer{Rejected: errBeyond}
		}
		return analysis.Answer{Values: []float64{p[0] / 2}}
	}), []float64{1.7e308}, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "slope", s.Slopes[0][0].Derivative, 0.5, 1e-9)
}

var errBeyond = sdk.Reject(sdk.CodeNonFiniteResult, "", "beyond binary64")

// Seek finds a goal in a bracket that spans binary64.
func TestGoalAtTheEnds(t *testing.T) {
	for _, want := range []float64{3, -7, 1e-300, 1e300, 0} {
		m := analysis.Func(func(p []float64) analysis.Answer { return analysis.Answer{Values: []float64{p[0]}} })
		found, err := (&analysis.Goal{From: math.MaxFloat64, To: -math.MaxFloat64, Wanted: want}).Seek(context.Background(), m)
		if err != nil || found.Found != analysis.AtGoal || found.Best.Input != want {
			t.Errorf("%v: %+v, %v", want, found, err)
		}
	}
}

// divider is the voltage of a divider of 12 V with the resistors as inputs.
var divider = analysis.Func(func(p []float64) analysis.Answer {
	return analysis.Answer{Values: []float64{12 * p[1] / (p[0] + p[1])}}
})

// Inputs can be equal except for their scale. Expected by hand, for 1000 and 2000 ohms with an uncertainty of 10 each: the
// sensitivities are -12·2000/3000² and 12·1000/3000².
func TestFullCorrelation(t *testing.T) {
	for r, want := range map[float64]float64{1: 0.04 / 3, -1: 0.04} {
		correlation := [][]float64{{1, r}, {r, 1}}
		b, err := analysis.Propagate(context.Background(), divider, []analysis.Input{{Estimate: 1000, Standard: 10, Freedom: math.Inf(1)}, {Estimate: 2000, Standard: 10, Freedom: math.Inf(1)}}, correlation, false)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "uncertainty", b.Of[0].Standard, want, 1e-9)
		m := &analysis.MonteCarlo{
			Inputs: []analysis.Distribution{{Kind: analysis.Normal, Estimate: 1000, Standard: 10}, {Kind: analysis.Normal, Estimate: 2000, Standard: 10}},
			Draws:  20_000, Probability: big.NewRat(95, 100), Seed: 1, Correlation: correlation,
		}
		d, err := m.Run(context.Background(), analysis.Func(func(p []float64) analysis.Answer {
			if a, b := p[0]-1000, p[1]-2000; math.Abs(a-r*b) > 1e-9 {
				t.Fatalf("drawn %v and %v", a, b)
			}
			return divider(p)
		}))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "drawn uncertainty", d.Outputs[0].Standard, want, 0.02)
	}
}

// A matrix is a correlation if and only if such inputs exist. They can depend on each other.
func TestCorrelations(t *testing.T) {
	matrix := func(ab, ac, bc float64) [][]float64 { return [][]float64{{1, ab, ac}, {ab, 1, bc}, {ac, bc, 1}} }
	for _, tt := range []struct {
		c    [][]float64
		want error
	}{
		{matrix(1, 1, 1), nil},
		{matrix(1, -1, -1), nil},
		{matrix(1, 0.5, 0.5), nil},
		{matrix(0, 0.6, 0.8), nil}, // c = 0.6 a + 0.8 b
		{matrix(-0.5, -0.5, -0.5), nil},
		{matrix(0.9999999999999999, 0, 0), nil},
		{matrix(1, 0.5, 0.4), analysis.ErrNotDefinite},
		{matrix(1, 1, -1), analysis.ErrNotDefinite},
		{matrix(1, 1, 0), analysis.ErrNotDefinite},
		{matrix(-0.6, -0.6, -0.6), analysis.ErrNotDefinite},
		{matrix(0, 0.6, 0.801), analysis.ErrNotDefinite},
		{matrix(1.0000000000000002, 0, 0), analysis.ErrOutsideOfOne},
		{matrix(math.NaN(), 0, 0), analysis.ErrOutsideOfOne},
	} {
		if err := analysis.CheckCorrelation(tt.c); !errors.Is(err, tt.want) {
			t.Errorf("%v: %v, want %v", tt.c, err, tt.want)
		}
		if tt.want != nil {
			continue
		}
		m := &analysis.MonteCarlo{Inputs: []analysis.Distribution{every[0], every[0], every[0], every[2]}, Draws: 20_000, Probability: big.NewRat(95, 100), Seed: 8}
		for _, row := range tt.c {
			m.Correlation = append(m.Correlation, append(slices.Clone(row), 0))
		}
		m.Correlation = append(m.Correlation, []float64{0, 0, 0, 1})
		d, err := m.Run(context.Background(), analysis.Func(func(p []float64) analysis.Answer {
			return analysis.Answer{Values: []float64{p[0] + p[1], p[0] + p[2], p[1] + p[2], p[0], p[3]}}
		}))
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range []float64{tt.c[0][1], tt.c[0][2], tt.c[1][2]} {
			if want := 2 * math.Sqrt(math.Max(2+2*r, 0)); math.Abs(d.Outputs[k].Standard-want) > 0.06 {
				t.Errorf("%v: a sum has %v, want %v", tt.c, d.Outputs[k].Standard, want)
			}
		}
		near(t, "an input", d.Outputs[3].Standard, 2, 0.03)
		near(t, "an independent input", d.Outputs[4].Standard, 2/math.Sqrt(3), 0.03)
	}
}
