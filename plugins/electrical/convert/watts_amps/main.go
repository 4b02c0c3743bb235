// Command watts_amps is the engine of the conversion between watts and amperes. See
// [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/exact"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Codes of section 7.3 of the interface.
const (
	powerFactorRange   = "POWER_FACTOR_OUT_OF_RANGE"
	powerFactorIgnored = "POWER_FACTOR_IGNORED"
)

// Input is the circuit and the quantity to convert. Circuit ac is completed by
// phase single or three, as a query of two keys spells it.
type Input struct {
	Dir     string   `name:"dir" enum:"watts_to_amps,amps_to_watts" default:"watts_to_amps" doc:"Direction of the conversion."`
	Circuit string   `name:"circuit" enum:"dc,ac_single_phase=ac1|single|single_phase|1,ac_three_phase=ac3|three|three_phase|3,ac" default:"dc" doc:"Kind of circuit. With ac, phase says single or three."`
	Phase   *string  `name:"phase" enum:"line_to_line=ll|l_l|line,line_to_neutral=ln|l_n|neutral,single,three" doc:"Between which conductors of a three-phase circuit volts is measured; line_to_line when not sent. With circuit ac: single or three."`
	Primary float64  `name:"primary" range:"[0,)" doc:"What is converted: power in W when dir is watts_to_amps, line current in A when it is amps_to_watts."`
	Volts   float64  `name:"volts" alias:"V,voltage" unit:"V" range:"(0,)" code:"VOLTAGE_MUST_BE_POSITIVE" doc:"Voltage, effective value for alternating current."`
	PF      *float64 `name:"pf" alias:"power_factor,cos_phi" doc:"Power factor of an alternating current, in (0, 1]; 1 when not sent."`

	threePhases             bool
	assumedPhase, assumedPF bool
}

// Output is the power, the line current and the apparent power.
type Output struct {
	Watts       float64 `name:"watts" unit:"W" doc:"Active power."`
	Amps        float64 `name:"amps" unit:"A" doc:"Current in each line."`
	VoltAmperes float64 `name:"volt_amperes" unit:"V A" doc:"Apparent power."`
}

// Engine returns the engine of electrical.convert.watts_amps 1.0.0: P = k V I pf and
// S = k V I, with k = 1 for direct current and single phase, sqrt(3) for three
// phases and a line-to-line voltage, 3 for a line-to-neutral one.
//
// Units are SI; nothing is negative. A power factor with direct current is ignored
// with a warning, whatever its value.
//
// Error: none but the final rounding, for sqrt(3) stands squared under one root;
// each result is the binary64 nearest to the true value for the given inputs.
//
// Source: the definitions of active and apparent power of balanced sinusoidal
// systems; section 7.3 of the interface for the codes.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.convert.watts_amps",
		Version:    "1.0.0",
		Tool:       "watts-to-amps",
		Group:      "electrical",
		Title:      "Watts to amps and amps to watts",
		Summary:    "Current from power or power from current, for direct current, single phase and three phases.",
		Formulas: []sdk.Formula{
			{ID: "watts_to_amps_v1", Expression: "I = P/(k*V*pf); S = k*V*I", Label: "Current from power; k = 1, sqrt(3) (three-phase, line to line) or 3 (line to neutral)", LaTeX: `I=\frac{P}{k\,V\,\mathrm{pf}},\quad S=k\,V\,I`},
			{ID: "amps_to_watts_v1", Expression: "P = k*V*I*pf; S = k*V*I", Label: "Power from current; k = 1, sqrt(3) (three-phase, line to line) or 3 (line to neutral)", LaTeX: `P=k\,V\,I\,\mathrm{pf},\quad S=k\,V\,I`},
		},
		SignConvention: "Power, current, voltage and power factor are magnitudes: none is negative.",
		References:     []sdk.Reference{{Title: "IEEE Std 1459", Where: "definitions of active power, apparent power and power factor"}},
		Errors:         []string{powerFactorRange},
		Warnings:       []string{powerFactorIgnored},
	}, calculate)
}

// Complete demands the phase that circuit ac leaves open, and fills in what a
// three-phase circuit and an alternating current need.
func (in *Input) Complete(context.Context) error {
	phase := ""
	if in.Phase != nil {
		phase = *in.Phase
	}
	circuit := in.Circuit
	switch phase {
	case "single":
		circuit = singlePhase
	case "three":
		circuit = threePhase
	}
	switch {
	case circuit == "ac":
		return sdk.Missing("phase", "circuit ac needs phase single or three")
	case circuit != in.Circuit && in.Circuit != "ac":
		return sdk.Conflict("phase", "phase %s contradicts circuit %s", phase, in.Circuit).Suggest("Leave out one of them.")
	}
	in.threePhases = circuit == threePhase
	if in.threePhases && in.Phase == nil {
		in.Phase, in.assumedPhase = new("line_to_line"), true
	}
	if circuit != "dc" && in.PF == nil {
		in.PF, in.assumedPF = new(1.0), true
	}
	return nil
}

const (
	singlePhase   = "ac_single_phase"
	threePhase    = "ac_three_phase"
	lineToNeutral = "line_to_neutral"
)

// squareOfK returns the square of the k of the circuit.
func (in *Input) squareOfK() exact.Num {
	switch {
	case !in.threePhases:
		return exact.Int(1)
	case *in.Phase == lineToNeutral:
		return exact.Int(9)
	}
	return exact.Int(3)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, in.Dir+"_v1")
	pf := exact.Int(1)
	switch {
	case in.Circuit == "dc" && in.PF != nil:
		sdk.Warn(ctx, sdk.Warning{
			Code: powerFactorIgnored, Severity: sdk.Caution,
			Detail:     "Direct current has no power factor: pf was ignored.",
			Suggestion: "Leave out pf, or send the circuit it belongs to.",
		})
	case in.PF != nil && (*in.PF <= 0 || *in.PF > 1):
		return Output{}, sdk.Reject(powerFactorRange, "pf", "pf is %v: it must lie in (0, 1]", *in.PF).Suggest("Send a pf in (0, 1].")
	case in.PF != nil:
		pf = exact.Of(*in.PF)
	}
	in.assume(ctx)
	return in.convert(ctx, pf), nil
}

func (in *Input) assume(ctx context.Context) {
	if in.assumedPF {
		sdk.Assume(ctx, "power factor 1 assumed")
	}
	switch {
	case !in.threePhases:
		return
	case in.assumedPhase || *in.Phase == "three":
		sdk.Assume(ctx, "line-to-line voltage assumed")
	case *in.Phase == lineToNeutral:
		sdk.Assume(ctx, "volts is the line-to-neutral voltage.")
	default:
		sdk.Assume(ctx, "volts is the line-to-line voltage.")
	}
	sdk.Assume(ctx, "The three-phase system is balanced and sinusoidal.")
}

// convert computes under one root, where k^2 is a whole number.
func (in *Input) convert(ctx context.Context, pf exact.Num) Output {
	primary, one := exact.Of(in.Primary), exact.Int(1)
	kv := in.squareOfK().Mul(exact.Of(in.Volts).Pow(2)) // (k V)^2
	if in.Dir == "watts_to_amps" {
		return Output{
			Watts:       in.Primary,
			Amps:        exact.RoundSqrt(ctx, "amps", primary.Pow(2), kv.Mul(pf.Pow(2))),
			VoltAmperes: exact.Round(ctx, "volt_amperes", primary, pf),
		}
	}
	apparent := kv.Mul(primary.Pow(2)) // S^2
	return Output{
		Watts:       exact.RoundSqrt(ctx, "watts", apparent.Mul(pf.Pow(2)), one),
		Amps:        in.Primary,
		VoltAmperes: exact.RoundSqrt(ctx, "volt_amperes", apparent, one),
	}
}
