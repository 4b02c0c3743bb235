// Command voltage_drop is the engine of the voltage drop along a cable. See [Engine].
package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/slipstick/slipstick/plugins/internal/circuit"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/powerfactor"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The codes of this engine's warnings and error.
const (
	above3                = "VOLTAGE_DROP_ABOVE_3_PERCENT"
	above5                = "VOLTAGE_DROP_ABOVE_5_PERCENT"
	belowZero             = "LOAD_VOLTAGE_BELOW_ZERO"
	resistanceNotPositive = "RESISTANCE_MUST_BE_POSITIVE"
)

// Input is the circuit, as package circuit describes it, the load and the cable.
type Input struct {
	Circuit                string   `name:"circuit" enum:"dc,ac_single_phase=ac1|single|single_phase|1,ac_three_phase=ac3|three|three_phase|3,~ac" doc:"Kind of circuit."`
	Phase                  *string  `name:"phase" enum:"line_to_line=ll|l_l|line,line_to_neutral=ln|l_n|neutral,~single,~three" doc:"Between which conductors of a three-phase circuit the voltages are measured; line_to_line if left blank."`
	Current                float64  `name:"current" symbol:"I" alias:"I,amps" unit:"A" range:"[0,)" doc:"Current in each line."`
	Length                 float64  `name:"length" label:"Length (one way)" symbol:"L" alias:"L,one_way_length" unit:"m" range:"(0,)" doc:"One-way length of the route; the way back is counted by the formula."`
	SourceVoltage          float64  `name:"source_voltage" symbol:"V" alias:"V,volts,voltage" unit:"V" range:"(0,)" code:"VOLTAGE_MUST_BE_POSITIVE" doc:"Voltage at the source, effective value for alternating current."`
	ResistancePerLength    *float64 `name:"resistance_per_length" symbol:"r_0" alias:"r" unit:"ohm/m" range:"[0,)" presets:"data.wires.iec60228#resistance_per_length,data.wires.iec60228_aluminium#resistance_per_length,data.wires.awg#resistance_per_length" doc:"Resistance of one conductor per length at reference_temperature, 20 degC in tables of wires. It is corrected to conductor_temperature."`
	Resistivity            *float64 `name:"resistivity" symbol:"\\rho" alias:"rho" unit:"ohm m" range:"(0,)" presets:"data.materials.metals#resistivity" doc:"Resistivity of the conductors at reference_temperature. With area it replaces resistance_per_length."`
	Area                   *float64 `name:"area" symbol:"A" alias:"A,cross_section" unit:"m2" range:"(0,)" presets:"data.wires.iec60228#area,data.wires.iec60228_aluminium#area,data.wires.awg#area" doc:"Cross section of one conductor. With resistivity it replaces resistance_per_length."`
	ConductorTemperature   float64  `name:"conductor_temperature" symbol:"T" alias:"T,temperature" unit:"degC" default:"75" range:"[-273.15,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" doc:"Temperature of the conductors in operation: at most that of their insulation, which is 70 degC for PVC and 90 degC for XLPE in IEC standards, and 60, 75 or 90 degC in the NEC."`
	ReactancePerLength     float64  `name:"reactance_per_length" symbol:"x" alias:"x" unit:"ohm/m" default:"0" range:"[0,)" advanced:"true" doc:"Reactance of one conductor per length; none of direct current."`
	TemperatureCoefficient *float64 `name:"temperature_coefficient" symbol:"\\alpha" alias:"alpha" unit:"1/K" advanced:"true" presets:"data.materials.metals#temperature_coefficient" doc:"Relative change of the resistance per kelvin at reference_temperature. If left blank at 20 degC: that of copper, 0.00393 1/K." example:"0.00403 for aluminium at 20 degC"`
	ReferenceTemperature   float64  `name:"reference_temperature" symbol:"T_0" alias:"T0" unit:"degC" default:"20" range:"[-273.15,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" advanced:"true" doc:"Temperature at which the conductors have the given resistance or resistivity. Nothing is corrected where it equals conductor_temperature."`
	PF                     *float64 `name:"pf" label:"Power factor" symbol:"\\mathrm{pf}" alias:"power_factor,cos_phi" doc:"Lagging power factor of the load on alternating current, greater than 0 and at most 1; 1 if left blank."`

	circuit circuit.Circuit
}

// Output is the drop, the voltage at the load, and the heat of the conductors.
type Output struct {
	VoltageDrop   float64 `name:"voltage_drop" headline:"true" symbol:"\\Delta V" unit:"V" doc:"Voltage drop along the cable."`
	Percent       float64 `name:"percent" label:"Voltage drop in percent" symbol:"u" unit:"%" doc:"Voltage drop in percent of the voltage at the source."`
	LoadVoltage   float64 `name:"load_voltage" symbol:"V_L" unit:"V" doc:"Voltage at the load."`
	ConductorLoss float64 `name:"conductor_loss" symbol:"P_c" unit:"W" doc:"Power that all conductors turn into heat."`
}

// Engine returns the engine of electrical.circuits.voltage_drop 2.0.0: the voltage drop and
// the heat of a cable of one-way length L with N loaded conductors that carry a current I.
// The conductors have the resistance r_0 per length at the temperature T_0, and the
// temperature T in operation. The formula is the Definition.
//
// Units are SI, temperatures in degC. All voltages are of one kind: between lines or to
// neutral. The power factor lags. No input but a temperature or its coefficient is negative.
//
// Errors: RESISTANCE_MUST_BE_POSITIVE if the linear law leaves no resistance at T.
//
// Precision: each result is the binary64 nearest to the true value of the formula for the
// given inputs. The formula itself leaves out the part of the drop at right angles to the
// source voltage. Direct current has no such part, nor has a cable without reactance at
// power factor 1.
//
// Source: the references of the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.voltage_drop",
		Version:    "2.0.0",
		Tool:       "voltage-drop",
		Group:      "circuits",
		Title:      "Voltage drop of a cable",
		Summary:    "Voltage drop and heat loss of a cable, for direct current, a single phase and three phases.",
		Changes:    "The resistance counts at the temperature of the conductors, 75 degC if none is given: 1.1.0 took the resistance at 20 degC of a table for that in operation, and its drops were too small by a fifth. For the numbers of 1.1.0 give the conductors the reference temperature. A load voltage below zero has a warning of its own.",
		Keywords:   []string{"wire size", "cable sizing", "conductor size", "line loss", "long extension lead", "cross section", "voltage at the load", "percent drop"},
		Definition: `single = circuit == "ac_single_phase" or phase == "single"
r_0 = rho/A
alpha = {0.00393 1/K}
r = r_0*(1 + alpha*(T - T_0))
pf = 1  if circuit != "dc"
k = 2        if circuit == "dc" and given(r_0)             @voltage_drop_dc_v2
k = 2        if circuit == "dc"                            @voltage_drop_dc_by_resistivity_v2
k = 2        if single and given(r_0)                      @voltage_drop_single_phase_v2
k = 2        if single                                     @voltage_drop_single_phase_by_resistivity_v2
k = 1        if phase == "line_to_neutral" and given(r_0)  @voltage_drop_line_to_neutral_v2
k = 1        if phase == "line_to_neutral"                 @voltage_drop_line_to_neutral_by_resistivity_v2
k = sqrt(3)  if given(r_0)                                 @voltage_drop_line_to_line_v2
k = sqrt(3)  otherwise                                     @voltage_drop_line_to_line_by_resistivity_v2
N = 2  if circuit == "dc" or single
N = 3  otherwise
z = r                        if circuit == "dc"
z = r*pf + x*sqrt(1 - pf^2)  otherwise
DeltaV = k*I*L*z
u = 100*DeltaV/V
V_L = V - DeltaV
P_c = N*I^2*r*L`,
		Formulas: formulas(),
		Assumptions: []string{
			"The formula is the usual approximation: it leaves out the part of the drop at right angles to the source voltage.",
			"The power factor is lagging.",
			"All loaded conductors are alike, and have conductor_temperature along the whole route.",
			"The resistance changes linearly with the temperature.",
			"The given resistance includes skin and proximity effects, if there are any.",
			"The whole load is at the end of the cable.",
		},
		SignConvention: "A drop lowers the voltage at the load; all inputs are magnitudes.",
		References: []sdk.Reference{
			{Title: "IEEE Std 141", Where: "approximate formula of the voltage drop"},
			{Title: "National Electrical Code (NFPA 70)", Where: "chapter 9, Table 9, note 2; Table 8, note 2 for the temperature"},
			{Title: "IEC 60028", Where: "coefficient of annealed copper at 20 degC, 0.00393 1/K"},
			{Title: "IEC 60364-5-52", Where: "Annex G, voltage drop in consumers' installations"},
		},
		Limits: []sdk.Limit{
			{Quantity: "percent", Max: new(3.0), Unit: "%", Warning: above3, Doc: "A usual limit of a branch circuit, and of lighting."},
			{Quantity: "percent", Max: new(5.0), Unit: "%", Warning: above5, Doc: "A usual limit from the service to any outlet, and of uses other than lighting."},
			{Quantity: "load_voltage", Min: new(0.0), Unit: "V", Warning: belowZero, Doc: "No source of this voltage drives the current through the cable."},
		},
		Plots:    plots(),
		Warnings: []string{circuit.PowerFactorIgnored, above3, above5, belowZero},
		Errors:   []string{circuit.PowerFactorOutOfRange, resistanceNotPositive},
	}, calculate)
}

// Complete demands the resistance in one of its two forms, completes the coefficient of its
// temperature, and the circuit with its phase and power factor.
func (in *Input) Complete(ctx context.Context) (err error) {
	if err := in.checkPresence(); err != nil {
		return err
	}
	if in.TemperatureCoefficient == nil && in.ConductorTemperature != in.ReferenceTemperature && in.ReferenceTemperature == 20 {
		in.TemperatureCoefficient = new(0.00393)
		sdk.Assume(ctx, "temperature_coefficient 0.00393 1/K assumed, that of copper at 20 degC")
	}
	in.circuit, err = circuit.Tabs{Circuit: in.Circuit, Phase: &in.Phase, PF: &in.PF, Voltage: "source_voltage"}.Complete(ctx)
	return err
}

func (in *Input) checkPresence() error {
	switch {
	case in.ResistancePerLength != nil && (in.Resistivity != nil || in.Area != nil):
		return sdk.Conflict("resistance_per_length", "resistance_per_length replaces resistivity and area").
			Suggest("Give either resistance_per_length or the other two.")
	case in.ResistancePerLength != nil || in.Resistivity != nil && in.Area != nil:
		return nil
	case in.Area != nil:
		return sdk.Missing("resistivity", "area needs resistivity (ohm m) as well")
	case in.Resistivity != nil:
		return sdk.Missing("area", "resistivity needs area (m2) as well")
	}
	return sdk.Missing("resistance_per_length", "resistance_per_length (ohm/m) is needed, or resistivity and area")
}

func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, formulaID(in.circuit.Name(), in.ResistancePerLength == nil))
	pf, err := in.circuit.PowerFactor(ctx, in.PF)
	if err != nil {
		return Output{}, err
	}
	if err := in.checkTemperature(); err != nil {
		return Output{}, err
	}
	drop, source := in.drop(pf), elementary.Of(in.SourceVoltage)
	in.assume(ctx)
	out := Output{
		VoltageDrop:   elementary.Round(ctx, "voltage_drop", drop),
		Percent:       elementary.Round(ctx, "percent", drop.Mul(elementary.Int(100)).Div(source)),
		LoadVoltage:   elementary.Round(ctx, "load_voltage", source.Sub(drop)),
		ConductorLoss: elementary.Round(ctx, "conductor_loss", in.loss()),
	}
	warn(ctx, &out)
	return out, nil
}

// checkTemperature demands a coefficient for a correction from another temperature than 20 degC, since a coefficient
// belongs to one temperature, and rejects a correction that leaves no resistance.
func (in *Input) checkTemperature() error {
	switch {
	case in.ConductorTemperature == in.ReferenceTemperature:
		return nil
	case in.TemperatureCoefficient == nil:
		return sdk.Missing("temperature_coefficient", "temperature_coefficient (1/K) at reference_temperature is needed if that is not 20 degC")
	case in.correction().Sign() <= 0:
		return sdk.Reject(resistanceNotPositive, "conductor_temperature", "the linear law leaves no resistance at %v degC", in.ConductorTemperature).
			Suggest("Give a temperature closer to reference_temperature, or the coefficient of that range.")
	}
	return nil
}

// reference returns the resistance per length at the reference temperature.
func (in *Input) reference() elementary.Num {
	if in.ResistancePerLength != nil {
		return elementary.Of(*in.ResistancePerLength)
	}
	return elementary.Of(*in.Resistivity).Div(elementary.Of(*in.Area))
}

// correction returns the resistance in operation as a multiple of the resistance at the reference temperature.
func (in *Input) correction() elementary.Num {
	one := elementary.Int(1)
	if in.ConductorTemperature == in.ReferenceTemperature {
		return one
	}
	warmer := elementary.Of(in.ConductorTemperature).Sub(elementary.Of(in.ReferenceTemperature))
	return one.Add(elementary.Of(*in.TemperatureCoefficient).Mul(warmer))
}

// resistance returns the resistance per length in operation.
func (in *Input) resistance() elementary.Num { return in.reference().Mul(in.correction()) }

// drop returns the voltage drop.
func (in *Input) drop(pf float64) elementary.Num {
	impedance := in.resistance().Mul(elementary.Of(pf))
	if in.circuit.Kind != circuit.DC {
		impedance = impedance.Add(elementary.Of(in.ReactancePerLength).Mul(powerfactor.Sin(pf)))
	}
	k := elementary.Int(2)
	switch {
	case in.circuit.Kind == circuit.ThreePhase && in.circuit.ToNeutral:
		k = elementary.Int(1)
	case in.circuit.Kind == circuit.ThreePhase:
		k = elementary.Int(3).Sqrt()
	}
	return k.Mul(elementary.Of(in.Current), elementary.Of(in.Length), impedance)
}

// loss returns the power that all conductors turn into heat.
func (in *Input) loss() elementary.Num {
	conductors := int64(2)
	if in.circuit.Kind == circuit.ThreePhase {
		conductors = 3
	}
	current := elementary.Of(in.Current)
	return elementary.Int(conductors).Mul(current, current, in.resistance(), elementary.Of(in.Length))
}

func (in *Input) assume(ctx context.Context) {
	if in.ResistancePerLength == nil {
		sdk.Assume(ctx, fmt.Sprintf("The resistance per length at %v degC is resistivity/area = %.6g ohm/m.", in.ReferenceTemperature, in.reference().Float()))
	}
	if in.ConductorTemperature == in.ReferenceTemperature {
		sdk.Assume(ctx, fmt.Sprintf("The resistance is given at the temperature of the conductors, %v degC, and is not corrected.", in.ConductorTemperature))
	} else {
		sdk.Assume(ctx, fmt.Sprintf("The resistance per length at %v degC is %.6g times that at %v degC: %.6g ohm/m.",
			in.ConductorTemperature, in.correction().Float(), in.ReferenceTemperature, in.resistance().Float()))
	}
	if in.circuit.Kind == circuit.DC && in.ReactancePerLength != 0 {
		sdk.Assume(ctx, "reactance_per_length is given and does nothing to direct current.")
	}
}

// warn judges the drop in percent, and the voltage at the load.
func warn(ctx context.Context, out *Output) {
	drop := out.Percent
	if drop > 3 {
		sdk.Warn(ctx, sdk.Warning{
			Code: above3, Severity: sdk.Info,
			Detail:     fmt.Sprintf("The drop is %.3g %% of the source voltage. 3 %% is a usual limit of a branch circuit, and of lighting.", drop),
			Suggestion: "Compare with what your code of practice allows for this circuit.",
		})
	}
	if drop > 5 {
		sdk.Warn(ctx, sdk.Warning{
			Code: above5, Severity: sdk.Caution,
			Detail:     fmt.Sprintf("The drop is %.3g %% of the source voltage. 5 %% is a usual limit from the service to any outlet, and of uses other than lighting.", drop),
			Suggestion: "Use a larger cross section, a shorter route or a higher voltage.",
		})
	}
	if out.LoadVoltage < 0 {
		sdk.Warn(ctx, sdk.Warning{
			Code: belowZero, Severity: sdk.Critical,
			Detail:     fmt.Sprintf("The drop is greater than the source voltage, so the voltage at the load is %.3g V. No source of this voltage drives this current through the cable.", out.LoadVoltage),
			Suggestion: "Use a larger cross section, a shorter route or a higher voltage.",
		})
	}
}
