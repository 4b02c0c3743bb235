package main

import (
	"math"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
)

// TestFigure asks the engine for the voltage at places of the curve.
func TestFigure(t *testing.T) {
	in := ask.In{"input_voltage": -12, "resistance_1": 3000, "resistance_2": 1000}
	if f := look.At(t, engine, "load", in); len(f.Points) != 0 || f.Curves[1].Y[0] != -3 {
		t.Errorf("without a load: %+v", f)
	}
	in["load_resistance"] = 1e9 // beyond what is drawn otherwise
	f := look.At(t, engine, "load", in)
	curve := f.Curves[0]
	for i, load := range curve.X {
		in["load_resistance"] = load
		if want := ask.For(t, engine, in).Number["output_voltage"]; math.Abs(curve.Y[i]-want) > 1e-14*math.Abs(want) {
			t.Errorf("at %v ohm %v V, want %v", load, curve.Y[i], want)
		}
	}
	if last := len(curve.X) - 1; f.Points[0].X != 1e9 || curve.X[last] != 1e9 || curve.X[0] > 7.51 {
		t.Errorf("drawn from %v to %v, marked at %v", curve.X[0], curve.X[last], f.Points[0].X)
	}
}
