// Command simply_supported_point_load_at_deflection is the engine of a simply supported
// beam under a point load. See [Engine].
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
	PointLoad    float64  `name:"point_load" alias:"P" unit:"N" symbol:"P" doc:"Load, positive downwards."`
	LoadPosition *float64 `name:"load_position" alias:"a" unit:"m" range:"(0,length)" symbol:"a" doc:"Distance from the left support at which the load acts; half of length if left blank."`
	Position     *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the left support at which the deflection is wanted; load_position if left blank."`
}

// Output is the deflection, what the supports carry, and the largest values.
type Output struct {
	Delta              float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Deflection at position."`
	ReactionLeft       float64 `name:"reaction_left" unit:"N" label:"Reaction of the left support" symbol:"R_1" doc:"Reaction of the left support."`
	ReactionRight      float64 `name:"reaction_right" unit:"N" label:"Reaction of the right support" symbol:"R_2" doc:"Reaction of the right support."`
	MomentMax          float64 `name:"moment_max" unit:"N m" label:"Largest bending moment" symbol:"M_{\\max}" doc:"Largest bending moment, which is at the load; positive where it sags."`
	DeltaMax           float64 `name:"delta_max" unit:"m" label:"Largest deflection" symbol:"\\delta_{\\max}" doc:"Largest deflection."`
	PositionOfDeltaMax float64 `name:"position_of_delta_max" unit:"m" label:"Position of the largest deflection" symbol:"x_{\\max}" doc:"Distance from the left support at which the deflection is largest."`
}

// Engine returns the engine of mechanical.statics.simply_supported_point_load_at_deflection
// 1.0.1: a prismatic beam, on a support at x = 0 and one at x = L, under a load P at a. The
// formula is the Definition. Beyond the load the deflection is the mirror image of that
// before it.
//
// Units are SI. Loads and deflections are positive downwards, reactions upwards. A load
// may have any sign.
//
// Rejections: MISSING_REQUIRED_INPUT and CONFLICTING_INPUTS for the rigidity, and the
// codes of the ranges.
//
// Error: none but the final rounding: each result is the binary64 nearest to the true
// value for the given inputs (position_of_delta_max left of midspan is rounded from 31
// digits).
//
// Source: the formulas are those of the references in the Spec, proved equal to the
// differential equation of the beam; the books were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.statics.simply_supported_point_load_at_deflection",
		Version:    "1.0.1",
		Tool:       "simply-supported-point-load",
		Group:      "statics",
		Title:      "Simply supported beam with a point load",
		Summary:    "Deflection at any point of a beam on two supports under a concentrated load anywhere between them, with its reactions, its largest bending moment and its largest deflection.",
		Changes:    "A beam without a position of the load is rejected if its half length is no binary64 number, which is so below 4.5e-308 m: the load stood beside the middle, or on a support. Other numbers are as they were.",
		Keywords: []string{
			"simple beam", "pinned beam", "beam on two supports", "concentrated load", "load in the middle", "midspan load", "centre load", "center load",
			"off-centre load", "three-point bending", "plank", "joist", "lintel", "hoist beam", "crane girder", "sag", "bend",
		},
		Definition: `a = L/2
x = a
EI = E*I
b = L - a
s = min(a, b)
delta = P*b*x*(L^2 - b^2 - x^2)/(6*L*EI)          if x <= a
delta = P*a*(L - x)*(2*L*x - x^2 - a^2)/(6*L*EI)  otherwise
R_1 = P*b/L
R_2 = P*a/L
M_max = P*a*b/L
delta_max = P*s*(L^2 - s^2)^1.5/(9*sqrt(3)*L*EI)
x_max = sqrt((L^2 - s^2)/3)      if a >= b
x_max = L - sqrt((L^2 - s^2)/3)  otherwise`,
		Formulas: []sdk.Formula{{
			ID:    "simply_supported_point_load_v1",
			Label: "Simply supported beam under a load P at a",
		}},
		Assumptions:    append(beam.Assumptions("The supports do not give way; they hold no moment, and one of them lets the beam slide."), beam.NoShear),
		SignConvention: "x runs from the left support (0) to the right one (length). Loads and deflections are positive downwards, reactions upwards, moment_max where it sags (tension at the bottom).",
		References:     beam.References("8", "simple beam, concentrated load at any point", "1e"),
		Limits:         []sdk.Limit{beam.Small("delta_max")},
		Plots:          beam.Plots(sdk.Axis{Label: "load", Unit: "N"}),
		Warnings:       []string{beam.NoLoad, beam.LargeDeflection},
	}, calculate)
}

// Complete demands the rigidity once, puts the load at midspan where its place was not
// sent, and looks at the load.
func (in *Input) Complete(ctx context.Context) (err error) {
	if in.LoadPosition, err = beam.PlaceAtMidspan(ctx, in.LoadPosition, in.Length); err != nil {
		return err
	}
	in.Position = beam.Or(in.Position, *in.LoadPosition)
	return in.Rigidity.Check()
}

func calculate(ctx context.Context, in Input) (Output, error) {
	beam.Warn(ctx, "point_load", in.PointLoad, in.Length, in.squareOfLargest, beam.LargeSimple)
	return Output{
		Delta:        adaptive.Round(ctx, "delta", beam.At(in.deflection, *in.Position)),
		ReactionLeft: adaptive.Round(ctx, "reaction_left", in.reactionLeft),
		ReactionRight: adaptive.Round(ctx, "reaction_right", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.PointLoad).Mul(x.Of(*in.LoadPosition)).Div(x.Of(in.Length))
		}),
		MomentMax: adaptive.Round(ctx, "moment_max", func(x *adaptive.X) adaptive.Num {
			return in.reactionLeft(x).Mul(x.Of(*in.LoadPosition))
		}),
		DeltaMax:           math.Copysign(adaptive.RoundSqrt(ctx, "delta_max", in.squareOfLargest), in.PointLoad),
		PositionOfDeltaMax: in.placeOfLargest(ctx),
	}, nil
}

func (in *Input) reactionLeft(x *adaptive.X) adaptive.Num {
	l := x.Of(in.Length)
	return x.Of(in.PointLoad).Mul(l.Sub(x.Of(*in.LoadPosition))).Div(l)
}

// deflection is P b x ((a - x)(a + x) + 2ab)/(6 L EI) up to the load, where L^2 - b^2 - x^2
// has been written without its cancellation.
func (in *Input) deflection(x *adaptive.X, at float64) adaptive.Num {
	l, a, z := x.Of(in.Length), x.Of(*in.LoadPosition), x.Of(at)
	b := l.Sub(a)
	if at > *in.LoadPosition { // seen from the other end
		a, b, z = b, a, l.Sub(z)
	}
	n := x.Of(in.PointLoad).Mul(b, z, a.Sub(z).Mul(a.Add(z)).Add(x.Int(2).Mul(a, b)))
	return n.Div(x.Int(6).Mul(l, in.Rigidity.Of(x)))
}

// onTheLeft reports whether the load is nearer to the left support.
func (in *Input) onTheLeft() bool { return 2**in.LoadPosition < in.Length }

// nearer returns s, the distance of the load from the nearer support, and L^2 - s^2.
func (in *Input) nearer(x *adaptive.X) (s, difference adaptive.Num) {
	l := x.Of(in.Length)
	s = x.Of(*in.LoadPosition)
	if !in.onTheLeft() {
		s = l.Sub(s)
	}
	return s, l.Sub(s).Mul(l.Add(s))
}

// squareOfLargest is the square of delta_max, which is rational.
func (in *Input) squareOfLargest(x *adaptive.X) adaptive.Num {
	s, difference := in.nearer(x)
	n := x.Of(in.PointLoad).Mul(s).Pow(2).Mul(difference.Pow(3))
	return n.Div(x.Int(243).Mul(x.Of(in.Length).Mul(in.Rigidity.Of(x)).Pow(2)))
}

// placeOfLargest is a root of a rational number seen from the support that is farther
// from the load. Seen from the nearer one it is a difference: one step of Newton's method
// doubles the digits of the root, so that the difference too is rounded once.
func (in *Input) placeOfLargest(ctx context.Context) float64 {
	square := func(x *adaptive.X) adaptive.Num {
		_, difference := in.nearer(x)
		return difference.Div(x.Int(3))
	}
	root := adaptive.RoundSqrt(ctx, "position_of_delta_max", square)
	if !in.onTheLeft() {
		return root
	}
	return adaptive.Round(ctx, "position_of_delta_max", func(x *adaptive.X) adaptive.Num {
		r := x.Of(root)
		return x.Of(in.Length).Sub(r.Add(square(x).Div(r)).Div(x.Int(2)))
	})
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	b := beam.Beam{
		Length: in.Length, Left: sdk.Pin, Right: sdk.Roller,
		Forces:     []beam.Force{{Label: "point load", At: *in.LoadPosition, Force: in.PointLoad}},
		Deflection: beam.Curve(ctx, in.deflection),
		Position:   *in.Position, Largest: in.placeOfLargest(ctx),
	}
	b.Balance(in.reactionLeft, nil)
	return b.Draw(ctx, plot)
}
