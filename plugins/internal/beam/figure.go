package beam

import (
	"context"
	"math"
	"slices"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
)

// Beam is a loaded beam as its figures show it.
type Beam struct {
	Length      float64
	Left, Right sdk.SupportKind // "" for a free end

	Forces []Force
	Loads  []Load
	Couple *Couple // at the right end

	Deflection func(at float64) float64 // see Curve
	Shear      Function                 // positive: up on the left; at a force the value beyond it
	Moment     Function                 // positive: sagging

	Position float64   // where the deflection was asked for
	Largest  float64   // where it is largest
	Peaks    []float64 // where else the bending moment may be extreme
}

// Couple is a moment, positive where it bends the right end downwards.
type Couple struct {
	Label  string
	Moment float64
}

// Curve returns f with its values rounded.
func Curve(ctx context.Context, f Function) func(at float64) float64 {
	return func(at float64) float64 { return adaptive.Round(ctx, "", At(f, at)) }
}

// Plots are the figures of a beam. The sketch shows loads to scale along the axis.
func Plots(load sdk.Axis) []sdk.Plot {
	along := sdk.Axis{Label: "distance from the left end", Symbol: "x", Unit: "m"}
	return []sdk.Plot{{
		ID: "sketch", Title: "The loaded beam",
		Summary: "The beam on its supports, with the loads where they act, and the shape to which they bend it. Loads that act downwards stand above the beam.",
		X:       along, Y: load,
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
}

// Draw returns the figure with the id of one of the Plots.
func (b *Beam) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	var f *sdk.Figure
	switch plot {
	case "sketch":
		return b.sketch(), nil
	case "deflection":
		f = b.drawDeflection()
	case "shear":
		f = b.drawShear(ctx)
	default:
		f = b.drawMoment(ctx)
	}
	if slices.ContainsFunc(f.Curves[0].Y, func(y float64) bool { return math.IsInf(y, 0) }) {
		return nil, sdk.Reject(sdk.CodeNonFiniteResult, "", "the %s is somewhere beyond the range of binary64 numbers for these inputs", f.Curves[0].Label).
			Suggest("Use inputs of smaller magnitude.")
	}
	f.Supports = b.supports()
	return f, nil
}

func (b *Beam) supports() (supports []sdk.Support) {
	if b.Left != "" {
		supports = append(supports, sdk.Support{Kind: b.Left})
	}
	if b.Right != "" {
		supports = append(supports, sdk.Support{Kind: b.Right, X: b.Length})
	}
	return supports
}

func (b *Beam) sketch() *sdk.Figure {
	f := &sdk.Figure{
		Curves:   []sdk.Curve{{Label: "beam", Style: sdk.Member, X: []float64{0, b.Length}, Y: []float64{0, 0}}},
		Supports: b.supports(),
	}
	for _, l := range b.Loads {
		if l.From < l.To && (l.Start != 0 || l.End != 0) {
			f.Curves = append(f.Curves, sdk.Curve{Label: l.Label, Style: sdk.Load, X: []float64{l.From, l.To}, Y: []float64{l.Start, l.End}})
		}
	}
	for _, p := range b.Forces {
		if p.Force != 0 {
			f.Arrows = append(f.Arrows, sdk.Arrow{Label: p.Label, X: p.At, Y: p.Force, ToX: p.At})
		}
	}
	if c := b.Couple; c != nil && c.Moment != 0 {
		f.Couples = append(f.Couples, sdk.Couple{Label: c.Label, X: b.Length, Counterclockwise: c.Moment < 0})
	}
	if shape := b.shape(); !slices.ContainsFunc(shape.Y, func(y float64) bool { return math.IsInf(y, 0) }) {
		f.Shapes = append(f.Shapes, shape)
	}
	return f
}

// shape is the displaced axis of the beam, as coarse as a sketch may be.
func (b *Beam) shape() sdk.Shape {
	xs, ys := sdk.Sample(0, b.Length, 33, func(at float64) float64 { return 0 - b.Deflection(at) }, b.Largest)
	return sdk.Shape{Label: "deflected shape", X: xs, Y: ys}
}

// samples are the places at which a curve is drawn, beside those where it bends.
const samples = 101

// sample evaluates f along the beam.
func (b *Beam) sample(f func(at float64) float64) (xs, ys []float64) {
	others := append([]float64{b.Position, b.Largest}, b.Peaks...)
	for _, p := range b.Forces {
		others = append(others, p.At)
	}
	for _, l := range b.Loads {
		others = append(others, l.From, l.To)
	}
	return sdk.Sample(0, b.Length, samples, f, others...)
}

func (b *Beam) drawDeflection() *sdk.Figure {
	xs, ys := b.sample(b.Deflection)
	f := &sdk.Figure{Curves: []sdk.Curve{{Label: "deflection", X: xs, Y: ys}}}
	largest, asked := b.Deflection(b.Largest), b.Deflection(b.Position)
	switch {
	case largest == 0:
		f.Points = []sdk.Point{{Label: "position", X: b.Position, Y: asked}}
	case b.Largest == b.Position:
		f.Points = []sdk.Point{{Label: "largest deflection, at position", X: b.Position, Y: asked}}
	default:
		f.Points = []sdk.Point{{Label: "largest deflection", X: b.Largest, Y: largest}, {Label: "position", X: b.Position, Y: asked}}
	}
	return f
}

// drawShear draws a step at each force: the value before it, then the value beyond.
func (b *Beam) drawShear(ctx context.Context) *sdk.Figure {
	before := func(place float64) float64 {
		return adaptive.Round(ctx, "", func(x *adaptive.X) adaptive.Num {
			shear := b.Shear(x, place)
			for _, p := range b.Forces {
				if p.At == place {
					shear = shear.Add(x.Of(p.Force))
				}
			}
			return shear
		})
	}
	xs, ys := b.sample(before)
	beyond := Curve(ctx, b.Shear)
	for _, p := range b.Forces {
		if i, found := slices.BinarySearch(xs, p.At); found && p.At < b.Length {
			xs, ys = slices.Insert(xs, i+1, p.At), slices.Insert(ys, i+1, beyond(p.At))
		}
	}
	f := &sdk.Figure{Curves: []sdk.Curve{{Label: "shear force", Style: sdk.Area, X: xs, Y: ys}}}
	f.Points = marks(xs, ys, nil)
	return f
}

func (b *Beam) drawMoment(ctx context.Context) *sdk.Figure {
	xs, ys := b.sample(Curve(ctx, b.Moment))
	f := &sdk.Figure{Curves: []sdk.Curve{{Label: "bending moment", Style: sdk.Area, X: xs, Y: ys}}}
	f.Points = marks(xs, ys, []extreme{{"largest sagging moment", max(0, slices.Max(ys))}, {"largest hogging moment", min(0, slices.Min(ys))}})
	return f
}

// extreme is a value of a curve that is worth a mark unless it stands at an end or is
// zero.
type extreme struct {
	label string
	value float64
}

// marks are the points worth reading off, as far as they are not zero: the ends of the
// curve and its extremes.
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
