// Command plane_wall is the engine of the heat through a plane wall. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/layers"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the wall and the temperatures on its sides.
type Input struct {
	TemperatureHot  float64        `name:"temperature_hot" alias:"T1,T_hot" symbol:"T_1" unit:"K" range:"[0,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" doc:"Absolute temperature on the hot side: of the fluid if film_hot is given, else of the surface."`
	TemperatureCold float64        `name:"temperature_cold" alias:"T2,T_cold" symbol:"T_2" unit:"K" range:"[0,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" doc:"Absolute temperature on the cold side: of the fluid if film_cold is given, else of the surface."`
	Area            float64        `name:"area" alias:"A" symbol:"A" unit:"m2" default:"1" range:"(0,)" doc:"Area of the wall."`
	Layers          []layers.Layer `name:"layers" doc:"Layers from the hot side to the cold."`
	FilmHot         *float64       `name:"film_hot" alias:"h1" symbol:"h_1" unit:"W/(m2 K)" range:"(0,)" doc:"Heat transfer coefficient of the surface on the hot side."`
	FilmCold        *float64       `name:"film_cold" alias:"h2" symbol:"h_2" unit:"W/(m2 K)" range:"(0,)" doc:"Heat transfer coefficient of the surface on the cold side."`
}

// Output is how well the wall conducts, and the heat.
type Output struct {
	RValue            float64 `name:"r_value" label:"R-value" symbol:"R" unit:"m2 K/W" doc:"Thermal resistance of one square metre, films included."`
	UValue            float64 `name:"u_value" label:"U-value" symbol:"U" unit:"W/(m2 K)" doc:"Thermal transmittance, the reciprocal of the R-value."`
	ThermalResistance float64 `name:"thermal_resistance" symbol:"R_t" unit:"K/W" doc:"Thermal resistance of the whole wall."`
	HeatFlow          float64 `name:"heat_flow" headline:"true" symbol:"\\dot Q" unit:"W" doc:"Heat through the wall."`
	HeatFlux          float64 `name:"heat_flux" symbol:"q" unit:"W/m2" doc:"Heat through the wall, per area."`
}

// Engine returns the engine of thermo.conduction.plane_wall 1.0.0: steady heat through
// a plane wall of layers, with films of the coefficients h1 and h2 where they are sent. The
// formula is the Definition.
//
// Units are SI, temperatures absolute. Heat from the hot side to the cold is positive;
// the hot side may be the colder one.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs.
//
// Source: Fourier's law, resistances in series; see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "thermo.conduction.plane_wall",
		Version:    "1.0.0",
		Tool:       "wall-heat-loss",
		Group:      "thermo",
		Title:      "Heat through a plane wall: U-value and R-value",
		Summary:    "Thermal resistance, U-value and heat flow of a plane wall of any number of layers, with surface films.",
		Keywords:   []string{"insulation", "U-value", "R-value", "thermal transmittance", "composite wall", "heat loss of a house", "window", "roof", "Fourier's law", "conduction"},
		Definition: `n = count(layers)
R_1 = 1/h_1  if given(h_1)
R_1 = 0      otherwise
R_2 = 1/h_2  if given(h_2)
R_2 = 0      otherwise
R = R_1 + sum(i in 1..n: layers[i].thickness/layers[i].conductivity) + R_2
U = 1/R
R_t = R/A
q = (T_1 - T_2)/R
Qdot = q*A`,
		Formulas: []sdk.Formula{{
			ID:    "plane_wall_series_v1",
			Label: "Thermal resistances in series; a film that is not given has none",
		}},
		Assumptions: []string{
			"Heat flows steadily and straight through the wall; there are no thermal bridges.",
			"Conductivities and film coefficients are constant.",
			"The layers touch without resistance, and nothing in them generates heat.",
		},
		SignConvention: "Heat from the hot side to the cold side is positive.",
		References: []sdk.Reference{
			{Title: "ISO 6946, Building components: thermal resistance and thermal transmittance", Where: "total thermal resistance of homogeneous layers"},
			{Title: "Incropera, Fundamentals of Heat and Mass Transfer", Where: "chapter 3, the plane wall"},
		},
		Plots: []sdk.Plot{{
			ID: "temperature", Title: "Temperature through the wall",
			Summary: "Temperature over the place in the wall, from the hot side on the left to the cold side, a straight line in each layer. Films are drawn with a tenth of the wall's thickness.",
			X:       sdk.Axis{Label: "distance from the hot surface", Unit: "m"},
			Y:       sdk.Axis{Label: "temperature", Symbol: "T", Unit: "K"},
		}},
		Errors: []string{layers.TooFew},
	}, calculate)
}

// resistances returns those of a unit area, from the hot side to the cold.
func (in *Input) resistances() []elementary.Num {
	one := elementary.Int(1)
	var rs []elementary.Num
	if in.FilmHot != nil {
		rs = append(rs, one.Div(elementary.Of(*in.FilmHot)))
	}
	for _, l := range in.Layers {
		rs = append(rs, elementary.Of(l.Thickness).Div(elementary.Of(l.Conductivity)))
	}
	if in.FilmCold != nil {
		rs = append(rs, one.Div(elementary.Of(*in.FilmCold)))
	}
	return rs
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if err := layers.Check(in.Layers); err != nil {
		return Output{}, err
	}
	area, r := elementary.Of(in.Area), layers.Sum(in.resistances())
	flux := elementary.Of(in.TemperatureHot).Sub(elementary.Of(in.TemperatureCold)).Div(r)
	return Output{
		RValue:            elementary.Round(ctx, "r_value", r),
		UValue:            elementary.Round(ctx, "u_value", elementary.Int(1).Div(r)),
		ThermalResistance: elementary.Round(ctx, "thermal_resistance", r.Div(area)),
		HeatFlow:          elementary.Round(ctx, "heat_flow", flux.Mul(area)),
		HeatFlux:          elementary.Round(ctx, "heat_flux", flux),
	}, nil
}

// Draw draws the temperature from the hot side to the cold.
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	if err := layers.Check(in.Layers); err != nil {
		return nil, err
	}
	faces := []float64{0}
	for i, l := range in.Layers {
		faces = append(faces, faces[i]+l.Thickness)
	}
	p := layers.Profile{
		Faces: faces, FirstFilm: in.FilmHot != nil, LastFilm: in.FilmCold != nil, Film: faces[len(faces)-1] / 10,
		Temperatures: layers.Temperatures(in.TemperatureHot, in.TemperatureCold, in.resistances()),
	}
	return p.Figure()
}
