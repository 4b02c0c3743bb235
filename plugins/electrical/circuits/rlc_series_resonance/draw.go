package main

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/sdk"
)

// Draw draws the magnitude of the impedance over the frequency.
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	f0, z0, r := out.ResonantFrequency, out.CharacteristicImpedance, in.Resistance
	magnitude := func(f float64) float64 { return math.Hypot(r, z0*(f/f0-f0/f)) }
	reach := 2.0
	points := []sdk.Point{{Label: "resonance", X: f0, Y: r}}
	if out.QualityFactor != nil {
		ratio := *out.UpperHalfPowerFrequency / f0
		reach = min(ratio*ratio*ratio, 2*ratio) // some bandwidths on either side
		for _, f := range []float64{*out.LowerHalfPowerFrequency, *out.UpperHalfPowerFrequency} {
			points = append(points, sdk.Point{Label: "half power", X: f, Y: math.Sqrt2 * r})
		}
	}
	low, high := f0/reach, f0*reach
	for _, v := range []float64{low, high, magnitude(low), magnitude(high), math.Sqrt2 * r} {
		if low == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, sdk.Reject(sdk.CodeNonFiniteResult, "", "the impedance around resonance is beyond the range of binary64 numbers").
				Suggest("Use inputs of moderate magnitude.")
		}
	}
	figure := &sdk.Figure{Points: points}
	xs, ys := sdk.Sample(low, high, 401, magnitude, f0)
	figure.Curves = append(figure.Curves, sdk.Curve{Label: "magnitude of the impedance", X: xs, Y: ys})
	if r > 0 {
		figure.Curves = append(figure.Curves, sdk.Curve{Label: "half power", Style: sdk.Guide, X: []float64{low, high}, Y: []float64{math.Sqrt2 * r, math.Sqrt2 * r}})
	}
	return figure, nil
}
