package main

import (
	"math"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
)

// TestFigure asks the engine for the pressure at places of the curve.
func TestFigure(t *testing.T) {
	in := ask.In{"volume": 0.02, "amount": 1, "temperature": 300}
	f, a := look.At(t, engine, "isotherm", in), ask.For(t, engine, in).Number
	curve := f.Curves[0]
	for i, volume := range curve.X {
		in["volume"] = volume
		if want := ask.For(t, engine, in).Number["pressure"]; math.Abs(curve.Y[i]-want) > 1e-14*want {
			t.Errorf("at %v m3 %v Pa, want %v", volume, curve.Y[i], want)
		}
	}
	if at := f.Points[0]; at.X != 0.02 || at.Y != a["pressure"] || curve.X[0] >= at.X || curve.X[len(curve.X)-1] <= at.X {
		t.Errorf("marked %+v, drawn from %v", at, curve.X[0])
	}
}
