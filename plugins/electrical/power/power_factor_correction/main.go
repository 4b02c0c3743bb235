// Command power_factor_correction is the engine of the capacitors that raise a power
// factor. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/circuit"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/powerfactor"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

const (
	targetBelowInitial = "PF_TARGET_BELOW_INITIAL"

	delta = "delta"
)

// Input is the load, the power factors, and the mains that the capacitors are for. The
// circuit is as package circuit tells it.
type Input struct {
	ActivePower float64  `name:"active_power" symbol:"P" alias:"P,real_power" unit:"W" range:"[0,)" doc:"Active power of the load."`
	PFInitial   float64  `name:"pf_initial" label:"Power factor before" symbol:"\\mathrm{pf}_1" alias:"pf1" range:"(0,1]" code:"POWER_FACTOR_OUT_OF_RANGE" doc:"Lagging power factor of the load, greater than 0 and at most 1."`
	PFTarget    float64  `name:"pf_target" label:"Power factor wanted" symbol:"\\mathrm{pf}_2" alias:"pf2" range:"(0,1]" code:"POWER_FACTOR_OUT_OF_RANGE" doc:"Lagging power factor with capacitors, from pf_initial to 1."`
	Volts       *float64 `name:"volts" label:"Voltage" symbol:"V" alias:"V,voltage" unit:"V" range:"(0,)" code:"VOLTAGE_MUST_BE_POSITIVE" doc:"Effective voltage; without it there is no capacitance."`
	Frequency   float64  `name:"frequency" symbol:"f" alias:"f" unit:"Hz" default:"50" range:"(0,)" doc:"Frequency of the mains."`
	Circuit     string   `name:"circuit" enum:"ac_single_phase=ac1|single|single_phase|1,ac_three_phase=ac3|three|three_phase|3,~ac" default:"ac_single_phase" doc:"Kind of circuit."`
	Phase       *string  `name:"phase" enum:"line_to_line=ll|l_l|line,line_to_neutral=ln|l_n|neutral,~single,~three" doc:"Between which conductors of a three-phase circuit volts is measured; line_to_line if left blank."`
	Connection  *string  `name:"connection" label:"Connection of capacitors" enum:"delta,wye=star|y" doc:"How the three capacitors of a three-phase circuit are connected; delta if left blank. Nothing of a single phase."`

	circuit circuit.Circuit
}

// Output is the reactive power of the capacitors and their capacitance.
type Output struct {
	CapacitorVAR float64  `name:"capacitor_var" headline:"true" label:"Reactive power of capacitors" symbol:"Q_C" unit:"var" doc:"Reactive power that the capacitors supply, of all phases."`
	Capacitance  *float64 `name:"capacitance" symbol:"C" unit:"F" doc:"Capacitance: of the one capacitor of a single phase, of each of the three of three phases. Only with a voltage."`
}

// Engine returns the engine of electrical.power.power_factor_correction 1.0.0: the
// capacitors that raise the power factor of a load of active power P. The formula is the
// Definition; its t is the tangent of the angle whose cosine is the power factor.
//
// Units are SI. Both power factors lag; nothing is negative.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the references of the Spec, and the reactive power 2 pi f C V^2 of a capacitor.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.power.power_factor_correction",
		Version:    "1.0.0",
		Tool:       "power-factor-correction",
		Group:      "electrical",
		Title:      "Power factor correction: size of the capacitors",
		Summary:    "Reactive power and capacitance that raise the power factor of a load to a wanted one.",
		Keywords:   []string{"capacitor bank", "kvar", "VAR compensation", "cos phi", "reactive power compensation", "improve power factor", "delta", "star", "wye"},
		Definition: `t_1 = sqrt(1 - pf_1^2)/pf_1
t_2 = sqrt(1 - pf_2^2)/pf_2
Q_C = P*(t_1 - t_2)  if not given(V)  @power_factor_correction_v1
Q_C = P*(t_1 - t_2)  otherwise
C = Q_C/(2*pi*f*V^2)   if circuit == "ac_single_phase" or phase == "single"   @power_factor_correction_single_phase_v1
C = Q_C/(6*pi*f*V^2)   if connection == "wye" and phase == "line_to_neutral"  @power_factor_correction_wye_line_to_neutral_v1
C = Q_C/(2*pi*f*V^2)   if connection == "wye"                                 @power_factor_correction_wye_line_to_line_v1
C = Q_C/(18*pi*f*V^2)  if phase == "line_to_neutral"                          @power_factor_correction_delta_line_to_neutral_v1
C = Q_C/(6*pi*f*V^2)   otherwise                                              @power_factor_correction_delta_line_to_line_v1`,
		Typesetting: map[string]string{"t_1": `\tan\varphi_1`, "t_2": `\tan\varphi_2`},
		Formulas: []sdk.Formula{
			{ID: "power_factor_correction_v1", Label: "Reactive power from active power and power factors, cos(phi) = pf"},
			{ID: "power_factor_correction_single_phase_v1", Label: "Capacitor of a single phase"},
			{ID: "power_factor_correction_wye_line_to_line_v1", Label: "Each of three capacitors in wye, line-to-line voltage"},
			{ID: "power_factor_correction_wye_line_to_neutral_v1", Label: "Each of three capacitors in wye, line-to-neutral voltage"},
			{ID: "power_factor_correction_delta_line_to_line_v1", Label: "Each of three capacitors in delta, line-to-line voltage"},
			{ID: "power_factor_correction_delta_line_to_neutral_v1", Label: "Each of three capacitors in delta, line-to-neutral voltage"},
		},
		Assumptions: []string{
			"Voltage and current are sinusoidal: there are no harmonics.",
			"The load keeps its active power and voltage.",
			"The capacitors have no losses.",
		},
		SignConvention: "Both power factors lag. The reactive power of the capacitors is counted positive.",
		References: []sdk.Reference{
			{Title: "IEC 60831", Where: "shunt power capacitors: reactive power of a capacitor"},
			{Title: "IEEE Std 1036", Where: "application of shunt power capacitors: power factor correction"},
		},
		Plots: []sdk.Plot{powerfactor.Plot("Power triangles before and after",
			"Two right triangles on the same active power. The capacitors supply what their reactive powers differ by.")},
		Errors: []string{targetBelowInitial},
	}, calculate)
}

// Complete tells the circuit, and fills in phase and connection where there is a
// capacitance that depends on them.
func (in *Input) Complete(ctx context.Context) (err error) {
	tabs := circuit.Tabs{Circuit: in.Circuit, Phase: &in.Phase}
	if in.Volts != nil {
		tabs.Voltage = "volts"
	}
	in.circuit, err = tabs.Complete(ctx)
	if err == nil && in.circuit.Kind == circuit.ThreePhase && in.Volts != nil && in.Connection == nil {
		in.Connection = new(delta)
		sdk.Assume(ctx, "delta connection assumed")
	}
	return err
}

func calculate(ctx context.Context, in Input) (Output, error) {
	q, err := in.reactivePower()
	if err != nil {
		return Output{}, err
	}
	out := Output{CapacitorVAR: elementary.Round(ctx, "capacitor_var", q)}
	if in.Volts == nil {
		return out, nil
	}
	sdk.UseFormula(ctx, "power_factor_correction_"+in.connection()+"_v1")
	v := elementary.Of(*in.Volts)
	out.Capacitance = new(elementary.Round(ctx, "capacitance", q.Div(elementary.Int(in.divisor()).Mul(elementary.Pi, elementary.Of(in.Frequency), v, v))))
	return out, nil
}

// reactivePower returns that of all capacitors. With c for the cosines and s for the sines
// it is P (s1/c1 - s2/c2), written so that nothing cancels: s1^2 c2^2 - s2^2 c1^2 is
// c2^2 - c1^2.
func (in *Input) reactivePower() (elementary.Num, error) {
	if in.PFTarget < in.PFInitial {
		return elementary.Num{}, sdk.Reject(targetBelowInitial, "pf_target", "pf_target is %v, below pf_initial %v: capacitors do not lower a power factor", in.PFTarget, in.PFInitial).
			Suggest("Give a pf_target of at least pf_initial.")
	}
	if in.PFTarget == in.PFInitial {
		return elementary.Int(0), nil
	}
	c1, c2 := elementary.Of(in.PFInitial), elementary.Of(in.PFTarget)
	both := powerfactor.Sin(in.PFInitial).Mul(c2).Add(powerfactor.Sin(in.PFTarget).Mul(c1))
	return elementary.Of(in.ActivePower).Mul(c2.Sub(c1), c2.Add(c1)).Div(c1.Mul(c2, both)), nil
}

// connection tells the connections of capacitors apart as ids of formulas do.
func (in *Input) connection() string {
	if in.circuit.Kind == circuit.SinglePhase {
		return in.circuit.Name()
	}
	return *in.Connection + "_" + in.circuit.Name()
}

// divisor returns Q/(pi f C V^2).
func (in *Input) divisor() int64 {
	switch squareOfK := in.circuit.SquareOfK(); { // 3 for a line-to-line voltage, 9 for one to neutral
	case in.circuit.Kind == circuit.SinglePhase:
		return 2
	case *in.Connection == delta:
		return 2 * squareOfK
	default:
		return 2 * squareOfK / 3
	}
}
