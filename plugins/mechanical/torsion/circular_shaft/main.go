// Command circular_shaft is the engine of round shafts in torsion. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/section"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the shaft and its torque.
type Input struct {
	OuterDiameter float64 `name:"outer_diameter" alias:"D" unit:"m" symbol:"D" range:"(0,)" presets:"data.pipes.en10220#outside_diameter,data.pipes.asme_b36_10m#outside_diameter" doc:"Outer diameter."`
	InnerDiameter float64 `name:"inner_diameter" alias:"d" unit:"m" symbol:"d" default:"0" range:"[0,outer_diameter)" presets:"data.pipes.en10220#inner_diameter,data.pipes.asme_b36_10m#inner_diameter" doc:"Diameter of the bore; 0 for a solid shaft."`
	Length        float64 `name:"length" alias:"L" unit:"m" symbol:"L" range:"(0,)" doc:"Length that is twisted."`
	ShearModulus  float64 `name:"shear_modulus" alias:"G" unit:"Pa" symbol:"G" range:"(0,)" presets:"data.materials.metals#shear_modulus" doc:"Shear modulus."`
	Torque        float64 `name:"torque" alias:"T" unit:"N m" symbol:"T" doc:"Torque, of either sign."`
}

// Output is the stress and the twist.
type Output struct {
	PolarMoment        float64 `name:"polar_moment" unit:"m4" symbol:"J" label:"Polar second moment of area" doc:"Polar second moment of area, which is the torsion constant."`
	ShearStressMax     float64 `name:"shear_stress_max" headline:"true" unit:"Pa" symbol:"\\tau_{max}" label:"Greatest shear stress" doc:"Shear stress at the outer surface, with the sign of the torque."`
	AngleOfTwist       float64 `name:"angle_of_twist" unit:"rad" symbol:"\\varphi" doc:"Angle between the ends, with the sign of the torque."`
	TorsionalStiffness float64 `name:"torsional_stiffness" unit:"N m/rad" symbol:"k_t" doc:"Torque per angle of twist."`
}

// Engine returns the engine of mechanical.torsion.circular_shaft 1.1.0. A shaft of
// diameter D with a bore d, which may be zero, of length L and shear modulus G, is twisted
// by a torque T. The formula is the Definition.
//
// Units are SI, angles in rad. Stress and angle have the sign of the torque.
//
// Errors: those of the ranges of the inputs.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs,
// also of the thinnest tube, unless that lies within 1e-64 of its size of the middle
// between two: so far pi is known here.
//
// Source: the references, which were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.torsion.circular_shaft",
		Version:    "1.1.0",
		Tool:       "circular-shaft",
		Group:      "torsion",
		Title:      "Torsion of a round shaft, solid or hollow",
		Summary:    "Greatest shear stress, angle of twist and torsional stiffness of a round shaft under torque.",
		Changes:    "A plot shows the shear stress across the shaft. Results are as they were.",
		Keywords:   []string{"twist", "torque", "drive shaft", "axle", "torsion bar", "polar moment of inertia", "torsional rigidity"},
		Definition: `J = pi*(D^4 - d^4)/32
tau_max = T*D/(2*J)
varphi = T*L/(G*J)
k_t = G*J/L`,
		Formulas: []sdk.Formula{{
			ID:    "circular_shaft_v1",
			Label: "Torsion of a circular section",
		}},
		Assumptions: []string{
			"The material is linear elastic, homogeneous and isotropic.",
			"The shaft is straight and prismatic, a bore is concentric, and the torque is the same along the length.",
			"Notches, keyways and the ends are far away: stress concentrations are not included.",
		},
		SignConvention: "Shear stress and angle of twist have the sign of the torque.",
		References: []sdk.Reference{
			{Title: "Gere and Goodno, Mechanics of Materials", Where: "chapter 3, torsion of circular bars"},
			{Title: "Roark's Formulas for Stress and Strain", Where: "chapter 10, torsion of circular sections"},
		},
		Plots: plots(),
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	polar := section.Ring{Outer: in.OuterDiameter, Inner: in.InnerDiameter}.PolarMoment
	return Output{
		PolarMoment: adaptive.Round(ctx, "polar_moment", polar),
		ShearStressMax: adaptive.Round(ctx, "shear_stress_max", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.Torque).Mul(x.Of(in.OuterDiameter)).Div(polar(x).Mul(x.Int(2)))
		}),
		AngleOfTwist: adaptive.Round(ctx, "angle_of_twist", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.Torque).Mul(x.Of(in.Length)).Div(polar(x).Mul(x.Of(in.ShearModulus)))
		}),
		TorsionalStiffness: adaptive.Round(ctx, "torsional_stiffness", func(x *adaptive.X) adaptive.Num {
			return polar(x).Mul(x.Of(in.ShearModulus)).Div(x.Of(in.Length))
		}),
	}, nil
}
