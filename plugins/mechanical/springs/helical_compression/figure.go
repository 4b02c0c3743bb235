package main

import (
	"context"
	"slices"

	"github.com/slipstick/slipstick/sdk"
)

func plots() []sdk.Plot {
	return []sdk.Plot{{
		ID: "index", Title: "Wahl's factor over the spring index",
		Summary: "The factor of the greatest stress rises steeply where the coils are narrow. Shaded are the indexes below 4, of springs that are hard to wind, and above 12, of those that tangle; this spring is marked.",
		X:       sdk.Axis{Label: "spring index", Symbol: "C"},
		Y:       sdk.Axis{Label: "Wahl's factor", Symbol: "K_w"},
	}}
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	beyond := (in.MeanCoilDiameter - in.WireDiameter) / in.WireDiameter // C - 1
	wahl := func(beyond float64) float64 { return 1 + 0.75/beyond + 0.615/(1+beyond) }
	xs, ys := sdk.SampleDecades(min(1, beyond), max(15, beyond), 101, wahl, beyond)
	for i := range xs {
		xs[i]++
	}
	top, last := slices.Max(ys), len(xs)-1
	zone := func(label string, from, to float64) sdk.Curve {
		return sdk.Curve{Label: label, Style: sdk.Zone, X: []float64{from, to, to, from, from}, Y: []float64{0, 0, top, top, 0}}
	}
	return &sdk.Figure{
		Curves: []sdk.Curve{{Label: "Wahl's factor", X: xs, Y: ys}, zone("hard to wind", xs[0], leastIndex), zone("tangles", greatestIndex, xs[last])},
		Points: []sdk.Point{{Label: "this spring", X: beyond + 1, Y: wahl(beyond)}},
	}, nil
}
