// Package analysis evaluates many answers of one [Model]. [Slopes] returns how an output depends on an input, and [Goal] finds
// the input that gives a wanted output. [Propagate] and [MonteCarlo] compute the uncertainty of an output.
//
// It knows no processes, units or interfaces. Equal answers give equal results on every processor. For this, it rounds products
// before it adds them, and draws without functions that have processor-dependent last digits.
package analysis

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
)

// Model computes the points of a study.
type Model interface {
	// Answer returns an answer for each point, in their order. A point has a value for each input that the study changes, in
	// the order of its plan. It returns an error if it computed nothing.
	Answer(ctx context.Context, points [][]float64) ([]Answer, error)
}

// Answer is the result at one point.
type Answer struct {
	Values   []float64  // of the outputs of the plan, in their order
	Rejected *sdk.Error // the rejection, if there are no values
}

// Func is a model that computes in this process.
type Func func(point []float64) Answer

// Answer implements [Model].
func (f Func) Answer(_ context.Context, points [][]float64) ([]Answer, error) {
	answers := make([]Answer, len(points))
	for i, p := range points {
		answers[i] = f(p)
	}
	return answers, nil
}

// ask returns the answers of a model, as many as there are points.
func ask(ctx context.Context, m Model, points [][]float64) ([]Answer, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	answers, err := m.Answer(ctx, points)
	if err == nil && len(answers) != len(points) {
		err = fmt.Errorf("%d answers for %d points", len(answers), len(points))
	}
	return answers, err
}
