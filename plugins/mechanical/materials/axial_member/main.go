// Command axial_member is the engine of a bar under axial load. See [Engine].
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

// Input is the bar, its load and what it is heated by.
type Input struct {
	AxialForce        float64 `name:"axial_force" alias:"F" unit:"N" symbol:"F" doc:"Axial force: tension positive, compression negative."`
	Length            float64 `name:"length" alias:"L" unit:"m" symbol:"L" range:"(0,)" doc:"Length of the bar without load."`
	Area              float64 `name:"area" alias:"A" unit:"m2" symbol:"A" range:"(0,)" presets:"data.sections.european_i#area,data.sections.american_w#area" doc:"Area of the section."`
	ElasticModulus    float64 `name:"elastic_modulus" alias:"E,youngs_modulus,young_modulus,modulus_of_elasticity" unit:"Pa" symbol:"E" range:"(0,)" presets:"data.materials.metals#elastic_modulus,data.materials.concrete#elastic_modulus,data.materials.timber#elastic_modulus" doc:"Young's modulus."`
	ThermalExpansion  float64 `name:"thermal_expansion" alias:"alpha" unit:"1/K" symbol:"\\alpha" default:"0" label:"Thermal expansion coefficient" presets:"data.materials.metals#thermal_expansion,data.materials.concrete#thermal_expansion" doc:"Coefficient of linear thermal expansion." example:"12e-6 for steel"`
	TemperatureChange float64 `name:"temperature_change" alias:"dT" unit:"K" difference:"true" symbol:"\\Delta T" default:"0" doc:"Change of temperature. Heating is positive."`
}

// Output is the stress, the strains and what follows from them.
type Output struct {
	Stress           float64 `name:"stress" headline:"true" unit:"Pa" symbol:"\\sigma" doc:"Normal stress: tension positive."`
	MechanicalStrain float64 `name:"mechanical_strain" symbol:"\\varepsilon_m" doc:"Strain by the force."`
	ThermalStrain    float64 `name:"thermal_strain" symbol:"\\varepsilon_t" doc:"Strain by the change of temperature."`
	Elongation       float64 `name:"elongation" unit:"m" symbol:"\\Delta L" doc:"Change of length by both: longer is positive."`
	Stiffness        float64 `name:"stiffness" unit:"N/m" symbol:"k" doc:"Axial stiffness."`
	StrainEnergy     float64 `name:"strain_energy" unit:"J" symbol:"U" doc:"Elastic energy that the force stores."`
}

// Engine returns the engine of mechanical.materials.axial_member 1.1.0. A prismatic bar
// of length L, area A and modulus E bears an axial force F and is heated by dT. The formula
// is the Definition.
//
// Units are SI. Tension, elongation and heating are positive. The bar is free to expand.
//
// Errors: those of the ranges of the inputs.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs;
// an elongation that cancels is exactly 0.
//
// Source: Hooke's law and linear thermal expansion, as in the references. The books were
// not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.materials.axial_member",
		Version:    "1.1.0",
		Tool:       "axial-member",
		Group:      "materials",
		Title:      "Axially loaded member: stress, elongation, stiffness",
		Summary:    "Stress, strain, elongation, stiffness and strain energy of a bar that is pulled, pushed or heated.",
		Changes:    "The change of temperature is a difference now, so that it can be entered in any unit of temperature, such as 18 degF for 10 K. Numbers are as they were.",
		Keywords:   []string{"tension", "compression", "rod", "tie", "bolt", "stretch", "Hooke's law", "thermal expansion", "strain", "axial stiffness"},
		Definition: `sigma = F/A
varepsilon_m = sigma/E
varepsilon_t = alpha*DeltaT
DeltaL = (varepsilon_m + varepsilon_t)*L
k = E*A/L
U = F^2*L/(2*E*A)`,
		Formulas: []sdk.Formula{{
			ID:    "axial_member_v1",
			Label: "Hooke's law with thermal expansion",
		}},
		Assumptions: []string{
			"The bar is prismatic and the force acts through the centroid, so that the stress is uniform.",
			"The material is linear elastic, homogeneous and isotropic, and strains are small.",
			"The bar is free to expand: its ends are not restrained.",
			"A bar in compression does not buckle.",
		},
		SignConvention: "Tension, elongation and heating are positive.",
		References: []sdk.Reference{
			{Title: "Gere and Goodno, Mechanics of Materials", Where: "chapter 2, axially loaded members"},
		},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	mechanical := func(x *adaptive.X) adaptive.Num {
		return x.Of(in.AxialForce).Div(x.Of(in.Area).Mul(x.Of(in.ElasticModulus)))
	}
	thermal := func(x *adaptive.X) adaptive.Num {
		return x.Of(in.ThermalExpansion).Mul(x.Of(in.TemperatureChange))
	}
	return Output{
		Stress: adaptive.Round(ctx, "stress", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.AxialForce).Div(x.Of(in.Area))
		}),
		MechanicalStrain: adaptive.Round(ctx, "mechanical_strain", mechanical),
		ThermalStrain:    adaptive.Round(ctx, "thermal_strain", thermal),
		Elongation: adaptive.Round(ctx, "elongation", func(x *adaptive.X) adaptive.Num {
			return mechanical(x).Add(thermal(x)).Mul(x.Of(in.Length))
		}),
		Stiffness: adaptive.Round(ctx, "stiffness", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.ElasticModulus).Mul(x.Of(in.Area)).Div(x.Of(in.Length))
		}),
		StrainEnergy: adaptive.Round(ctx, "strain_energy", func(x *adaptive.X) adaptive.Num {
			return mechanical(x).Mul(x.Of(in.AxialForce), x.Of(in.Length)).Div(x.Int(2))
		}),
	}, nil
}
