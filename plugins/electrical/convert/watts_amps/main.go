// Command watts_amps is the engine of the conversion between watts and amperes. See
// [Engine].
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
	Dir     string   `name:"dir" label:"Direction" enum:"watts_to_amps,amps_to_watts" default:"watts_to_amps" doc:"Direction of the conversion."`
	Circuit string   `name:"circuit" enum:"dc,ac_single_phase=ac1|single|single_phase|1,ac_three_phase=ac3|three|three_phase|3,~ac" default:"dc" doc:"Kind of circuit."`
	Phase   *string  `name:"phase" enum:"line_to_line=ll|l_l|line,line_to_neutral=ln|l_n|neutral,~single,~three" doc:"Between which conductors of a three-phase circuit volts is measured; line_to_line if left blank."`
	Primary float64  `name:"primary" label:"Power or current" symbol:"a" unit_by:"dir:watts_to_amps=W,amps_to_watts=A" range:"[0,)" doc:"What is converted: power for watts_to_amps, line current for amps_to_watts."`
	Volts   float64  `name:"volts" label:"Voltage" symbol:"V" alias:"V,voltage" unit:"V" range:"(0,)" code:"VOLTAGE_MUST_BE_POSITIVE" doc:"Voltage, effective value for alternating current."`
	PF      *float64 `name:"pf" label:"Power factor" symbol:"\\mathrm{pf}" alias:"power_factor,cos_phi" doc:"Power factor of an alternating current, greater than 0 and at most 1; 1 if left blank."`

	circuit circuit.Circuit
}

// Output is the power, the line current and the apparent power.
type Output struct {
	Watts       float64 `name:"watts" label:"Active power" symbol:"P" unit:"W" doc:"Active power."`
	Amps        float64 `name:"amps" label:"Current" symbol:"I" unit:"A" doc:"Current in each line."`
	VoltAmperes float64 `name:"volt_amperes" label:"Apparent power" symbol:"S" unit:"V A" doc:"Apparent power."`
}

// Engine returns the engine of electrical.convert.watts_amps 1.0.0. The formula is the
// Definition; its a is the quantity to convert.
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
		Keywords:   []string{"W to A", "kW to A", "load current", "current draw", "how many amps", "size of a fuse or breaker", "wattage", "volt-amperes"},
		Definition: `pf = 1  if circuit != "dc"
c = 1   if circuit == "dc"
c = pf  otherwise
k = 1        if circuit == "dc" or circuit == "ac_single_phase" or phase == "single"
k = 3        if phase == "line_to_neutral"
k = sqrt(3)  otherwise
I = a/(k*V*c)  if dir == "watts_to_amps"  @watts_to_amps_v1
I = a          otherwise                  @amps_to_watts_v1
S = k*V*I
P = S*c`,
		Formulas: []sdk.Formula{
			{ID: "watts_to_amps_v1", Label: "Current from power; k = 1, sqrt(3) (three-phase, line to line) or 3 (line to neutral)"},
			{ID: "amps_to_watts_v1", Label: "Power from current; k = 1, sqrt(3) (three-phase, line to line) or 3 (line to neutral)"},
		},
		SignConvention: "Power, current, voltage and power factor are magnitudes: none is negative.",
		References:     []sdk.Reference{{Title: "IEEE Std 1459", Where: "definitions of active power, apparent power and power factor"}},
		Errors:         []string{circuit.PowerFactorOutOfRange},
		Warnings:       []string{circuit.PowerFactorIgnored},
	}, calculate)
}

// Complete tells the circuit and fills in its phase and power factor.
func (in *Input) Complete(ctx context.Context) (err error) {
	in.circuit, err = circuit.Tabs{Circuit: in.Circuit, Phase: &in.Phase, PF: &in.PF, Voltage: "volts"}.Complete(ctx)
	return err
}

func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, in.Dir+"_v1")
	pf, err := in.circuit.PowerFactor(ctx, in.PF)
	if err != nil {
		return Output{}, err
	}
	return in.convert(ctx, pf), nil
}

// convert computes under one root, where k^2 is a whole number.
func (in *Input) convert(ctx context.Context, pf float64) Output {
	squareOfKV := func(x *adaptive.X) adaptive.Num {
		return x.Int(in.circuit.SquareOfK()).Mul(x.Of(in.Volts).Pow(2))
	}
	if in.Dir == "watts_to_amps" {
		return Output{
			Watts: in.Primary,
			Amps: adaptive.RoundSqrt(ctx, "amps", func(x *adaptive.X) adaptive.Num {
				return x.Of(in.Primary).Pow(2).Div(squareOfKV(x).Mul(x.Of(pf).Pow(2)))
			}),
			VoltAmperes: adaptive.Round(ctx, "volt_amperes", func(x *adaptive.X) adaptive.Num {
				return x.Of(in.Primary).Div(x.Of(pf))
			}),
		}
	}
	squareOfS := func(x *adaptive.X) adaptive.Num { return squareOfKV(x).Mul(x.Of(in.Primary).Pow(2)) }
	return Output{
		Watts:       adaptive.RoundSqrt(ctx, "watts", func(x *adaptive.X) adaptive.Num { return squareOfS(x).Mul(x.Of(pf).Pow(2)) }),
		Amps:        in.Primary,
		VoltAmperes: adaptive.RoundSqrt(ctx, "volt_amperes", squareOfS),
	}
}
