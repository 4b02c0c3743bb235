package main

import (
	"context"
	"math"
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
)

// The axis along the beam.
var along = sdk.Axis{Label: "distance from the left end", Symbol: "x", Unit: "m"}

// plots show the beam. The sketch shows loads to scale along the axis.
var plots = []sdk.Plot{{
	ID: "sketch", Title: "The loaded beam",
	Summary: "The beam on its supports, with the loads where they act, and the shape to which they bend it. Loads that act downwards are drawn above the beam.",
	X:       along, Y: sdk.Axis{Label: "intensity of the load", Unit: "N/m"},
}, {
	ID: "deflection", Title: "Deflection",
	Summary: "The displacement along the beam, downwards as it is. The largest one and the one at the position asked for are marked.",
	X:       along, Y: sdk.Axis{Label: "deflection", Symbol: `\delta`, Unit: "m"}, Down: true,
}, {
	ID: "shear", Title: "Shear force",
	Summary: "The shear force along the beam: the sum of the forces to the left of a section, positive upwards. Its values at the ends are marked.",
	X:       along, Y: sdk.Axis{Label: "shear force (positive: up on the left)", Symbol: "V", Unit: "N"},
}, {
	ID: "moment", Title: "Bending moment",
	Summary: "The bending moment along the beam, drawn on the side that it stretches: sagging, which is positive, below the axis and hogging above. Its values at the ends and its extremes between them are marked.",
	X:       along, Y: sdk.Axis{Label: "bending moment (positive: sagging)", Symbol: "M", Unit: "N m"}, Down: true,
}}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	deflection := curve(ctx, func(x *adaptive.X, at float64) adaptive.Num {
		return in.terms(x, at).sum().Div(in.divisor(x))
	})
	largest := in.placeOfLargest(deflection)
	if plot == "sketch" {
		return in.sketch(deflection, largest), nil
	}
	f := &sdk.Figure{Supports: []sdk.Support{{Kind: sdk.WallLeft}}}
	switch plot {
	case "deflection":
		xs, ys := in.sample(deflection, largest)
		f.Curves = []sdk.Curve{{Label: "deflection", X: xs, Y: ys}}
		f.Points = in.deflectionMarks(deflection, largest)
	case "shear":
		xs, ys := in.sample(curve(ctx, in.shear), largest)
		f.Curves = []sdk.Curve{{Label: "shear force", Style: sdk.Area, X: xs, Y: ys}}
		f.Points = marks(xs, ys, nil)
	default:
		xs, ys := in.sample(curve(ctx, in.moment), largest)
		f.Curves = []sdk.Curve{{Label: "bending moment", Style: sdk.Area, X: xs, Y: ys}}
		f.Points = marks(xs, ys, []extreme{{"largest sagging moment", max(0, slices.Max(ys))}, {"largest hogging moment", min(0, slices.Min(ys))}})
	}
	if slices.ContainsFunc(f.Curves[0].Y, isInfinite) {
		return nil, sdk.Reject(sdk.CodeNonFiniteResult, "", "the %s is somewhere beyond the range of binary64 numbers for these inputs", f.Curves[0].Label).
			Suggest("Use inputs of smaller magnitude.")
	}
	return f, nil
}

func isInfinite(y float64) bool { return math.IsInf(y, 0) }

// curve returns f with its values rounded.
func curve(ctx context.Context, f func(x *adaptive.X, at float64) adaptive.Num) func(at float64) float64 {
	return func(at float64) float64 {
		return adaptive.Round(ctx, "", func(x *adaptive.X) adaptive.Num { return f(x, at) })
	}
}

func (in *Input) sketch(deflection func(at float64) float64, largest float64) *sdk.Figure {
	f := &sdk.Figure{
		Curves:   []sdk.Curve{{Label: "beam", Style: sdk.Member, X: []float64{0, in.Length}, Y: []float64{0, 0}}},
		Supports: []sdk.Support{{Kind: sdk.WallLeft}},
	}
	if w0 := in.TrianglePeakLoad; w0 != 0 {
		f.Curves = append(f.Curves, sdk.Curve{Label: "triangular load", Style: sdk.Load, X: []float64{0, *in.TriangleLength}, Y: []float64{w0, 0}})
	}
	if w := in.OuterUniformLoad; w != 0 && *in.OuterStart < in.Length {
		f.Curves = append(f.Curves, sdk.Curve{Label: "uniform load", Style: sdk.Load, X: []float64{*in.OuterStart, in.Length}, Y: []float64{w, w}})
	}
	if m := in.TipMoment; m != 0 {
		f.Couples = []sdk.Couple{{Label: "tip moment", X: in.Length, Counterclockwise: m < 0}}
	}
	const few = 33
	xs, ys := sdk.Sample(0, in.Length, few, func(at float64) float64 { return 0 - deflection(at) }, largest)
	if !slices.ContainsFunc(ys, isInfinite) {
		f.Shapes = []sdk.Shape{{Label: "deflected shape", X: xs, Y: ys}}
	}
	return f
}

// places are where curves are drawn, in addition to the places where they bend.
const places = 101

// sample evaluates f along the beam.
func (in *Input) sample(f func(at float64) float64, largest float64) (xs, ys []float64) {
	others := []float64{*in.Position, largest, *in.TriangleLength}
	if in.OuterStart != nil {
		others = append(others, *in.OuterStart)
	}
	return sdk.Sample(0, in.Length, places, f, others...)
}

func (in *Input) deflectionMarks(deflection func(at float64) float64, place float64) []sdk.Point {
	largest := sdk.Point{Label: "largest deflection", X: place, Y: deflection(place)}
	asked := sdk.Point{Label: "position", X: *in.Position, Y: deflection(*in.Position)}
	switch {
	case largest.Y == 0:
		return []sdk.Point{asked}
	case place == *in.Position:
		largest.Label = "largest deflection, at position"
		return []sdk.Point{largest}
	}
	return []sdk.Point{largest, asked}
}

// extreme is a value of a curve that is marked, unless it is zero or the value of an end.
type extreme struct {
	label string
	value float64
}

// marks are the ends of a curve and its extremes, as far as they are not zero.
func marks(xs, ys []float64, extremes []extreme) (points []sdk.Point) {
	last := len(xs) - 1
	mark := func(label string, i int) {
		if ys[i] != 0 {
			points = append(points, sdk.Point{Label: label, X: xs[i], Y: ys[i]})
		}
	}
	mark("left end", 0)
	for _, e := range extremes {
		if e.value != 0 && e.value != ys[0] && e.value != ys[last] {
			mark(e.label, slices.Index(ys, e.value))
		}
	}
	mark("right end", last)
	return points
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

// shear returns the sum of the loads beyond a section: w0 <b-x>^2/(2b) + w (L - max(x, a)).
func (in *Input) shear(x *adaptive.X, at float64) adaptive.Num {
	rest := in.beyond(x, at)
	triangle := x.Of(in.TrianglePeakLoad).Mul(rest.Times(rest)).Div(x.Int(2).Mul(x.Of(*in.TriangleLength)))
	length, _ := in.loaded(x, at)
	return triangle.Add(x.Of(in.OuterUniformLoad).Mul(length))
}

// moment returns the moment of the loads beyond a section. It is -(w0 <b-x>^3/(6b) + w c
// ((L + a)/2 - x) + M0), with max(x, a) in place of a. Positive loads bend the beam
// upwards.
func (in *Input) moment(x *adaptive.X, at float64) adaptive.Num {
	rest := in.beyond(x, at)
	triangle := x.Of(in.TrianglePeakLoad).Mul(rest.Times(rest).Times(rest)).Div(x.Int(6).Mul(x.Of(*in.TriangleLength)))
	length, middle := in.loaded(x, at)
	return triangle.Add(x.Of(in.OuterUniformLoad).Mul(length, middle)).Add(x.Of(in.TipMoment)).Neg()
}

// placeOfLargest is the tip, unless loads of opposite signs make it another place. That is
// searched between the samples next to the largest one.
func (in *Input) placeOfLargest(deflection func(at float64) float64) float64 {
	xs, ys := sdk.Sample(0, in.Length, places, func(x float64) float64 { return math.Abs(deflection(x)) })
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
