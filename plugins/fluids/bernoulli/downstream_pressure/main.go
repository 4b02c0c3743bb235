// Command downstream_pressure is the engine of the equation of Bernoulli. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

const belowAbsoluteZero = "PRESSURE_BELOW_ABSOLUTE_ZERO"

// Input is the flow at station 1, what changes on its way to station 2, and the fluid.
type Input struct {
	Density    float64 `name:"density" alias:"rho" symbol:"\\rho" unit:"kg/m3" range:"(0,)" presets:"data.fluids.water#density,data.fluids.air#density" doc:"Density of the fluid."`
	Pressure1  float64 `name:"pressure_1" alias:"p1" symbol:"p_1" unit:"Pa" doc:"Absolute static pressure at station 1, upstream."`
	Velocity1  float64 `name:"velocity_1" alias:"v1" symbol:"v_1" unit:"m/s" doc:"Mean speed at station 1."`
	Velocity2  float64 `name:"velocity_2" alias:"v2" symbol:"v_2" unit:"m/s" doc:"Mean speed at station 2, downstream."`
	Elevation1 float64 `name:"elevation_1" alias:"z1" symbol:"z_1" unit:"m" doc:"Height of station 1 above any level."`
	Elevation2 float64 `name:"elevation_2" alias:"z2" symbol:"z_2" unit:"m" doc:"Height of station 2 above the same level."`
	HeadLoss   float64 `name:"head_loss" alias:"hl,hL" symbol:"h_L" unit:"m" default:"0" range:"[0,)" doc:"Head that friction takes between the stations, as a height of the fluid."`
	PumpHead   float64 `name:"pump_head" alias:"hp" symbol:"h_P" unit:"m" default:"0" doc:"Head that a pump adds between the stations; negative for a turbine."`
}

// Output is the pressure downstream.
type Output struct {
	Pressure2 float64 `name:"pressure_2" symbol:"p_2" unit:"Pa" doc:"Absolute static pressure at station 2."`
}

// Engine returns the engine of fluids.bernoulli.downstream_pressure 1.1.0: the
// pressure at station 2 of a steady flow. The formula is the Definition.
//
// Units are SI. Heights are positive upwards, a pump's head adds pressure.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs, however much cancels.
//
// Source: the energy equation of steady incompressible flow; see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "fluids.bernoulli.downstream_pressure",
		Version:    "1.1.0",
		Tool:       "bernoulli",
		Group:      "fluids",
		Title:      "Bernoulli equation: downstream pressure",
		Summary:    "Static pressure at a second point of a steady flow from speed, height, friction loss and pump head between the two.",
		Changes:    "A plot shows the energy and hydraulic grade lines. Results are as they were.",
		Keywords:   []string{"Bernoulli's principle", "venturi", "energy equation", "pressure and velocity", "pump head", "siphon", "static pressure"},
		Definition: `g := 9.80665 m/s2  # standard acceleration of gravity, 3rd General Conference on Weights and Measures, 1901
p_2 = p_1 + rho*((v_1^2 - v_2^2)/2 + g*(z_1 - z_2 + h_P - h_L))`,
		Formulas: []sdk.Formula{{
			ID:    "bernoulli_energy_v1",
			Label: "Energy equation of steady incompressible flow",
		}},
		Assumptions: []string{
			"The flow is steady, and the density is the same at both stations.",
			"Speeds are mean speeds; the speed is taken as even over each section.",
			"No heat or work passes between the stations but that of pump_head and head_loss.",
			"g = 9.80665 m/s2.",
		},
		SignConvention: "Heights are positive upwards. head_loss lowers the pressure downstream and pump_head raises it. The sign of a speed does not matter.",
		References: []sdk.Reference{
			{Title: "White, Fluid Mechanics", Where: "chapter 3, the Bernoulli equation and the steady flow energy equation"},
			{Title: "Standard acceleration of gravity", Where: "3rd General Conference on Weights and Measures, 1901"},
		},
		Limits:   []sdk.Limit{{Quantity: "pressure_2", Min: new(0.0), Unit: "Pa", Warning: belowAbsoluteZero, Doc: "No liquid stands an absolute pressure below zero; it boils before, at its vapour pressure."}},
		Plots:    plots(),
		Warnings: []string{belowAbsoluteZero},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	p2 := adaptive.Round(ctx, "pressure_2", func(x *adaptive.X) adaptive.Num {
		v1, v2 := x.Of(in.Velocity1), x.Of(in.Velocity2)
		kinetic := v1.Sub(v2).Mul(v1.Add(v2)).Div(x.Int(2))
		head := x.Of(in.Elevation1).Sub(x.Of(in.Elevation2)).Add(x.Of(in.PumpHead)).Sub(x.Of(in.HeadLoss))
		return x.Of(in.Pressure1).Add(x.Of(in.Density).Mul(kinetic.Add(x.Literal("9.80665").Mul(head))))
	})
	if p2 < 0 {
		sdk.Warn(ctx, sdk.Warning{
			Code: belowAbsoluteZero, Severity: sdk.Caution,
			Detail:     "The absolute pressure downstream would be negative: the flow as described cannot be, the liquid would boil before.",
			Suggestion: "Check the heights and speeds. If pressure_1 is a gauge pressure, so is the result: add the pressure of the atmosphere to both.",
		})
	}
	return Output{Pressure2: p2}, nil
}
