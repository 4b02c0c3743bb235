package main

import (
	"context"
	"math"
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/beam"
	"github.com/slipstick/slipstick/sdk"
)

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	deflection := beam.Curve(ctx, func(x *adaptive.X, at float64) adaptive.Num {
		return in.terms(x, at).sum().Div(in.divisor(x))
	})
	b := beam.Beam{
		Length: in.Length, Left: sdk.WallLeft,
		Loads:      []beam.Load{{Label: "triangular load", To: *in.TriangleLength, Start: in.TrianglePeakLoad}},
		Couple:     &beam.Couple{Label: "tip moment", Moment: in.TipMoment},
		Deflection: deflection, Shear: in.shear, Moment: in.moment,
		Position: *in.Position, Largest: in.placeOfLargest(deflection),
	}
	if in.OuterStart != nil {
		b.Loads = append(b.Loads, beam.Load{Label: "uniform load", From: *in.OuterStart, To: in.Length, Start: in.OuterUniformLoad, End: in.OuterUniformLoad})
	}
	return b.Draw(ctx, plot)
}

// beyond returns how far the triangular load reaches beyond a section.
func (in *Input) beyond(x *adaptive.X, at float64) adaptive.Num {
	if at >= *in.TriangleLength {
		return x.Int(0)
	}
	return x.Of(*in.TriangleLength).Sub(x.Of(at))
}

// loaded returns the length under the uniform load beyond a section, and how far from the
// section its middle is.
func (in *Input) loaded(x *adaptive.X, at float64) (length, middle adaptive.Num) {
	to := x.Of(in.Length).Sub(x.Of(at))
	switch {
	case in.OuterStart == nil:
		return x.Int(0), x.Int(0)
	case in.underOuterLoad(at):
		length = to
	case in.OuterLength != nil: // the start in the echo is rounded; this is not
		length = x.Of(*in.OuterLength)
	default:
		length = x.Of(in.Length).Sub(x.Of(*in.OuterStart))
	}
	return length, to.Sub(length.Div(x.Int(2)))
}

// shear is what the loads beyond a section weigh: w0 <b-x>^2/(2b) + w (L - max(x, a)).
func (in *Input) shear(x *adaptive.X, at float64) adaptive.Num {
	rest := in.beyond(x, at)
	triangle := x.Of(in.TrianglePeakLoad).Mul(rest.Pow(2)).Div(x.Int(2).Mul(x.Of(*in.TriangleLength)))
	length, _ := in.loaded(x, at)
	return triangle.Add(x.Of(in.OuterUniformLoad).Mul(length))
}

// moment is that of the loads beyond a section, which bend it upwards if they are positive:
// -(w0 <b-x>^3/(6b) + w c ((L + a)/2 - x) + M0), with max(x, a) in place of a.
func (in *Input) moment(x *adaptive.X, at float64) adaptive.Num {
	rest := in.beyond(x, at)
	triangle := x.Of(in.TrianglePeakLoad).Mul(rest.Pow(3)).Div(x.Int(6).Mul(x.Of(*in.TriangleLength)))
	length, middle := in.loaded(x, at)
	return triangle.Add(x.Of(in.OuterUniformLoad).Mul(length, middle)).Add(x.Of(in.TipMoment)).Neg()
}

// placeOfLargest is the tip, unless loads of opposite signs make it another place. That is
// searched between the samples next to the largest one.
func (in *Input) placeOfLargest(deflection func(at float64) float64) float64 {
	xs, ys := sdk.Sample(0, in.Length, 101, func(x float64) float64 { return math.Abs(deflection(x)) })
	best, tip := slices.Index(ys, slices.Max(ys)), len(xs)-1
	if best == tip || ys[best] == ys[tip] {
		return in.Length
	}
	low, high := xs[best-1], xs[best+1] // at the wall there is no deflection
	for range 60 {
		third := (high - low) / 3
		if math.Abs(deflection(low+third)) < math.Abs(deflection(high-third)) {
			low += third
		} else {
			high -= third
		}
	}
	return low
}
