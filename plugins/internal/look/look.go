// Package look lets an author's test look at what an engine draws.
package look

import (
	"math"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// At returns the engine's figure of one plot for the inputs, and fails the test if it
// does not draw them.
func At(t ask.Tester, engine sdk.Engine, plot string, in ask.In) *sdk.Figure {
	t.Helper()
	echo := ask.For(t, engine, in).Echo
	spec := engine.Spec()
	values := make(value.Values, len(spec.Inputs))
	for i, f := range spec.Inputs {
		switch v := echo[f.Name].(type) {
		case float64:
			values[i] = value.NumberOf(v)
		case string:
			values[i] = value.TextOf(v)
		}
	}
	figure, err := engine.(sdk.Plotter).Draw(t.Context(), plot, values)
	if err != nil {
		t.Fatalf("%v: plot %s: %v", in, plot, err)
	}
	return figure
}

// Sizes returns the lengths of the dimensions of a figure, which lie along its axes, by their symbols. It fails the
// test if the places of one are not that far apart.
func Sizes(t ask.Tester, f *sdk.Figure) map[string]float64 {
	t.Helper()
	sizes := map[string]float64{}
	for _, d := range f.Dimensions {
		if apart := math.Abs(d.ToX-d.X) + math.Abs(d.ToY-d.Y); math.Abs(apart-d.Length) > 1e-12*d.Length {
			t.Fatalf("%s: %v is written where %v is drawn", d.Label, d.Length, apart)
		}
		sizes[d.Symbol] = d.Length
	}
	return sizes
}
