package main

import (
	"context"
	"math"
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/sdk"
)

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	points := make([][2]float64, len(in.Vertices))
	for i, v := range in.Vertices {
		points[i] = [2]float64(v)
	}
	shape := outline.Closed("outline", sdk.Member, points...)
	reach := 0.0
	for i := range points {
		reach = max(reach, math.Abs(shape.X[i]-out.CentroidX), math.Abs(shape.Y[i]-out.CentroidY))
	}
	c, s := principalAxis(&out)
	axis := func(label string, c, s float64) sdk.Curve {
		dx, dy := float64(0.8*reach*c), float64(0.8*reach*s)
		return sdk.Curve{Label: label, Style: sdk.Centre,
			X: []float64{out.CentroidX - dx, out.CentroidX + dx},
			Y: []float64{out.CentroidY - dy, out.CentroidY + dy}}
	}
	left, right, bottom, top := slices.Min(shape.X), slices.Max(shape.X), slices.Min(shape.Y), slices.Max(shape.Y)
	return outline.Bounded(&sdk.Figure{
		Curves: []sdk.Curve{shape, axis("I₁", c, s), axis("I₂", -s, c)},
		Points: []sdk.Point{{Label: "centroid", X: out.CentroidX, Y: out.CentroidY}},
		Dimensions: []sdk.Dimension{
			outline.Width("width", "b", right-left, left, right, bottom, sdk.Below),
			outline.Height("height", "h", top-bottom, bottom, top, left, sdk.OnLeft),
			outline.Height("from the centroid to the top", "c_t", max(0, top-out.CentroidY), out.CentroidY, top, right, sdk.OnRight),
			outline.Height("from the centroid to the bottom", "c_b", max(0, out.CentroidY-bottom), bottom, out.CentroidY, right, sdk.OnRight),
		},
	})
}

// principalAxis returns the direction of the axis of the greater principal moment, by the
// formulas of half an angle: that twice of it points along (Ix - Iy, -2 Ixy). No function
// is used that differs between processors.
func principalAxis(out *Output) (c, s float64) {
	x, y := out.SecondMomentX-out.SecondMomentY, -2*out.ProductMoment
	scale := max(math.Abs(x), math.Abs(y))
	if scale == 0 {
		return 1, 0 // every axis is one
	}
	x, y = x/scale, y/scale
	r := math.Sqrt(float64(x*x) + float64(y*y))
	x, y = x/r, y/r
	if x >= 0 {
		c = math.Sqrt((1 + x) / 2)
		return c, y / (2 * c)
	}
	s = math.Sqrt((1 - x) / 2)
	return y / (2 * s), s
}
