package main

import (
	"context"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/sdk"
)

// The time that is drawn, in periods without damping, and its points.
const (
	periods = 4
	samples = 401
)

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	omega, zeta := out.NaturalAngularFrequency, out.DampingRatio
	share := 0.0 // wd/wn, where the mass vibrates
	if out.DampedAngularFrequency != nil {
		share = *out.DampedAngularFrequency / omega
	}
	end := periods * 2 * math.Pi / omega * max(1, zeta) // a strong damper slows the return
	f := new(sdk.Figure)
	draw := func(label string, style sdk.CurveStyle, of func(phase float64) float64) {
		xs, ys := sdk.Sample(0, end, samples, func(t float64) float64 { return of(omega * t) })
		f.Curves = append(f.Curves, sdk.Curve{Label: label, Style: style, X: xs, Y: ys})
	}
	displacement := func(phase float64) float64 { return response(zeta, share, phase) }
	draw("displacement", sdk.Line, displacement)
	if zeta > 0 && share > 0.5 { // near critical damping it begins far above the displacement
		envelope := func(phase float64) float64 { return math.Exp(-zeta*phase) / share }
		draw("envelope", sdk.Guide, envelope)
		draw("envelope", sdk.Guide, func(phase float64) float64 { return -envelope(phase) })
	}
	if period := 2 * math.Pi / share; share > 0 && period/omega <= end {
		f.Points = []sdk.Point{{Label: "after one period", X: period / omega, Y: displacement(period)}}
	}
	return outline.Bounded(f)
}

// response returns the displacement at the phase wn t, after the mass was let go at rest
// at 1. The share is wd/wn, and 0 from critical damping on.
func response(zeta, share, phase float64) float64 {
	if share > 0 {
		sin, cos := math.Sincos(share * phase)
		return math.Exp(-zeta*phase) * (cos + float64(zeta/share*sin))
	}
	// The roots of s^2 + 2 zeta s + 1 are -fast and -slow, and their product is 1.
	fast := zeta + math.Sqrt((zeta-1)*(zeta+1))
	slow := 1 / fast
	if fast == slow {
		return (1 + phase) * math.Exp(-phase)
	}
	return (float64(fast*math.Exp(-slow*phase)) - float64(slow*math.Exp(-fast*phase))) / (fast - slow)
}
