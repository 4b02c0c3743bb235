package main

import (
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
)

// TestFigure: the load has the voltage of the result, and half of the way has half of the drop.
func TestFigure(t *testing.T) {
	in := ask.In{"circuit": "dc", "current": 20, "length": 30, "source_voltage": 230, "resistance_per_length": 0.0075, "conductor_temperature": 90}
	f, a := look.At(t, engine, "voltage", in), ask.For(t, engine, in).Number
	if got := f.Points[0]; got.X != 30 || got.Y != a["load_voltage"] || f.Curves[0].Y[1] != got.Y || f.Curves[0].Y[0] != 230 {
		t.Errorf("the load at %+v, want %v V", got, a["load_voltage"])
	}
	for i, want := range []float64{223.1, 218.5} {
		if limit := f.Curves[1+i]; limit.Y[0] != want || limit.Y[1] != want {
			t.Errorf("%s: %v, want %v", limit.Label, limit.Y, want)
		}
	}
}
