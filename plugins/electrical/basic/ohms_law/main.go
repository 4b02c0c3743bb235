// Command ohms_law is the engine of Ohm's law. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/needed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Codes of section 7.3 of the interface, and ours after their pattern.
const (
	voltageNonzero        = "VOLTAGE_MUST_BE_NONZERO"
	currentNonzero        = "CURRENT_MUST_BE_NONZERO"
	resistanceNonzero     = "RESISTANCE_MUST_BE_NONZERO"
	resistanceNonnegative = "RESISTANCE_MUST_BE_NONNEGATIVE"
	powerNonzero          = "POWER_MUST_BE_NONZERO"
)

// Input is exactly two of the four quantities.
type Input struct {
	Voltage    *float64 `name:"voltage" symbol:"V" alias:"V,volts" unit:"V" doc:"Voltage across the resistance, of either sign."`
	Current    *float64 `name:"current" symbol:"I" alias:"I,amps" unit:"A" doc:"Current through the resistance, of either sign."`
	Resistance *float64 `name:"resistance" symbol:"R" alias:"R,ohms" unit:"ohm" range:"[0,)" doc:"Resistance."`
	Power      *float64 `name:"power" symbol:"P" alias:"P,W,watts" unit:"W" range:"[0,)" doc:"Power that the resistance turns into heat."`
}

// Output is all four quantities.
type Output struct {
	Voltage    float64 `name:"voltage" symbol:"V" unit:"V" doc:"Voltage across the resistance."`
	Current    float64 `name:"current" symbol:"I" unit:"A" doc:"Current through the resistance."`
	Resistance float64 `name:"resistance" symbol:"R" unit:"ohm" doc:"Resistance."`
	Power      float64 `name:"power" symbol:"P" unit:"W" doc:"Power that the resistance turns into heat."`
}

// Engine returns the engine of electrical.basic.ohms_law 1.0.0: from two of
// voltage V, current I, resistance R and power P it computes the other two. The
// formula is the Definition.
//
// Units are SI. V and I have the same sign where both are not zero (R and P are
// not negative); from R and P the positive root is given.
//
// Error: none but the final rounding; each result is the binary64 nearest to the
// true value for the given inputs.
//
// Source: the definitions of resistance and power.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.basic.ohms_law",
		Version:    "1.0.0",
		Tool:       "ohms-law",
		Group:      "electrical",
		Title:      "Ohm's law: voltage, current, resistance, power",
		Summary:    "The other two of voltage, current, resistance and power of a resistance, from any two of them.",
		Keywords:   []string{"volts", "amps", "ohms", "watts", "V = IR", "P = VI", "resistor", "heating element", "Joule heating"},
		Definition: `V = I*R        if given(I, R)  @ohms_law_current_resistance_v1
V = P/I        if given(I, P)  @ohms_law_current_power_v1
V = sqrt(P*R)  if given(R, P)  @ohms_law_resistance_power_v1
I = V/R        if given(V, R)  @ohms_law_voltage_resistance_v1
I = P/V        if given(V, P)  @ohms_law_voltage_power_v1
I = sqrt(P/R)  if given(R, P)  @ohms_law_resistance_power_v1
R = V/I        if given(V, I)  @ohms_law_voltage_current_v1
R = V^2/P      if given(V, P)  @ohms_law_voltage_power_v1
R = P/I^2      if given(I, P)  @ohms_law_current_power_v1
P = V*I        if given(V, I)  @ohms_law_voltage_current_v1
P = V^2/R      if given(V, R)  @ohms_law_voltage_resistance_v1
P = I^2*R      if given(I, R)  @ohms_law_current_resistance_v1`,
		Formulas: []sdk.Formula{
			{ID: "ohms_law_voltage_current_v1", Label: "From voltage and current"},
			{ID: "ohms_law_voltage_resistance_v1", Label: "From voltage and resistance"},
			{ID: "ohms_law_current_resistance_v1", Label: "From current and resistance"},
			{ID: "ohms_law_voltage_power_v1", Label: "From voltage and power"},
			{ID: "ohms_law_current_power_v1", Label: "From current and power"},
			{ID: "ohms_law_resistance_power_v1", Label: "From resistance and power"},
		},
		Assumptions:    []string{"The resistance is linear and constant.", "Direct current, or effective values in a purely resistive circuit."},
		SignConvention: "Passive: current enters at the positive terminal, so voltage and current have one sign and power is not negative. From resistance and power the positive root is given.",
		References:     []sdk.Reference{{Title: "Ohm's law and Joule's law", Where: "definitions R = V/I and P = V*I"}},
		Errors:         []string{sdk.CodeUndefined, voltageNonzero, currentNonzero, resistanceNonzero, resistanceNonnegative, powerNonzero},
	}, calculate)
}

// Complete demands exactly two inputs.
func (in *Input) Complete(context.Context) error {
	return needed.Exactly(2,
		needed.Input{Name: "voltage", Value: in.Voltage},
		needed.Input{Name: "current", Value: in.Current},
		needed.Input{Name: "resistance", Value: in.Resistance},
		needed.Input{Name: "power", Value: in.Power},
	)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	switch {
	case in.Voltage != nil && in.Current != nil:
		return fromVoltageCurrent(ctx, *in.Voltage, *in.Current)
	case in.Voltage != nil && in.Resistance != nil:
		return fromVoltageResistance(ctx, *in.Voltage, *in.Resistance)
	case in.Current != nil && in.Resistance != nil:
		return fromCurrentResistance(ctx, *in.Current, *in.Resistance), nil
	case in.Voltage != nil:
		return fromVoltagePower(ctx, *in.Voltage, *in.Power)
	case in.Current != nil:
		return fromCurrentPower(ctx, *in.Current, *in.Power)
	}
	return fromResistancePower(ctx, *in.Resistance, *in.Power)
}

// product is a product of quantities.
type product []float64

func of(factors ...float64) product { return factors }

// over returns the formula of the product, divided by all divisors.
func (p product) over(divisors ...float64) func(*adaptive.X) adaptive.Num {
	return func(x *adaptive.X) adaptive.Num {
		v := x.Of(p[0])
		for _, factor := range p[1:] {
			v = v.Mul(x.Of(factor))
		}
		for _, divisor := range divisors {
			v = v.Div(x.Of(divisor))
		}
		return v
	}
}

// divides rejects a division by zero: of zero as undefined, of anything else with
// the code.
func divides(numerator, divisor float64, code, field string) error {
	switch {
	case divisor != 0:
		return nil
	case numerator == 0:
		return sdk.Reject(sdk.CodeUndefined, field, "%s is zero and so is what is divided by it: any result would do", field).
			Suggest("Give a value of " + field + " that is not zero.")
	}
	return sdk.Reject(code, field, "%s is zero, and a value that is not zero is divided by it", field).
		Suggest("Give a value of " + field + " that is not zero.")
}

func fromVoltageCurrent(ctx context.Context, v, i float64) (Output, error) {
	sdk.UseFormula(ctx, "ohms_law_voltage_current_v1")
	if err := divides(v, i, currentNonzero, "current"); err != nil {
		return Output{}, err
	}
	if v != 0 && (v < 0) != (i < 0) {
		return Output{}, sdk.Reject(resistanceNonnegative, "resistance", "voltage and current have opposite signs, so the resistance would be negative").
			Suggest("Count voltage and current positive in the same direction.")
	}
	return Output{
		Voltage: v, Current: i,
		Resistance: adaptive.Round(ctx, "resistance", of(v).over(i)),
		Power:      adaptive.Round(ctx, "power", of(v, i).over()),
	}, nil
}

func fromVoltageResistance(ctx context.Context, v, r float64) (Output, error) {
	sdk.UseFormula(ctx, "ohms_law_voltage_resistance_v1")
	if err := divides(v, r, resistanceNonzero, "resistance"); err != nil {
		return Output{}, err
	}
	return Output{
		Voltage: v, Resistance: r,
		Current: adaptive.Round(ctx, "current", of(v).over(r)),
		Power:   adaptive.Round(ctx, "power", of(v, v).over(r)),
	}, nil
}

func fromCurrentResistance(ctx context.Context, i, r float64) Output {
	sdk.UseFormula(ctx, "ohms_law_current_resistance_v1")
	return Output{
		Current: i, Resistance: r,
		Voltage: adaptive.Round(ctx, "voltage", of(i, r).over()),
		Power:   adaptive.Round(ctx, "power", of(i, i, r).over()),
	}
}

func fromVoltagePower(ctx context.Context, v, p float64) (Output, error) {
	sdk.UseFormula(ctx, "ohms_law_voltage_power_v1")
	if err := divides(p, v, voltageNonzero, "voltage"); err != nil {
		return Output{}, err
	}
	if err := divides(v, p, powerNonzero, "power"); err != nil { // the resistance would be infinite
		return Output{}, err
	}
	return Output{
		Voltage: v, Power: p,
		Current:    adaptive.Round(ctx, "current", of(p).over(v)),
		Resistance: adaptive.Round(ctx, "resistance", of(v, v).over(p)),
	}, nil
}

func fromCurrentPower(ctx context.Context, i, p float64) (Output, error) {
	sdk.UseFormula(ctx, "ohms_law_current_power_v1")
	if err := divides(p, i, currentNonzero, "current"); err != nil {
		return Output{}, err
	}
	return Output{
		Current: i, Power: p,
		Voltage:    adaptive.Round(ctx, "voltage", of(p).over(i)),
		Resistance: adaptive.Round(ctx, "resistance", of(p).over(i, i)),
	}, nil
}

func fromResistancePower(ctx context.Context, r, p float64) (Output, error) {
	sdk.UseFormula(ctx, "ohms_law_resistance_power_v1")
	if err := divides(p, r, resistanceNonzero, "resistance"); err != nil {
		return Output{}, err
	}
	return Output{
		Resistance: r, Power: p,
		Current: adaptive.RoundSqrt(ctx, "current", of(p).over(r)),
		Voltage: adaptive.RoundSqrt(ctx, "voltage", of(p, r).over()),
	}, nil
}
