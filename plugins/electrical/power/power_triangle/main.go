// Command power_triangle is the engine of the triangle of active, reactive and apparent
// power. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/needed"
	"github.com/slipstick/slipstick/plugins/internal/powerfactor"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Codes after the pattern of the interface.
const (
	activeExceeds     = "ACTIVE_POWER_EXCEEDS_APPARENT"
	reactiveExceeds   = "REACTIVE_POWER_EXCEEDS_APPARENT"
	reactiveIsNotZero = "REACTIVE_POWER_MUST_BE_ZERO"
)

// Input is exactly two of the four quantities.
type Input struct {
	ActivePower   *float64 `name:"active_power" symbol:"P" alias:"P,real_power" unit:"W" range:"[0,)" doc:"Active power."`
	ReactivePower *float64 `name:"reactive_power" symbol:"Q" alias:"Q" unit:"var" doc:"Reactive power, positive for a lagging (inductive) current."`
	ApparentPower *float64 `name:"apparent_power" symbol:"S" alias:"S" unit:"V A" range:"(0,)" doc:"Apparent power."`
	PF            *float64 `name:"pf" label:"Power factor" symbol:"\\mathrm{pf}" alias:"power_factor,cos_phi" range:"(0,1]" code:"POWER_FACTOR_OUT_OF_RANGE" doc:"Power factor, greater than 0 and at most 1."`
}

// Output is all four quantities and the phase angle.
type Output struct {
	ActivePower   float64 `name:"active_power" symbol:"P" unit:"W" doc:"Active power."`
	ReactivePower float64 `name:"reactive_power" symbol:"Q" unit:"var" doc:"Reactive power, positive for a lagging (inductive) current."`
	ApparentPower float64 `name:"apparent_power" symbol:"S" unit:"V A" doc:"Apparent power."`
	PF            float64 `name:"pf" label:"Power factor" symbol:"\\mathrm{pf}" doc:"Power factor."`
	PhaseAngle    float64 `name:"phase_angle" symbol:"\\varphi" unit:"rad" doc:"Angle by which the current lags behind the voltage."`
}

// Engine returns the engine of electrical.power.power_triangle 1.0.0: from two of active
// power P, reactive power Q, apparent power S and power factor pf it computes the other
// two and the angle. The formula is the Definition.
//
// Units are SI. Q and the angle are positive where the current lags; they are taken so
// where Q was not sent.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the definitions of IEEE Std 1459 for sinusoidal voltage and current.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.power.power_triangle",
		Version:    "1.0.0",
		Tool:       "power-triangle",
		Group:      "electrical",
		Title:      "Power triangle: active, reactive and apparent power, power factor",
		Summary:    "The other two of active power, reactive power, apparent power and power factor from any two of them, with the phase angle.",
		Keywords:   []string{"real power", "kW kVA kvar", "VAR", "cos phi", "phase shift", "phase angle", "lagging", "leading", "complex power"},
		Definition: `P = sqrt(S^2 - Q^2)           if given(Q, S)   @power_triangle_reactive_apparent_v1
P = abs(Q)*pf/sqrt(1 - pf^2)  if given(Q, pf)  @power_triangle_reactive_pf_v1
P = S*pf                      if given(S, pf)  @power_triangle_apparent_pf_v1
S = sqrt(P^2 + Q^2)           if given(P, Q)   @power_triangle_active_reactive_v1
S = P/pf                      if given(P, pf)  @power_triangle_active_pf_v1
S = abs(Q)/sqrt(1 - pf^2)     if given(Q, pf)  @power_triangle_reactive_pf_v1
Q = sqrt(S^2 - P^2)           if given(P, S)   @power_triangle_active_apparent_v1
Q = P*sqrt(1 - pf^2)/pf       if given(P, pf)  @power_triangle_active_pf_v1
Q = S*sqrt(1 - pf^2)          if given(S, pf)  @power_triangle_apparent_pf_v1
varphi = -acos(pf)            if given(pf) and Q < 0
varphi = acos(pf)             if given(pf)
varphi = atan2(Q, P)          otherwise
pf = P/S`,
		Formulas: []sdk.Formula{
			{ID: "power_triangle_active_reactive_v1", Label: "From active and reactive power"},
			{ID: "power_triangle_active_apparent_v1", Label: "From active and apparent power"},
			{ID: "power_triangle_active_pf_v1", Label: "From active power and power factor"},
			{ID: "power_triangle_reactive_apparent_v1", Label: "From reactive and apparent power"},
			{ID: "power_triangle_reactive_pf_v1", Label: "From reactive power and power factor"},
			{ID: "power_triangle_apparent_pf_v1", Label: "From apparent power and power factor"},
		},
		Assumptions:    []string{"Voltage and current are sinusoidal, and balanced in a three-phase system."},
		SignConvention: "Reactive power and phase angle are positive where the current lags behind the voltage (inductive load), negative where it leads.",
		References:     []sdk.Reference{{Title: "IEEE Std 1459", Where: "definitions of active, reactive and apparent power and of power factor, sinusoidal case"}},
		Plots: []sdk.Plot{powerfactor.Plot("Power triangle",
			"A right triangle: active power along, reactive power across, apparent power as the longest side. The phase angle lies between active and apparent power.")},
		Errors: []string{sdk.CodeUndefined, activeExceeds, reactiveExceeds, reactiveIsNotZero},
	}, calculate)
}

// Complete demands exactly two inputs.
func (in *Input) Complete(context.Context) error {
	return needed.Exactly(2,
		needed.Input{Name: "active_power", Value: in.ActivePower},
		needed.Input{Name: "reactive_power", Value: in.ReactivePower},
		needed.Input{Name: "apparent_power", Value: in.ApparentPower},
		needed.Input{Name: "pf", Value: in.PF},
	)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if in.ReactivePower == nil {
		sdk.Assume(ctx, "The current lags: reactive power and phase angle are taken as positive.")
	}
	return in.solve(ctx)
}

// solve is what the result and the figure share.
func (in *Input) solve(ctx context.Context) (Output, error) {
	switch p, q, s, pf := in.ActivePower, in.ReactivePower, in.ApparentPower, in.PF; {
	case p != nil && q != nil:
		return fromActiveReactive(ctx, *p, *q)
	case p != nil && s != nil:
		return fromActiveApparent(ctx, *p, *s)
	case p != nil:
		return fromActiveFactor(ctx, *p, *pf), nil
	case q != nil && s != nil:
		return fromReactiveApparent(ctx, *q, *s)
	case q != nil:
		return fromReactiveFactor(ctx, *q, *pf)
	default:
		return fromApparentFactor(ctx, *s, *pf), nil
	}
}
