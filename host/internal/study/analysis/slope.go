package analysis

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/sdk"
)

// Slope is the change of an output with an input.
type Slope struct {
	Derivative float64
	Error      float64 // estimated error of Derivative
	Elasticity float64 // relative change of the output per relative change of the input; NaN if one of them is 0
}

// Sensitivity has the slopes of all outputs over all inputs at one point.
type Sensitivity struct {
	Values []float64 // of the outputs at the point
	Slopes [][]Slope // by output and input
}

// RejectedError reports that a model rejected a point that a study needs.
type RejectedError struct {
	Input     int // index of the changed input, -1 for the point itself
	Rejection *sdk.Error
}

// Error implements error.
func (e *RejectedError) Error() string { return e.Rejection.Error() }

// Steps of differences: the first is a quarter of the input, and each further step is half of the last step.
const (
	steps      = 26
	deepest    = 6 // columns of an extrapolation
	epsilon    = 0x1p-52
	ofTheInput = 0.25
)

// Slopes computes the derivatives at a point. It takes central differences of many steps, extrapolates them to a step of zero,
// and chooses the derivative with the smallest estimated error. Scales are lengths for changes of inputs that are 0, such as
// their uncertainties; nil if there are none.
//
// Method: Ridders, Accurate computation of F'(x) and F'(x)F”(x), Advances in Engineering Software 4 (1982) 75. The error
// includes the rounding of the outputs to binary64. Slopes leaves out rejected steps, such as steps beyond the range of an
// input.
func Slopes(ctx context.Context, m Model, at, scales []float64) (*Sensitivity, error) {
	points := [][]float64{at}
	for i := range at {
		for j := range steps {
			h := step(at, scales, i, j)
			points = append(points, moved(at, i, h), moved(at, i, -h))
		}
	}
	answers, err := ask(ctx, m, points)
	if err != nil {
		return nil, err
	}
	middle := answers[0]
	if middle.Rejected != nil {
		return nil, &RejectedError{-1, middle.Rejected}
	}
	s := &Sensitivity{Values: middle.Values, Slopes: make([][]Slope, len(middle.Values))}
	for o := range middle.Values {
		for i := range at {
			pairs := answers[1+2*steps*i:][:2*steps]
			one, rejection := slope(pairs, &middle, o, func(j int) float64 {
				h := step(at, scales, i, j)
				return ((at[i] + h) - (at[i] - h)) / 2 // the rounded step
			})
			if rejection != nil {
				return nil, &RejectedError{i, rejection}
			}
			one.Elasticity = math.NaN()
			if at[i] != 0 && middle.Values[o] != 0 {
				one.Elasticity = one.Derivative * at[i] / middle.Values[o]
				if !finite(one.Elasticity) {
					one.Elasticity = one.Derivative / middle.Values[o] * at[i]
				}
			}
			s.Slopes[o] = append(s.Slopes[o], one)
		}
	}
	return s, nil
}

// step returns the j-th step of an input.
func step(at, scales []float64, i, j int) float64 {
	size := ofTheInput * math.Abs(at[i])
	switch {
	case size == 0 && scales != nil && scales[i] > 0:
		size = 16 * scales[i]
	case size == 0:
		size = 1
	}
	return math.Ldexp(size, -j)
}

func moved(at []float64, i int, by float64) []float64 {
	p := append([]float64(nil), at...)
	p[i] += by
	return p
}

// slope returns the slope of an output. pairs are answers on both sides of the middle, each at half of the distance of the pair
// before. At an end of the model's range it uses the answers of one side. If no side has enough answers, it returns a
// rejection.
func slope(pairs []Answer, middle *Answer, output int, stepOf func(j int) float64) (Slope, *sdk.Error) {
	rise := func(from, to *Answer, run float64) (difference, rounding float64, ok bool) {
		if from.Rejected != nil || to.Rejected != nil {
			return 0, 0, false
		}
		a, b := from.Values[output], to.Values[output]
		difference = (b - a) / run
		return difference, 2 * epsilon * math.Max(math.Abs(a), math.Abs(b)) / math.Abs(run), finite(difference) && finite(run)
	}
	sides := []struct {
		at    func(j int) (float64, float64, bool)
		power float64
	}{
		{func(j int) (float64, float64, bool) { return rise(&pairs[2*j+1], &pairs[2*j], 2*stepOf(j)) }, 4},
		{func(j int) (float64, float64, bool) { return rise(middle, &pairs[2*j], stepOf(j)) }, 2},
		{func(j int) (float64, float64, bool) { return rise(middle, &pairs[2*j+1], -stepOf(j)) }, 2},
	}
	for _, side := range sides {
		if best := extrapolate(side.at, side.power); !math.IsInf(best.Error, 1) {
			return best, nil
		}
	}
	for i := range pairs {
		if pairs[i].Rejected != nil {
			return Slope{}, pairs[i].Rejected
		}
	}
	return Slope{}, sdk.Reject(sdk.CodeNonFiniteResult, "", "the differences are beyond binary64")
}

// extrapolate extrapolates differences to a step of zero, and chooses the value with the smallest estimated error. From one step
// to the next, the error of a difference decreases by the factor power. The error is +Inf if there are too few differences.
func extrapolate(difference func(j int) (value, rounding float64, ok bool), power float64) Slope {
	best := Slope{Error: math.Inf(1)}
	var row, before []float64
	for j := range steps {
		value, rounding, ok := difference(j)
		if !ok {
			row = nil
			continue
		}
		before, row = row, []float64{value}
		factor := power
		for k := 1; k < deepest && k <= len(before); k++ {
			next := row[k-1] + (row[k-1]-before[k-1])/(factor-1)
			row = append(row, next)
			factor *= power
			off := rounding + math.Max(math.Abs(next-row[k-1]), math.Abs(next-before[k-1]))
			if off < best.Error {
				best = Slope{Derivative: next, Error: off}
			}
		}
	}
	return best
}
