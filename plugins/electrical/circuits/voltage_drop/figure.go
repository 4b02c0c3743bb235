package main

import (
	"context"

	"github.com/slipstick/slipstick/sdk"
)

func plots() []sdk.Plot {
	return []sdk.Plot{{
		ID: "voltage", Title: "Voltage along the cable",
		Summary: "The voltage falls evenly from the source to the load at the end. Dashed lines are the usual limits, 3 and 5 % below the source.",
		X:       sdk.Axis{Label: "distance from the source", Unit: "m"},
		Y:       sdk.Axis{Label: "voltage", Symbol: "V", Unit: "V"},
	}}
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	ends := []float64{0, in.Length}
	level := func(label string, part float64) sdk.Curve {
		limit := float64(part * in.SourceVoltage)
		return sdk.Curve{Label: label, Style: sdk.Guide, X: ends, Y: []float64{limit, limit}}
	}
	return &sdk.Figure{
		Curves: []sdk.Curve{
			{Label: "voltage", X: ends, Y: []float64{in.SourceVoltage, out.LoadVoltage}},
			level("3 % below the source", 0.97), level("5 % below the source", 0.95),
		},
		Points: []sdk.Point{{Label: "load", X: in.Length, Y: out.LoadVoltage}},
	}, nil
}
