// Command rl_transient is the engine of the current that builds up or dies down in a
// coil. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/transient"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the circuit and the time.
type Input struct {
	Resistance     float64 `name:"resistance" symbol:"R" alias:"R" unit:"ohm" range:"(0,)" doc:"Resistance in series, that of the coil included."`
	Inductance     float64 `name:"inductance" symbol:"L" alias:"L" unit:"H" range:"(0,)" doc:"Inductance of the coil."`
	SourceVoltage  float64 `name:"source_voltage" symbol:"V_s" alias:"Vs" unit:"V" default:"0" doc:"Voltage of the source from time 0 on; 0 for a coil that is short-circuited."`
	InitialCurrent float64 `name:"initial_current" symbol:"I_0" alias:"I0" unit:"A" default:"0" doc:"Current at time 0."`
	Time           float64 `name:"time" symbol:"t" alias:"t" unit:"s" default:"0" range:"[0,)" doc:"Time since the source was connected."`
}

// Output is what the current has come to, and the time constant.
type Output struct {
	TimeConstant    float64 `name:"time_constant" symbol:"\\tau" unit:"s" doc:"Time in which all but 1/e, 36.8 %, of the change is done."`
	Current         float64 `name:"current" headline:"true" symbol:"i" unit:"A" doc:"Current at the time."`
	InductorVoltage float64 `name:"inductor_voltage" symbol:"v_L" unit:"V" doc:"Voltage of the inductance at the time."`
}

// Engine returns the engine of electrical.circuits.rl_transient 1.0.0. An inductance L
// with the current I0 is connected through the resistance R to a source Vs. The formula is
// the Definition.
//
// Units are SI. A positive source drives a positive current, and the voltage of the
// inductance is positive where that current grows.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the differential equation of the circuit, L di/dt + R i = Vs.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.rl_transient",
		Version:    "1.0.0",
		Tool:       "rl-transient",
		Group:      "circuits",
		Title:      "RL circuit: current in a coil",
		Summary:    "Current and voltage of an inductance that is connected to a source through a resistance, and the time constant.",
		Keywords:   []string{"RL time constant", "inductor", "relay coil", "solenoid", "tau", "step response", "current rise", "flyback"},
		Definition: `tau = L/R
i = I_0 + (V_s/R - I_0)*(1 - exp(-t/tau))
v_L = (V_s - I_0*R)*exp(-t/tau)`,
		Formulas: []sdk.Formula{{
			ID:    "rl_transient_v1",
			Label: "Exponential approach of the current to Vs/R",
		}},
		Assumptions:    []string{"Resistance and inductance are constant: the core does not saturate.", "The source has no resistance beside R, and its voltage is constant from time 0 on."},
		SignConvention: "A positive source drives a positive current; the voltage of the inductance is positive while that current grows.",
		References:     []sdk.Reference{{Title: "Kirchhoff's voltage law", Where: "Vs = R*i + vL with vL = L*di/dt"}},
		Plots: []sdk.Plot{{
			ID: "response", Title: "Current over time",
			Summary: "The current leaves its initial value and approaches the voltage of the source divided by the resistance, first quickly and then slowly.",
			X:       sdk.Axis{Label: "Time", Symbol: "t", Unit: "s"},
			Y:       sdk.Axis{Label: "Current", Symbol: "i", Unit: "A"},
		}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	start, end := elementary.Of(in.InitialCurrent), in.end()
	left, reached := transient.Parts(in.elapsed())
	return Output{
		TimeConstant:    adaptive.Round(ctx, "time_constant", in.timeConstant),
		Current:         elementary.Round(ctx, "current", start.Mul(left).Add(end.Mul(reached))),
		InductorVoltage: elementary.Round(ctx, "inductor_voltage", end.Sub(start).Mul(left).Mul(elementary.Of(in.Resistance))),
	}, nil
}

func (in *Input) timeConstant(x *adaptive.X) adaptive.Num {
	return x.Of(in.Inductance).Div(x.Of(in.Resistance))
}

// elapsed returns the time in time constants.
func (in *Input) elapsed() elementary.Num {
	return elementary.Of(in.Time).Mul(elementary.Of(in.Resistance)).Div(elementary.Of(in.Inductance))
}

// end returns the current at which the circuit ends.
func (in *Input) end() elementary.Num {
	return elementary.Of(in.SourceVoltage).Div(elementary.Of(in.Resistance))
}

// Draw draws the current over time.
func (in *Input) Draw(ctx context.Context, _ string) (*sdk.Figure, error) {
	return transient.Response{
		Name:  "current",
		Start: in.InitialCurrent, End: in.end().Float(),
		TimeConstant: adaptive.Round(ctx, "time_constant", in.timeConstant), Time: in.Time,
	}.Figure()
}
