// Command propped_cantilever_point_load_at_deflection is the engine of a propped
// cantilever under a point load. See [Engine].
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
	PointLoad    float64  `name:"point_load" alias:"P" unit:"N" symbol:"P" doc:"Load, positive downwards."`
	LoadPosition *float64 `name:"load_position" alias:"a" unit:"m" range:"(0,length)" symbol:"a" doc:"Distance from the wall at which the load acts; half of length if left blank."`
	Position     *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the wall at which the deflection is wanted; load_position if left blank."`
}

// Output is the deflection, what the supports carry, and the moments.
type Output struct {
	Delta          float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Deflection at position."`
	ReactionWall   float64 `name:"reaction_wall" unit:"N" label:"Reaction of the wall" symbol:"R_1" doc:"Reaction of the wall."`
	ReactionRoller float64 `name:"reaction_roller" unit:"N" label:"Reaction of the roller" symbol:"R_2" doc:"Reaction of the roller."`
	MomentWall     float64 `name:"moment_wall" unit:"N m" label:"Moment at the wall" symbol:"M_1" doc:"Bending moment at the wall, positive where it hogs."`
	MomentAtLoad   float64 `name:"moment_at_load" unit:"N m" label:"Moment at the load" symbol:"M_2" doc:"Bending moment at the load, positive where it sags."`
}

// Engine returns the engine of
// mechanical.statics.propped_cantilever_point_load_at_deflection 1.0.1: a prismatic beam,
// clamped at x = 0 and on a roller at x = L, under a load P at a. The formula is the
// Definition.
//
// Units are SI. Loads and deflections are positive downwards, reactions upwards,
// moment_wall where it hogs and moment_at_load where it sags. A load may have any sign.
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
		Capability: "mechanical.statics.propped_cantilever_point_load_at_deflection",
		Version:    "1.0.1",
		Tool:       "propped-cantilever-point-load",
		Group:      "statics",
		Title:      "Propped cantilever with a point load",
		Summary:    "Deflection at any point of a beam that is clamped at one end and rests on a support at the other, under a concentrated load anywhere between them, with its reactions and moments.",
		Changes:    "A beam without a position of the load is rejected if its half length is no binary64 number, which is so below 4.5e-308 m: the load stood beside the middle, or on a support. Other numbers are as they were.",
		Keywords: []string{
			"propped beam", "fixed-pinned beam", "fixed at one end and supported at the other", "clamped and simply supported", "statically indeterminate beam",
			"concentrated load", "load in the middle", "midspan load", "off-centre load", "sag", "bend",
		},
		Definition: `a = L/2
x = a
EI = E*I
b = L - a
R_1 = P*b*(3*L^2 - b^2)/(2*L^3)
R_2 = P*a^2*(2*a + 3*b)/(2*L^3)
M_1 = P*a*b*(L + b)/(2*L^2)
M_2 = R_2*b
delta = (M_1*x^2/2 - R_1*x^3/6 + P*max(x - a, 0)^3/6)/EI`,
		Formulas: []sdk.Formula{{
			ID:    "propped_cantilever_point_load_v1",
			Label: "Propped cantilever under a load P at a",
		}},
		Assumptions:    append(beam.Assumptions("The wall is rigid: it neither rotates nor gives way.", "The roller does not give way, holds no moment and lets the beam slide."), beam.NoShear),
		SignConvention: "x runs from the wall (0) to the roller (length). Loads and deflections are positive downwards, reactions upwards. moment_wall is positive where it hogs (tension on top), moment_at_load where it sags (tension at the bottom).",
		References:     beam.References("14", "beam fixed at one end, supported at other, concentrated load at any point", "1c"),
		Limits:         []sdk.Limit{beam.Small("largest deflection")},
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
	beam.Warn(ctx, "point_load", in.PointLoad, in.Length, in.squareOfLargest, beam.LargePropped)
	return Output{
		Delta:          adaptive.Round(ctx, "delta", beam.At(in.deflection, *in.Position)),
		ReactionWall:   adaptive.Round(ctx, "reaction_wall", in.reactionWall),
		ReactionRoller: adaptive.Round(ctx, "reaction_roller", in.reactionRoller),
		MomentWall:     adaptive.Round(ctx, "moment_wall", in.momentWall),
		MomentAtLoad: adaptive.Round(ctx, "moment_at_load", func(x *adaptive.X) adaptive.Num {
			_, _, b := in.parts(x)
			return in.reactionRoller(x).Mul(b)
		}),
	}, nil
}

// parts returns L, a and b.
func (in *Input) parts(x *adaptive.X) (l, a, b adaptive.Num) {
	l, a = x.Of(in.Length), x.Of(*in.LoadPosition)
	return l, a, l.Sub(a)
}

func (in *Input) reactionWall(x *adaptive.X) adaptive.Num {
	l, _, b := in.parts(x)
	n := x.Of(in.PointLoad).Mul(b, x.Int(3).Mul(l.Pow(2)).Sub(b.Pow(2)))
	return n.Div(x.Int(2).Mul(l.Pow(3)))
}

func (in *Input) reactionRoller(x *adaptive.X) adaptive.Num {
	l, a, b := in.parts(x)
	n := x.Of(in.PointLoad).Mul(a.Pow(2), x.Int(2).Mul(a).Add(x.Int(3).Mul(b)))
	return n.Div(x.Int(2).Mul(l.Pow(3)))
}

func (in *Input) momentWall(x *adaptive.X) adaptive.Num {
	l, a, b := in.parts(x)
	return x.Of(in.PointLoad).Mul(a, b, l.Add(b)).Div(x.Int(2).Mul(l.Pow(2)))
}

// deflection is the formula of the Spec with every term positive: with y = L - x
//
//	12 L^3 EI delta = P b x^2 ((a - x)(3L^2 - b^2) + ab(3L + b)) for x <= a
//	12 L^3 EI delta = P a^2 y ((b - y)(b + y)(2L + b) + ab(3L + b)) beyond
func (in *Input) deflection(x *adaptive.X, at float64) adaptive.Num {
	l, a, b := in.parts(x)
	common := a.Mul(b, x.Int(3).Mul(l).Add(b))
	var n adaptive.Num
	if z := x.Of(at); at <= *in.LoadPosition {
		n = b.Mul(z.Pow(2), a.Sub(z).Mul(x.Int(3).Mul(l.Pow(2)).Sub(b.Pow(2))).Add(common))
	} else {
		y := l.Sub(z)
		n = a.Pow(2).Mul(y, b.Sub(y).Mul(b.Add(y), x.Int(2).Mul(l).Add(b)).Add(common))
	}
	return x.Of(in.PointLoad).Mul(n).Div(x.Int(12).Mul(l.Pow(3), in.Rigidity.Of(x)))
}

// largestBeforeLoad reports whether the deflection is largest between wall and load,
// which it is for b <= (sqrt(2) - 1) L.
func (in *Input) largestBeforeLoad() bool {
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		l, _, b := in.parts(x)
		return b.Pow(2).Add(x.Int(2).Mul(l, b)).Sub(l.Pow(2))
	}) <= 0
}

// squareOfLargest is the square of the largest deflection, which is 2 M^3/(3 R^2 EI) with
// moment and reaction of the wall, or P a^2 b sqrt(b/(2L + b))/(6 EI) beyond the load.
func (in *Input) squareOfLargest(x *adaptive.X) adaptive.Num {
	l, a, b := in.parts(x)
	if in.largestBeforeLoad() {
		n := x.Int(2).Mul(in.momentWall(x).Pow(3))
		return n.Div(x.Int(3).Mul(in.reactionWall(x).Pow(2), in.Rigidity.Of(x))).Pow(2)
	}
	n := x.Of(in.PointLoad).Mul(a.Pow(2), b).Pow(2).Mul(b)
	return n.Div(x.Int(36).Mul(in.Rigidity.Of(x).Pow(2), x.Int(2).Mul(l).Add(b)))
}

// placeOfLargest is 2 M/R = 2aL(L + b)/(3L^2 - b^2) before the load, and beyond it
// L sqrt(b/(2L + b)) from the roller.
func (in *Input) placeOfLargest(ctx context.Context) float64 {
	if in.largestBeforeLoad() {
		return adaptive.Round(ctx, "", func(x *adaptive.X) adaptive.Num {
			l, a, b := in.parts(x)
			return x.Int(2).Mul(a, l, l.Add(b)).Div(x.Int(3).Mul(l.Pow(2)).Sub(b.Pow(2)))
		})
	}
	return in.Length - adaptive.RoundSqrt(ctx, "", func(x *adaptive.X) adaptive.Num {
		l, _, b := in.parts(x)
		return l.Pow(2).Mul(b).Div(x.Int(2).Mul(l).Add(b))
	})
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	b := beam.Beam{
		Length: in.Length, Left: sdk.WallLeft, Right: sdk.Roller,
		Forces:     []beam.Force{{Label: "point load", At: *in.LoadPosition, Force: in.PointLoad}},
		Deflection: beam.Curve(ctx, in.deflection),
		Position:   *in.Position, Largest: in.placeOfLargest(ctx),
	}
	b.Balance(in.reactionWall, in.momentWall)
	return b.Draw(ctx, plot)
}
