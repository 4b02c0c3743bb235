// Command manning is the engine of uniform flow in open channels. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// bottomPositive rejects a channel without width: no bottom, and no sloping sides.
const bottomPositive = "BOTTOM_WIDTH_MUST_BE_POSITIVE"

// Input is the channel and its section: a trapezoid, or any by its hydraulic radius.
type Input struct {
	RoughnessN      float64  `name:"roughness_n" label:"Manning's n" alias:"n,manning_n" symbol:"n" range:"(0,)" doc:"Manning's roughness coefficient in SI units, such as 0.013 for finished concrete."`
	Slope           float64  `name:"slope" alias:"S,bed_slope" symbol:"S" range:"(0,)" doc:"Slope of the bed, height per length."`
	BottomWidth     *float64 `name:"bottom_width" alias:"b" symbol:"b" unit:"m" range:"[0,)" doc:"Width of the bed; zero for a triangle. Needed with depth unless hydraulic_radius is given."`
	Depth           *float64 `name:"depth" alias:"y,normal_depth" symbol:"y" unit:"m" range:"(0,)" doc:"Depth of the water. Needed with bottom_width."`
	SideSlope       *float64 `name:"side_slope" alias:"z" symbol:"z" range:"[0,)" doc:"Slope of the sides, horizontal length per height; zero, for upright sides, if left blank."`
	HydraulicRadius *float64 `name:"hydraulic_radius" alias:"Rh,R" symbol:"R_h" unit:"m" range:"(0,)" doc:"Flow area by wetted perimeter, in place of bottom_width, depth and side_slope."`
	FlowArea        *float64 `name:"flow_area" alias:"A" symbol:"A" unit:"m2" range:"(0,)" doc:"Area of the section that the water fills; with hydraulic_radius only, for the flow."`
}

// Output is the flow. What needs more of the section than was sent is absent.
type Output struct {
	FlowArea        *float64 `name:"flow_area" symbol:"A" unit:"m2" doc:"Area of the section that the water fills."`
	WettedPerimeter *float64 `name:"wetted_perimeter" symbol:"P" unit:"m" doc:"Length of bed and sides that the water touches."`
	TopWidth        *float64 `name:"top_width" symbol:"T" unit:"m" doc:"Width of the water's surface."`
	HydraulicRadius float64  `name:"hydraulic_radius" symbol:"R_h" unit:"m" doc:"Flow area by wetted perimeter."`
	Velocity        float64  `name:"velocity" symbol:"V" unit:"m/s" doc:"Mean speed of the flow."`
	VolumetricFlow  *float64 `name:"volumetric_flow" headline:"true" symbol:"Q" unit:"m3/s" doc:"Volume per time."`
	Froude          *float64 `name:"froude" label:"Froude number" symbol:"\\mathrm{Fr}" doc:"Froude number: below 1 the flow is calm, above 1 it shoots."`
}

// Engine returns the engine of fluids.open_channel.manning 1.0.0: uniform flow in an
// open channel of slope S and roughness n, whose section is a trapezoid with the bed
// b, the depth y and sides that run out by z per height, or any section of which Rh is
// known. The formula is the Definition.
//
// Units are SI, and n is that of SI. All quantities are magnitudes.
//
// Error: none but the final rounding; each result is the binary64 nearest to that of
// these formulas for the given inputs. The formula itself is a fit to measurements.
//
// Source: Manning's formula; see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "fluids.open_channel.manning",
		Version:    "1.0.0",
		Tool:       "manning-channel-flow",
		Group:      "fluids",
		Title:      "Open channel flow (Manning)",
		Summary:    "Speed and discharge of uniform flow in a rectangular, trapezoidal or triangular open channel, or in any section by its hydraulic radius.",
		Keywords:   []string{"Manning's equation", "ditch", "canal", "storm drain", "river discharge", "trapezoidal channel", "hydraulic radius", "Froude number", "Gauckler-Strickler"},
		Definition: `g := 9.80665 m/s2  # standard acceleration of gravity, 3rd General Conference on Weights and Measures, 1901
u := 1 m(1/3)/s    # factor of the formula in SI, in which n is a plain number: Chow, Open-Channel Hydraulics
z = 0  if given(b)
A = y*(b + z*y)            if given(b)  @manning_trapezoid_v1
P = b + 2*y*sqrt(1 + z^2)  if given(b)  @manning_trapezoid_v1
P = A/R_h                  otherwise    @manning_radius_v1
T = b + 2*z*y              if given(b)  @manning_trapezoid_v1
R_h = A/P                  if given(b)  @manning_trapezoid_v1
V = u*R_h^(2/3)*sqrt(S)/n  if given(b)  @manning_trapezoid_v1
V = u*R_h^(2/3)*sqrt(S)/n  otherwise    @manning_radius_v1
Q = V*A
Fr = V/sqrt(g*A/T)  if given(b)  @manning_trapezoid_v1`,
		Formulas: []sdk.Formula{
			{ID: "manning_trapezoid_v1", Label: "Manning's formula, trapezoidal section"},
			{ID: "manning_radius_v1", Label: "Manning's formula, any section"},
		},
		Assumptions: []string{
			"The flow is steady and uniform: depth and speed do not change along the channel.",
			"The slope is small, and the flow is turbulent and fully rough.",
			"The roughness is the same on bed and sides.",
			"g = 9.80665 m/s2.",
		},
		SignConvention: "All quantities are magnitudes. side_slope is horizontal per vertical.",
		References: []sdk.Reference{
			{Title: "Chow, Open-Channel Hydraulics", Where: "chapters 5 and 6, uniform flow and the Manning formula"},
			{Title: "White, Fluid Mechanics", Where: "chapter 10, uniform flow; the Manning formula"},
			{Title: "Standard acceleration of gravity", Where: "3rd General Conference on Weights and Measures, 1901"},
		},
		Plots: []sdk.Plot{{
			ID: "section", Title: "Section of the channel", ToScale: true,
			Summary: "Cross-section of the channel to scale, with the water in it, its depth and the widths of bed and surface. Where only the hydraulic radius is known: water of that depth on the wetted perimeter, laid flat.",
			X:       sdk.Axis{Label: "distance from the middle", Unit: "m"},
			Y:       sdk.Axis{Label: "height above the water's surface", Unit: "m"},
		}},
		Errors: []string{bottomPositive},
	}, calculate)
}

// Complete demands the section in exactly one form.
func (in *Input) Complete(context.Context) error {
	switch {
	case in.HydraulicRadius != nil && (in.BottomWidth != nil || in.Depth != nil || in.SideSlope != nil):
		return sdk.Conflict("hydraulic_radius", "hydraulic_radius stands in place of bottom_width, depth and side_slope").
			Suggest("Give either hydraulic_radius or the others.")
	case in.HydraulicRadius != nil:
		return nil
	case in.FlowArea != nil && (in.BottomWidth != nil || in.Depth != nil):
		return sdk.Conflict("flow_area", "flow_area follows from bottom_width, depth and side_slope").
			Suggest("Leave it out, or give it with hydraulic_radius alone.")
	case in.FlowArea != nil:
		return sdk.Missing("hydraulic_radius", "flow_area says nothing without hydraulic_radius (m)")
	case in.BottomWidth == nil:
		return sdk.Missing("bottom_width", "bottom_width (m) is needed with depth, or hydraulic_radius (m) in place of both")
	case in.Depth == nil:
		return sdk.Missing("depth", "depth (m) is needed with bottom_width")
	}
	if in.SideSlope == nil {
		in.SideSlope = new(0.0)
	}
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if in.HydraulicRadius != nil {
		return in.byRadius(ctx), nil
	}
	if *in.BottomWidth == 0 && *in.SideSlope == 0 {
		return Output{}, sdk.Reject(bottomPositive, "bottom_width", "bottom_width is zero and the sides are upright: no water fits between them").
			Suggest("Give a bottom_width or a side_slope that is not zero.")
	}
	return in.bySection(ctx), nil
}

var (
	one       = elementary.Int(1)
	two       = elementary.Int(2)
	twoThirds = two.Div(elementary.Int(3))
	gravity   = elementary.Literal("9.80665")
)

// velocity is Manning's formula.
func (in *Input) velocity(radius elementary.Num) elementary.Num {
	return radius.Pow(twoThirds).Mul(elementary.Of(in.Slope).Sqrt()).Div(elementary.Of(in.RoughnessN))
}

func (in *Input) byRadius(ctx context.Context) Output {
	sdk.UseFormula(ctx, "manning_radius_v1")
	radius := elementary.Of(*in.HydraulicRadius)
	velocity := in.velocity(radius)
	out := Output{HydraulicRadius: *in.HydraulicRadius, Velocity: elementary.Round(ctx, "velocity", velocity)}
	if in.FlowArea != nil {
		area := elementary.Of(*in.FlowArea)
		out.FlowArea = in.FlowArea
		out.WettedPerimeter = new(elementary.Round(ctx, "wetted_perimeter", area.Div(radius)))
		out.VolumetricFlow = new(elementary.Round(ctx, "volumetric_flow", velocity.Mul(area)))
	}
	return out
}

func (in *Input) bySection(ctx context.Context) Output {
	b, y, z := elementary.Of(*in.BottomWidth), elementary.Of(*in.Depth), elementary.Of(*in.SideSlope)
	area := y.Mul(b.Add(z.Mul(y)))
	perimeter := b.Add(two.Mul(y, one.Add(z.Mul(z)).Sqrt()))
	top := b.Add(two.Mul(z, y))
	radius := area.Div(perimeter)
	velocity := in.velocity(radius)
	return Output{
		FlowArea:        new(elementary.Round(ctx, "flow_area", area)),
		WettedPerimeter: new(elementary.Round(ctx, "wetted_perimeter", perimeter)),
		TopWidth:        new(elementary.Round(ctx, "top_width", top)),
		HydraulicRadius: elementary.Round(ctx, "hydraulic_radius", radius),
		Velocity:        elementary.Round(ctx, "velocity", velocity),
		VolumetricFlow:  new(elementary.Round(ctx, "volumetric_flow", velocity.Mul(area))),
		Froude:          new(elementary.Round(ctx, "froude", velocity.Div(gravity.Mul(area).Div(top).Sqrt()))),
	}
}

// Draw draws the section. The water's surface is where y is zero, so that the area of
// the curve is the water.
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	if in.HydraulicRadius != nil {
		return in.drawStrip(), nil
	}
	bed, depth := float64(*in.BottomWidth/2), *in.Depth
	bank := float64(depth / 4) // how far the sides are drawn above the water
	edge, top := bed+float64(depth**in.SideSlope), bed+float64((depth+bank)**in.SideSlope)
	return &sdk.Figure{
		Curves: []sdk.Curve{
			{Label: "water", Style: sdk.Area, X: []float64{-edge, -bed, bed, edge}, Y: []float64{0, -depth, -depth, 0}},
			{Label: "bed and sides", Style: sdk.Member, X: []float64{-top, -bed, bed, top}, Y: []float64{bank, -depth, -depth, bank}},
			{Label: "water's surface", X: []float64{-edge, edge}, Y: []float64{0, 0}},
		},
		Dimensions: []sdk.Dimension{
			outline.Width("bottom width", "b", *in.BottomWidth, -bed, bed, -depth, sdk.Below),
			outline.Height("depth", "y", depth, -depth, 0, -bed, sdk.OnLeft),
			outline.Width("top width", "T", 2*edge, -edge, edge, 0, sdk.Above),
		},
	}, nil
}

// drawStrip draws what a hydraulic radius says of a section: its water would stand as
// deep on its wetted perimeter if that were flat.
func (in *Input) drawStrip() *sdk.Figure {
	depth := *in.HydraulicRadius
	half, label := 5*depth, "water on a part of the wetted perimeter, laid flat"
	if in.FlowArea != nil {
		half, label = *in.FlowArea/depth/2, "water on the wetted perimeter, laid flat"
	}
	return &sdk.Figure{
		Curves:     []sdk.Curve{{Label: label, Style: sdk.Area, X: []float64{-half, -half, half, half}, Y: []float64{0, -depth, -depth, 0}}},
		Dimensions: []sdk.Dimension{outline.Height("hydraulic radius", "R_h", depth, -depth, 0, -half, sdk.OnLeft)},
	}
}
