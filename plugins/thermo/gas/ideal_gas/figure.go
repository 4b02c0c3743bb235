package main

import (
	"context"

	"github.com/slipstick/slipstick/sdk"
)

func plots() []sdk.Plot {
	return []sdk.Plot{{
		ID: "isotherm", Title: "Pressure over volume at this temperature",
		Summary: "The isotherm of this amount of gas, a hyperbola: half the volume has twice the pressure. The state that was computed is marked.",
		X:       sdk.Axis{Label: "volume", Symbol: "V", Unit: "m3"},
		Y:       sdk.Axis{Label: "pressure", Symbol: "p", Unit: "Pa"},
	}}
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	state, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	const least, most = 0.4, 2.5 // of the volume
	parts, pressures := sdk.Sample(least, most, 106, func(part float64) float64 { return state.Pressure / part }, 1)
	volumes := make([]float64, len(parts))
	for i, part := range parts {
		volumes[i] = part * state.Volume
	}
	return &sdk.Figure{
		Curves: []sdk.Curve{{Label: "isotherm", X: volumes, Y: pressures}},
		Points: []sdk.Point{{Label: "this state", X: state.Volume, Y: state.Pressure}},
	}, nil
}
