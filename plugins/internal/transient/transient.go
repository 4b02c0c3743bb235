// Package transient has the response of a circuit with one store of energy: it leaves
// the value at which it starts for the one at which it ends, the slower the nearer it
// is.
package transient

import (
	"math"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
)

// Parts returns e^-elapsed, the part that is left of the beginning after so many time
// constants, and 1 - e^-elapsed, the part that is reached of the end. A quantity is then
// start left + end reached: its change from one to the other would lose a small end
// after a large start.
func Parts(elapsed elementary.Num) (left, reached elementary.Num) {
	m := elapsed.Neg().Expm1()
	left = elementary.Int(1).Add(m)
	if elapsed.Cmp(elementary.Int(64)) > 0 { // where so much cancels that it costs digits
		left = elapsed.Neg().Exp()
	}
	return left, m.Neg()
}

// Response is a quantity over time as a figure shows it.
type Response struct {
	Name         string // of the quantity
	Start, End   float64
	TimeConstant float64
	Time         float64 // to be marked
}

// Figure draws the response over five time constants, or somewhat beyond the marked
// time if that is later.
func (r Response) Figure() (*sdk.Figure, error) {
	if math.IsInf(r.End, 0) || math.IsInf(r.TimeConstant, 0) {
		return nil, sdk.Reject(sdk.CodeNonFiniteResult, "", "the response ends beyond the range of binary64 numbers").
			Suggest("Use inputs of smaller magnitude.")
	}
	tau := r.TimeConstant
	last := min(max(5*tau, 1.2*r.Time), math.MaxFloat64)
	xs, ys := sdk.Sample(0, last, 201, r.at, tau, r.Time)
	low, high := min(0, r.Start, r.End), max(0, r.Start, r.End)
	return &sdk.Figure{
		Curves: []sdk.Curve{
			{Label: r.Name, X: xs, Y: ys},
			{Label: "final value", Style: sdk.Guide, X: []float64{0, last}, Y: []float64{r.End, r.End}},
			{Label: "time constant", Style: sdk.Guide, X: []float64{tau, tau}, Y: []float64{low, high}},
		},
		Points: []sdk.Point{
			{Label: "at the given time", X: r.Time, Y: r.at(r.Time)},
		},
	}, nil
}

func (r Response) at(t float64) float64 {
	if t == 0 {
		return r.Start
	}
	gone := -math.Expm1(-t / r.TimeConstant) // drawn: 1 where a time constant rounds to zero
	return float64(r.Start*(1-gone)) + float64(r.End*gone)
}
