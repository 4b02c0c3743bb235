package analysis_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/study/analysis"
)

// checkRule compares a rule with its result in the guide for the numbers of the case.
func (c *aCase) checkRule(t *testing.T) {
	read := func(plan, expected any) {
		t.Helper()
		one := struct{ Plan, Expected any }{plan, expected}
		if err := json.Unmarshal(c.raw, &one); err != nil {
			t.Fatal(err)
		}
	}
	name, _, _ := strings.Cut(c.Model, ":")
	switch name {
	case "numerical_tolerance":
		var plan struct {
			Cases []struct {
				U      float64
				Digits int
			}
		}
		var want struct{ Delta []float64 }
		read(&plan, &want)
		for i, one := range plan.Cases {
			near(t, "delta", analysis.NumericalTolerance(one.U, one.Digits), want.Delta[i], 1e-12)
		}
	case "adaptive_block":
		var plan struct{ Probability []float64 }
		var want struct{ M []int }
		read(&plan, &want)
		for i, p := range plan.Probability {
			if got := analysis.BlockSize(probability(p)); got != want.M[i] {
				t.Errorf("a block for %v has %d draws, want %d", p, got, want.M[i])
			}
		}
	case "interval_rule":
		var plan struct{ Probability float64 }
		var want struct {
			Symmetric [2]float64 `json:"interval_symmetric"`
			Shortest  [2]float64 `json:"interval_shortest"`
			Mean, U   float64
		}
		read(&plan, &want)
		var values []float64
		for i := 1.0; i <= 100; i++ {
			values = append(values, i*i)
		}
		symmetric, shortest := analysis.Intervals(values, probability(plan.Probability))
		if symmetric != (analysis.Interval{Low: want.Symmetric[0], High: want.Symmetric[1]}) || shortest != (analysis.Interval{Low: want.Shortest[0], High: want.Shortest[1]}) {
			t.Errorf("the intervals are %v and %v, want %v and %v", symmetric, shortest, want.Symmetric, want.Shortest)
		}
		mean, u := analysis.MeanAndStandard(values)
		near(t, "the mean", mean, want.Mean, 1e-12)
		near(t, "u", u, want.U, 1e-12)
	case "adaptive_stop":
		var plan struct {
			Blocks [][4]float64
			U      float64 `json:"u_of_all_draws"`
			Digits []int
		}
		var want struct {
			S    [4]float64
			Stop map[string]bool
		}
		read(&plan, &want)
		var blocks []analysis.Block
		for _, b := range plan.Blocks {
			blocks = append(blocks, analysis.Block{Mean: b[0], Standard: b[1], Low: b[2], High: b[3]})
		}
		for i, s := range analysis.Spread(blocks) {
			near(t, "s", s, want.S[i], 1e-12)
		}
		if analysis.Stable(blocks, plan.U, 1) != want.Stop["1"] || analysis.Stable(blocks, plan.U, 2) != want.Stop["2"] {
			t.Error("it stops elsewhere")
		}
	case "validation":
		var plan struct {
			First  [2]float64 `json:"first_order_interval"`
			Drawn  [2]float64 `json:"monte_carlo_interval"`
			U      float64
			Digits int
		}
		var want struct {
			Low       float64 `json:"d_low"`
			High      float64 `json:"d_high"`
			Validated bool
		}
		read(&plan, &want)
		low, high, valid := analysis.Validated(analysis.Interval{Low: plan.First[0], High: plan.First[1]}, analysis.Interval{Low: plan.Drawn[0], High: plan.Drawn[1]}, plan.U, plan.Digits)
		near(t, "the low end", low, want.Low, 1e-12)
		near(t, "the high end", high, want.High, 1e-12)
		if valid != want.Validated {
			t.Errorf("validated is %v", valid)
		}
	case "coverage_factor":
		var plan struct {
			Cases []struct {
				P  float64
				Nu *float64
			}
		}
		var want struct{ K []float64 }
		read(&plan, &want)
		for i, one := range plan.Cases {
			nu := math.Inf(1)
			if one.Nu != nil {
				nu = *one.Nu
			}
			near(t, "k", analysis.CoverageFactor(one.P, nu), want.K[i], 1e-12)
		}
	default:
		t.Fatalf("no rule %q", c.Model)
	}
}
