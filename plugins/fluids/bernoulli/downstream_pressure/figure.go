package main

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/sdk"
)

func plots() []sdk.Plot {
	return []sdk.Plot{{
		ID: "heads", Title: "Energy and hydraulic grade lines",
		Summary: "Heads at both stations, with straight lines between them and the head of a pump in the middle: the height of the pipe, the hydraulic grade line above it by the absolute pressure head, and the energy line above that by the velocity head.",
		X:       sdk.Axis{Label: "from station 1 (0) to station 2 (1)"},
		Y:       sdk.Axis{Label: "head", Unit: "m"},
	}}
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	const g = 9.80665
	velocity := func(v float64) float64 { return float64(v / (2 * g) * v) }
	pressure := func(p float64) float64 { return p / in.Density / g }
	grade1, grade2 := pressure(in.Pressure1)+in.Elevation1, pressure(out.Pressure2)+in.Elevation2
	between := []float64{0, 0.5, 0.5, 1}
	line := func(label string, from, to float64) sdk.Curve {
		middle := float64(from/2) + float64(to/2)
		return sdk.Curve{Label: label, X: between, Y: []float64{from, middle - float64(in.PumpHead/2), middle + float64(in.PumpHead/2), to}}
	}
	f := &sdk.Figure{
		Curves: []sdk.Curve{
			line("hydraulic grade line", grade1, grade2),
			{Label: "height of the pipe", Style: sdk.Guide, X: []float64{0, 1}, Y: []float64{in.Elevation1, in.Elevation2}},
		},
		Points: []sdk.Point{{Label: "upstream", X: 0, Y: grade1}, {Label: "downstream", X: 1, Y: grade2}},
	}
	energy1, energy2 := grade1+velocity(in.Velocity1), grade2+velocity(in.Velocity2)
	if !math.IsInf(max(energy1, energy2), 0) {
		f.Curves = append(f.Curves, line("energy line", energy1, energy2))
	}
	return f, nil
}
