// Package pipe is the friction of flow in round pipes.
package pipe

import (
	"context"
	"fmt"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
)

// The regimes of flow.
const (
	Laminar      = "laminar"
	Transitional = "transitional"
	Turbulent    = "turbulent"
)

// The Reynolds numbers at which the regimes end.
const (
	LaminarEnd      = 2300
	TransitionalEnd = 4000
)

// TransitionalFlow is the code of the warning of [WarnTransitional].
const TransitionalFlow = "TRANSITIONAL_FLOW"

// MaxRelativeRoughness is that up to which the equation of Colebrook is used.
const MaxRelativeRoughness = 0.05

// Regime returns the regime of the flow with a Reynolds number.
func Regime(reynolds float64) string {
	switch {
	case reynolds < LaminarEnd:
		return Laminar
	case reynolds < TransitionalEnd:
		return Transitional
	}
	return Turbulent
}

// WarnTransitional warns if the flow is neither laminar nor turbulent.
func WarnTransitional(ctx context.Context, reynolds float64) {
	if Regime(reynolds) != Transitional {
		return
	}
	sdk.Warn(ctx, sdk.Warning{
		Code: TransitionalFlow, Severity: sdk.Caution,
		Detail:     fmt.Sprintf("The Reynolds number %.6g lies between %d and %d: the flow may be laminar or turbulent, and its friction factor is uncertain.", reynolds, LaminarEnd, TransitionalEnd),
		Suggestion: "Compare the friction factors of laminar and of turbulent flow, and design for the worse.",
	})
}

// LaminarFactor returns the Darcy friction factor of laminar flow.
func LaminarFactor(reynolds elementary.Num) elementary.Num {
	return elementary.Int(64).Div(reynolds)
}

// ColebrookFactor returns the Darcy friction factor f that solves the equation of
// Colebrook,
//
//	1/sqrt f = -2 log10(roughness/3.7 + 2.51/(reynolds sqrt f))
//
// for a relative roughness of at most [MaxRelativeRoughness] and any positive Reynolds
// number; whether it means anything there is for the caller to judge.
func ColebrookFactor(reynolds, roughness elementary.Num) elementary.Num {
	if reynolds.Cmp(leastReynolds) < 0 {
		return elementary.Of(math.Inf(1))
	}
	x := elementary.Of(ApproximateRoot(reynolds.Float(), roughness.Float()))
	a, b := roughness.Div(rough), smooth.Div(reynolds)
	x, residue, slope := newton(x, a, b)
	root, _, _ := newton(x, a, b) // each step doubles the number of right digits, which are about 16 before
	root = root.Within(remains(x.About(), residue.About(), slope.About()), x)
	return one.Div(root.Mul(root))
}

// newton returns the next approximation of the root of x + 2 log10(a + b x), the residue at
// the last one, and the slope there.
func newton(x, a, b elementary.Num) (next, residue, slope elementary.Num) {
	inside := a.Add(b.Mul(x))
	residue = x.Add(perDecade.Mul(inside.Log()))
	slope = one.Add(perDecade.Mul(b).Div(inside))
	return x.Sub(residue.Div(slope)), residue, slope
}

// remains returns what is wrong with x at most, in parts of it, after a step of Newton from
// a place with this residue r and slope.
//
// The slope is at least 1 everywhere, so the root was within r of that place. With
// s = slope - 1 the second derivative there is -s^2/c, where c = 2/ln 10, and between both
// places less than 1.01 times that as long as s r is below 1/1000. The error of the step is
// half of it times r^2, divided by the slope: less than 0.6 s^2 r^2.
func remains(x, residue, slope float64) float64 {
	s := slope - 1
	if !(math.Abs(s*residue) < 1e-3) {
		return math.Inf(1)
	}
	return float64(s*residue) * float64(s*residue) / x
}

var (
	one           = elementary.Int(1)
	rough         = elementary.Literal("3.7")
	smooth        = elementary.Literal("2.51")
	perDecade     = elementary.Int(2).Div(elementary.Int(10).Log())
	leastReynolds = elementary.Literal("1e-160") // below it the factor is beyond binary64
)

// ApproximateRoot returns 1/sqrt f of the equation of Colebrook to the digits of
// binary64, of which the last are not the same on all processors. That is good enough
// to draw, and to begin with.
//
// The method is Newton's. The function is concave and rises, so from below the root
// every step stays below it; and from a start with a + b x < 1 no step leads to a
// logarithm that does not exist.
func ApproximateRoot(reynolds, roughness float64) float64 {
	a, b := roughness/3.7, 2.51/reynolds
	x := min(7, (1-a)/(2*b))
	for range 100 {
		inside := a + float64(b*x)
		step := (x + float64(2/math.Ln10*math.Log(inside))) / (1 + 2/math.Ln10*b/inside) // a guess
		x -= step
		if math.Abs(step) < 1e-12*x {
			break
		}
	}
	return x
}
