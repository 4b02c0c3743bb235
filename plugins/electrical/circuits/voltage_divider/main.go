// Command voltage_divider is the engine of the divider of two resistors. See [Engine].
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

// Input is the divider and what it is loaded with.
type Input struct {
	InputVoltage   float64  `name:"input_voltage" symbol:"V_1" alias:"Vin,V" unit:"V" doc:"Voltage across both resistors, of either sign."`
	Resistance1    float64  `name:"resistance_1" label:"Upper resistance" symbol:"R_1" alias:"R1" unit:"ohm" range:"(0,)" doc:"Resistance between input and output."`
	Resistance2    float64  `name:"resistance_2" label:"Lower resistance" symbol:"R_2" alias:"R2" unit:"ohm" range:"(0,)" doc:"Resistance between output and ground."`
	LoadResistance *float64 `name:"load_resistance" symbol:"R_L" alias:"RL" unit:"ohm" range:"(0,)" doc:"Resistance of what is connected to the output; nothing if left blank."`
}

// Output is what the divider gives and takes.
type Output struct {
	OutputVoltage      float64 `name:"output_voltage" headline:"true" symbol:"V_2" unit:"V" doc:"Voltage across the lower resistor."`
	InputCurrent       float64 `name:"input_current" symbol:"I_1" unit:"A" doc:"Current into the divider."`
	TheveninResistance float64 `name:"thevenin_resistance" symbol:"R_T" unit:"ohm" doc:"Resistance of the output as a source, without the load."`
}

// Engine returns the engine of electrical.circuits.voltage_divider 1.1.0: two resistors in
// series divide a voltage, and a load may be parallel to the lower one. The formula is the
// Definition.
//
// Units are SI. Voltage and current have either sign, resistances are positive.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: Ohm's and Kirchhoff's laws.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.voltage_divider",
		Version:    "1.1.0",
		Tool:       "voltage-divider",
		Group:      "circuits",
		Title:      "Voltage divider",
		Summary:    "Output voltage, current and output resistance of a divider of two resistors, with or without a load.",
		Changes:    "A plot shows the output voltage under loads. Results are as they were.",
		Keywords:   []string{"potential divider", "resistor divider", "two resistors in series", "level shifter", "Thevenin", "potentiometer", "bleeder"},
		Definition: `R_p = R_2*R_L/(R_2 + R_L)  if given(R_L)  @voltage_divider_loaded_v1
R_p = R_2                  otherwise      @voltage_divider_v1
V_2 = V_1*R_p/(R_1 + R_p)
I_1 = V_1/(R_1 + R_p)
R_T = R_1*R_2/(R_1 + R_2)`,
		Formulas: []sdk.Formula{
			{ID: "voltage_divider_v1", Label: "Divider without load"},
			{ID: "voltage_divider_loaded_v1", Label: "Divider with load"},
		},
		Assumptions:    []string{"The resistances are linear and constant.", "The source has no resistance of its own."},
		SignConvention: "A positive input voltage gives a positive output voltage and current.",
		References:     []sdk.Reference{{Title: "Ohm's and Kirchhoff's laws", Where: "resistances in series and in parallel; Thevenin's theorem for the output"}},
		Plots:          plots(),
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if in.LoadResistance != nil {
		sdk.UseFormula(ctx, "voltage_divider_loaded_v1")
	}
	return Output{
		OutputVoltage: adaptive.Round(ctx, "output_voltage", func(x *adaptive.X) adaptive.Num {
			lower := in.lower(x)
			return x.Of(in.InputVoltage).Mul(lower).Div(x.Of(in.Resistance1).Add(lower))
		}),
		InputCurrent: adaptive.Round(ctx, "input_current", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.InputVoltage).Div(x.Of(in.Resistance1).Add(in.lower(x)))
		}),
		TheveninResistance: adaptive.Round(ctx, "thevenin_resistance", func(x *adaptive.X) adaptive.Num {
			return parallel(x.Of(in.Resistance1), x.Of(in.Resistance2))
		}),
	}, nil
}

// lower returns the resistance between output and ground.
func (in *Input) lower(x *adaptive.X) adaptive.Num {
	if in.LoadResistance == nil {
		return x.Of(in.Resistance2)
	}
	return parallel(x.Of(in.Resistance2), x.Of(*in.LoadResistance))
}

func parallel(a, b adaptive.Num) adaptive.Num { return a.Mul(b).Div(a.Add(b)) }
