// Command simply_supported_triangular_load_at_deflection is the engine of a simply
// supported beam under a triangular load. See [Engine].
package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/beam"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the beam, its load and the place to look at.
type Input struct {
	Length float64 `name:"length" alias:"L,span,beam_length" unit:"m" range:"(0,)" symbol:"L" doc:"Distance between the supports."`
	beam.Rigidity
	TrianglePeakLoad float64  `name:"triangle_peak_load" alias:"w0,q0,triangular_load_peak,peak_load" unit:"N/m" label:"Triangular load: peak, on the right" symbol:"w_0" doc:"Peak of the triangular load, which is at the right support; it is zero at the left one. Positive downwards."`
	Position         *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the left support at which the deflection is wanted; half of length if left blank."`
}

// Output is the deflection, what the supports carry, and the largest values.
type Output struct {
	Delta               float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Deflection at position."`
	ReactionLeft        float64 `name:"reaction_left" unit:"N" label:"Reaction of the left support" symbol:"R_1" doc:"Reaction of the left support, where the load is zero."`
	ReactionRight       float64 `name:"reaction_right" unit:"N" label:"Reaction of the right support" symbol:"R_2" doc:"Reaction of the right support, where the load has its peak."`
	MomentMax           float64 `name:"moment_max" unit:"N m" label:"Largest bending moment" symbol:"M_{\\max}" doc:"Largest bending moment, positive where it sags."`
	PositionOfMomentMax float64 `name:"position_of_moment_max" unit:"m" label:"Position of the largest bending moment" symbol:"x_M" doc:"Distance from the left support at which the bending moment is largest."`
	DeltaMax            float64 `name:"delta_max" unit:"m" label:"Largest deflection" symbol:"\\delta_{\\max}" doc:"Largest deflection."`
	PositionOfDeltaMax  float64 `name:"position_of_delta_max" unit:"m" label:"Position of the largest deflection" symbol:"x_{\\max}" doc:"Distance from the left support at which the deflection is largest."`
}

// Where the deflection is largest, sqrt(1 - sqrt(8/15)) of the length, and EI/(w0 L^4) of
// what it is there, to 50 digits.
const (
	placeOfLargest = "0.51932962235922814283609466211050014591549134065870"
	partOfLargest  = "0.0065221842319193626773579631731348446923404612083474"
)

// Engine returns the engine of
// mechanical.statics.simply_supported_triangular_load_at_deflection 1.0.0: a prismatic
// beam, on a support at x = 0 and one at x = L, under a load that grows from zero at the
// left support to w0 on each metre at the right one. The formula is the Definition.
//
// Units are SI. Loads and deflections are positive downwards, reactions upwards. A load
// may have any sign.
//
// Rejections: MISSING_REQUIRED_INPUT and CONFLICTING_INPUTS for the rigidity, and the
// codes of the ranges.
//
// Error: none but the final rounding: each result is the binary64 nearest to the true
// value for the given inputs (delta_max and its place are rounded from 50 digits).
//
// Source: the formulas are those of the references in the Spec, proved equal to the
// differential equation of the beam; the books were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.statics.simply_supported_triangular_load_at_deflection",
		Version:    "1.0.0",
		Tool:       "simply-supported-triangular-load",
		Group:      "statics",
		Title:      "Simply supported beam with a triangular load",
		Summary:    "Deflection at any point of a beam on two supports under a load that grows evenly from one support to the other, with its reactions, its largest bending moment and its largest deflection.",
		Keywords: []string{
			"simple beam", "pinned beam", "beam on two supports", "load increasing uniformly to one end", "linearly varying load", "hydrostatic load",
			"water pressure", "earth pressure", "retaining wall", "stop log", "sluice gate", "snow drift", "sag", "bend",
		},
		Definition: `x = L/2
EI = E*I
u(z) = w_0*z*(L - z)*(L + z)*(7*L^2 - 3*z^2)/(360*L*EI)
delta = u(x)
R_1 = w_0*L/6
R_2 = w_0*L/3
M_max = w_0*L^2/(9*sqrt(3))
x_M = L/sqrt(3)
x_max = L*sqrt(1 - sqrt(8/15))
delta_max = u(x_max)`,
		Formulas: []sdk.Formula{{
			ID:    "simply_supported_triangular_load_v1",
			Label: "Simply supported beam under a load that grows from zero at the left to w0 at the right",
		}},
		Assumptions:    append(beam.Assumptions("The supports do not give way; they hold no moment, and one of them lets the beam slide."), beam.NoShear),
		SignConvention: "x runs from the left support (0), where the load is zero, to the right one (length), where it has its peak. Loads and deflections are positive downwards, reactions upwards, moment_max where it sags (tension at the bottom).",
		References:     beam.References("2", "simple beam, load increasing uniformly to one end", "2e"),
		Limits:         []sdk.Limit{beam.Small("delta_max")},
		Plots:          beam.Plots(sdk.Axis{Label: "load", Unit: "N/m"}),
		Warnings:       []string{beam.NoLoad, beam.LargeDeflection},
	}, calculate)
}

// Complete demands the rigidity once, and looks at midspan where no place was sent.
func (in *Input) Complete(context.Context) error {
	in.Position = beam.Or(in.Position, in.Length/2)
	return in.Rigidity.Check()
}

func calculate(ctx context.Context, in Input) (Output, error) {
	beam.Warn(ctx, "triangle_peak_load", in.TrianglePeakLoad, in.Length, in.squareOfLargest, beam.LargeSimple)
	moment := adaptive.RoundSqrt(ctx, "moment_max", func(x *adaptive.X) adaptive.Num {
		return x.Of(in.TrianglePeakLoad).Mul(x.Of(in.Length).Pow(2)).Pow(2).Div(x.Int(243))
	})
	return Output{
		Delta:        adaptive.Round(ctx, "delta", beam.At(in.deflection, *in.Position)),
		ReactionLeft: adaptive.Round(ctx, "reaction_left", in.reactionLeft),
		ReactionRight: adaptive.Round(ctx, "reaction_right", func(x *adaptive.X) adaptive.Num {
			return x.Int(2).Mul(in.reactionLeft(x))
		}),
		MomentMax:           math.Copysign(moment, in.TrianglePeakLoad),
		PositionOfMomentMax: in.placeOfMoment(ctx),
		DeltaMax:            adaptive.Round(ctx, "delta_max", in.largest),
		PositionOfDeltaMax:  in.placeOfLargest(ctx),
	}, nil
}

func (in *Input) reactionLeft(x *adaptive.X) adaptive.Num {
	return x.Of(in.TrianglePeakLoad).Mul(x.Of(in.Length)).Div(x.Int(6))
}

func (in *Input) deflection(x *adaptive.X, at float64) adaptive.Num {
	l, z := x.Of(in.Length), x.Of(at)
	n := x.Of(in.TrianglePeakLoad).Mul(z, l.Sub(z), l.Add(z), x.Int(7).Mul(l.Pow(2)).Sub(x.Int(3).Mul(z.Pow(2))))
	return n.Div(x.Int(360).Mul(l, in.Rigidity.Of(x)))
}

func (in *Input) largest(x *adaptive.X) adaptive.Num {
	return x.Literal(partOfLargest).Mul(x.Of(in.TrianglePeakLoad), x.Of(in.Length).Pow(4)).Div(in.Rigidity.Of(x))
}

func (in *Input) squareOfLargest(x *adaptive.X) adaptive.Num { return in.largest(x).Pow(2) }

func (in *Input) placeOfLargest(ctx context.Context) float64 {
	return adaptive.Round(ctx, "position_of_delta_max", func(x *adaptive.X) adaptive.Num {
		return x.Literal(placeOfLargest).Mul(x.Of(in.Length))
	})
}

func (in *Input) placeOfMoment(ctx context.Context) float64 {
	return adaptive.RoundSqrt(ctx, "position_of_moment_max", func(x *adaptive.X) adaptive.Num {
		return x.Of(in.Length).Pow(2).Div(x.Int(3))
	})
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	b := beam.Beam{
		Length: in.Length, Left: sdk.Pin, Right: sdk.Roller,
		Loads:      []beam.Load{{Label: "triangular load", To: in.Length, End: in.TrianglePeakLoad}},
		Deflection: beam.Curve(ctx, in.deflection),
		Position:   *in.Position, Largest: in.placeOfLargest(ctx), Peaks: []float64{in.placeOfMoment(ctx)},
	}
	b.Balance(in.reactionLeft, nil)
	return b.Draw(ctx, plot)
}
