package main

import (
	"math"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
)

// TestFigure: the stress that is drawn, times its arm, summed over the section, is the torque.
func TestFigure(t *testing.T) {
	for _, bore := range []float64{0, 0.03} {
		in := ask.In{"outer_diameter": 0.05, "inner_diameter": bore, "length": 1, "shear_modulus": 80e9, "torque": -400}
		f := look.At(t, engine, "stress", in)
		for i, sign := range []float64{-1, 1} {
			c := f.Curves[i]
			torque := 0.0 // of a stress a + b r: the integral of 2 pi r^2 (a + b r)
			b := (c.Y[1] - c.Y[0]) / (c.X[1] - c.X[0])
			a := c.Y[0] - b*c.X[0]
			for k, r := range c.X {
				part := 2 * math.Pi * (a*math.Pow(r, 3)/3 + b*math.Pow(r, 4)/4)
				torque += []float64{-part, part}[k]
			}
			if math.Abs(torque-sign*-400) > 1e-9 {
				t.Errorf("bore %v: the stress from %v to %v gives %v N m", bore, c.X[0], c.X[1], torque)
			}
		}
		if got, want := f.Points[0].Y, ask.For(t, engine, in).Number["shear_stress_max"]; got != want || len(f.Points) != map[bool]int{true: 2, false: 1}[bore > 0] {
			t.Errorf("marked %+v, want %v at the surface", f.Points, want)
		}
	}
}
