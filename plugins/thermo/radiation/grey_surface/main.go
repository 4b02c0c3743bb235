// Command grey_surface is the engine of the radiation of a grey surface. See [Engine].
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

// Input is the surface and its surroundings.
type Input struct {
	Emissivity              float64 `name:"emissivity" alias:"epsilon,eps" symbol:"\\varepsilon" range:"(0,1]" doc:"Emissivity of the surface, greater than 0 and at most 1."`
	Temperature             float64 `name:"temperature" alias:"T,T1" symbol:"T" unit:"K" range:"[0,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" doc:"Absolute temperature of the surface."`
	SurroundingsTemperature float64 `name:"surroundings_temperature" label:"Temperature of the surroundings" alias:"T2" symbol:"T_2" unit:"K" default:"0" range:"[0,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" doc:"Absolute temperature of the surroundings."`
	Area                    float64 `name:"area" alias:"A" symbol:"A" unit:"m2" default:"1" range:"(0,)" doc:"Area of the surface."`
}

// Output is the net heat leaving the surface.
type Output struct {
	HeatFlux float64 `name:"heat_flux" symbol:"q" unit:"W/m2" doc:"Net heat leaving the surface, per area."`
	HeatFlow float64 `name:"heat_flow" headline:"true" symbol:"Q" unit:"W" doc:"Net heat leaving the surface."`
}

// Engine returns the engine of thermo.radiation.grey_surface 3.0.0: the net heat that a grey
// surface of emissivity eps and temperature T radiates to large surroundings of temperature
// T2. The formula is the Definition.
//
// Units are SI, temperatures absolute. Heat leaving the surface is positive.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs,
// unless the true value lies within 1e-65 of its size of the middle between two.
//
// Source: the Stefan-Boltzmann law. The constant follows from the exact constants of the SI
// of 2019. Version 2.0.0 has 16 digits of it, so its results are up to 1.2 units in the last
// place from the exact ones. Version 1.0.0 has the value of CODATA 2014, less by 1.3 parts per
// million.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "thermo.radiation.grey_surface",
		Version:    "3.0.0",
		Tool:       "grey-surface-radiation",
		Group:      "thermo",
		Title:      "Radiation of a grey surface",
		Summary:    "Net radiant heat that a grey surface loses to large surroundings.",
		Changes:    "The Stefan-Boltzmann constant has all the digits that follow from the exact constants of the SI of 2019. Version 2.0.0 has 16 of them, and its heat flows differ by up to two units in the last place.",
		Keywords:   []string{"thermal radiation", "black body", "emissivity", "infrared", "radiative heat loss", "Stefan-Boltzmann", "radiant heating", "grey body"},
		Definition: `k := 1.380649e-23 J/K  # Boltzmann constant, exact in the SI of 2019
h := 6.62607015e-34 J s  # Planck constant, exact in the SI of 2019
c := 299792458 m/s  # speed of light, exact in the SI
sigma = 2*pi^5*k^4/(15*h^3*c^2)  # Stefan-Boltzmann constant
q = varepsilon*sigma*(T^4 - T_2^4)
Q = q*A`,
		Formulas: []sdk.Formula{{
			ID:    "stefan_boltzmann_grey_v3",
			Label: "Stefan-Boltzmann law of a grey surface in large surroundings",
		}},
		Assumptions: []string{
			"The surface is grey, diffuse and of uniform temperature; its absorptivity equals its emissivity.",
			"The surroundings are much larger than the surface, or black, and of uniform temperature.",
			"Nothing between the surface and its surroundings absorbs radiation.",
			"sigma = 5.6703744191844294539709967...e-8 W/(m2 K4), from the exact constants of the SI of 2019.",
		},
		SignConvention: "Heat leaving the surface is positive.",
		References: []sdk.Reference{
			{Title: "Stefan-Boltzmann constant", Where: "SI of 2019: 2 pi^5 k^4/(15 h^3 c^2) with the exact k, h and c"},
			{Title: "Stefan-Boltzmann law", Where: "exchange of a grey surface with large surroundings"},
		},
	}, calculate)
}

// sigma is the Stefan-Boltzmann constant in W/(m2 K4), to 66 digits: 2 pi^5 k^4/(15 h^3 c^2).
const sigma = "5.67037441918442945397099673188923087584012297029130368240546173705e-8"

func calculate(ctx context.Context, in Input) (Output, error) {
	flux := func(x *adaptive.X) adaptive.Num {
		fourths := x.Of(in.Temperature).Pow(4).Sub(x.Of(in.SurroundingsTemperature).Pow(4))
		return x.Of(in.Emissivity).Mul(x.Literal(sigma), fourths)
	}
	return Output{
		HeatFlux: adaptive.Round(ctx, "heat_flux", flux),
		HeatFlow: adaptive.Round(ctx, "heat_flow", func(x *adaptive.X) adaptive.Num { return flux(x).Mul(x.Of(in.Area)) }),
	}, nil
}
