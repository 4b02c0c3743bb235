package main

import (
	"context"

	"github.com/slipstick/slipstick/sdk"
)

func plots() []sdk.Plot {
	return []sdk.Plot{{
		ID: "stress", Title: "Shear stress across the shaft",
		Summary: "The shear stress along a diameter grows evenly from the axis to the outer surface, and turns on the other side of the axis. In a bore there is none.",
		X:       sdk.Axis{Label: "distance from the axis", Symbol: "r", Unit: "m"},
		Y:       sdk.Axis{Label: "shear stress", Symbol: `\tau`, Unit: "Pa"},
	}}
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	outer, inner := in.OuterDiameter/2, in.InnerDiameter/2
	most := out.ShearStressMax
	least := in.InnerDiameter / in.OuterDiameter * most
	side := func(x0, x1, y0, y1 float64) sdk.Curve {
		return sdk.Curve{Label: "shear stress", Style: sdk.Area, X: []float64{x0, x1}, Y: []float64{y0, y1}}
	}
	f := &sdk.Figure{
		Curves: []sdk.Curve{side(-outer, -inner, -most, -least), side(inner, outer, least, most)},
		Points: []sdk.Point{{Label: "outer surface", X: outer, Y: most}},
	}
	if inner > 0 {
		f.Points = append(f.Points, sdk.Point{Label: "bore", X: inner, Y: least})
	}
	return f, nil
}
