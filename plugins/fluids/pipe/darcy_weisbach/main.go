// Command darcy_weisbach is the engine of the pressure drop of pipes. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/pipe"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

const roughnessRange = "RELATIVE_ROUGHNESS_OUT_OF_RANGE"

// Input is the fluid, the pipe, and the flow in one of two forms.
type Input struct {
	Density              float64  `name:"density" alias:"rho" symbol:"\\rho" unit:"kg/m3" range:"(0,)" presets:"data.fluids.water#density,data.fluids.air#density" doc:"Density of the fluid."`
	DynamicViscosity     float64  `name:"dynamic_viscosity" alias:"mu,eta,viscosity" symbol:"\\mu" unit:"Pa s" range:"(0,)" presets:"data.fluids.water#dynamic_viscosity,data.fluids.air#dynamic_viscosity" doc:"Dynamic viscosity of the fluid."`
	Diameter             float64  `name:"diameter" alias:"D,inner_diameter" symbol:"D" unit:"m" range:"(0,)" presets:"data.pipes.en10220#inner_diameter,data.pipes.asme_b36_10m#inner_diameter" doc:"Inner diameter of the pipe."`
	Length               float64  `name:"length" alias:"L,pipe_length" symbol:"L" unit:"m" range:"(0,)" doc:"Length of the pipe."`
	Roughness            float64  `name:"roughness" alias:"e,absolute_roughness" symbol:"e" unit:"m" default:"0" range:"[0,)" presets:"data.pipes.roughness#roughness" doc:"Equivalent sand-grain roughness of the wall, at most a twentieth of the diameter." example:"4.5e-5 for commercial steel"`
	Velocity             *float64 `name:"velocity" alias:"V,speed" symbol:"V" unit:"m/s" range:"[0,)" doc:"Mean speed of the flow. Needed unless volumetric_flow is given."`
	VolumetricFlow       *float64 `name:"volumetric_flow" alias:"Q,flow_rate,discharge" symbol:"Q" unit:"m3/s" range:"[0,)" doc:"Volume per time. It replaces velocity."`
	MinorLossCoefficient float64  `name:"minor_loss_coefficient" alias:"K,minor_loss" symbol:"K" default:"0" range:"[0,)" doc:"Sum of the loss coefficients of bends, valves, inlet and outlet, as multiples of the velocity head."`
}

// Output is the loss, and the quantities that it follows from.
type Output struct {
	Reynolds            float64  `name:"reynolds" label:"Reynolds number" symbol:"\\mathrm{Re}" doc:"Reynolds number."`
	DarcyFrictionFactor *float64 `name:"darcy_friction_factor" symbol:"f" doc:"Friction factor after Darcy and Weisbach. A fluid at rest has none."`
	PressureDrop        float64  `name:"pressure_drop" headline:"true" symbol:"\\Delta p" unit:"Pa" doc:"Loss of pressure by friction and minor losses. Heights are not in it."`
	HeadLoss            float64  `name:"head_loss" symbol:"h_L" unit:"m" doc:"The same loss as a height of the fluid."`
	Velocity            float64  `name:"velocity" symbol:"V" unit:"m/s" doc:"Mean speed of the flow."`
	Regime              string   `name:"regime" enum:"laminar,transitional,turbulent" doc:"Regime of the flow: laminar below a Reynolds number of 2300, turbulent from 4000."`
}

// Engine returns the engine of fluids.pipe.darcy_weisbach 2.0.0: the pressure that a
// fluid loses as it flows with the mean speed V through a round pipe of length L and inner
// diameter D. A fluid at rest loses none, and has no friction factor. The formula is the
// Definition.
//
// Units are SI; all quantities are magnitudes.
//
// Precision: each result is the binary64 nearest to the result of these formulas for the
// given inputs. The regime is that of the rounded Reynolds number. Colebrook's equation
// itself is good to some percent.
//
// Source: Darcy and Weisbach, Hagen and Poiseuille, Colebrook; see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "fluids.pipe.darcy_weisbach",
		Version:    "2.0.0",
		Tool:       "pipe-pressure-drop",
		Group:      "fluids",
		Title:      "Pipe pressure drop (Darcy-Weisbach)",
		Summary:    "Loss of pressure and head of a flow through a round pipe, by wall friction and fittings.",
		Changes:    "A velocity or flow of 0 is accepted: the fluid is at rest, nothing is lost, and there is no friction factor. Other numbers are as before.",
		Keywords:   []string{"pipe friction loss", "head loss", "Darcy-Weisbach equation", "pipe flow", "pump sizing", "minor losses", "fittings", "Colebrook", "Hagen-Poiseuille"},
		Definition: `g := 9.80665 m/s2  # standard acceleration of gravity, 3rd General Conference on Weights and Measures, 1901
V = 4*Q/(pi*D^2)
Re = rho*V*D/mu
f = 64/Re  if 0 < Re and Re < 2300  @darcy_weisbach_laminar_v1
solve f in [1e-8, 1e303]: 1/sqrt(f) = -2*log10(e/(3.7*D) + 2.51/(Re*sqrt(f)))  if Re >= 2300  @darcy_weisbach_colebrook_v1
Deltap = {0 Pa}                 if V == 0  @darcy_weisbach_laminar_v1
Deltap = (f*L/D + K)*rho*V^2/2  otherwise
h_L = Deltap/(rho*g)`,
		Formulas: []sdk.Formula{
			{ID: "darcy_weisbach_colebrook_v1", Label: "Darcy-Weisbach with the Colebrook equation"},
			{ID: laminar, Label: "Darcy-Weisbach with laminar friction"},
		},
		Assumptions: []string{
			"The pipe is round and full, and the flow is steady and fully developed.",
			"The fluid is Newtonian and hardly changes its density along the pipe.",
			"Differences of height along the pipe are not included.",
			"g = 9.80665 m/s2.",
		},
		SignConvention: "All quantities are magnitudes: the loss is positive in the direction of flow.",
		References: []sdk.Reference{
			{Title: "White, Fluid Mechanics", Where: "chapter 6, flow in ducts and minor losses"},
			{Title: "Colebrook, Turbulent Flow in Pipes", Where: "Journal of the Institution of Civil Engineers, 1939"},
			{Title: "Standard acceleration of gravity", Where: "3rd General Conference on Weights and Measures, 1901"},
		},
		Limits: []sdk.Limit{
			{Quantity: "reynolds, where the flow is not laminar", Min: new(float64(pipe.TransitionalEnd)), Warning: pipe.TransitionalFlow, Doc: "Between 2300 and 4000 the Colebrook equation is used, and uncertain."},
		},
		Plots:    []sdk.Plot{pipe.MoodyPlot()},
		Errors:   []string{roughnessRange},
		Warnings: []string{pipe.TransitionalFlow},
	}, calculate)
}

// Complete demands the flow in exactly one form.
func (in *Input) Complete(context.Context) error {
	switch {
	case in.Velocity == nil && in.VolumetricFlow == nil:
		return sdk.Missing("velocity", "velocity (m/s) is needed, or volumetric_flow (m3/s)")
	case in.Velocity != nil && in.VolumetricFlow != nil:
		return sdk.Conflict("volumetric_flow", "volumetric_flow replaces velocity").Suggest("Give one of them.")
	}
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if err := in.checkRoughness(); err != nil {
		return Output{}, err
	}
	if in.VolumetricFlow != nil {
		sdk.Assume(ctx, "The velocity is volumetric_flow divided by the area of the pipe, pi*D^2/4.")
	}
	density, diameter, speed := elementary.Of(in.Density), elementary.Of(in.Diameter), in.speed()
	reynolds := density.Mul(speed, diameter).Div(elementary.Of(in.DynamicViscosity))
	rounded := elementary.Round(ctx, "reynolds", reynolds)
	regime := pipe.Regime(rounded)
	pipe.WarnTransitional(ctx, rounded)
	var f elementary.Num
	switch {
	case in.atRest():
		sdk.UseFormula(ctx, laminar)
		return Output{Regime: regime}, nil
	case regime == pipe.Laminar:
		sdk.UseFormula(ctx, laminar)
		f = pipe.LaminarFactor(reynolds)
	default:
		f = pipe.ColebrookFactor(reynolds, elementary.Of(in.Roughness).Div(diameter))
	}
	heads := f.Mul(elementary.Of(in.Length)).Div(diameter).Add(elementary.Of(in.MinorLossCoefficient))
	energy := heads.Mul(speed, speed).Div(elementary.Int(2)) // lost, per mass
	return Output{
		Reynolds:            rounded,
		DarcyFrictionFactor: new(elementary.Round(ctx, "darcy_friction_factor", f)),
		PressureDrop:        elementary.Round(ctx, "pressure_drop", energy.Mul(density)),
		HeadLoss:            elementary.Round(ctx, "head_loss", energy.Div(gravity)),
		Velocity:            elementary.Round(ctx, "velocity", speed),
		Regime:              regime,
	}, nil
}

var gravity = elementary.Literal("9.80665")

// checkRoughness rejects roughnesses that the equation of Colebrook was not made for, as the
// engine of friction factors does.
func (in *Input) checkRoughness() error {
	beyond := adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		return x.Of(in.Roughness).Sub(x.Of(pipe.MaxRelativeRoughness).Mul(x.Of(in.Diameter)))
	})
	if beyond <= 0 {
		return nil
	}
	return sdk.Reject(roughnessRange, "roughness", "roughness is %v m in a diameter of %v m: relative roughness must be between 0 and %v", in.Roughness, in.Diameter, pipe.MaxRelativeRoughness).
		Suggest("Give a roughness of at most a twentieth of the diameter.")
}

// laminar is the id of the formula of slow flow.
const laminar = "darcy_weisbach_laminar_v1"

// atRest reports whether the fluid does not flow.
func (in *Input) atRest() bool {
	return in.Velocity != nil && *in.Velocity == 0 || in.VolumetricFlow != nil && *in.VolumetricFlow == 0
}

// speed returns the mean speed of the flow.
func (in *Input) speed() elementary.Num {
	if in.Velocity != nil {
		return elementary.Of(*in.Velocity)
	}
	diameter := elementary.Of(in.Diameter)
	return elementary.Int(4).Mul(elementary.Of(*in.VolumetricFlow)).Div(elementary.Pi.Mul(diameter, diameter))
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	out, err := calculate(ctx, *in)
	if err != nil {
		return nil, err
	}
	flow := pipe.Flow{Reynolds: out.Reynolds, Roughness: in.Roughness / in.Diameter, Laminar: out.Regime == pipe.Laminar}
	if out.DarcyFrictionFactor != nil {
		flow.Factor = *out.DarcyFrictionFactor
	}
	return flow.Moody(), nil
}
