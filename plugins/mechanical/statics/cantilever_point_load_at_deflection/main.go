// Command cantilever_point_load_at_deflection is the engine of a cantilever under a point
// load. See [Engine].
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
	Length float64 `name:"length" alias:"L,span,beam_length" unit:"m" range:"(0,)" symbol:"L" doc:"Length of the beam, from the wall to the free end."`
	beam.Rigidity
	PointLoad    float64  `name:"point_load" alias:"P" unit:"N" symbol:"P" doc:"Load."`
	LoadPosition *float64 `name:"load_position" alias:"a" unit:"m" range:"(0,length]" symbol:"a" doc:"Distance from the wall at which the load acts; length if left blank."`
	Position     *float64 `name:"position" alias:"x,at,evaluation_point" unit:"m" range:"[0,length]" symbol:"x" doc:"Distance from the wall at which the deflection is wanted; length if left blank."`
}

// Output is the deflection, what the wall holds and the slope.
type Output struct {
	Delta      float64 `name:"delta" headline:"true" unit:"m" label:"Deflection" symbol:"\\delta" doc:"Deflection at position."`
	WallShear  float64 `name:"wall_shear" unit:"N" label:"Shear force at the wall" symbol:"V_0" doc:"Shear force at the wall, which is its reaction."`
	WallMoment float64 `name:"wall_moment" unit:"N m" label:"Bending moment at the wall" symbol:"M_0" doc:"Bending moment at the wall, positive where it hogs."`
	SlopeTip   float64 `name:"slope_tip" unit:"rad" label:"Slope at the tip" symbol:"\\theta" doc:"Slope of the bent beam at the free end, and everywhere beyond the load."`
}

// Engine returns the engine of mechanical.statics.cantilever_point_load_at_deflection
// 1.0.0: a prismatic beam, clamped at x = 0 and free at x = L, under a load P at a. The
// formula is the Definition.
//
// Units are SI. Load, deflection and slope are positive downwards, the reaction of the
// wall upwards, its moment where it hogs. The load may have any sign.
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
		Capability: "mechanical.statics.cantilever_point_load_at_deflection",
		Version:    "1.0.0",
		Tool:       "cantilever-point-load",
		Group:      "statics",
		Title:      "Cantilever with a point load",
		Summary:    "Deflection at any point of a clamped beam under a concentrated load anywhere on it, with the slope at its tip and the force and moment at the wall.",
		Keywords: []string{
			"bracket", "shelf", "diving board", "flagpole", "balcony", "arm", "hanging weight", "concentrated load", "end load", "tip load",
			"fixed at one end", "built-in beam", "clamped beam", "sag", "bend", "droop",
		},
		Definition: `x = L
a = L
EI = E*I
delta = P*x^2*(3*a - x)/(6*EI)  if x <= a
delta = P*a^2*(3*x - a)/(6*EI)  otherwise
V_0 = P
M_0 = P*a
theta = P*a^2/(2*EI)`,
		Formulas: []sdk.Formula{{
			ID:    "cantilever_point_load_v1",
			Label: "Cantilever under a load P at a",
		}},
		Assumptions:    append(beam.Assumptions("The clamped support is rigid: the wall does not rotate."), beam.NoShear),
		SignConvention: "x runs from the wall (0) to the free end (length). Load, delta and slope_tip are positive downwards. wall_shear is positive as the wall holds the beam up, wall_moment where it hogs (tension on top).",
		References:     beam.References("21", "cantilever beam, concentrated load at any point", "1a (a there is measured from the free end)"),
		Limits:         []sdk.Limit{beam.Small("deflection at the tip")},
		Plots:          beam.Plots(sdk.Axis{Label: "load", Unit: "N"}),
		Warnings:       []string{beam.NoLoad, beam.LargeDeflection},
	}, calculate)
}

// Complete demands the rigidity once, and puts the load and the place to look at at the
// tip where they were not sent.
func (in *Input) Complete(ctx context.Context) error {
	in.LoadPosition = beam.PlaceLoad(ctx, in.LoadPosition, in.Length, "at the tip")
	in.Position = beam.Or(in.Position, in.Length)
	return in.Rigidity.Check()
}

func calculate(ctx context.Context, in Input) (Output, error) {
	beam.Warn(ctx, "point_load", in.PointLoad, in.Length, in.largest, beam.LargeCantilever)
	return Output{
		Delta:      adaptive.Round(ctx, "delta", beam.At(in.deflection, *in.Position)),
		WallShear:  in.PointLoad,
		WallMoment: adaptive.Round(ctx, "wall_moment", in.wallMoment),
		SlopeTip: adaptive.Round(ctx, "slope_tip", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.PointLoad).Mul(x.Of(*in.LoadPosition).Pow(2)).Div(x.Int(2).Mul(in.Rigidity.Of(x)))
		}),
	}, nil
}

func (in *Input) wallMoment(x *adaptive.X) adaptive.Num {
	return x.Of(in.PointLoad).Mul(x.Of(*in.LoadPosition))
}

// deflection is that under the load at a place, which is that at the load when it acts
// at the place: the nearer of both to the wall is bent, the farther only tilted.
func (in *Input) deflection(x *adaptive.X, at float64) adaptive.Num {
	near, far := x.Of(min(at, *in.LoadPosition)), x.Of(max(at, *in.LoadPosition))
	n := x.Of(in.PointLoad).Mul(near.Pow(2), x.Int(3).Mul(far).Sub(near))
	return n.Div(x.Int(6).Mul(in.Rigidity.Of(x)))
}

// largest is the square of the deflection at the tip.
func (in *Input) largest(x *adaptive.X) adaptive.Num { return in.deflection(x, in.Length).Pow(2) }

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, plot string) (*sdk.Figure, error) {
	b := beam.Beam{
		Length: in.Length, Left: sdk.WallLeft,
		Forces:     []beam.Force{{Label: "point load", At: *in.LoadPosition, Force: in.PointLoad}},
		Deflection: beam.Curve(ctx, in.deflection), Position: *in.Position, Largest: in.Length,
	}
	b.Balance(func(x *adaptive.X) adaptive.Num { return x.Of(in.PointLoad) }, in.wallMoment)
	return b.Draw(ctx, plot)
}
