// Command circle is the engine of the section properties of a circle. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/plugins/internal/section"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// Input is the circle and its hole.
type Input struct {
	OuterDiameter float64 `name:"outer_diameter" alias:"D" unit:"m" symbol:"D" range:"(0,)" presets:"data.pipes.en10220#outside_diameter,data.pipes.asme_b36_10m#outside_diameter" doc:"Outer diameter."`
	InnerDiameter float64 `name:"inner_diameter" alias:"d" unit:"m" symbol:"d" default:"0" range:"[0,outer_diameter)" presets:"data.pipes.en10220#inner_diameter,data.pipes.asme_b36_10m#inner_diameter" doc:"Diameter of the hole of a tube; 0 for a solid section."`
}

// Output is the properties about any diameter.
type Output struct {
	Area             float64 `name:"area" unit:"m2" symbol:"A" doc:"Area."`
	SecondMoment     float64 `name:"second_moment" headline:"true" unit:"m4" symbol:"I" label:"Second moment of area" doc:"Second moment of area about any diameter."`
	PolarMoment      float64 `name:"polar_moment" unit:"m4" symbol:"I_p" label:"Polar second moment of area" doc:"Second moment of area about the centre, which is the torsion constant too."`
	SectionModulus   float64 `name:"section_modulus" unit:"m3" symbol:"S" label:"Elastic section modulus" doc:"Elastic section modulus in bending."`
	PlasticModulus   float64 `name:"plastic_modulus" unit:"m3" symbol:"Z" label:"Plastic section modulus" doc:"Plastic section modulus in bending."`
	RadiusOfGyration float64 `name:"radius_of_gyration" unit:"m" symbol:"r" doc:"Radius of gyration about any diameter."`
}

// Engine returns the engine of mechanical.sections.circle 1.0.0. A circle of diameter D
// may have a concentric hole of diameter d. The formula is the Definition; r is
// sqrt(D^2 + d^2)/4 too, which does not cancel.
//
// Units are SI.
//
// Errors: INNER_DIAMETER_OUT_OF_RANGE where the hole is as large as the circle.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs,
// also of the thinnest tube, unless that lies within 1e-64 of its size of the middle
// between two: so far pi is known here.
//
// Source: the definitions of the properties; tabulated in the references. The books were
// not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.sections.circle",
		Version:    "1.0.0",
		Tool:       "circular-section",
		Group:      "sections",
		Title:      "Circular section, solid or tube",
		Summary:    "Area, second moments, section moduli and radius of gyration of a round bar or a round tube.",
		Keywords:   []string{"pipe", "round bar", "rod", "CHS", "hollow section", "annulus", "ring", "moment of inertia", "section properties", "section modulus"},
		Definition: `A = pi*(D^2 - d^2)/4
I = pi*(D^4 - d^4)/64
I_p = 2*I
S = 2*I/D
Z = (D^3 - d^3)/6
r = sqrt(I/A)`,
		Formulas: []sdk.Formula{{
			ID:    "circle_section_v1",
			Label: "Circle less concentric hole",
		}},
		Assumptions: []string{"The hole of a tube is a circle around the same centre."},
		References: []sdk.Reference{
			{Title: "Roark's Formulas for Stress and Strain", Where: "Appendix A, properties of a plane area"},
			{Title: "AISC Steel Construction Manual", Where: "Part 17, properties of geometric sections"},
		},
		Plots: []sdk.Plot{{
			ID: "section", Title: "Section", ToScale: true,
			Summary: "The outline of the section to scale, with its diameters, its centroid and the axes x and y.",
			X:       sdk.Axis{Label: "x", Symbol: "x", Unit: "m"},
			Y:       sdk.Axis{Label: "y", Symbol: "y", Unit: "m"},
		}},
	}, calculate)
}

func calculate(ctx context.Context, in Input) (Output, error) {
	ring := section.Ring{Outer: in.OuterDiameter, Inner: in.InnerDiameter}
	return Output{
		Area: adaptive.Round(ctx, "area", ring.Area),
		SecondMoment: adaptive.Round(ctx, "second_moment", func(x *adaptive.X) adaptive.Num {
			return ring.PolarMoment(x).Div(x.Int(2))
		}),
		PolarMoment: adaptive.Round(ctx, "polar_moment", ring.PolarMoment),
		SectionModulus: adaptive.Round(ctx, "section_modulus", func(x *adaptive.X) adaptive.Num {
			return ring.PolarMoment(x).Div(x.Of(in.OuterDiameter))
		}),
		PlasticModulus: adaptive.Round(ctx, "plastic_modulus", ring.PlasticModulus),
		RadiusOfGyration: adaptive.RoundSqrt(ctx, "radius_of_gyration", func(x *adaptive.X) adaptive.Num {
			return x.Of(in.OuterDiameter).Pow(2).Add(x.Of(in.InnerDiameter).Pow(2)).Div(x.Int(16))
		}),
	}, nil
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	outer, inner := in.OuterDiameter/2, in.InnerDiameter/2
	f := &sdk.Figure{
		Curves:     []sdk.Curve{outline.Circle("outline", sdk.Member, 0, 0, outer)},
		Points:     []sdk.Point{{Label: "centroid"}},
		Dimensions: []sdk.Dimension{outline.Width("outer diameter", "D", in.OuterDiameter, -outer, outer, 0, sdk.Below)},
	}
	if inner > 0 {
		f.Curves = append(f.Curves, outline.Circle("hole", sdk.Member, 0, 0, inner))
		f.Dimensions = append(f.Dimensions, outline.Width("inner diameter", "d", in.InnerDiameter, -inner, inner, 0, sdk.Above))
	}
	f.Curves = append(f.Curves, outline.CentreLines(in.OuterDiameter, in.OuterDiameter)...)
	return f, nil
}
