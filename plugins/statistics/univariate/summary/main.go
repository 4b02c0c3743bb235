// Command summary is the engine of the summary of a list of numbers. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/doubled"
	"github.com/slipstick/slipstick/plugins/internal/rational"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The codes of this engine.
const (
	tooFew      = "TOO_FEW_OBSERVATIONS"
	noVariation = "AUTOCORRELATION_UNDEFINED"
)

// Input is the data.
type Input struct {
	Data []sdk.Decimal `name:"data" alias:"x,values,observations" symbol:"y" doc:"At least two observations, in their order."`
}

// Output is the summary.
type Output struct {
	Count               int      `name:"count" symbol:"n" doc:"Number of observations."`
	Mean                float64  `name:"mean" headline:"true" symbol:"\\bar y" doc:"Arithmetic mean."`
	StandardDeviation   float64  `name:"standard_deviation" symbol:"s" doc:"Standard deviation of the sample, with n - 1."`
	Variance            float64  `name:"variance" symbol:"s^2" doc:"Variance of the sample, with n - 1."`
	Minimum             float64  `name:"minimum" symbol:"y_{\\min}" doc:"Least observation."`
	Maximum             float64  `name:"maximum" symbol:"y_{\\max}" doc:"Greatest observation."`
	Median              float64  `name:"median" symbol:"y_{\\mathrm{med}}" doc:"Middle observation by size, or the mean of the two in the middle."`
	StandardError       float64  `name:"standard_error" label:"Standard error of the mean" symbol:"s_{\\bar y}" doc:"Standard error of the mean."`
	AutocorrelationLag1 *float64 `name:"autocorrelation_lag1" label:"Autocorrelation (lag 1)" symbol:"r_1" doc:"Autocorrelation of observations with those that follow them. Absent where all are equal."`
}

// Engine returns the engine of statistics.univariate.summary 1.1.0, of observations y1 to
// yn. The formula is the Definition.
//
// Units are those of the data.
//
// Error: none but the final rounding. Sums are sums of integers over one denominator,
// and each result is the binary64 nearest to the true value for the given data:
// decimal strings count as what they say, to the last digit.
//
// Source: the definitions, as in the NIST Statistical Reference Datasets.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "statistics.univariate.summary",
		Version:    "1.1.0",
		Tool:       "summary-statistics",
		Group:      "statistics",
		Title:      "Summary statistics: mean, standard deviation, median",
		Summary:    "Mean, standard deviation, variance, median, extremes, standard error and lag-1 autocorrelation of a list of numbers, exact to the last digit of the data.",
		Changes:    "A histogram shows the observations. Results are as they were.",
		Keywords:   []string{"average", "mean", "standard deviation", "variance", "median", "spread", "descriptive statistics", "measurement series", "sigma", "standard error"},
		Definition: `n = count(y)
ybar = sum(v in y: v)/n
S = sum(v in y: (v - ybar)^2)
variance = S/(n - 1)
s = sqrt(variance)
y_min = min(y)
y_max = max(y)
y_med = median(y)
s_ybar = s/sqrt(n)
r_1 = sum(i in 1..n - 1: (y[i] - ybar)*(y[i + 1] - ybar))/S  if S > 0`,
		Formulas: []sdk.Formula{{
			ID:    "summary_sample_v1",
			Label: "Moments of a sample and autocorrelation at lag 1",
		}},
		Assumptions: []string{
			"The data are a sample: variance and standard deviation are with n - 1.",
			"The standard error is that of independent observations.",
			"The order of the data is that of time, as far as the autocorrelation goes.",
		},
		References: []sdk.Reference{
			{Title: "NIST/SEMATECH e-Handbook of Statistical Methods", Where: "section 1.3.5, measures of location and scale, autocorrelation"},
			{Title: "NIST Statistical Reference Datasets", Where: "univariate summary statistics"},
		},
		Plots:    plots(),
		Errors:   []string{tooFew},
		Warnings: []string{noVariation},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	n := len(in.Data)
	if n < 2 {
		return Output{}, sdk.Reject(tooFew, "data", "at least 2 observations are needed, not %d", n).Suggest("Give at least two numbers.")
	}
	s := sampleOf(in.Data)
	out := Output{
		Count:             n,
		Mean:              rational.Decide(ctx, "mean", s.mean, func() float64 { return rational.Round(ctx, "mean", s.exactly().mean()) }),
		StandardDeviation: rational.Decide(ctx, "standard_deviation", s.variance.Sqrt(), func() float64 { return rational.RoundSqrt(ctx, "standard_deviation", s.exactly().variance()) }),
		Variance:          rational.Decide(ctx, "variance", s.variance, func() float64 { return rational.Round(ctx, "variance", s.exactly().variance()) }),
		StandardError:     rational.Decide(ctx, "standard_error", s.errorSquared.Sqrt(), func() float64 { return rational.RoundSqrt(ctx, "standard_error", s.exactly().errorSquared()) }),
	}
	if s.varies() {
		out.AutocorrelationLag1 = new(rational.Decide(ctx, "autocorrelation_lag1", s.correlation, func() float64 { return rational.Round(ctx, "autocorrelation_lag1", s.exactly().autocorrelation()) }))
	} else {
		sdk.Warn(ctx, sdk.Warning{
			Code: noVariation, Severity: sdk.Info,
			Detail:     "All observations are equal, so their autocorrelation is zero divided by zero and left out.",
			Suggestion: "Nothing need be done, unless the data should vary.",
		})
	}
	order := sorted(in.Data)
	half := n / 2
	middle := order[half-1+n%2 : half+1] // one or two
	median := rational.Of(middle[0]).Add(rational.Of(middle[len(middle)-1])).Div(doubled.Int(2))
	out.Median = rational.Decide(ctx, "median", median, func() float64 { return rational.Round(ctx, "median", meanOf(middle)) })
	out.Minimum = rational.Decide(ctx, "minimum", rational.Of(order[0]), func() float64 { return rational.Round(ctx, "minimum", order[0].Rat()) })
	out.Maximum = rational.Decide(ctx, "maximum", rational.Of(order[n-1]), func() float64 { return rational.Round(ctx, "maximum", order[n-1].Rat()) })
	return out, nil
}
