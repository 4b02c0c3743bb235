// Command summary is the engine of the summary of a list of numbers. See [Engine].
package main

import (
	"context"
	_ "embed"
	"math/big"
	"slices"

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
	Data []sdk.Decimal `name:"data" alias:"x,values,observations" symbol:"y_i" doc:"At least two observations, in their order."`
}

// Output is the summary.
type Output struct {
	Count               int      `name:"count" symbol:"n" doc:"Number of observations."`
	Mean                float64  `name:"mean" symbol:"\\bar y" doc:"Arithmetic mean."`
	StandardDeviation   float64  `name:"standard_deviation" symbol:"s" doc:"Standard deviation of the sample, with n - 1."`
	Variance            float64  `name:"variance" symbol:"s^2" doc:"Variance of the sample, with n - 1."`
	Minimum             float64  `name:"minimum" doc:"Least observation."`
	Maximum             float64  `name:"maximum" doc:"Greatest observation."`
	Median              float64  `name:"median" doc:"Middle observation by size, or the mean of the two in the middle."`
	StandardError       float64  `name:"standard_error" label:"Standard error of the mean" symbol:"s_{\\bar y}" doc:"Standard error of the mean."`
	AutocorrelationLag1 *float64 `name:"autocorrelation_lag1" label:"Autocorrelation (lag 1)" symbol:"r_1" doc:"Autocorrelation of observations with those that follow them. Absent where all are equal."`
}

// Engine returns the engine of statistics.univariate.summary 1.0.0. For observations
// y1 to yn
//
//	mean m = sum y/n,  variance s^2 = sum (y - m)^2/(n - 1),  standard error s/sqrt n
//	r1 = sum (yi - m)(yi+1 - m)/sum (y - m)^2
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
		Version:    "1.0.0",
		Tool:       "summary-statistics",
		Group:      "statistics",
		Title:      "Summary statistics: mean, standard deviation, median",
		Summary:    "Mean, standard deviation, variance, median, extremes, standard error and lag-1 autocorrelation of a list of numbers, exact to the last digit of the data.",
		Keywords:   []string{"average", "mean", "standard deviation", "variance", "median", "spread", "descriptive statistics", "measurement series", "sigma", "standard error"},
		Formulas: []sdk.Formula{{
			ID:         "summary_sample_v1",
			Expression: "m = sum(y)/n; s^2 = sum((y - m)^2)/(n - 1); s_m = s/sqrt(n); r1 = sum((y[i] - m)*(y[i+1] - m))/sum((y - m)^2)",
			Label:      "Moments of a sample and autocorrelation at lag 1",
			LaTeX:      `\begin{aligned}\bar y&=\frac{1}{n}\sum_{i=1}^{n}y_i,\quad s^2=\frac{1}{n-1}\sum_{i=1}^{n}(y_i-\bar y)^2,\quad s_{\bar y}=\frac{s}{\sqrt{n}}\\ r_1&=\frac{\sum_{i=1}^{n-1}(y_i-\bar y)(y_{i+1}-\bar y)}{\sum_{i=1}^{n}(y_i-\bar y)^2}\end{aligned}`,
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
		Errors:   []string{tooFew},
		Warnings: []string{noVariation},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	n := len(in.Data)
	if n < 2 {
		return Output{}, sdk.Reject(tooFew, "data", "at least 2 observations are needed, not %d", n).Suggest("Send at least two numbers.")
	}
	s := sampleOf(in.Data)
	variance := s.variance()
	out := Output{
		Count:             n,
		Mean:              rational.Round(ctx, "mean", s.ratio(s.sum, s.n)),
		StandardDeviation: rational.RoundSqrt(ctx, "standard_deviation", variance),
		Variance:          rational.Round(ctx, "variance", variance),
		StandardError:     rational.RoundSqrt(ctx, "standard_error", new(big.Rat).Quo(variance, new(big.Rat).SetInt(s.n))),
	}
	if variance.Sign() == 0 {
		sdk.Warn(ctx, sdk.Warning{
			Code: noVariation, Severity: sdk.Info,
			Detail:     "All observations are equal, so their autocorrelation is zero divided by zero and left out.",
			Suggestion: "Nothing need be done, unless the data should vary.",
		})
	} else {
		out.AutocorrelationLag1 = new(rational.Round(ctx, "autocorrelation_lag1", s.autocorrelation()))
	}
	out.Median = rational.Round(ctx, "median", s.median()) // from here on the order is lost
	out.Minimum = rational.Round(ctx, "minimum", s.ratio(s.ints[0], big.NewInt(1)))
	out.Maximum = rational.Round(ctx, "maximum", s.ratio(s.ints[n-1], big.NewInt(1)))
	return out, nil
}

// sample is the data as integers in a unit, and what they have in common.
type sample struct {
	ints []*big.Int
	unit *big.Rat

	n, sum *big.Int
	spread *big.Int // n sum y^2 - (sum y)^2, which is n sum (y - m)^2
}

func sampleOf(data []sdk.Decimal) *sample {
	s := &sample{n: big.NewInt(int64(len(data)))}
	s.ints, s.unit = rational.Integers(data)
	s.sum = rational.Sum(s.ints)
	s.spread = rational.Dot(s.ints, s.ints)
	s.spread.Mul(s.n, s.spread).Sub(s.spread, new(big.Int).Mul(s.sum, s.sum))
	return s
}

// ratio returns the value of numerator units by the denominator.
func (s *sample) ratio(numerator, denominator *big.Int) *big.Rat {
	r := new(big.Rat).SetFrac(numerator, denominator)
	return r.Mul(r, s.unit)
}

func (s *sample) variance() *big.Rat {
	less := new(big.Int).Sub(s.n, big.NewInt(1))
	r := s.ratio(s.spread, less.Mul(less, s.n))
	return r.Mul(r, s.unit)
}

// autocorrelation is the one at lag 1. With C = sum yi yi+1 and S = sum y the numerator
// is C - m (2 S - y1 - yn) + (n - 1) m^2, here multiplied by n^2.
func (s *sample) autocorrelation() *big.Rat {
	last := len(s.ints) - 1
	products := rational.Dot(s.ints[:last], s.ints[1:])
	inner := new(big.Int).Lsh(s.sum, 1)
	inner.Sub(inner, s.ints[0]).Sub(inner, s.ints[last])
	numerator := new(big.Int).Mul(s.n, products)
	numerator.Sub(numerator, inner.Mul(inner, s.sum)).Mul(numerator, s.n)
	square := new(big.Int).Mul(s.sum, s.sum)
	numerator.Add(numerator, square.Mul(square, big.NewInt(int64(last))))
	return new(big.Rat).SetFrac(numerator, new(big.Int).Mul(s.n, s.spread))
}

// median sorts the integers.
func (s *sample) median() *big.Rat {
	slices.SortFunc(s.ints, (*big.Int).Cmp)
	half := len(s.ints) / 2
	if len(s.ints)%2 == 1 {
		return s.ratio(s.ints[half], big.NewInt(1))
	}
	return s.ratio(new(big.Int).Add(s.ints[half-1], s.ints[half]), big.NewInt(2))
}
