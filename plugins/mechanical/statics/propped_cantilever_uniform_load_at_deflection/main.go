// Command propped_cantilever_uniform_load_at_deflection is the engine of a propped
// cantilever under a uniform load. See [Engine].
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
	Length float64 `name:"length" alias:"L,span,beam_length" unit:"m" range:"(0,)" symbol:"L" doc:"Length of the beam, from the wall to the roller."`
	beam.Rigidity
	UniformLoad float64  `name:"uniform_load" alias:"w,q" unit:"N/m" symbol:"w" doc:"Load on each metre of the whole beam, positive downwards."`
	Position    *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the wall at which the deflection is wanted; half of length if left blank."`
}

// Output is the deflection, what the supports carry, and the largest values.
type Output struct {
	Delta              float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Deflection at position."`
	ReactionWall       float64 `name:"reaction_wall" unit:"N" label:"Reaction of the wall" symbol:"R_1" doc:"Reaction of the wall."`
	ReactionRoller     float64 `name:"reaction_roller" unit:"N" label:"Reaction of the roller" symbol:"R_2" doc:"Reaction of the roller."`
	MomentWall         float64 `name:"moment_wall" unit:"N m" label:"Moment at the wall" symbol:"M_1" doc:"Bending moment at the wall, positive where it hogs."`
	MomentSpanMax      float64 `name:"moment_span_max" unit:"N m" label:"Largest sagging moment" symbol:"M_2" doc:"Largest bending moment between wall and roller, at 5/8 of length; positive where it sags."`
	PositionOfDeltaMax float64 `name:"position_of_delta_max" unit:"m" label:"Position of the largest deflection" symbol:"x_{\\max}" doc:"Distance from the wall at which the deflection is largest."`
	DeltaMax           float64 `name:"delta_max" unit:"m" label:"Largest deflection" symbol:"\\delta_{\\max}" doc:"Largest deflection."`
}

// Where the deflection is largest, (15 - sqrt(33))/16 of the length, and EI/(w L^4) of
// what it is there, (39 + 55 sqrt(33))/65536, to 50 digits.
const (
	placeOfLargest = "0.57846483459137320875933678323631691761123347137608"
	partOfLargest  = "0.0054161216058287288862882023735357835769975974302529"
)

// Engine returns the engine of
// mechanical.statics.propped_cantilever_uniform_load_at_deflection 1.0.0: a prismatic
// beam, clamped at x = 0 and on a roller at x = L, under a load w on each metre. The formula
// is the Definition.
//
// Units are SI. Loads and deflections are positive downwards, reactions upwards,
// moment_wall where it hogs and moment_span_max where it sags. A load may have any
// sign.
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
		Capability: "mechanical.statics.propped_cantilever_uniform_load_at_deflection",
		Version:    "1.0.0",
		Tool:       "propped-cantilever-uniform-load",
		Group:      "statics",
		Title:      "Propped cantilever with a uniform load",
		Summary:    "Deflection at any point of a beam that is clamped at one end and rests on a support at the other, under an evenly distributed load, with its reactions, its moments and its largest deflection.",
		Keywords: []string{
			"propped beam", "fixed-pinned beam", "fixed at one end and supported at the other", "clamped and simply supported", "statically indeterminate beam",
			"evenly distributed load", "UDL", "line load", "self-weight", "own weight", "balcony with a post", "sag", "bend", "wL4/185EI",
		},
		Definition: `x = L/2
EI = E*I
delta = w*x^2*(L - x)*(3*L - 2*x)/(48*EI)
R_1 = 5*w*L/8
R_2 = 3*w*L/8
M_1 = w*L^2/8
M_2 = 9*w*L^2/128
delta_max = (39 + 55*sqrt(33))*w*L^4/(65536*EI)
x_max = L*(15 - sqrt(33))/16`,
		Formulas: []sdk.Formula{{
			ID:    "propped_cantilever_uniform_load_v1",
			Label: "Propped cantilever under a uniform load w",
		}},
		Assumptions:    append(beam.Assumptions("The wall is rigid: it neither rotates nor gives way.", "The roller does not give way, holds no moment and lets the beam slide."), beam.NoShear),
		SignConvention: "x runs from the wall (0) to the roller (length). Loads and deflections are positive downwards, reactions upwards. moment_wall is positive where it hogs (tension on top), moment_span_max where it sags (tension at the bottom).",
		References:     beam.References("12", "beam fixed at one end, supported at other, uniformly distributed load", "2c"),
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
	beam.Warn(ctx, "uniform_load", in.UniformLoad, in.Length, in.squareOfLargest, beam.LargePropped)
	return Output{
		Delta:              adaptive.Round(ctx, "delta", beam.At(in.deflection, *in.Position)),
		ReactionWall:       adaptive.Round(ctx, "reaction_wall", in.share(1, 5, 8)),
		ReactionRoller:     adaptive.Round(ctx, "reaction_roller", in.share(1, 3, 8)),
		MomentWall:         adaptive.Round(ctx, "moment_wall", in.share(2, 1, 8)),
		MomentSpanMax:      adaptive.Round(ctx, "moment_span_max", in.share(2, 9, 128)),
		PositionOfDeltaMax: in.placeOfLargest(ctx),
		DeltaMax:           adaptive.Round(ctx, "delta_max", in.largest),
	}, nil
}

// share is n/d of w L^power.
func (in *Input) share(power int, n, d int64) beam.Value {
	return func(x *adaptive.X) adaptive.Num {
		return x.Int(n).Mul(x.Of(in.UniformLoad), x.Of(in.Length).Pow(power)).Div(x.Int(d))
	}
}

func (in *Input) deflection(x *adaptive.X, at float64) adaptive.Num {
	l, z := x.Of(in.Length), x.Of(at)
	n := x.Of(in.UniformLoad).Mul(z.Pow(2), l.Sub(z), x.Int(3).Mul(l).Sub(x.Int(2).Mul(z)))
	return n.Div(x.Int(48).Mul(in.Rigidity.Of(x)))
}

func (in *Input) largest(x *adaptive.X) adaptive.Num {
	return x.Literal(partOfLargest).Mul(x.Of(in.UniformLoad), x.Of(in.Length).Pow(4)).Div(in.Rigidity.Of(x))
}

func (in *Input) squareOfLargest(x *adaptive.X) adaptive.Num { return in.largest(x).Pow(2) }

func (in *Input) placeOfLargest(ctx context.Context) float64 {
	return adaptive.Round(ctx, "position_of_delta_max", func(x *adaptive.X) adaptive.Num {
		return x.Literal(placeOfLargest).Mul(x.Of(in.Length))
	})
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	b := beam.Beam{
		Length: in.Length, Left: sdk.WallLeft, Right: sdk.Roller,
		Loads:      []beam.Load{{Label: "uniform load", To: in.Length, Start: in.UniformLoad, End: in.UniformLoad}},
		Deflection: beam.Curve(ctx, in.deflection),
		Position:   *in.Position, Largest: in.placeOfLargest(ctx), Peaks: []float64{0.625 * in.Length},
	}
	b.Balance(in.share(1, 5, 8), in.share(2, 1, 8))
	return b.Draw(ctx, plot)
}
