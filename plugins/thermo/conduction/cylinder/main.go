// Command cylinder is the engine of the heat through the wall of a pipe. See [Engine].
package main

import (
	"context"
	_ "embed"
	"math"

	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/layers"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the pipe with its layers and the temperatures inside and outside.
type Input struct {
	InnerDiameter    float64        `name:"inner_diameter" alias:"d,bore" symbol:"d" unit:"m" range:"(0,)" presets:"data.pipes.en10220#inner_diameter,data.pipes.asme_b36_10m#inner_diameter" doc:"Inner diameter of the first layer."`
	Length           float64        `name:"length" alias:"L" symbol:"L" unit:"m" default:"1" range:"(0,)" doc:"Length of the pipe."`
	Layers           []layers.Layer `name:"layers" doc:"Layers from the inside to the outside."`
	TemperatureInner float64        `name:"temperature_inner" alias:"T1,T_in" symbol:"T_1" unit:"K" range:"[0,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" doc:"Absolute temperature inside: of the fluid if film_inner is given, else of the surface."`
	TemperatureOuter float64        `name:"temperature_outer" alias:"T2,T_out" symbol:"T_2" unit:"K" range:"[0,)" code:"TEMPERATURE_BELOW_ABSOLUTE_ZERO" doc:"Absolute temperature outside: of the fluid if film_outer is given, else of the surface."`
	FilmInner        *float64       `name:"film_inner" alias:"h1" symbol:"h_1" unit:"W/(m2 K)" range:"(0,)" doc:"Heat transfer coefficient of the inner surface."`
	FilmOuter        *float64       `name:"film_outer" alias:"h2" symbol:"h_2" unit:"W/(m2 K)" range:"(0,)" doc:"Heat transfer coefficient of the outer surface."`
}

// Output is how well the wall conducts, and the heat.
type Output struct {
	ThermalResistance float64 `name:"thermal_resistance" symbol:"R" unit:"K/W" doc:"Thermal resistance of the whole length, films included."`
	UA                float64 `name:"ua" label:"Conductance UA" symbol:"UA" unit:"W/K" doc:"Thermal conductance, the reciprocal of the resistance."`
	HeatFlow          float64 `name:"heat_flow" headline:"true" symbol:"\\dot Q" unit:"W" doc:"Heat from the inside to the outside."`
	OuterDiameter     float64 `name:"outer_diameter" symbol:"D" unit:"m" doc:"Outer diameter of the last layer."`
}

// Engine returns the engine of thermo.conduction.cylinder 1.0.0: steady heat through
// the wall of a pipe of length L and inner diameter d, with films where they are sent. The
// formula is the Definition.
//
// Units are SI, temperatures absolute. Heat from the inside to the outside is positive.
//
// Error: none but the final rounding; each result is the binary64 nearest to the true
// value for the given inputs, also for layers that are thin against the diameter.
//
// Source: Fourier's law in cylindrical coordinates; see the Spec.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "thermo.conduction.cylinder",
		Version:    "1.0.0",
		Tool:       "pipe-heat-loss",
		Group:      "thermo",
		Title:      "Heat loss of an insulated pipe",
		Summary:    "Thermal resistance and heat flow through the wall of a pipe of any number of layers, with surface films.",
		Keywords:   []string{"pipe insulation", "lagging", "hot water pipe", "cylindrical shell", "radial conduction", "steam pipe", "critical radius", "Fourier's law"},
		Definition: `n = count(layers)
outer(i) = d + 2*sum(k in 1..i: layers[k].thickness)
D = outer(n)
R_1 = 1/(h_1*pi*d*L)  if given(h_1)
R_1 = 0               otherwise
R_2 = 1/(h_2*pi*D*L)  if given(h_2)
R_2 = 0               otherwise
R = R_1 + sum(i in 1..n: ln(outer(i)/outer(i - 1))/(2*pi*layers[i].conductivity*L)) + R_2
UA = 1/R
Qdot = (T_1 - T_2)/R`,
		Formulas: []sdk.Formula{{
			ID:    "cylinder_series_v1",
			Label: "Thermal resistances of cylindrical shells in series; a film that is not given has none",
		}},
		Assumptions: []string{
			"Heat flows steadily and radially; the ends of the pipe do not matter.",
			"Conductivities and film coefficients are constant, and the temperatures are the same along the pipe.",
			"The layers touch without resistance, and nothing in them generates heat.",
		},
		SignConvention: "Heat from the inside to the outside is positive.",
		References: []sdk.Reference{
			{Title: "Incropera, Fundamentals of Heat and Mass Transfer", Where: "chapter 3, radial systems: the cylinder"},
			{Title: "ISO 12241, Thermal insulation for building equipment and industrial installations", Where: "calculation rules for cylinders"},
		},
		Plots: []sdk.Plot{{
			ID: "temperature", Title: "Temperature through the wall of the pipe",
			Summary: "Temperature over the distance from the axis, from the inside to the outside; within a layer it falls with the logarithm of the radius. Films are drawn with a tenth of the wall's thickness, or less.",
			X:       sdk.Axis{Label: "distance from the axis", Symbol: "r", Unit: "m"},
			Y:       sdk.Axis{Label: "temperature", Symbol: "T", Unit: "K"},
		}},
		Errors: []string{layers.TooFew},
	}, calculate)
}

// resistances returns those from the inside to the outside, and the outer diameter.
func (in *Input) resistances() (rs []elementary.Num, diameter elementary.Num) {
	one, two := elementary.Int(1), elementary.Int(2)
	around := elementary.Pi.Mul(elementary.Of(in.Length))
	diameter = elementary.Of(in.InnerDiameter)
	film := func(h *float64) {
		if h != nil {
			rs = append(rs, one.Div(elementary.Of(*h).Mul(around, diameter)))
		}
	}
	film(in.FilmInner)
	for _, l := range in.Layers {
		twice := two.Mul(elementary.Of(l.Thickness))
		rs = append(rs, twice.Div(diameter).Log1p().Div(two.Mul(around, elementary.Of(l.Conductivity))))
		diameter = diameter.Add(twice)
	}
	film(in.FilmOuter)
	return rs, diameter
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if err := layers.Check(in.Layers); err != nil {
		return Output{}, err
	}
	rs, diameter := in.resistances()
	r := layers.Sum(rs)
	drop := elementary.Of(in.TemperatureInner).Sub(elementary.Of(in.TemperatureOuter))
	return Output{
		ThermalResistance: elementary.Round(ctx, "thermal_resistance", r),
		UA:                elementary.Round(ctx, "ua", elementary.Int(1).Div(r)),
		HeatFlow:          elementary.Round(ctx, "heat_flow", drop.Div(r)),
		OuterDiameter:     elementary.Round(ctx, "outer_diameter", diameter),
	}, nil
}

// Draw draws the temperature from the inside to the outside.
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	if err := layers.Check(in.Layers); err != nil {
		return nil, err
	}
	rs, _ := in.resistances()
	faces := []float64{in.InnerDiameter / 2}
	for i, l := range in.Layers {
		faces = append(faces, faces[i]+l.Thickness)
	}
	inner, outer := faces[0], faces[len(faces)-1]
	p := layers.Profile{
		Faces: faces, FirstFilm: in.FilmInner != nil, LastFilm: in.FilmOuter != nil, Film: min((outer-inner)/10, inner),
		Temperatures: layers.Temperatures(in.TemperatureInner, in.TemperatureOuter, rs),
		Drop:         logarithmic,
	}
	return p.Figure()
}

// logarithmic is the part of a layer's temperature drop up to the radius at.
func logarithmic(first, last, at float64) float64 {
	if first == 0 || last-first < 1e-9*last { // where logarithms of rounded numbers say nothing
		return (at - first) / (last - first)
	}
	return (math.Log(at) - math.Log(first)) / (math.Log(last) - math.Log(first)) // drawn
}
