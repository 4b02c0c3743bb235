// Command thick_cylinder is the engine of thick-walled cylinders under pressure. See
// [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the cylinder, the pressures and the place to look at.
type Input struct {
	InnerRadius      float64  `name:"inner_radius" alias:"ri" unit:"m" symbol:"r_i" range:"(0,)" doc:"Inner radius."`
	OuterRadius      float64  `name:"outer_radius" alias:"ro" unit:"m" symbol:"r_o" range:"(inner_radius,)" doc:"Outer radius, greater than the inner one."`
	InternalPressure float64  `name:"internal_pressure" alias:"pi" unit:"Pa" symbol:"p_i" doc:"Pressure inside."`
	ExternalPressure float64  `name:"external_pressure" alias:"po" unit:"Pa" symbol:"p_o" default:"0" doc:"Pressure outside."`
	Radius           *float64 `name:"radius" alias:"r" unit:"m" symbol:"r" range:"[inner_radius,outer_radius]" doc:"Radius at which the stresses are wanted; inner_radius if left blank."`
}

// Output is the stresses at the radius.
type Output struct {
	RadialStress          float64 `name:"radial_stress" unit:"Pa" symbol:"\\sigma_r" doc:"Normal stress along the radius."`
	HoopStress            float64 `name:"hoop_stress" headline:"true" unit:"Pa" symbol:"\\sigma_h" doc:"Normal stress around the circumference."`
	AxialStressClosedEnds float64 `name:"axial_stress_closed_ends" unit:"Pa" symbol:"\\sigma_a" label:"Axial stress with closed ends" doc:"Normal stress along the axis of a cylinder whose ends the pressures act on."`
}

// Engine returns the engine of mechanical.stress.thick_cylinder 1.0.1: the stresses at the
// radius r in the wall of a cylinder between the radii ri and ro, under a pressure inside
// and one outside; the axial one far from its closed ends. The formula is the Definition.
//
// Units are SI, tension is positive, pressures are positive and of either sign where they
// are gauge pressures.
//
// Errors: those of the ranges of the inputs.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs,
// also of the thinnest wall.
//
// Source: Lame's solution, as in the references. The books were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.stress.thick_cylinder",
		Version:    "1.0.1",
		Tool:       "thick-cylinder",
		Group:      "stress",
		Title:      "Thick-walled cylinder under pressure",
		Summary:    "Radial, hoop and axial stress anywhere in the wall of a cylinder under internal and external pressure.",
		Changes:    "The formula called the pressure inside pi, which is read as the circle constant; it has a name of its own now. Numbers are as they were.",
		Keywords:   []string{"pressure vessel", "pipe", "tube", "Lame equations", "hydraulic cylinder", "gun barrel", "hoop stress", "bursting", "wall thickness"},
		Definition: `r = r_i
A = (p_i*r_i^2 - p_o*r_o^2)/(r_o^2 - r_i^2)
B = (p_i - p_o)*r_i^2*r_o^2/(r_o^2 - r_i^2)
sigma_r = A - B/r^2
sigma_h = A + B/r^2
sigma_a = A`,
		Formulas: []sdk.Formula{{
			ID:    "thick_cylinder_lame_v1",
			Label: "Lame's solution",
		}},
		Assumptions: []string{
			"The material is linear elastic, homogeneous and isotropic, and the wall has no residual stress.",
			"The cylinder is round, and the place is far from its ends.",
			"The axial stress is that of closed ends; with open ends it is zero, and the others are the same.",
		},
		SignConvention: "Tension is positive. A pressure pushes on the wall.",
		References: []sdk.Reference{
			{Title: "Roark's Formulas for Stress and Strain", Where: "Table 13.5, thick-walled cylinders"},
			{Title: "Shigley's Mechanical Engineering Design", Where: "chapter 3, stresses in pressurized cylinders"},
		},
		Plots: []sdk.Plot{{
			ID: "stress", Title: "Stress through the wall",
			Summary: "Hoop and radial stress from the inner to the outer radius, with the stresses at the given radius.",
			X:       sdk.Axis{Label: "Radius", Symbol: "r", Unit: "m"},
			Y:       sdk.Axis{Label: "Stress", Symbol: `\sigma`, Unit: "Pa"},
		}},
	}, calculate)
}

// Complete puts the place at the inside of the wall unless it was sent.
func (in *Input) Complete(context.Context) error {
	if in.Radius == nil {
		in.Radius = new(in.InnerRadius)
	}
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	radial, hoop := in.at(*in.Radius)
	return Output{
		RadialStress:          adaptive.Round(ctx, "radial_stress", radial),
		HoopStress:            adaptive.Round(ctx, "hoop_stress", hoop),
		AxialStressClosedEnds: adaptive.Round(ctx, "axial_stress_closed_ends", in.mean),
	}, nil
}

// at returns the formulas of radial and hoop stress at a radius.
func (in *Input) at(radius float64) (radial, hoop func(*adaptive.X) adaptive.Num) {
	difference := func(x *adaptive.X) adaptive.Num { // B/r^2
		outward := x.Of(in.InternalPressure).Sub(x.Of(in.ExternalPressure))
		radii := x.Of(in.InnerRadius).Mul(x.Of(in.OuterRadius)).Div(x.Of(radius)).Pow(2)
		return outward.Mul(radii).Div(in.ring(x))
	}
	return func(x *adaptive.X) adaptive.Num { return in.mean(x).Sub(difference(x)) },
		func(x *adaptive.X) adaptive.Num { return in.mean(x).Add(difference(x)) }
}

// mean is A, the mean of radial and hoop stress, which is the same at every radius.
func (in *Input) mean(x *adaptive.X) adaptive.Num {
	inside := x.Of(in.InternalPressure).Mul(x.Of(in.InnerRadius).Pow(2))
	outside := x.Of(in.ExternalPressure).Mul(x.Of(in.OuterRadius).Pow(2))
	return inside.Sub(outside).Div(in.ring(x))
}

// ring is ro^2 - ri^2.
func (in *Input) ring(x *adaptive.X) adaptive.Num {
	inner, outer := x.Of(in.InnerRadius), x.Of(in.OuterRadius)
	return outer.Sub(inner).Mul(outer.Add(inner))
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	const samples = 61
	here := *in.Radius
	curve := func(label string, stress func(radius float64) float64) sdk.Curve {
		xs, ys := sdk.Sample(in.InnerRadius, in.OuterRadius, samples, stress, here)
		return sdk.Curve{Label: label, X: xs, Y: ys}
	}
	radial := func(radius float64) float64 {
		f, _ := in.at(radius)
		return adaptive.Round(ctx, "", f)
	}
	hoop := func(radius float64) float64 {
		_, f := in.at(radius)
		return adaptive.Round(ctx, "", f)
	}
	axial := adaptive.Round(ctx, "", in.mean)
	return outline.Bounded(&sdk.Figure{
		Curves: []sdk.Curve{
			curve("hoop stress", hoop),
			curve("radial stress", radial),
			{Label: "axial stress, closed ends", Style: sdk.Guide, X: []float64{in.InnerRadius, in.OuterRadius}, Y: []float64{axial, axial}},
		},
		Points: []sdk.Point{{Label: "hoop stress", X: here, Y: hoop(here)}, {Label: "radial stress", X: here, Y: radial(here)}},
	})
}
