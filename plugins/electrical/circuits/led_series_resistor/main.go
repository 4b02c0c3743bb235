// Command led_series_resistor is the engine of the resistor that limits the current of
// light-emitting diodes. See [Engine].
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

// Codes of the interface and after its pattern.
const (
	currentNonzero = "CURRENT_MUST_BE_NONZERO"
	sourceTooLow   = "SOURCE_VOLTAGE_TOO_LOW"
)

// Input is the source, the diodes and their current.
type Input struct {
	SourceVoltage  float64 `name:"source_voltage" symbol:"V_s" alias:"Vs" unit:"V" doc:"Voltage of the source, more than what the diodes take together."`
	ForwardVoltage float64 `name:"forward_voltage" symbol:"V_f" alias:"Vf" unit:"V" range:"(0,)" doc:"Forward voltage of one diode at the current."`
	SeriesCount    int     `name:"series_count" label:"Diodes in series" symbol:"n" alias:"n" default:"1" range:"[1,)" doc:"Number of equal diodes in series."`
	Current        float64 `name:"current" symbol:"I" alias:"I" unit:"A" range:"[0,)" code:"CURRENT_MUST_BE_POSITIVE" doc:"Wanted current through the diodes."`
}

// Output is the resistor, what it and the diodes take, and the next resistor on sale.
type Output struct {
	Resistance            float64 `name:"resistance" headline:"true" symbol:"R" unit:"ohm" doc:"Resistance that gives the wanted current."`
	ResistorPower         float64 `name:"resistor_power" symbol:"P_R" unit:"W" doc:"Power that this resistance turns into heat."`
	LEDPower              float64 `name:"led_power" label:"LED power" symbol:"P_D" unit:"W" doc:"Power of all diodes together."`
	StandardResistanceE24 float64 `name:"standard_resistance_e24" label:"Standard resistance (E24)" symbol:"R_{24}" unit:"ohm" doc:"Next value of the E24 series that is not below the resistance."`
	CurrentWithStandard   float64 `name:"current_with_standard" symbol:"I_{24}" unit:"A" doc:"Current with the standard resistance."`
}

// Engine returns the engine of electrical.circuits.led_series_resistor 1.0.0: n diodes of
// forward voltage Vf at a source Vs leave the voltage VR to the resistor in series. The
// formula is the Definition.
//
// Units are SI; nothing is negative.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs. For the choice of the standard value a resistance that
// agrees with one to 12 digits is taken as that one, since 0.03 A is no binary64.
//
// Source: Kirchhoff's voltage law, Ohm's law and the values of IEC 60063.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.led_series_resistor",
		Version:    "1.0.0",
		Tool:       "led-series-resistor",
		Group:      "circuits",
		Title:      "Series resistor of an LED",
		Summary:    "Resistor that limits the current of one or more LEDs in series, its power, and the next value of the E24 series.",
		Keywords:   []string{"light-emitting diode", "current limiting resistor", "dropping resistor", "ballast resistor", "forward voltage", "resistor for LED", "standard resistor value", "E24"},
		Definition: `V_R = V_s - n*V_f
R = V_R/I
P_R = V_R*I
P_D = n*V_f*I
taken R_24  # a table has it: the least value of the series E24 of IEC 60063 that is not below R
I_24 = V_R/R_24`,
		Formulas: []sdk.Formula{{
			ID:    "led_series_resistor_v1",
			Label: "What the diodes leave of the source voltage lies on the resistor",
		}},
		Assumptions:    []string{"The forward voltage does not depend on the current.", "The source is direct current without resistance of its own."},
		SignConvention: "All quantities are magnitudes: the diodes are connected in their forward direction.",
		References: []sdk.Reference{
			{Title: "Kirchhoff's voltage law and Ohm's law", Where: "Vs = n*Vf + R*I"},
			{Title: "IEC 60063", Where: "preferred number series for resistors, E24"},
		},
		Errors: []string{currentNonzero, sourceTooLow},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	left := func(x *adaptive.X) adaptive.Num {
		return x.Of(in.SourceVoltage).Sub(x.Int(int64(in.SeriesCount)).Mul(x.Of(in.ForwardVoltage)))
	}
	switch {
	case in.Current == 0:
		return Output{}, sdk.Reject(currentNonzero, "current", "current is zero: no resistor stops it altogether").Suggest("Give the current that the diodes are made for, such as 0.02 A.")
	case adaptive.Sign(left) <= 0:
		return Output{}, sdk.Reject(sourceTooLow, "source_voltage", "source_voltage is %v V, and the diodes take %v V each: %d in series leave nothing to the resistor", in.SourceVoltage, in.ForwardVoltage, in.SeriesCount).
			Suggest("Give a source_voltage above series_count times forward_voltage, or put fewer diodes in series.")
	}
	out := Output{
		Resistance:    adaptive.Round(ctx, "resistance", func(x *adaptive.X) adaptive.Num { return left(x).Div(x.Of(in.Current)) }),
		ResistorPower: adaptive.Round(ctx, "resistor_power", func(x *adaptive.X) adaptive.Num { return left(x).Mul(x.Of(in.Current)) }),
		LEDPower: adaptive.Round(ctx, "led_power", func(x *adaptive.X) adaptive.Num {
			return x.Int(int64(in.SeriesCount)).Mul(x.Of(in.ForwardVoltage), x.Of(in.Current))
		}),
	}
	standard, err := nextE24(out.Resistance)
	if err != nil {
		return Output{}, err
	}
	out.StandardResistanceE24 = adaptive.Round(ctx, "standard_resistance_e24", standard.of)
	out.CurrentWithStandard = adaptive.Round(ctx, "current_with_standard", func(x *adaptive.X) adaptive.Num { return left(x).Div(standard.of(x)) })
	return out, nil
}
