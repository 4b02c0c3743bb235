// Command fixed_fixed_point_load_at_deflection is the engine of a beam that is fixed at
// both ends, under a point load. See [Engine].
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
	PointLoad    float64  `name:"point_load" alias:"P" unit:"N" symbol:"P" doc:"Load, positive downwards."`
	LoadPosition *float64 `name:"load_position" alias:"a" unit:"m" range:"(0,length)" symbol:"a" doc:"Distance from the left wall at which the load acts; half of length if left blank."`
	Position     *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the left wall at which the deflection is wanted; load_position if left blank."`
}

// Output is the deflection, what the walls carry, and the largest values.
type Output struct {
	Delta              float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Deflection at position."`
	ReactionLeft       float64 `name:"reaction_left" unit:"N" label:"Reaction of the left wall" symbol:"R_1" doc:"Reaction of the left wall."`
	ReactionRight      float64 `name:"reaction_right" unit:"N" label:"Reaction of the right wall" symbol:"R_2" doc:"Reaction of the right wall."`
	MomentLeft         float64 `name:"moment_left" unit:"N m" label:"Moment at the left wall" symbol:"M_1" doc:"Bending moment at the left wall, positive where it hogs."`
	MomentRight        float64 `name:"moment_right" unit:"N m" label:"Moment at the right wall" symbol:"M_2" doc:"Bending moment at the right wall, positive where it hogs."`
	MomentAtLoad       float64 `name:"moment_at_load" unit:"N m" label:"Moment at the load" symbol:"M_3" doc:"Bending moment at the load, positive where it sags."`
	DeltaMax           float64 `name:"delta_max" unit:"m" label:"Largest deflection" symbol:"\\delta_{\\max}" doc:"Largest deflection."`
	PositionOfDeltaMax float64 `name:"position_of_delta_max" unit:"m" label:"Position of the largest deflection" symbol:"x_{\\max}" doc:"Distance from the left wall at which the deflection is largest."`
}

// Engine returns the engine of mechanical.statics.fixed_fixed_point_load_at_deflection
// 1.0.1: a prismatic beam, clamped at x = 0 and at x = L, under a load P at a. The formula
// is the Definition. Beyond the load the deflection is the mirror image of that before it,
// and so is the place of the largest one.
//
// Units are SI. Loads and deflections are positive downwards, reactions upwards,
// moments at the walls where they hog and that at the load where it sags. A load may
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
		Capability: "mechanical.statics.fixed_fixed_point_load_at_deflection",
		Version:    "1.0.1",
		Tool:       "fixed-fixed-point-load",
		Group:      "statics",
		Title:      "Beam fixed at both ends with a point load",
		Summary:    "Deflection at any point of a beam clamped at both ends under a concentrated load anywhere between them, with its reactions, its fixed-end moments and its largest deflection.",
		Changes:    "A beam without a position of the load is rejected if its half length is no binary64 number, which is so below 4.5e-308 m: the load stood beside the middle, or on a support. Other numbers are as they were.",
		Keywords: []string{
			"fixed-fixed beam", "fixed-end beam", "fixed-end moments", "built-in beam", "encastre", "clamped at both ends", "clamped-clamped", "welded at both ends",
			"concentrated load", "load in the middle", "midspan load", "off-centre load", "sag", "bend",
		},
		Definition: `a = L/2
x = a
EI = E*I
b = L - a
p = max(a, b)
q = min(a, b)
delta = P*b^2*x^2*(3*a*L - (3*a + b)*x)/(6*L^3*EI)              if x <= a
delta = P*a^2*(L - x)^2*(3*b*L - (3*b + a)*(L - x))/(6*L^3*EI)  otherwise
R_1 = P*b^2*(3*a + b)/L^3
R_2 = P*a^2*(a + 3*b)/L^3
M_1 = P*a*b^2/L^2
M_2 = P*a^2*b/L^2
M_3 = 2*P*a^2*b^2/L^3
delta_max = 2*P*p^3*q^2/(3*EI*(3*p + q)^2)
x_max = 2*a*L/(3*a + b)  if a >= b
x_max = L^2/(a + 3*b)    otherwise`,
		Formulas: []sdk.Formula{{
			ID:    "fixed_fixed_point_load_v1",
			Label: "Beam fixed at both ends under a load P at a",
		}},
		Assumptions:    append(beam.Assumptions("The walls are rigid: they neither rotate nor give way.", "The beam is not stretched between the walls."), beam.NoShear),
		SignConvention: "x runs from the left wall (0) to the right one (length). Loads and deflections are positive downwards, reactions upwards. moment_left and moment_right are positive where they hog (tension on top), moment_at_load where it sags (tension at the bottom).",
		References:     beam.References("17", "beam fixed at both ends, concentrated load at any point", "1d"),
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
	beam.Warn(ctx, "point_load", in.PointLoad, in.Length, in.squareOfLargest, beam.LargeFixed)
	return Output{
		Delta:        adaptive.Round(ctx, "delta", beam.At(in.deflection, *in.Position)),
		ReactionLeft: adaptive.Round(ctx, "reaction_left", in.reactionLeft),
		ReactionRight: adaptive.Round(ctx, "reaction_right", func(x *adaptive.X) adaptive.Num {
			l, a, b := in.parts(x)
			return x.Of(in.PointLoad).Mul(a.Pow(2), a.Add(x.Int(3).Mul(b))).Div(l.Pow(3))
		}),
		MomentLeft: adaptive.Round(ctx, "moment_left", in.momentLeft),
		MomentRight: adaptive.Round(ctx, "moment_right", func(x *adaptive.X) adaptive.Num {
			l, a, b := in.parts(x)
			return x.Of(in.PointLoad).Mul(a.Pow(2), b).Div(l.Pow(2))
		}),
		MomentAtLoad: adaptive.Round(ctx, "moment_at_load", func(x *adaptive.X) adaptive.Num {
			l, a, b := in.parts(x)
			return x.Int(2).Mul(x.Of(in.PointLoad), a.Mul(b).Pow(2)).Div(l.Pow(3))
		}),
		DeltaMax:           adaptive.Round(ctx, "delta_max", in.largest),
		PositionOfDeltaMax: in.placeOfLargest(ctx),
	}, nil
}

// parts returns L, a and b.
func (in *Input) parts(x *adaptive.X) (l, a, b adaptive.Num) {
	l, a = x.Of(in.Length), x.Of(*in.LoadPosition)
	return l, a, l.Sub(a)
}

func (in *Input) reactionLeft(x *adaptive.X) adaptive.Num {
	l, a, b := in.parts(x)
	return x.Of(in.PointLoad).Mul(b.Pow(2), x.Int(3).Mul(a).Add(b)).Div(l.Pow(3))
}

func (in *Input) momentLeft(x *adaptive.X) adaptive.Num {
	l, a, b := in.parts(x)
	return x.Of(in.PointLoad).Mul(a, b.Pow(2)).Div(l.Pow(2))
}

func (in *Input) deflection(x *adaptive.X, at float64) adaptive.Num {
	l, a, b := in.parts(x)
	z := x.Of(at)
	if at > *in.LoadPosition { // seen from the other end
		a, b, z = b, a, l.Sub(z)
	}
	bracket := x.Int(3).Mul(a, a.Sub(z)).Add(b.Mul(x.Int(3).Mul(a).Sub(z)))
	return x.Of(in.PointLoad).Mul(b.Mul(z).Pow(2), bracket).Div(x.Int(6).Mul(l.Pow(3), in.Rigidity.Of(x)))
}

// onTheLeft reports whether the load is nearer to the left wall.
func (in *Input) onTheLeft() bool { return 2**in.LoadPosition < in.Length }

func (in *Input) largest(x *adaptive.X) adaptive.Num {
	_, p, q := in.parts(x)
	if in.onTheLeft() {
		p, q = q, p
	}
	n := x.Int(2).Mul(x.Of(in.PointLoad), p.Pow(3), q.Pow(2))
	return n.Div(x.Int(3).Mul(in.Rigidity.Of(x), x.Int(3).Mul(p).Add(q).Pow(2)))
}

func (in *Input) squareOfLargest(x *adaptive.X) adaptive.Num { return in.largest(x).Pow(2) }

// placeOfLargest is on the longer side. From the right wall it is 2bL/(3b + a), which
// leaves L^2/(3b + a) from the left one.
func (in *Input) placeOfLargest(ctx context.Context) float64 {
	return adaptive.Round(ctx, "position_of_delta_max", func(x *adaptive.X) adaptive.Num {
		l, a, b := in.parts(x)
		if in.onTheLeft() {
			return l.Pow(2).Div(x.Int(3).Mul(b).Add(a))
		}
		return x.Int(2).Mul(a, l).Div(x.Int(3).Mul(a).Add(b))
	})
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	b := beam.Beam{
		Length: in.Length, Left: sdk.WallLeft, Right: sdk.WallRight,
		Forces:     []beam.Force{{Label: "point load", At: *in.LoadPosition, Force: in.PointLoad}},
		Deflection: beam.Curve(ctx, in.deflection),
		Position:   *in.Position, Largest: in.placeOfLargest(ctx),
	}
	b.Balance(in.reactionLeft, in.momentLeft)
	return b.Draw(ctx, plot)
}
