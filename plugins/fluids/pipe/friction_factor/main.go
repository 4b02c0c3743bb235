// Command friction_factor is the engine of the friction factor of pipes. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/pipe"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The methods.
const (
	auto      = "auto"
	laminar   = "laminar"
	colebrook = "colebrook"
)

// Input is the flow and the wall of the pipe.
type Input struct {
	Reynolds          float64 `name:"reynolds" label:"Reynolds number" alias:"Re,reynolds_number" symbol:"\\mathrm{Re}" range:"(0,)" doc:"Reynolds number of the flow, by mean speed and inner diameter."`
	RelativeRoughness float64 `name:"relative_roughness" alias:"eps,epsilon,e_over_D" symbol:"\\varepsilon" default:"0" range:"[0,0.05]" doc:"Roughness of the wall as a part of the inner diameter, such as 0.0009 for steel of 0.045 mm in a bore of 50 mm."`
	Method            string  `name:"method" enum:"auto,laminar,colebrook" default:"auto" advanced:"true" doc:"Law of friction. auto takes laminar below a Reynolds number of 2300 and colebrook from there."`
}

// Output is the friction factor in both customs.
type Output struct {
	DarcyFrictionFactor   float64 `name:"darcy_friction_factor" headline:"true" symbol:"f" doc:"Friction factor after Darcy and Weisbach, of the velocity head over a length of one diameter."`
	FanningFrictionFactor float64 `name:"fanning_friction_factor" symbol:"f_F" doc:"Friction factor after Fanning, a quarter of Darcy's."`
	Regime                string  `name:"regime" enum:"laminar,transitional,turbulent" doc:"Regime of the flow: laminar below 2300, turbulent from 4000."`
	Method                string  `name:"method" enum:"laminar,colebrook" doc:"Law of friction that was used."`
}

// Engine returns the engine of fluids.pipe.friction_factor 1.0.1: the friction factors of
// a pipe for the Reynolds number Re and the relative roughness of its wall. The formula is
// the Definition.
//
// Error: none but the final rounding. The equation is solved by Newton's method to 45
// digits, so each result is the binary64 nearest to the solution for the given inputs.
// The equation itself is a fit to measurements and good to some percent.
//
// Source: Hagen and Poiseuille; Colebrook 1939; see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "fluids.pipe.friction_factor",
		Version:    "1.0.1",
		Tool:       "friction-factor",
		Group:      "fluids",
		Title:      "Pipe friction factor: laminar and Colebrook",
		Summary:    "Darcy and Fanning friction factors of flow in a round pipe from Reynolds number and relative roughness, as the Moody chart shows them.",
		Changes:    "The Moody chart has logarithmic axes and curves of other roughnesses; its numbers are Reynolds numbers and friction factors in place of their logarithms. Results are as they were.",
		Keywords:   []string{"Moody chart", "Colebrook-White", "Darcy friction factor", "Fanning", "pipe roughness", "pressure loss coefficient", "turbulent pipe flow"},
		Definition: `f = 64/Re  if method == "laminar" or method == "auto" and Re < 2300  @friction_laminar_v1
solve f in [1e-8, 1e303]: 1/sqrt(f) = -2*log10(varepsilon/3.7 + 2.51/(Re*sqrt(f)))  otherwise  @friction_colebrook_v1
f_F = f/4`,
		Formulas: []sdk.Formula{
			{ID: "friction_colebrook_v1", Label: "Colebrook equation"},
			{ID: "friction_laminar_v1", Label: "Laminar flow (Hagen-Poiseuille)"},
		},
		Assumptions: []string{
			"The pipe is round and full, and the flow is steady and fully developed.",
			"The fluid is Newtonian and hardly changes its density.",
			"Roughness is the equivalent sand-grain roughness as a part of the inner diameter.",
		},
		References: []sdk.Reference{
			{Title: "Colebrook, Turbulent Flow in Pipes", Where: "Journal of the Institution of Civil Engineers, 1939"},
			{Title: "Moody, Friction Factors for Pipe Flow", Where: "Transactions of the ASME, 1944"},
			{Title: "White, Fluid Mechanics", Where: "chapter 6, flow in ducts"},
		},
		Limits: []sdk.Limit{
			{Quantity: "reynolds, where method is laminar", Max: new(float64(pipe.LaminarEnd)), Warning: pipe.TransitionalFlow, Doc: "Laminar flow is not sure to last beyond. No warning is given beyond 4000."},
			{Quantity: "reynolds, where method is colebrook", Min: new(float64(pipe.TransitionalEnd)), Warning: pipe.TransitionalFlow, Doc: "The equation is a fit to turbulent flow. No warning is given below 2300."},
		},
		Plots:    []sdk.Plot{pipe.MoodyPlot()},
		Warnings: []string{pipe.TransitionalFlow},
	}, calculate)
}

// law returns the method that is used.
func (in *Input) law() string {
	switch {
	case in.Method != auto:
		return in.Method
	case in.Reynolds < pipe.LaminarEnd:
		return laminar
	}
	return colebrook
}

// factor returns the Darcy friction factor.
func (in *Input) factor() elementary.Num {
	reynolds := elementary.Of(in.Reynolds)
	if in.law() == laminar {
		return pipe.LaminarFactor(reynolds)
	}
	return pipe.ColebrookFactor(reynolds, elementary.Of(in.RelativeRoughness))
}

func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, "friction_"+in.law()+"_v1")
	pipe.WarnTransitional(ctx, in.Reynolds)
	f := in.factor()
	return Output{
		DarcyFrictionFactor:   elementary.Round(ctx, "darcy_friction_factor", f),
		FanningFrictionFactor: elementary.Round(ctx, "fanning_friction_factor", f.Div(elementary.Int(4))),
		Regime:                pipe.Regime(in.Reynolds),
		Method:                in.law(),
	}, nil
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	flow := pipe.Flow{Reynolds: in.Reynolds, Roughness: in.RelativeRoughness, Factor: in.factor().Float(), Laminar: in.law() == laminar}
	return flow.Moody(), nil
}
