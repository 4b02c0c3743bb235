package main

import (
	"math"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
	"github.com/slipstick/slipstick/sdk"
)

// TestFigure asks the engine for the factor at places of the curve.
func TestFigure(t *testing.T) {
	for _, index := range []float64{1.05, 8, 40} {
		in := ask.In{"wire_diameter": 0.002, "mean_coil_diameter": 0.002 * index, "active_coils": 8, "shear_modulus": 80e9, "force": 10}
		f := look.At(t, engine, "index", in)
		curve, point := f.Curves[0], f.Points[0]
		if a := ask.For(t, engine, in).Number; math.Abs(point.X-index) > 1e-12*index || math.Abs(point.Y-a["wahl_factor"]) > 1e-12*point.Y {
			t.Errorf("marked %+v, want an index of %v and a factor of %v", point, index, a["wahl_factor"])
		}
		for i, x := range curve.X {
			in["mean_coil_diameter"] = 0.002 * x
			if want := ask.For(t, engine, in).Number["wahl_factor"]; math.Abs(curve.Y[i]-want) > 1e-10*want {
				t.Errorf("of the index %v: %v, want %v", x, curve.Y[i], want)
			}
		}
		if least, most := curve.X[0], curve.X[len(curve.X)-1]; least > 2 || most < 16 || point.X < least || point.X > most {
			t.Errorf("drawn from %v to %v", least, most)
		}
		for i, bound := range map[int]float64{1: leastIndex, 2: greatestIndex} {
			if zone := f.Curves[i]; zone.Style != sdk.Zone || zone.X[0] != bound && zone.X[1] != bound {
				t.Errorf("zone %+v, want it to end at %v", zone, bound)
			}
		}
	}
}
