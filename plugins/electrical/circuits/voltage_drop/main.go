// Command voltage_drop is the engine of the voltage drop along a cable. See [Engine].
package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
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
	above3 = "VOLTAGE_DROP_ABOVE_3_PERCENT"
	above5 = "VOLTAGE_DROP_ABOVE_5_PERCENT"
)

// Input is the circuit, as package circuit tells it, the load and the cable.
type Input struct {
	Circuit             string   `name:"circuit" enum:"dc,ac_single_phase=ac1|single|single_phase|1,ac_three_phase=ac3|three|three_phase|3,~ac" doc:"Kind of circuit."`
	Phase               *string  `name:"phase" enum:"line_to_line=ll|l_l|line,line_to_neutral=ln|l_n|neutral,~single,~three" doc:"Between which conductors of a three-phase circuit the voltages are measured; line_to_line if left blank."`
	Current             float64  `name:"current" symbol:"I" alias:"I,amps" unit:"A" range:"[0,)" doc:"Current in each line."`
	Length              float64  `name:"length" label:"Length (one way)" symbol:"L" alias:"L,one_way_length" unit:"m" range:"(0,)" doc:"One-way length of the route; the way back is counted by the formula."`
	SourceVoltage       float64  `name:"source_voltage" symbol:"V" alias:"V,volts,voltage" unit:"V" range:"(0,)" code:"VOLTAGE_MUST_BE_POSITIVE" doc:"Voltage at the source, effective value for alternating current."`
	ResistancePerLength *float64 `name:"resistance_per_length" symbol:"r" alias:"r" unit:"ohm/m" range:"[0,)" presets:"data.wires.iec60228#resistance_per_length,data.wires.iec60228_aluminium#resistance_per_length,data.wires.awg#resistance_per_length" doc:"Resistance of one conductor per length, at its temperature in operation."`
	Resistivity         *float64 `name:"resistivity" symbol:"\\rho" alias:"rho" unit:"ohm m" range:"(0,)" presets:"data.materials.metals#resistivity" doc:"Resistivity of the conductors, with area in place of resistance_per_length."`
	Area                *float64 `name:"area" symbol:"A" alias:"A,cross_section" unit:"m2" range:"(0,)" presets:"data.wires.iec60228#area,data.wires.iec60228_aluminium#area,data.wires.awg#area" doc:"Cross section of one conductor, with resistivity in place of resistance_per_length."`
	ReactancePerLength  float64  `name:"reactance_per_length" symbol:"x" alias:"x" unit:"ohm/m" default:"0" range:"[0,)" advanced:"true" doc:"Reactance of one conductor per length; none of direct current."`
	PF                  *float64 `name:"pf" label:"Power factor" symbol:"\\mathrm{pf}" alias:"power_factor,cos_phi" doc:"Lagging power factor of the load on alternating current, greater than 0 and at most 1; 1 if left blank."`

	circuit circuit.Circuit
}

// Output is the drop, the voltage that is left, and what the conductors turn into heat.
type Output struct {
	VoltageDrop   float64 `name:"voltage_drop" headline:"true" symbol:"\\Delta V" unit:"V" doc:"Voltage drop along the cable."`
	Percent       float64 `name:"percent" label:"Voltage drop in percent" symbol:"u" unit:"%" doc:"Voltage drop in percent of the voltage at the source."`
	LoadVoltage   float64 `name:"load_voltage" symbol:"V_L" unit:"V" doc:"Voltage at the load."`
	ConductorLoss float64 `name:"conductor_loss" symbol:"P_c" unit:"W" doc:"Power that all conductors turn into heat."`
}

// Engine returns the engine of electrical.circuits.voltage_drop 1.1.0: what a current I in
// a cable of one-way length L, whose N loaded conductors have the resistance r and the
// reactance x per length, takes of the voltage and turns into heat. The formula is the
// Definition.
//
// Units are SI. All voltages are of one kind: between lines or to neutral. The power
// factor lags; nothing is negative.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value of the formula for the given inputs. The formula itself leaves out what is at
// right angles to the source voltage, which direct current and a cable without
// reactance at power factor 1 do not have.
//
// Source: the references of the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.voltage_drop",
		Version:    "1.1.0",
		Tool:       "voltage-drop",
		Group:      "circuits",
		Title:      "Voltage drop of a cable",
		Summary:    "Voltage drop and heat loss of a cable, for direct current, a single phase and three phases.",
		Changes:    "A plot shows the voltage along the cable. Results are as they were.",
		Keywords:   []string{"wire size", "cable sizing", "conductor size", "line loss", "long extension lead", "cross section", "voltage at the load", "percent drop"},
		Definition: `single = circuit == "ac_single_phase" or phase == "single"
r = rho/A
pf = 1  if circuit != "dc"
k = 2        if circuit == "dc" and given(r)             @voltage_drop_dc_v1
k = 2        if circuit == "dc"                          @voltage_drop_dc_by_resistivity_v1
k = 2        if single and given(r)                      @voltage_drop_single_phase_v1
k = 2        if single                                   @voltage_drop_single_phase_by_resistivity_v1
k = 1        if phase == "line_to_neutral" and given(r)  @voltage_drop_line_to_neutral_v1
k = 1        if phase == "line_to_neutral"               @voltage_drop_line_to_neutral_by_resistivity_v1
k = sqrt(3)  if given(r)                                 @voltage_drop_line_to_line_v1
k = sqrt(3)  otherwise                                   @voltage_drop_line_to_line_by_resistivity_v1
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
			"All loaded conductors are alike, and their resistance is that at their temperature in operation.",
			"The whole load is at the end of the cable.",
		},
		SignConvention: "A drop lowers the voltage at the load; all inputs are magnitudes.",
		References: []sdk.Reference{
			{Title: "IEEE Std 141", Where: "approximate formula of the voltage drop"},
			{Title: "National Electrical Code (NFPA 70)", Where: "chapter 9, Table 9, note 2"},
			{Title: "IEC 60364-5-52", Where: "Annex G, voltage drop in consumers' installations"},
		},
		Limits: []sdk.Limit{
			{Quantity: "percent", Max: new(3.0), Unit: "%", Warning: above3, Doc: "A usual limit of a branch circuit, and of lighting."},
			{Quantity: "percent", Max: new(5.0), Unit: "%", Warning: above5, Doc: "A usual limit from the service to any outlet, and of uses other than lighting."},
		},
		Plots:    plots(),
		Warnings: []string{circuit.PowerFactorIgnored, above3, above5},
		Errors:   []string{circuit.PowerFactorOutOfRange},
	}, calculate)
}

// Complete demands what tells the resistance, tells the circuit and fills in its phase
// and power factor.
func (in *Input) Complete(ctx context.Context) (err error) {
	if err := in.checkPresence(); err != nil {
		return err
	}
	in.circuit, err = circuit.Tabs{Circuit: in.Circuit, Phase: &in.Phase, PF: &in.PF, Voltage: "source_voltage"}.Complete(ctx)
	return err
}

func (in *Input) checkPresence() error {
	switch {
	case in.ResistancePerLength != nil && (in.Resistivity != nil || in.Area != nil):
		return sdk.Conflict("resistance_per_length", "resistance_per_length stands in place of resistivity and area").
			Suggest("Give either resistance_per_length or the other two.")
	case in.ResistancePerLength != nil || in.Resistivity != nil && in.Area != nil:
		return nil
	case in.Area != nil:
		return sdk.Missing("resistivity", "area needs resistivity (ohm m) beside it")
	case in.Resistivity != nil:
		return sdk.Missing("area", "resistivity needs area (m2) beside it")
	}
	return sdk.Missing("resistance_per_length", "resistance_per_length (ohm/m) is needed, or resistivity and area in its place")
}

func calculate(ctx context.Context, in Input) (Output, error) {
	sdk.UseFormula(ctx, formulaID(in.circuit.Name(), in.ResistancePerLength == nil))
	pf, err := in.circuit.PowerFactor(ctx, in.PF)
	if err != nil {
		return Output{}, err
	}
	drop, source := in.drop(pf), elementary.Of(in.SourceVoltage)
	in.assume(ctx)
	out := Output{
		VoltageDrop:   elementary.Round(ctx, "voltage_drop", drop),
		Percent:       elementary.Round(ctx, "percent", drop.Mul(elementary.Int(100)).Div(source)),
		LoadVoltage:   elementary.Round(ctx, "load_voltage", source.Sub(drop)),
		ConductorLoss: adaptive.Round(ctx, "conductor_loss", in.loss),
	}
	warn(ctx, out.Percent)
	return out, nil
}

// drop returns the voltage drop.
func (in *Input) drop(pf float64) elementary.Num {
	var r elementary.Num
	if in.ResistancePerLength != nil {
		r = elementary.Of(*in.ResistancePerLength)
	} else {
		r = elementary.Of(*in.Resistivity).Div(elementary.Of(*in.Area))
	}
	impedance := r.Mul(elementary.Of(pf))
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

func (in *Input) loss(x *adaptive.X) adaptive.Num {
	conductors := int64(2)
	if in.circuit.Kind == circuit.ThreePhase {
		conductors = 3
	}
	var r adaptive.Num
	if in.ResistancePerLength != nil {
		r = x.Of(*in.ResistancePerLength)
	} else {
		r = x.Of(*in.Resistivity).Div(x.Of(*in.Area))
	}
	return x.Int(conductors).Mul(x.Of(in.Current).Pow(2), r, x.Of(in.Length))
}

func (in *Input) assume(ctx context.Context) {
	if in.ResistancePerLength == nil {
		r := elementary.Of(*in.Resistivity).Div(elementary.Of(*in.Area)).Float()
		sdk.Assume(ctx, fmt.Sprintf("resistance_per_length is resistivity/area = %.6g ohm/m.", r))
	}
	if in.circuit.Kind == circuit.DC && in.ReactancePerLength != 0 {
		sdk.Assume(ctx, "reactance_per_length is given and does nothing to direct current.")
	}
}

// warn judges the drop in percent.
func warn(ctx context.Context, drop float64) {
	if drop > 3 {
		sdk.Warn(ctx, sdk.Warning{
			Code: above3, Severity: sdk.Info,
			Detail:     fmt.Sprintf("The drop is %.3g %% of the source voltage. 3 %% is a usual limit of a branch circuit, and of lighting.", drop),
			Suggestion: "Compare with what your code of practice allows for this circuit.",
		})
	}
	if drop > 5 {
		severity, more := sdk.Caution, ""
		if drop > 100 {
			severity, more = sdk.Critical, " No source of this voltage drives this current through the cable."
		}
		sdk.Warn(ctx, sdk.Warning{
			Code: above5, Severity: severity,
			Detail:     fmt.Sprintf("The drop is %.3g %% of the source voltage. 5 %% is a usual limit from the service to any outlet, and of uses other than lighting.", drop) + more,
			Suggestion: "Use a larger cross section, a shorter route or a higher voltage.",
		})
	}
}
