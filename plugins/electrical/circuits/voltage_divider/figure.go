package main

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/sdk"
)

func plots() []sdk.Plot {
	return []sdk.Plot{{
		ID: "load", Title: "Output voltage under load",
		Summary: "Output voltage over the resistance of a load, in decades around the output resistance of the divider: half of the voltage without load where both are equal, nearly all of it from a hundred times as much. The load that was given is marked.",
		X:       sdk.Axis{Label: "load resistance", Symbol: "R_L", Unit: "ohm", Log: true},
		Y:       sdk.Axis{Label: "output voltage", Symbol: "V_2", Unit: "V"},
	}}
}

// around is how far the curve reaches to both sides of the output resistance.
const around = 100

// Draw implements [sdk.Drawer].
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	less, more := min(in.Resistance1, in.Resistance2), max(in.Resistance1, in.Resistance2)
	own := max(less/(1+less/more), math.SmallestNonzeroFloat64)
	open := in.InputVoltage / (1 + in.Resistance1/in.Resistance2)
	voltage := func(load float64) float64 { return open / (1 + own/load) }
	low, high := max(own/around, math.SmallestNonzeroFloat64), min(own*around, math.MaxFloat64)
	var here []float64
	if load := in.LoadResistance; load != nil {
		low, high, here = min(low, *load), max(high, *load), []float64{*load}
	}
	xs, ys := sdk.SampleDecades(low, high, 101, voltage, here...)
	f := &sdk.Figure{Curves: []sdk.Curve{
		{Label: "output voltage", X: xs, Y: ys},
		{Label: "without load", Style: sdk.Guide, X: []float64{low, high}, Y: []float64{open, open}},
	}}
	for _, load := range here {
		f.Points = append(f.Points, sdk.Point{Label: "this load", X: load, Y: voltage(load)})
	}
	return f, nil
}
