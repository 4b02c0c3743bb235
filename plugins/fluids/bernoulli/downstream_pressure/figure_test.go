package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
)

// TestHeads: the energy line falls by the loss and rises by the pump, and the lines are a velocity head apart.
func TestHeads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := ask.With(flows(t), ask.In{"head_loss": 2.5, "pump_head": rapid.SampledFrom([]float64{0, 8, -3}).Draw(t, "pump")})
		f := look.At(t, engine, "heads", in)
		grade, energy := f.Curves[0].Y, f.Curves[2].Y
		near := func(got, want float64) bool {
			return math.Abs(got-want) <= 1e-12*(math.Abs(want)+math.Abs(grade[0])+math.Abs(energy[0])+1000)
		}
		if !near(energy[3]-energy[0], in["pump_head"].(float64)-2.5) || !near(energy[2]-energy[1], in["pump_head"].(float64)) {
			t.Fatalf("energy line %v", energy)
		}
		for i, v := range map[int]string{0: "velocity_1", 3: "velocity_2"} {
			if want := math.Pow(in[v].(float64), 2) / 2 / 9.80665; !near(energy[i]-grade[i], want) {
				t.Fatalf("velocity head %v, want %v", energy[i]-grade[i], want)
			}
		}
		if want := ask.For(t, engine, in).Number["pressure_2"]/in["density"].(float64)/9.80665 + in["elevation_2"].(float64); !near(grade[3], want) || f.Points[1].Y != grade[3] {
			t.Fatalf("grade at station 2 %v, want %v", grade[3], want)
		}
	})
}

// A speed whose square is no binary64 number leaves the other lines.
func TestHeadsWithoutBounds(t *testing.T) {
	in := ask.In{"density": 1, "pressure_1": 0, "velocity_1": 1e200, "velocity_2": 1e200, "elevation_1": 1, "elevation_2": 0}
	if f := look.At(t, engine, "heads", in); len(f.Curves) != 2 || f.Points[0].Y != 1 {
		t.Errorf("%+v", f)
	}
}
