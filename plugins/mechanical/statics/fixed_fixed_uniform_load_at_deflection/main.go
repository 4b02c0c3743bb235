// Command fixed_fixed_uniform_load_at_deflection is the engine of a beam that is fixed at
// both ends, under a uniform load. See [Engine].
package main

import (
	"context"
	_ "embed"

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
	Length float64 `name:"length" alias:"L,span,beam_length" unit:"m" range:"(0,)" symbol:"L" doc:"Length of the beam, from wall to wall."`
	beam.Rigidity
	UniformLoad float64  `name:"uniform_load" alias:"w,q" unit:"N/m" symbol:"w" doc:"Load on each metre of the whole beam, positive downwards."`
	Position    *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the left wall at which the deflection is wanted; half of length if left blank."`
}

// Output is the deflection, what the walls carry, and the largest values.
type Output struct {
	Delta         float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Deflection at position."`
	ReactionLeft  float64 `name:"reaction_left" unit:"N" label:"Reaction of the left wall" symbol:"R_1" doc:"Reaction of the left wall."`
	ReactionRight float64 `name:"reaction_right" unit:"N" label:"Reaction of the right wall" symbol:"R_2" doc:"Reaction of the right wall."`
	MomentLeft    float64 `name:"moment_left" unit:"N m" label:"Moment at the left wall" symbol:"M_1" doc:"Bending moment at the left wall, positive where it hogs."`
	MomentRight   float64 `name:"moment_right" unit:"N m" label:"Moment at the right wall" symbol:"M_2" doc:"Bending moment at the right wall, positive where it hogs."`
	MomentMidspan float64 `name:"moment_midspan" unit:"N m" label:"Moment at midspan" symbol:"M_3" doc:"Bending moment at midspan, positive where it sags."`
	DeltaMax      float64 `name:"delta_max" unit:"m" label:"Largest deflection" symbol:"\\delta_{\\max}" doc:"Largest deflection, which is at midspan."`
}

// Engine returns the engine of mechanical.statics.fixed_fixed_uniform_load_at_deflection
// 1.0.0: a prismatic beam, clamped at x = 0 and at x = L, under a load w on each metre. The
// formula is the Definition.
//
// Units are SI. Loads and deflections are positive downwards, reactions upwards,
// moments at the walls where they hog and that at midspan where it sags. A load may
// have any sign.
//
// Rejections: MISSING_REQUIRED_INPUT and CONFLICTING_INPUTS for the rigidity, and the
// codes of the ranges.
//
// Error: none but the final rounding: each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the formulas are those of the references in the Spec, proved equal to the
// differential equation of the beam; the books were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.statics.fixed_fixed_uniform_load_at_deflection",
		Version:    "1.0.0",
		Tool:       "fixed-fixed-uniform-load",
		Group:      "statics",
		Title:      "Beam fixed at both ends with a uniform load",
		Summary:    "Deflection at any point of a beam clamped at both ends under an evenly distributed load, with its reactions, its fixed-end moments and its largest deflection.",
		Keywords: []string{
			"fixed-fixed beam", "fixed-end beam", "fixed-end moments", "built-in beam", "encastre", "clamped at both ends", "clamped-clamped", "welded at both ends",
			"evenly distributed load", "UDL", "line load", "self-weight", "own weight", "sag", "bend", "wL2/12", "wL4/384EI",
		},
		Definition: `x = L/2
EI = E*I
delta = w*x^2*(L - x)^2/(24*EI)
R_1 = w*L/2
R_2 = w*L/2
M_1 = w*L^2/12
M_2 = w*L^2/12
M_3 = w*L^2/24
delta_max = w*L^4/(384*EI)`,
		Formulas: []sdk.Formula{{
			ID:    "fixed_fixed_uniform_load_v1",
			Label: "Beam fixed at both ends under a uniform load w",
		}},
		Assumptions:    append(beam.Assumptions("The walls are rigid: they neither rotate nor give way.", "The beam is not stretched between the walls."), beam.NoShear),
		SignConvention: "x runs from the left wall (0) to the right one (length). Loads and deflections are positive downwards, reactions upwards. moment_left and moment_right are positive where they hog (tension on top), moment_midspan where it sags (tension at the bottom).",
		References:     beam.References("15", "beam fixed at both ends, uniformly distributed loads", "2d"),
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
	beam.Warn(ctx, "uniform_load", in.UniformLoad, in.Length, in.squareOfLargest, beam.LargeFixed)
	reaction, wall := adaptive.Round(ctx, "reaction_left", in.reaction), adaptive.Round(ctx, "moment_left", in.wallMoment)
	return Output{
		Delta:        adaptive.Round(ctx, "delta", beam.At(in.deflection, *in.Position)),
		ReactionLeft: reaction, ReactionRight: reaction,
		MomentLeft: wall, MomentRight: wall,
		MomentMidspan: adaptive.Round(ctx, "moment_midspan", func(x *adaptive.X) adaptive.Num {
			return in.wallMoment(x).Div(x.Int(2))
		}),
		DeltaMax: adaptive.Round(ctx, "delta_max", in.largest),
	}, nil
}

func (in *Input) reaction(x *adaptive.X) adaptive.Num {
	return x.Of(in.UniformLoad).Mul(x.Of(in.Length)).Div(x.Int(2))
}

func (in *Input) wallMoment(x *adaptive.X) adaptive.Num {
	return x.Of(in.UniformLoad).Mul(x.Of(in.Length).Pow(2)).Div(x.Int(12))
}

func (in *Input) deflection(x *adaptive.X, at float64) adaptive.Num {
	z := x.Of(at)
	n := x.Of(in.UniformLoad).Mul(z.Mul(x.Of(in.Length).Sub(z)).Pow(2))
	return n.Div(x.Int(24).Mul(in.Rigidity.Of(x)))
}

func (in *Input) largest(x *adaptive.X) adaptive.Num {
	return x.Of(in.UniformLoad).Mul(x.Of(in.Length).Pow(4)).Div(x.Int(384).Mul(in.Rigidity.Of(x)))
}

func (in *Input) squareOfLargest(x *adaptive.X) adaptive.Num { return in.largest(x).Pow(2) }

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	b := beam.Beam{
		Length: in.Length, Left: sdk.WallLeft, Right: sdk.WallRight,
		Loads:      []beam.Load{{Label: "uniform load", To: in.Length, Start: in.UniformLoad, End: in.UniformLoad}},
		Deflection: beam.Curve(ctx, in.deflection),
		Position:   *in.Position, Largest: in.Length / 2,
	}
	b.Balance(in.reaction, in.wallMoment)
	return b.Draw(ctx, plot)
}
