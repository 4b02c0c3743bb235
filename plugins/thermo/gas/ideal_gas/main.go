// Command ideal_gas is the engine of the ideal gas law. See [Engine].
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

const (
	highPressure = "HIGH_PRESSURE"
	high         = 1e6 // Pa
)

// gasConstant is the molar gas constant of the SI of 2019, in J/(mol K).
const gasConstant = "8.31446261815324"

// Input is exactly three of the four quantities.
type Input struct {
	Pressure    *float64 `name:"pressure" alias:"P,p" symbol:"p" unit:"Pa" range:"(0,)" doc:"Absolute pressure."`
	Volume      *float64 `name:"volume" alias:"V" symbol:"V" unit:"m3" range:"(0,)" doc:"Volume."`
	Amount      *float64 `name:"amount" label:"Amount of substance" alias:"n,moles" symbol:"n" unit:"mol" range:"(0,)" doc:"Amount of substance."`
	Temperature *float64 `name:"temperature" alias:"T" symbol:"T" unit:"K" range:"(0,)" doc:"Absolute temperature."`
}

// Output is all four quantities.
type Output struct {
	Pressure    float64 `name:"pressure" symbol:"p" unit:"Pa" doc:"Absolute pressure."`
	Volume      float64 `name:"volume" symbol:"V" unit:"m3" doc:"Volume."`
	Amount      float64 `name:"amount" label:"Amount of substance" symbol:"n" unit:"mol" doc:"Amount of substance."`
	Temperature float64 `name:"temperature" symbol:"T" unit:"K" doc:"Absolute temperature."`
}

// Engine returns the engine of thermo.gas.ideal_gas 1.1.0: from three of pressure p,
// volume V, amount n and temperature T it computes the fourth. The formula is the
// Definition.
//
// Units are SI; pressure and temperature are absolute.
//
// Error: none but the final rounding; the result is the binary64 nearest to the true
// value for the given inputs and R.
//
// Source: the ideal gas law with the R that the exact constants of the SI of 2019 give.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "thermo.gas.ideal_gas",
		Version:    "1.1.0",
		Tool:       "ideal-gas-law",
		Group:      "thermo",
		Title:      "Ideal gas law: pressure, volume, amount, temperature",
		Summary:    "The fourth of pressure, volume, amount of substance and temperature of an ideal gas, from the other three.",
		Changes:    "A plot shows the isotherm with this state. Results are as they were.",
		Keywords:   []string{"PV = nRT", "gas equation", "moles of gas", "compressed air", "Boyle", "Charles", "gas bottle", "molar volume"},
		Definition: `R := 8.31446261815324 J/(mol K)  # molar gas constant, the product of two exact constants of the SI of 2019
p = n*R*T/V    if given(n, T, V)  @ideal_gas_pressure_v1
V = n*R*T/p    if given(n, T, p)  @ideal_gas_volume_v1
n = p*V/(R*T)  if given(p, T, V)  @ideal_gas_amount_v1
T = p*V/(n*R)  if given(n, p, V)  @ideal_gas_temperature_v1`,
		Formulas: []sdk.Formula{
			{ID: "ideal_gas_pressure_v1", Label: "Pressure"},
			{ID: "ideal_gas_volume_v1", Label: "Volume"},
			{ID: "ideal_gas_amount_v1", Label: "Amount of substance"},
			{ID: "ideal_gas_temperature_v1", Label: "Temperature"},
		},
		Assumptions: []string{
			"The gas is ideal: its molecules take no room and do not attract each other.",
			"The gas is in equilibrium.",
			"R = 8.31446261815324 J/(mol K) (SI of 2019, exact).",
		},
		SignConvention: "Pressure and temperature are absolute; all quantities are positive.",
		References: []sdk.Reference{
			{Title: "Molar gas constant", Where: "SI of 2019: the product of the exact constants of Avogadro and Boltzmann"},
		},
		Limits:   []sdk.Limit{{Quantity: "pressure", Max: new(high), Unit: "Pa", Warning: highPressure, Doc: "Above some ten atmospheres real gases differ from the ideal one by percents, and more near condensation."}},
		Plots:    plots(),
		Warnings: []string{highPressure},
	}, calculate)
}

// Complete demands exactly three inputs.
func (in *Input) Complete(context.Context) error {
	return needed.Exactly(3,
		needed.Input{Name: "pressure", Value: in.Pressure},
		needed.Input{Name: "volume", Value: in.Volume},
		needed.Input{Name: "amount", Value: in.Amount},
		needed.Input{Name: "temperature", Value: in.Temperature},
	)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	out := in.solve(ctx)
	if out.Pressure > high {
		sdk.Warn(ctx, sdk.Warning{
			Code: highPressure, Severity: sdk.Caution,
			Detail:     "The pressure is above 1 MPa, where real gases differ from the ideal gas.",
			Suggestion: "Use the compressibility factor of the gas, or an equation of state for real gases.",
		})
	}
	return out, nil
}

// solve computes the quantity that is absent.
func (in *Input) solve(ctx context.Context) Output {
	p, v, n, t := in.Pressure, in.Volume, in.Amount, in.Temperature
	round := func(name string, f func(x *adaptive.X) adaptive.Num) *float64 {
		sdk.UseFormula(ctx, "ideal_gas_"+name+"_v1")
		return new(adaptive.Round(ctx, name, f))
	}
	times := func(x *adaptive.X, a, b *float64) adaptive.Num { return x.Of(*a).Mul(x.Of(*b)) }
	constant := func(x *adaptive.X) adaptive.Num { return x.Literal(gasConstant) }
	switch {
	case p == nil:
		p = round("pressure", func(x *adaptive.X) adaptive.Num { return times(x, n, t).Mul(constant(x)).Div(x.Of(*v)) })
	case v == nil:
		v = round("volume", func(x *adaptive.X) adaptive.Num { return times(x, n, t).Mul(constant(x)).Div(x.Of(*p)) })
	case n == nil:
		n = round("amount", func(x *adaptive.X) adaptive.Num { return times(x, p, v).Div(constant(x).Mul(x.Of(*t))) })
	default:
		t = round("temperature", func(x *adaptive.X) adaptive.Num { return times(x, p, v).Div(constant(x).Mul(x.Of(*n))) })
	}
	return Output{Pressure: *p, Volume: *v, Amount: *n, Temperature: *t}
}
