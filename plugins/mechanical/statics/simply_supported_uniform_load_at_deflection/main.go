// Command simply_supported_uniform_load_at_deflection is the engine of a simply supported
// beam under a uniform load. See [Engine].
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
	Length float64 `name:"length" alias:"L,span,beam_length" unit:"m" range:"(0,)" symbol:"L" doc:"Distance between the supports."`
	beam.Rigidity
	UniformLoad float64  `name:"uniform_load" alias:"w,q" unit:"N/m" symbol:"w" doc:"Load on each metre of the whole beam, positive downwards."`
	Position    *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the left support at which the deflection is wanted; half of length if left blank."`
}

// Output is the deflection, what the supports carry, and the largest values.
type Output struct {
	Delta         float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Deflection at position."`
	ReactionLeft  float64 `name:"reaction_left" unit:"N" label:"Reaction of the left support" symbol:"R_1" doc:"Reaction of the left support."`
	ReactionRight float64 `name:"reaction_right" unit:"N" label:"Reaction of the right support" symbol:"R_2" doc:"Reaction of the right support."`
	MomentMax     float64 `name:"moment_max" unit:"N m" label:"Largest bending moment" symbol:"M_{\\max}" doc:"Largest bending moment, which is at midspan; positive where it sags."`
	DeltaMax      float64 `name:"delta_max" unit:"m" label:"Largest deflection" symbol:"\\delta_{\\max}" doc:"Largest deflection, which is at midspan."`
}

// Engine returns the engine of
// mechanical.statics.simply_supported_uniform_load_at_deflection 1.0.0: a prismatic beam,
// on a support at x = 0 and one at x = L, under a load w on each metre. The formula is the
// Definition.
//
// Units are SI. Loads and deflections are positive downwards, reactions upwards. A load
// may have any sign.
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
		Capability: "mechanical.statics.simply_supported_uniform_load_at_deflection",
		Version:    "1.0.0",
		Tool:       "simply-supported-uniform-load",
		Group:      "statics",
		Title:      "Simply supported beam with a uniform load",
		Summary:    "Deflection at any point of a beam on two supports under an evenly distributed load, with its reactions, its largest bending moment and its largest deflection.",
		Keywords: []string{
			"simple beam", "pinned beam", "beam on two supports", "evenly distributed load", "UDL", "line load", "self-weight", "own weight", "dead load",
			"floor joist", "shelf", "plank", "bookshelf", "pipe span", "girder", "lintel", "bridge", "sag", "bend", "wL2/8", "5wL4/384EI",
		},
		Definition: `x = L/2
EI = E*I
delta = w*x*(L - x)*(L^2 + x*(L - x))/(24*EI)
R_1 = w*L/2
R_2 = w*L/2
M_max = w*L^2/8
delta_max = 5*w*L^4/(384*EI)`,
		Formulas: []sdk.Formula{{
			ID:    "simply_supported_uniform_load_v1",
			Label: "Simply supported beam under a uniform load w",
		}},
		Assumptions:    append(beam.Assumptions("The supports do not give way; they hold no moment, and one of them lets the beam slide."), beam.NoShear),
		SignConvention: "x runs from the left support (0) to the right one (length). Loads and deflections are positive downwards, reactions upwards, moment_max where it sags (tension at the bottom).",
		References:     beam.References("1", "simple beam, uniformly distributed load", "2e"),
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
	beam.Warn(ctx, "uniform_load", in.UniformLoad, in.Length, in.squareOfLargest, beam.LargeSimple)
	reaction := adaptive.Round(ctx, "reaction_left", in.reaction)
	return Output{
		Delta:        adaptive.Round(ctx, "delta", beam.At(in.deflection, *in.Position)),
		ReactionLeft: reaction, ReactionRight: reaction,
		MomentMax: adaptive.Round(ctx, "moment_max", func(x *adaptive.X) adaptive.Num {
			return in.reaction(x).Mul(x.Of(in.Length)).Div(x.Int(4))
		}),
		DeltaMax: adaptive.Round(ctx, "delta_max", in.largest),
	}, nil
}

func (in *Input) reaction(x *adaptive.X) adaptive.Num {
	return x.Of(in.UniformLoad).Mul(x.Of(in.Length)).Div(x.Int(2))
}

func (in *Input) deflection(x *adaptive.X, at float64) adaptive.Num {
	l, z := x.Of(in.Length), x.Of(at)
	product := z.Mul(l.Sub(z))
	return x.Of(in.UniformLoad).Mul(product, l.Pow(2).Add(product)).Div(x.Int(24).Mul(in.Rigidity.Of(x)))
}

func (in *Input) largest(x *adaptive.X) adaptive.Num {
	n := x.Int(5).Mul(x.Of(in.UniformLoad), x.Of(in.Length).Pow(4))
	return n.Div(x.Int(384).Mul(in.Rigidity.Of(x)))
}

func (in *Input) squareOfLargest(x *adaptive.X) adaptive.Num { return in.largest(x).Pow(2) }

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	b := beam.Beam{
		Length: in.Length, Left: sdk.Pin, Right: sdk.Roller,
		Loads:      []beam.Load{{Label: "uniform load", To: in.Length, Start: in.UniformLoad, End: in.UniformLoad}},
		Deflection: beam.Curve(ctx, in.deflection),
		Position:   *in.Position, Largest: in.Length / 2,
	}
	b.Balance(in.reaction, nil)
	return b.Draw(ctx, plot)
}
