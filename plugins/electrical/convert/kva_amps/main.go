// Command kva_amps is the engine of the conversion between kilovolt-amperes and amperes.
// See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/circuit"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the circuit, as package circuit tells it, and the quantity to convert.
type Input struct {
	Dir     string  `name:"dir" label:"Direction" enum:"kva_to_amps,amps_to_kva" default:"kva_to_amps" doc:"Direction of the conversion."`
	Circuit string  `name:"circuit" enum:"ac_single_phase=ac1|single|single_phase|1,ac_three_phase=ac3|three|three_phase|3,~ac" default:"ac_single_phase" doc:"Kind of circuit."`
	Phase   *string `name:"phase" enum:"line_to_line=ll|l_l|line,line_to_neutral=ln|l_n|neutral,~single,~three" doc:"Between which conductors of a three-phase circuit volts is measured; line_to_line if left blank."`
	Primary float64 `name:"primary" label:"Apparent power or current" symbol:"a" unit_by:"dir:kva_to_amps=kVA,amps_to_kva=A" range:"[0,)" doc:"What is converted: apparent power for kva_to_amps, line current for amps_to_kva."`
	Volts   float64 `name:"volts" label:"Voltage" symbol:"V" alias:"V,voltage" unit:"V" range:"(0,)" code:"VOLTAGE_MUST_BE_POSITIVE" doc:"Effective voltage."`

	circuit circuit.Circuit
}

// Output is the apparent power and the line current.
type Output struct {
	KVA  float64 `name:"kva" label:"Apparent power" symbol:"S" unit:"kVA" doc:"Apparent power."`
	Amps float64 `name:"amps" label:"Current" symbol:"I" unit:"A" doc:"Current in each line."`
}

// Engine returns the engine of electrical.convert.kva_amps 1.1.0. The formula is the
// Definition; its a is the quantity to convert.
//
// Units are SI except kVA; nothing is negative.
//
// Error: none but the final rounding, for sqrt(3) stands squared under one root; each
// result is the binary64 nearest to the true value for the given inputs.
//
// Source: the definition of the apparent power of balanced sinusoidal systems.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.convert.kva_amps",
		Version:    "1.1.0",
		Tool:       "kva-to-amps",
		Group:      "electrical",
		Title:      "kVA to amps and amps to kVA",
		Summary:    "Current from apparent power or apparent power from current, for a single phase and three phases.",
		Changes:    "What is converted has units now, which depend on the direction, so that it can be entered in others of its kind. Numbers are as they were.",
		Keywords:   []string{"kilovolt-ampere", "volt-amperes", "transformer rating", "generator size", "full-load current", "rated current", "UPS size"},
		Definition: `single = circuit == "ac_single_phase" or phase == "single"
I = 1000*a/V            if dir == "kva_to_amps" and single                      @kva_to_amps_single_phase_v1
I = 1000*a/(3*V)        if dir == "kva_to_amps" and phase == "line_to_neutral"  @kva_to_amps_line_to_neutral_v1
I = 1000*a/(sqrt(3)*V)  if dir == "kva_to_amps"                                 @kva_to_amps_line_to_line_v1
I = a                   otherwise
S = a                 if dir == "kva_to_amps"
S = V*I/1000          if single                      @amps_to_kva_single_phase_v1
S = 3*V*I/1000        if phase == "line_to_neutral"  @amps_to_kva_line_to_neutral_v1
S = sqrt(3)*V*I/1000  otherwise                      @amps_to_kva_line_to_line_v1`,
		Formulas: []sdk.Formula{
			{ID: "kva_to_amps_single_phase_v1", Label: "Current of a single phase"},
			{ID: "kva_to_amps_line_to_line_v1", Label: "Line current of three phases, line-to-line voltage"},
			{ID: "kva_to_amps_line_to_neutral_v1", Label: "Line current of three phases, line-to-neutral voltage"},
			{ID: "amps_to_kva_single_phase_v1", Label: "Apparent power of a single phase"},
			{ID: "amps_to_kva_line_to_line_v1", Label: "Apparent power of three phases, line-to-line voltage"},
			{ID: "amps_to_kva_line_to_neutral_v1", Label: "Apparent power of three phases, line-to-neutral voltage"},
		},
		Assumptions:    []string{"The current is sinusoidal and in the steady state."},
		SignConvention: "Apparent power, current and voltage are magnitudes: none is negative.",
		References:     []sdk.Reference{{Title: "IEEE Std 1459", Where: "definition of apparent power"}},
	}, calculate)
}

// Complete tells the circuit and fills in its phase.
func (in *Input) Complete(ctx context.Context) (err error) {
	in.circuit, err = circuit.Tabs{Circuit: in.Circuit, Phase: &in.Phase, Voltage: "volts"}.Complete(ctx)
	return err
}

// calculate computes under one root, where k^2 is a whole number.
func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, in.Dir+"_"+in.circuit.Name()+"_v1")
	squareOfKV := func(x *adaptive.X) adaptive.Num {
		return x.Int(in.circuit.SquareOfK()).Mul(x.Of(in.Volts).Pow(2))
	}
	if in.Dir == "kva_to_amps" {
		amps := adaptive.RoundSqrt(ctx, "amps", func(x *adaptive.X) adaptive.Num {
			return x.Int(1000).Mul(x.Of(in.Primary)).Pow(2).Div(squareOfKV(x))
		})
		return Output{KVA: in.Primary, Amps: amps}, nil
	}
	kva := adaptive.RoundSqrt(ctx, "kva", func(x *adaptive.X) adaptive.Num {
		return squareOfKV(x).Mul(x.Of(in.Primary).Pow(2)).Div(x.Int(1000).Pow(2))
	})
	return Output{KVA: kva, Amps: in.Primary}, nil
}
