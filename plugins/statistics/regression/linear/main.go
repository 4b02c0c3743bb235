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
	X         []sdk.Decimal `name:"x" symbol:"x_i" doc:"Values of the independent variable, at least three."`
	Y         []sdk.Decimal `name:"y" symbol:"y_i" doc:"Values of the dependent variable, as many as x."`
	Intercept bool          `name:"intercept" label:"With an intercept" default:"true" advanced:"true" doc:"Whether the line has an intercept; without one it passes through the origin."`
}

// Output is the line and how well it fits.
type Output struct {
	Slope                     float64  `name:"slope" symbol:"b" doc:"Slope of the line."`
	Intercept                 *float64 `name:"intercept" symbol:"a" doc:"Value of the line at x = 0. Absent for a line through the origin."`
	RSquared                  *float64 `name:"r_squared" label:"R squared" symbol:"R^2" doc:"Part of the variation of y that the line explains; without an intercept, of the sum of the squares of y. Absent where y does not vary."`
	ResidualStandardDeviation float64  `name:"residual_standard_deviation" symbol:"s" doc:"Standard deviation of the residuals, with n - 2, or n - 1 without an intercept."`
	SlopeStandardError        float64  `name:"slope_standard_error" symbol:"s_b" doc:"Standard error of the slope."`
	InterceptStandardError    *float64 `name:"intercept_standard_error" symbol:"s_a" doc:"Standard error of the intercept. Absent for a line through the origin."`
}

// Engine returns the engine of statistics.regression.linear 1.0.0: the straight line
// y = a + b x of least squares through n points. With the means mx and my and
// Sxx = sum (x - mx)^2, Sxy = sum (x - mx)(y - my), Syy = sum (y - my)^2
//
//	b = Sxy/Sxx,  a = my - b mx,  R^2 = Sxy^2/(Sxx Syy)
//	s^2 = (Syy - b Sxy)/(n - 2),  sb = s/sqrt Sxx,  sa = s sqrt(sum x^2/(n Sxx))
//
// Without an intercept the means are zero and n - 1 stands for n - 2.
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
		Formulas: []sdk.Formula{
			{ID: "regression_line_v1", Expression: "b = Sxy/Sxx; a = mean(y) - b*mean(x); R^2 = Sxy^2/(Sxx*Syy); s^2 = (Syy - b*Sxy)/(n - 2); s_b = s/sqrt(Sxx); s_a = s*sqrt(sum(x^2)/(n*Sxx))", Label: "Line with an intercept, centered sums", LaTeX: `\begin{aligned}S_{xx}&=\sum_i(x_i-\bar x)^2,\quad S_{xy}=\sum_i(x_i-\bar x)(y_i-\bar y),\quad S_{yy}=\sum_i(y_i-\bar y)^2\\ b&=\frac{S_{xy}}{S_{xx}},\quad a=\bar y-b\,\bar x,\quad R^2=\frac{S_{xy}^2}{S_{xx}\,S_{yy}}\\ s&=\sqrt{\frac{S_{yy}-b\,S_{xy}}{n-2}},\quad s_b=\frac{s}{\sqrt{S_{xx}}},\quad s_a=s\,\sqrt{\frac{\sum_i x_i^2}{n\,S_{xx}}}\end{aligned}`},
			{ID: "regression_origin_v1", Expression: "b = sum(x*y)/sum(x^2); R^2 = sum(x*y)^2/(sum(x^2)*sum(y^2)); s^2 = (sum(y^2) - b*sum(x*y))/(n - 1); s_b = s/sqrt(sum(x^2))", Label: "Line through the origin", LaTeX: `\begin{aligned}b&=\frac{\sum_i x_i y_i}{\sum_i x_i^2},\quad R^2=\frac{\left(\sum_i x_i y_i\right)^2}{\sum_i x_i^2\,\sum_i y_i^2}\\ s&=\sqrt{\frac{\sum_i y_i^2-b\sum_i x_i y_i}{n-1}},\quad s_b=\frac{s}{\sqrt{\sum_i x_i^2}}\end{aligned}`},
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
		return nil, sdk.Reject(lengthMismatch, "y", "x and y need as many values each; x has %d and y has %d", n, len(in.Y)).Suggest("Send as many values of y as of x.")
	case n < 3:
		return nil, sdk.Reject(tooFew, "x", "at least 3 values of x and y are needed, not %d", n).Suggest("Send at least three points.")
	}
	f := boundedFitOf(in.X, in.Y, in.Intercept)
	if f.xVaries() {
		return f.ratios(), nil
	}
	what := "all values of x are equal"
	if !in.Intercept {
		what = "all values of x are zero"
	}
	return nil, sdk.Reject(sdk.CodeUndefined, "x", "%s: no slope fits better than any other", what).Suggest("Send values of x that differ.")
}
