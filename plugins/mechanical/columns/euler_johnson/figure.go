package main

import (
	"context"

	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/sdk"
)

// samples is how many points a branch of the curve has.
const samples = 80

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	here := sdk.Point{Label: "this column", X: out.SlendernessRatio, Y: out.CriticalStress}
	if in.YieldStrength == nil {
		xs, ys := sdk.Sample(here.X/2, 2*here.X, samples, hyperbola(here.X, here.Y))
		return outline.Bounded(&sdk.Figure{Curves: []sdk.Curve{{Label: "Euler", X: xs, Y: ys}}, Points: []sdk.Point{here}})
	}
	transition, yield := *out.TransitionSlenderness, *in.YieldStrength
	slender := hyperbola(transition, yield/2)
	parabola := func(slenderness float64) float64 {
		ratio := slenderness / transition
		return yield * (1 - float64(ratio*ratio/2))
	}
	f := &sdk.Figure{Points: []sdk.Point{here, {Label: "transition", X: transition, Y: yield / 2}}}
	add := func(label string, style sdk.CurveStyle, low, high float64, of func(float64) float64) {
		xs, ys := sdk.Sample(low, high, samples, of)
		f.Curves = append(f.Curves, sdk.Curve{Label: label, Style: style, X: xs, Y: ys})
	}
	add("Johnson", sdk.Line, 0, transition, parabola)
	add("Euler", sdk.Line, transition, max(2*transition, 1.25*here.X), slender)
	// Euler's formula passes yield at Cc/sqrt(2), 0.7071 Cc.
	add("Euler, where the column would yield first", sdk.Guide, 0.7072*transition, transition, slender)
	return outline.Bounded(f)
}

// hyperbola returns the stress that falls with the square of the slenderness, through one
// of its points.
func hyperbola(slenderness, stress float64) func(float64) float64 {
	return func(x float64) float64 {
		ratio := slenderness / x
		return stress * ratio * ratio
	}
}
