// Command conductor_resistance is the engine of the resistance of a wire. See [Engine].
package main

import (
	"context"
	_ "embed"
	"sync"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

const resistanceNotPositive = "RESISTANCE_MUST_BE_POSITIVE"

// Input is the wire and its temperature.
type Input struct {
	Resistivity            float64  `name:"resistivity" symbol:"\\rho" alias:"rho" unit:"ohm m" default:"1.7241e-8" range:"(0,)" presets:"data.materials.metals#resistivity" doc:"Resistivity at the reference temperature. The default is that of annealed copper at 20 degC."`
	Length                 float64  `name:"length" symbol:"L" alias:"L" unit:"m" range:"(0,)" doc:"Length of the wire."`
	Area                   *float64 `name:"area" symbol:"A" alias:"A,cross_section" unit:"m2" range:"(0,)" presets:"data.wires.iec60228#area,data.wires.iec60228_aluminium#area,data.wires.awg#area" doc:"Cross section of the wire."`
	AWG                    *int     `name:"awg" label:"American wire gauge" symbol:"n" alias:"gauge" names:"4/0=-3,0000=-3,3/0=-2,000=-2,2/0=-1,00=-1,1/0=0" range:"[-3,40]" doc:"American wire gauge in place of area, such as 12 or 4/0. As numbers, 4/0 is -3, 3/0 is -2, 2/0 is -1 and 1/0 is 0."`
	TemperatureCoefficient float64  `name:"temperature_coefficient" symbol:"\\alpha" alias:"alpha" unit:"1/K" default:"0" presets:"data.materials.metals#temperature_coefficient" doc:"Relative change of the resistance per kelvin at the reference temperature; 0.00393 for copper at 20 degC."`
	Temperature            float64  `name:"temperature" symbol:"T" alias:"T" unit:"degC" default:"20" range:"[-273.15,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" doc:"Temperature of the wire in degC."`
	ReferenceTemperature   float64  `name:"reference_temperature" symbol:"T_0" alias:"T0" unit:"degC" default:"20" range:"[-273.15,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" advanced:"true" doc:"Temperature in degC at which the wire has the resistivity and the coefficient."`
}

// Output is the resistance and the cross section.
type Output struct {
	Resistance float64 `name:"resistance" headline:"true" symbol:"R" unit:"ohm" doc:"Resistance of the wire to direct current."`
	Area       float64 `name:"area" symbol:"A" unit:"m2" doc:"Cross section of the wire."`
}

// Engine returns the engine of electrical.circuits.conductor_resistance 1.1.0, of a wire
// of length L and cross section A, or of the American wire gauge n. The formula is the
// Definition.
//
// Units are SI, temperatures in degC.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs. The cross section of a gauge is computed to 60 digits first.
//
// Source: the references of the Spec; 1.7241e-8 ohm m is the resistivity of annealed
// copper of 100 % IACS at 20 degC.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "electrical.circuits.conductor_resistance",
		Version:    "1.1.0",
		Changes:    "The gauges above 1 can be given by name, as 4/0 or 0000, because 0000 was read as 0, which is 1/0. All numbers are as before.",
		Tool:       "conductor-resistance",
		Group:      "circuits",
		Title:      "Resistance of a wire",
		Summary:    "Resistance of a wire from its length, cross section or wire gauge, material and temperature.",
		Keywords:   []string{"copper wire", "aluminium cable", "AWG", "American wire gauge", "resistivity", "ohms per metre", "temperature coefficient", "winding resistance"},
		Definition: `A = pi/4*({0.127 mm}*92^((36 - n)/39))^2  if given(n)  @conductor_resistance_awg_v1
rho_T = rho*(1 + alpha*(T - T_0))
R = rho_T*L/A  if given(n)  @conductor_resistance_awg_v1
R = rho_T*L/A  otherwise    @conductor_resistance_area_v1`,
		Formulas: []sdk.Formula{
			{ID: "conductor_resistance_area_v1", Label: "Resistance from the cross section"},
			{ID: "conductor_resistance_awg_v1", Label: "Resistance from the American wire gauge"},
		},
		Assumptions: []string{
			"The current is direct, or so slow that it fills the cross section evenly: there is no skin effect.",
			"The resistance changes linearly with the temperature.",
			"The wire is solid, of one material and temperature; a stranded one is longer than it looks.",
		},
		SignConvention: "A positive temperature coefficient raises the resistance of a warmer wire.",
		References: []sdk.Reference{
			{Title: "IEC 60028", Where: "international standard of resistance for copper: 1/58 ohm mm2/m at 20 degC"},
			{Title: "ASTM B258", Where: "diameters of the American wire gauge"},
		},
		Errors: []string{resistanceNotPositive},
	}, calculate)
}

// Complete demands one of area and awg.
func (in *Input) Complete(context.Context) error {
	switch {
	case in.Area == nil && in.AWG == nil:
		return sdk.Missing("area", "area (m2) is needed, or awg in its place")
	case in.Area != nil && in.AWG != nil:
		return sdk.Conflict("awg", "awg stands in place of area").Suggest("Give one of them.")
	}
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	factor := func(x *adaptive.X) adaptive.Num {
		warmer := x.Of(in.Temperature).Sub(x.Of(in.ReferenceTemperature))
		return x.Int(1).Add(x.Of(in.TemperatureCoefficient).Mul(warmer))
	}
	if adaptive.Sign(factor) <= 0 {
		return Output{}, sdk.Reject(resistanceNotPositive, "temperature", "the linear law leaves no resistance at %v degC", in.Temperature).
			Suggest("Give a temperature closer to reference_temperature, or the coefficient of that range.")
	}
	area := func(x *adaptive.X) adaptive.Num { return x.Of(*in.Area) }
	if in.AWG != nil {
		sdk.UseFormula(ctx, "conductor_resistance_awg_v1")
		literal := areaOfGauge(*in.AWG)
		area = func(x *adaptive.X) adaptive.Num { return x.Literal(literal) }
	}
	return Output{
		Resistance: adaptive.Round(ctx, "resistance", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.Resistivity).Mul(x.Of(in.Length), factor(x)).Div(area(x))
		}),
		Area: adaptive.Round(ctx, "area", area),
	}, nil
}

// The gauges that there are.
const firstGauge, lastGauge = -3, 40

var (
	logOf92 = elementary.Literal("4.521788577049040309641217074726549254593380583560946250239995396469780489924")
	gauge36 = elementary.Literal("0.000127")

	areas = func() (areas [lastGauge - firstGauge + 1]func() string) {
		for i := range areas {
			areas[i] = sync.OnceValue(func() string { return areaOf(firstGauge + i) })
		}
		return areas
	}()
)

// areaOfGauge returns the cross section in m2 of a gauge.
func areaOfGauge(n int) string { return areas[n-firstGauge]() }

func areaOf(n int) string {
	power := elementary.Int(2 * int64(36-n)).Mul(logOf92).Div(elementary.Int(39)).Exp() // 92^(2(36-n)/39)
	return elementary.Pi.Div(elementary.Int(4)).Mul(gauge36, gauge36, power).Literal()
}
