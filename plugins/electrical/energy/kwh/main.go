// Command kwh is the engine of the energy that a load uses, and what it costs. See
// [Engine].
package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// above24 is the code of this engine's warning.
const above24 = "MORE_THAN_24_HOURS_PER_DAY"

// Input is the load, the time that it is on, and the price of energy.
type Input struct {
	Power       float64  `name:"W" label:"Power" symbol:"P" alias:"P,watts,power" unit:"W" range:"[0,)" code:"POWER_MUST_BE_NONNEGATIVE" doc:"Power of the load."`
	Hours       float64  `name:"hours" label:"Hours per day" symbol:"t" alias:"t,hours_per_day" unit:"h" range:"[0,)" doc:"Time that it is on, on each of the days."`
	Days        float64  `name:"days" symbol:"n" alias:"n" default:"1" range:"[0,)" doc:"Number of days."`
	PricePerKWh *float64 `name:"price_per_kwh" label:"Price per kWh" symbol:"p" alias:"price,rate" unit:"1/kWh" doc:"Price of a kilowatt-hour, in any currency. Prices at an exchange may be negative."`
}

// Output is the energy and, where a price was sent, its cost.
type Output struct {
	KWh    float64  `name:"kwh" headline:"true" label:"Energy" symbol:"E" unit:"kWh" doc:"Energy in kilowatt-hours."`
	Joules float64  `name:"joules" label:"Energy in joules" symbol:"E_{\\mathrm{J}}" unit:"J" doc:"The same energy."`
	Cost   *float64 `name:"cost" symbol:"C" money:"true" doc:"Cost of the energy, in the currency of the price."`
}

// Engine returns the engine of electrical.energy.kwh 1.2.0: the energy that a load of
// power P uses in t hours on each of n days, and its cost. The formula is the Definition.
//
// Power is in W, time in hours and days, energy in kWh and J. Power and times are not
// negative; a price may be.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: the definition of power; 1 kWh = 3.6 MJ exactly.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.energy.kwh",
		Version:    "1.2.0",
		Tool:       "watts-to-kwh",
		Group:      "electrical",
		Title:      "Watts to kWh: energy use and cost",
		Summary:    "Energy that a load uses in some hours a day and some days, and what it costs.",
		Changes:    "More than 24 hours per day have a warning. Numbers are as before.",
		Keywords:   []string{"electricity bill", "electricity cost", "power consumption", "running cost of an appliance", "kilowatt-hours", "W to kWh", "energy usage"},
		Definition: `E = P*t*n/1000  if given(p)  @energy_cost_v1
E = P*t*n/1000  otherwise    @energy_v1
E_J = 3600*P*t*n
C = E*p  if given(p)  @energy_cost_v1`,
		Formulas: []sdk.Formula{
			{ID: "energy_v1", Label: "Energy from power and time"},
			{ID: "energy_cost_v1", Label: "Energy and cost from power, time and price"},
		},
		Assumptions:    []string{"The load draws its power all the time that it is on.", "The price is the same at all times, without standing charges."},
		SignConvention: "Power and time are not negative; a negative price is a payment to the user of the energy.",
		Limits:         []sdk.Limit{{Quantity: "hours", Max: new(24.0), Unit: "h", Warning: above24, Doc: "A day has 24 hours."}},
		Warnings:       []string{above24},
		References:     []sdk.Reference{{Title: "The International System of Units (SI), brochure of the BIPM", Where: "1 W h = 3600 J"}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	wattHours := func(x *adaptive.X) adaptive.Num { return x.Of(in.Power).Mul(x.Of(in.Hours), x.Of(in.Days)) }
	out := Output{
		KWh:    adaptive.Round(ctx, "kwh", func(x *adaptive.X) adaptive.Num { return wattHours(x).Div(x.Int(1000)) }),
		Joules: adaptive.Round(ctx, "joules", func(x *adaptive.X) adaptive.Num { return wattHours(x).Mul(x.Int(3600)) }),
	}
	if in.PricePerKWh != nil {
		sdk.UseFormula(ctx, "energy_cost_v1")
		out.Cost = new(adaptive.Round(ctx, "cost", func(x *adaptive.X) adaptive.Num {
			return wattHours(x).Mul(x.Of(*in.PricePerKWh)).Div(x.Int(1000))
		}))
	}
	in.warn(ctx)
	return out, nil
}

// warn warns of more hours than a day has. For one day they can be the whole time.
func (in *Input) warn(ctx context.Context) {
	if in.Hours <= 24 {
		return
	}
	severity := sdk.Caution
	if in.Days == 1 {
		severity = sdk.Info
	}
	sdk.Warn(ctx, sdk.Warning{
		Code: above24, Severity: severity,
		Detail:     fmt.Sprintf("hours is %.6g, and a day has 24 hours. The energy is that of %.6g hours.", in.Hours, in.Hours*in.Days),
		Suggestion: "Give the hours of one day, or the whole time as hours with 1 as days.",
	})
}
