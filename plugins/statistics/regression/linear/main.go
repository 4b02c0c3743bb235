// Command linear is the engine of the regression of a straight line. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The codes of this engine.
const (
	tooFew         = "TOO_FEW_OBSERVATIONS"
	lengthMismatch = "LENGTH_MISMATCH"
	noVariation    = "R_SQUARED_UNDEFINED"
)

// Input is the data and the model.
type Input struct {
	X         []sdk.Decimal `name:"x" symbol:"x" doc:"Values of the independent variable, at least three."`
	Y         []sdk.Decimal `name:"y" symbol:"y" doc:"Values of the dependent variable, as many as x."`
	Intercept bool          `name:"intercept" label:"With an intercept" default:"true" advanced:"true" doc:"Whether the line has an intercept; without one it passes through the origin."`
}

// Output is the line and how well it fits.
type Output struct {
	Slope                     float64  `name:"slope" headline:"true" symbol:"b" doc:"Slope of the line."`
	Intercept                 *float64 `name:"intercept" symbol:"a" doc:"Value of the line at x = 0. Absent for a line through the origin."`
	RSquared                  *float64 `name:"r_squared" label:"R squared" symbol:"R^2" doc:"Part of the variation of y that the line explains; without an intercept, of the sum of the squares of y. Absent where y does not vary."`
	ResidualStandardDeviation float64  `name:"residual_standard_deviation" symbol:"s" doc:"Standard deviation of the residuals, with n - 2, or n - 1 without an intercept."`
	SlopeStandardError        float64  `name:"slope_standard_error" symbol:"s_b" doc:"Standard error of the slope."`
	InterceptStandardError    *float64 `name:"intercept_standard_error" symbol:"s_a" doc:"Standard error of the intercept. Absent for a line through the origin."`
}

// Engine returns the engine of statistics.regression.linear 1.0.0: the straight line
// y = a + b x of least squares through n points, or y = b x. The formula is the Definition;
// its sums are about the means, or about zero for a line through the origin.
//
// Units are those of the data.
//
// Error: none but the final rounding. Sums are sums of integers over one denominator,
// and each result is the binary64 nearest to the true value for the given data:
// decimal strings count as what they say, to the last digit.
//
// Source: see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "statistics.regression.linear",
		Version:    "1.0.0",
		Tool:       "linear-regression",
		Group:      "statistics",
		Title:      "Linear regression: line of best fit",
		Summary:    "Slope and intercept of the straight line of least squares through points, with their standard errors and R squared, exact to the last digit of the data.",
		Keywords:   []string{"line of best fit", "least squares", "trend line", "slope", "calibration curve", "correlation", "R squared", "straight line fit", "coefficient of determination"},
		Definition: `n = count(x)
x_0 = mean(x)  if intercept  @regression_line_v1
x_0 = 0        otherwise     @regression_origin_v1
y_0 = mean(y)  if intercept  @regression_line_v1
y_0 = 0        otherwise     @regression_origin_v1
nu = n - 2     if intercept  @regression_line_v1
nu = n - 1     otherwise     @regression_origin_v1
S_xx = sum(i in 1..n: (x[i] - x_0)^2)
S_xy = sum(i in 1..n: (x[i] - x_0)*(y[i] - y_0))
S_yy = sum(i in 1..n: (y[i] - y_0)^2)
b = S_xy/S_xx
a = y_0 - b*x_0  if intercept  @regression_line_v1
r_squared = S_xy^2/(S_xx*S_yy)  if S_yy > 0
s = sqrt((S_yy - b*S_xy)/nu)
s_b = s/sqrt(S_xx)
s_a = s*sqrt(sum(i in 1..n: x[i]^2)/(n*S_xx))  if intercept  @regression_line_v1`,
		Formulas: []sdk.Formula{
			{ID: "regression_line_v1", Label: "Line with an intercept, centered sums"},
			{ID: "regression_origin_v1", Label: "Line through the origin"},
		},
		Assumptions: []string{
			"The values of x are exact, and those of y have independent errors of the same size.",
			"Without an intercept R squared compares with zero and not with the mean of y.",
		},
		References: []sdk.Reference{
			{Title: "NIST/SEMATECH e-Handbook of Statistical Methods", Where: "section 4.1.4.1, linear least squares regression"},
			{Title: "NIST Statistical Reference Datasets", Where: "linear regression, and R squared of models without intercept"},
		},
		Plots: []sdk.Plot{{
			ID: "fit", Title: "Data and line",
			Summary: "The observations as points and the fitted line over the range of x. Of more than 200 observations 200 are drawn, evenly chosen.",
			X:       sdk.Axis{Label: "x", Symbol: "x"},
			Y:       sdk.Axis{Label: "y", Symbol: "y"},
		}},
		Errors:   []string{tooFew, lengthMismatch, sdk.CodeUndefined},
		Warnings: []string{noVariation},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	f, err := in.fit()
	if err != nil {
		return Output{}, err
	}
	if !in.Intercept {
		sdk.UseFormula(ctx, "regression_origin_v1")
	}
	out := Output{
		Slope:                     f.round(ctx, "slope", f.slope, (*fit).slope),
		ResidualStandardDeviation: f.roundSqrt(ctx, "residual_standard_deviation", f.residualVariance, (*fit).residualVariance),
		SlopeStandardError:        f.roundSqrt(ctx, "slope_standard_error", f.slopeVariance, (*fit).slopeVariance),
	}
	if in.Intercept {
		out.Intercept = new(f.round(ctx, "intercept", f.intercept, (*fit).intercept))
		out.InterceptStandardError = new(f.roundSqrt(ctx, "intercept_standard_error", f.interceptVariance, (*fit).interceptVariance))
	}
	if f.yVaries() {
		out.RSquared = new(f.round(ctx, "r_squared", f.rSquared, (*fit).rSquared))
		return out, nil
	}
	sdk.Warn(ctx, sdk.Warning{
		Code: noVariation, Severity: sdk.Info,
		Detail:     "y does not vary, so there is no variation that the line could explain: r_squared is zero divided by zero and left out.",
		Suggestion: "Nothing need be done, unless y should vary.",
	})
	return out, nil
}

// fit sums up the data, or says why no line can be laid through them.
func (in *Input) fit() (*boundedFit, error) {
	switch n := len(in.X); {
	case n != len(in.Y):
		return nil, sdk.Reject(lengthMismatch, "y", "x and y need as many values each; x has %d and y has %d", n, len(in.Y)).Suggest("Give as many values of y as of x.")
	case n < 3:
		return nil, sdk.Reject(tooFew, "x", "at least 3 values of x and y are needed, not %d", n).Suggest("Give at least three points.")
	}
	f := boundedFitOf(in.X, in.Y, in.Intercept)
	if f.xVaries() {
		return f.ratios(), nil
	}
	what := "all values of x are equal"
	if !in.Intercept {
		what = "all values of x are zero"
	}
	return nil, sdk.Reject(sdk.CodeUndefined, "x", "%s: no slope fits better than any other", what).Suggest("Give values of x that differ.")
}
