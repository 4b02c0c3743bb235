// Command rc_transient is the engine of a capacitor that charges or discharges through a
// resistor. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/pi"
	"github.com/slipstick/slipstick/plugins/internal/transient"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the circuit and the time.
type Input struct {
	Resistance     float64 `name:"resistance" symbol:"R" alias:"R" unit:"ohm" range:"(0,)" doc:"Resistance between source and capacitor."`
	Capacitance    float64 `name:"capacitance" symbol:"C" alias:"C" unit:"F" range:"(0,)" doc:"Capacitance."`
	SourceVoltage  float64 `name:"source_voltage" symbol:"V_s" alias:"Vs" unit:"V" default:"0" doc:"Voltage of the source from time 0 on; 0 to discharge."`
	InitialVoltage float64 `name:"initial_voltage" symbol:"V_0" alias:"V0" unit:"V" default:"0" doc:"Voltage of the capacitor at time 0."`
	Time           float64 `name:"time" symbol:"t" alias:"t" unit:"s" default:"0" range:"[0,)" doc:"Time since the source was connected."`
}

// Output is what the capacitor has come to, and what does not depend on the time.
type Output struct {
	TimeConstant     float64 `name:"time_constant" symbol:"\\tau" unit:"s" doc:"Time in which all but 1/e, 36.8 %, of the change is done."`
	CapacitorVoltage float64 `name:"capacitor_voltage" headline:"true" symbol:"v" unit:"V" doc:"Voltage of the capacitor at the time."`
	Current          float64 `name:"current" symbol:"i" unit:"A" doc:"Current into the capacitor at the time."`
	CutoffFrequency  float64 `name:"cutoff_frequency" symbol:"f_c" unit:"Hz" doc:"Frequency at which the circuit, as a filter, halves the power."`
}

// Engine returns the engine of electrical.circuits.rc_transient 1.0.0. A capacitor C at
// the voltage V0 is connected through the resistance R to a source Vs. The formula is the
// Definition.
//
// Units are SI. The current into the capacitor is positive.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the differential equation of the circuit, R C dv/dt + v = Vs.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.rc_transient",
		Version:    "1.0.0",
		Tool:       "rc-transient",
		Group:      "circuits",
		Title:      "RC circuit: charging and discharging a capacitor",
		Summary:    "Voltage and current of a capacitor that charges or discharges through a resistor, time constant and cutoff frequency.",
		Keywords:   []string{"RC time constant", "capacitor charge", "capacitor discharge", "low-pass filter", "high-pass filter", "tau", "step response", "exponential decay"},
		Definition: `tau = R*C
v = V_0 + (V_s - V_0)*(1 - exp(-t/tau))
i = (V_s - V_0)*exp(-t/tau)/R
f_c = 1/(2*pi*tau)`,
		Formulas: []sdk.Formula{{
			ID:    "rc_transient_v1",
			Label: "Exponential approach of the capacitor to the source",
		}},
		Assumptions:    []string{"Resistance and capacitance are constant.", "The source has no resistance of its own, and its voltage is constant from time 0 on.", "The capacitor does not leak."},
		SignConvention: "The current into the positive terminal of the capacitor is positive: it is negative while the capacitor discharges.",
		References:     []sdk.Reference{{Title: "Kirchhoff's voltage law", Where: "Vs = R*i + v with i = C*dv/dt"}},
		Plots: []sdk.Plot{{
			ID: "response", Title: "Voltage of the capacitor over time",
			Summary: "The voltage leaves its initial value and approaches that of the source, first quickly and then slowly.",
			X:       sdk.Axis{Label: "Time", Symbol: "t", Unit: "s"},
			Y:       sdk.Axis{Label: "Voltage", Symbol: "v", Unit: "V"},
		}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	start, end := elementary.Of(in.InitialVoltage), elementary.Of(in.SourceVoltage)
	left, reached := transient.Parts(in.elapsed())
	return Output{
		TimeConstant:     adaptive.Round(ctx, "time_constant", in.timeConstant),
		CapacitorVoltage: elementary.Round(ctx, "capacitor_voltage", start.Mul(left).Add(end.Mul(reached))),
		Current:          elementary.Round(ctx, "current", end.Sub(start).Mul(left).Div(elementary.Of(in.Resistance))),
		CutoffFrequency: adaptive.Round(ctx, "cutoff_frequency", func(x *adaptive.X) adaptive.Num {
			return x.Int(1).Div(x.Int(2).Mul(pi.Of(x), in.timeConstant(x)))
		}),
	}, nil
}

func (in *Input) timeConstant(x *adaptive.X) adaptive.Num {
	return x.Of(in.Resistance).Mul(x.Of(in.Capacitance))
}

// elapsed returns the time in time constants.
func (in *Input) elapsed() elementary.Num {
	return elementary.Of(in.Time).Div(elementary.Of(in.Resistance).Mul(elementary.Of(in.Capacitance)))
}

// Draw draws the voltage of the capacitor over time.
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	return transient.Response{
		Name:  "voltage of the capacitor",
		Start: in.InitialVoltage, End: in.SourceVoltage,
		TimeConstant: adaptive.Round(ctx, "time_constant", in.timeConstant), Time: in.Time,
	}.Figure()
}
