// Package analysis answers one question: what do many answers of one model say together? How an
// output follows an input, which input gives a wanted output, and how uncertain an output is if its
// inputs are.
//
// It knows no process, no unit and no face: a [Model] answers. Equal answers give equal figures on
// every processor: products are rounded before they are added, and what is drawn needs no function
// whose last digit differs.
package analysis

import (
	"context"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
)

// Model computes what a study asks for.
type Model interface {
	// Answer returns an answer for each point, in their order. A point has a value for each input
	// that the study changes, in the order of its plan. The error is that nothing could be computed.
	Answer(ctx context.Context, points [][]float64) ([]Answer, error)
}

// Answer is what was computed at one point.
type Answer struct {
	Values   []float64  // of the outputs of the plan, in their order
	Rejected *sdk.Error // in place of them
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
