// Command amps_volts is the engine of the conversion between amperes and volts. See
// [Engine].
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

// Codes of section 7.3 of the interface.
const (
	voltagePositive   = "VOLTAGE_MUST_BE_POSITIVE"
	currentNonzero    = "CURRENT_MUST_BE_NONZERO"
	resistanceNonzero = "RESISTANCE_MUST_BE_NONZERO"
)

// Input is the path of the conversion and the two quantities it starts from.
type Input struct {
	Mode       string   `name:"mode" label:"Known" enum:"watts,ohms" doc:"What is known beside the quantity to convert: the power or the resistance."`
	Dir        string   `name:"dir" label:"Direction" enum:"amps_to_volts,volts_to_amps" default:"amps_to_volts" doc:"Direction of the conversion."`
	Power      *float64 `name:"W" label:"Power" symbol:"W" alias:"P,watts,power" unit:"W" range:"[0,)" code:"POWER_MUST_BE_NONNEGATIVE" doc:"Power; in mode watts."`
	Current    *float64 `name:"I" label:"Current" symbol:"I" alias:"amps,current" unit:"A" doc:"Current."`
	Voltage    *float64 `name:"V" label:"Voltage" symbol:"V" alias:"volts,voltage" unit:"V" doc:"Voltage. Positive where the power is known."`
	Resistance *float64 `name:"R" label:"Resistance" symbol:"R" alias:"ohms,resistance" unit:"ohm" range:"[0,)" code:"RESISTANCE_MUST_BE_NONNEGATIVE" doc:"Resistance; in mode ohms."`
}

// Output is the quantity converted to; the other is absent.
type Output struct {
	Volts *float64 `name:"volts" label:"Voltage" symbol:"V_{\\mathrm{out}}" unit:"V" doc:"Voltage."`
	Amps  *float64 `name:"amps" label:"Current" symbol:"I_{\\mathrm{out}}" unit:"A" doc:"Current."`
}

// Engine returns the engine of electrical.convert.amps_volts 1.0.0. The formula is the
// Definition.
//
// Units are SI. Current and voltage have either sign, except that mode watts
// demands a positive voltage; power and resistance are not negative.
//
// Error: none but the final rounding; the result is the binary64 nearest to the
// true value for the given inputs.
//
// Source: the definitions of power and resistance; section 7.3 of the interface for
// the paths and their codes.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.convert.amps_volts",
		Version:    "1.0.0",
		Tool:       "amps-to-volts",
		Group:      "electrical",
		Title:      "Amps to volts and volts to amps",
		Summary:    "Voltage from current or current from voltage, through a known power or resistance.",
		Keywords:   []string{"A to V", "V to A", "ampere", "current", "voltage", "watts", "ohms", "how many volts", "how many amps"},
		Definition: `V_out = W/I  if given(W, I)  @amps_to_volts_watts_v1
V_out = I*R  if given(I, R)  @amps_to_volts_ohms_v1
I_out = W/V  if given(W, V)  @volts_to_amps_watts_v1
I_out = V/R  if given(V, R)  @volts_to_amps_ohms_v1`,
		Formulas: []sdk.Formula{
			{ID: "amps_to_volts_watts_v1", Label: "Voltage from power and current"},
			{ID: "volts_to_amps_watts_v1", Label: "Current from power and voltage"},
			{ID: "amps_to_volts_ohms_v1", Label: "Voltage from current and resistance"},
			{ID: "volts_to_amps_ohms_v1", Label: "Current from voltage and resistance"},
		},
		Assumptions:    []string{"Direct current, or effective values in a purely resistive circuit."},
		SignConvention: "Passive: a positive voltage drives a positive current.",
		References:     []sdk.Reference{{Title: "Ohm's law and Joule's law", Where: "definitions R = V/I and W = V*I"}},
		Errors:         []string{sdk.CodeUndefined, voltagePositive, currentNonzero, resistanceNonzero},
	}, calculate)
}

// Complete demands the two quantities of the path and no other.
func (in *Input) Complete(context.Context) error {
	known, given := "W", "I"
	if in.Mode == "ohms" {
		known = "R"
	}
	if in.Dir == "volts_to_amps" {
		given = "V"
	}
	quantities := []struct {
		name  string
		value *float64
	}{{"W", in.Power}, {"I", in.Current}, {"V", in.Voltage}, {"R", in.Resistance}}
	for _, q := range quantities {
		if q.value == nil && (q.name == known || q.name == given) {
			return sdk.Missing(q.name, "%s in mode %s needs %s and %s", in.Dir, in.Mode, known, given)
		}
	}
	for _, q := range quantities {
		if q.value != nil && q.name != known && q.name != given {
			return sdk.Conflict(q.name, "%s in mode %s takes %s and %s, not %s", in.Dir, in.Mode, known, given, q.name).
				Suggest("Leave out " + q.name + ", or choose another mode or dir.")
		}
	}
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, in.Dir+"_"+in.Mode+"_v1")
	switch {
	case in.Mode == "watts" && in.Dir == "amps_to_volts":
		volts, err := quotient(ctx, "volts", *in.Power, *in.Current, currentNonzero, "I")
		return Output{Volts: volts}, err
	case in.Mode == "watts":
		if *in.Voltage <= 0 {
			return Output{}, sdk.Reject(voltagePositive, "V", "V is %v V: it must be greater than 0 in mode watts", *in.Voltage).
				Suggest("Give a value of V greater than 0.")
		}
		amps, err := quotient(ctx, "amps", *in.Power, *in.Voltage, voltagePositive, "V")
		return Output{Amps: amps}, err
	case in.Dir == "amps_to_volts":
		volts := adaptive.Round(ctx, "volts", func(x *adaptive.X) adaptive.Num { return x.Of(*in.Current).Mul(x.Of(*in.Resistance)) })
		return Output{Volts: &volts}, nil
	default:
		amps, err := quotient(ctx, "amps", *in.Voltage, *in.Resistance, resistanceNonzero, "R")
		return Output{Amps: amps}, err
	}
}

// quotient rejects a division by zero: of zero as undefined, of anything else with
// the code.
func quotient(ctx context.Context, name string, n, d float64, code, field string) (*float64, error) {
	switch {
	case d == 0 && n == 0:
		return nil, sdk.Reject(sdk.CodeUndefined, field, "%s is zero and so is what is divided by it: any result would do", field).
			Suggest("Give a value of " + field + " that is not zero.")
	case d == 0:
		return nil, sdk.Reject(code, field, "%s is zero, and a value that is not zero is divided by it", field).
			Suggest("Give a value of " + field + " that is not zero.")
	}
	return new(adaptive.Round(ctx, name, func(x *adaptive.X) adaptive.Num { return x.Of(n).Div(x.Of(d)) })), nil
}
