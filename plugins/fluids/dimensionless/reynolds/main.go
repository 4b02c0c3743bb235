// Command reynolds is the engine of the Reynolds number. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/pipe"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the flow, with the viscosity of its fluid in one of two forms.
type Input struct {
	Velocity             float64  `name:"velocity" alias:"V,speed" symbol:"V" unit:"m/s" range:"[0,)" doc:"Mean speed of the flow."`
	CharacteristicLength float64  `name:"characteristic_length" alias:"L,D,diameter,length" symbol:"L" unit:"m" range:"(0,)" doc:"Length that the flow is judged by: in a pipe its inner diameter."`
	Density              *float64 `name:"density" alias:"rho" symbol:"\\rho" unit:"kg/m3" range:"(0,)" presets:"data.fluids.water#density,data.fluids.air#density" doc:"Density of the fluid. Needed unless kinematic_viscosity is given."`
	DynamicViscosity     *float64 `name:"dynamic_viscosity" alias:"mu,eta,viscosity" symbol:"\\mu" unit:"Pa s" range:"(0,)" presets:"data.fluids.water#dynamic_viscosity,data.fluids.air#dynamic_viscosity" doc:"Dynamic viscosity of the fluid. Needed unless kinematic_viscosity is given."`
	KinematicViscosity   *float64 `name:"kinematic_viscosity" alias:"nu" symbol:"\\nu" unit:"m2/s" range:"(0,)" presets:"data.fluids.water#kinematic_viscosity,data.fluids.air#kinematic_viscosity" doc:"Kinematic viscosity of the fluid, in place of density and dynamic_viscosity."`
}

// Output is the Reynolds number and what it says.
type Output struct {
	Reynolds float64 `name:"reynolds" label:"Reynolds number" symbol:"\\mathrm{Re}" doc:"Reynolds number."`
	Regime   string  `name:"regime" enum:"laminar,transitional,turbulent" doc:"Regime of flow in a pipe: laminar below 2300, turbulent from 4000."`
}

// Engine returns the engine of fluids.dimensionless.reynolds 1.0.0: the Reynolds
// number of a flow with the speed V and the length L. The formula is the Definition.
//
// Units are SI. V is a magnitude.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs. The regime is that of the rounded number, by the limits
// for round pipes.
//
// Source: the definition; see the Spec for the limits.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "fluids.dimensionless.reynolds",
		Version:    "1.0.0",
		Tool:       "reynolds-number",
		Group:      "fluids",
		Title:      "Reynolds number",
		Summary:    "Reynolds number of a flow and whether it is laminar or turbulent in a pipe, from speed, length and viscosity.",
		Keywords:   []string{"laminar", "turbulent", "flow regime", "viscosity", "inertia to viscous forces", "pipe flow", "transition"},
		Definition: `Re = rho*V*L/mu  if given(mu)  @reynolds_dynamic_v1
Re = V*L/nu      otherwise     @reynolds_kinematic_v1`,
		Formulas: []sdk.Formula{
			{ID: "reynolds_dynamic_v1", Label: "From density and dynamic viscosity"},
			{ID: "reynolds_kinematic_v1", Label: "From kinematic viscosity"},
		},
		Assumptions: []string{
			"The fluid is Newtonian.",
			"The regime is that of flow in a round pipe: laminar below 2300, transitional from 2300, turbulent from 4000. Other flows change elsewhere.",
		},
		SignConvention: "velocity is a magnitude.",
		References: []sdk.Reference{
			{Title: "White, Fluid Mechanics", Where: "chapter 6, Reynolds number regimes"},
		},
	}, calculate)
}

// Complete demands the viscosity in exactly one form.
func (in *Input) Complete(context.Context) error {
	const orKinematic = " is needed with %s, or kinematic_viscosity (m2/s) in place of both"
	switch {
	case in.KinematicViscosity != nil && (in.Density != nil || in.DynamicViscosity != nil):
		return sdk.Conflict("kinematic_viscosity", "kinematic_viscosity stands in place of density and dynamic_viscosity").
			Suggest("Give either kinematic_viscosity or the other two.")
	case in.KinematicViscosity != nil:
		return nil
	case in.Density == nil:
		return sdk.Missing("density", "density (kg/m3)"+orKinematic, "dynamic_viscosity")
	case in.DynamicViscosity == nil:
		return sdk.Missing("dynamic_viscosity", "dynamic_viscosity (Pa s)"+orKinematic, "density")
	}
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if in.KinematicViscosity != nil {
		sdk.UseFormula(ctx, "reynolds_kinematic_v1")
	}
	reynolds := adaptive.Round(ctx, "reynolds", func(x *adaptive.X) adaptive.Num {
		product := x.Of(in.Velocity).Mul(x.Of(in.CharacteristicLength))
		if in.KinematicViscosity != nil {
			return product.Div(x.Of(*in.KinematicViscosity))
		}
		return product.Mul(x.Of(*in.Density)).Div(x.Of(*in.DynamicViscosity))
	})
	return Output{Reynolds: reynolds, Regime: pipe.Regime(reynolds)}, nil
}
