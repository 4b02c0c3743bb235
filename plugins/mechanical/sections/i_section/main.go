// Command i_section is the engine of the section properties of an I. See [Engine].
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

const flangeThicknessRange = "FLANGE_THICKNESS_OUT_OF_RANGE"

// Input is the plates that the section is made of.
type Input struct {
	Depth           float64 `name:"depth" alias:"d" unit:"m" symbol:"d" range:"(0,)" presets:"data.sections.european_i#height,data.sections.american_w#depth" doc:"Depth of the whole section, over both flanges."`
	FlangeWidth     float64 `name:"flange_width" alias:"bf" unit:"m" symbol:"b_f" range:"(0,)" presets:"data.sections.european_i#width,data.sections.american_w#flange_width" doc:"Width of each flange."`
	FlangeThickness float64 `name:"flange_thickness" alias:"tf" unit:"m" symbol:"t_f" range:"(0,)" code:"FLANGE_THICKNESS_OUT_OF_RANGE" presets:"data.sections.european_i#flange_thickness,data.sections.american_w#flange_thickness" doc:"Thickness of each flange, less than half the depth."`
	WebThickness    float64 `name:"web_thickness" alias:"tw" unit:"m" symbol:"t_w" range:"(0,flange_width)" presets:"data.sections.european_i#web_thickness,data.sections.american_w#web_thickness" doc:"Thickness of the web, less than the width of the flanges."`
}

// Output is the properties about the axes of symmetry.
type Output struct {
	Area              float64 `name:"area" unit:"m2" symbol:"A" doc:"Area."`
	SecondMomentX     float64 `name:"second_moment_x" headline:"true" unit:"m4" symbol:"I_x" label:"Second moment of area about x" doc:"Second moment of area about the strong axis, parallel to the flanges."`
	SecondMomentY     float64 `name:"second_moment_y" unit:"m4" symbol:"I_y" label:"Second moment of area about y" doc:"Second moment of area about the weak axis, along the web."`
	SectionModulusX   float64 `name:"section_modulus_x" unit:"m3" symbol:"S_x" label:"Elastic section modulus about x" doc:"Elastic section modulus about the strong axis."`
	SectionModulusY   float64 `name:"section_modulus_y" unit:"m3" symbol:"S_y" label:"Elastic section modulus about y" doc:"Elastic section modulus about the weak axis."`
	PlasticModulusX   float64 `name:"plastic_modulus_x" unit:"m3" symbol:"Z_x" label:"Plastic section modulus about x" doc:"Plastic section modulus about the strong axis."`
	PlasticModulusY   float64 `name:"plastic_modulus_y" unit:"m3" symbol:"Z_y" label:"Plastic section modulus about y" doc:"Plastic section modulus about the weak axis."`
	RadiusOfGyrationX float64 `name:"radius_of_gyration_x" unit:"m" symbol:"r_x" label:"Radius of gyration about x" doc:"Radius of gyration about the strong axis."`
	RadiusOfGyrationY float64 `name:"radius_of_gyration_y" unit:"m" symbol:"r_y" label:"Radius of gyration about y" doc:"Radius of gyration about the weak axis."`
}

// Engine returns the engine of mechanical.sections.i_section 1.0.0. Two equal flanges,
// bf wide and tf thick, and a web tw thick between them make a section of depth d. The
// axis x is parallel to the flanges, and y along the web. The formula is the Definition.
//
// Units are SI. There are no fillets: rolled shapes have 1 to 3 % more.
//
// Errors: FLANGE_THICKNESS_OUT_OF_RANGE where the flanges leave no room for a web.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs.
//
// Source: sums of the properties of rectangles, as in the references. The books were not
// opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.sections.i_section",
		Version:    "1.0.0",
		Tool:       "i-section",
		Group:      "sections",
		Title:      "I-section of three plates",
		Summary:    "Area, second moments, elastic and plastic section moduli and radii of gyration of a doubly symmetric I or H without fillets.",
		Keywords:   []string{"H-beam", "I-beam", "wide flange", "universal beam", "RSJ", "plate girder", "IPE", "HEA", "HEB", "W shape", "moment of inertia", "section properties", "section modulus"},
		Definition: `h_w = d - 2*t_f
A = 2*b_f*t_f + h_w*t_w
I_x = (b_f*d^3 - (b_f - t_w)*h_w^3)/12
I_y = (2*t_f*b_f^3 + h_w*t_w^3)/12
S_x = 2*I_x/d
S_y = 2*I_y/b_f
Z_x = (b_f*d^2 - (b_f - t_w)*h_w^2)/4
Z_y = (2*t_f*b_f^2 + h_w*t_w^2)/4
r_x = sqrt(I_x/A)
r_y = sqrt(I_y/A)`,
		Formulas: []sdk.Formula{{
			ID:    "i_section_v1",
			Label: "Two flanges and a web, without fillets",
		}},
		Assumptions: []string{
			"Both flanges are equal and the section is symmetric about x and y.",
			"There are no fillets and no tapers: the values of real rolled shapes are 1 to 3 % larger.",
		},
		References: []sdk.Reference{
			{Title: "Roark's Formulas for Stress and Strain", Where: "Appendix A, properties of a plane area"},
			{Title: "AISC Steel Construction Manual", Where: "Part 17, properties of geometric sections"},
		},
		Plots: []sdk.Plot{{
			ID: "section", Title: "Section", ToScale: true,
			Summary: "The outline of the section to scale, with its dimensions, its centroid and the axes x and y.",
			X:       sdk.Axis{Label: "x", Symbol: "x", Unit: "m"},
			Y:       sdk.Axis{Label: "y", Symbol: "y", Unit: "m"},
		}},
		Errors: []string{flangeThicknessRange},
	}, calculate)
}

// check rejects flanges that meet.
func (in *Input) check() error {
	if in.FlangeThickness < in.Depth/2 {
		return nil
	}
	return sdk.Reject(flangeThicknessRange, "flange_thickness", "flanges of %v m leave no room for a web in a depth of %v m", in.FlangeThickness, in.Depth).
		Suggest("Give a flange_thickness of less than half the depth.")
}

// aboutX returns the strips about x: the whole rectangle less what lacks beside the web.
func (in *Input) aboutX(x *adaptive.X) []section.Strip {
	d, b := x.Of(in.Depth), x.Of(in.FlangeWidth)
	return []section.Strip{
		{Breadth: b, Depth: d},
		{Breadth: x.Of(in.WebThickness).Sub(b), Depth: in.web(x)},
	}
}

// aboutY returns the strips about y: the flanges and the web.
func (in *Input) aboutY(x *adaptive.X) []section.Strip {
	return []section.Strip{
		{Breadth: x.Of(in.FlangeThickness).Mul(x.Int(2)), Depth: x.Of(in.FlangeWidth)},
		{Breadth: in.web(x), Depth: x.Of(in.WebThickness)},
	}
}

// web returns the depth of the web between the flanges.
func (in *Input) web(x *adaptive.X) adaptive.Num {
	return x.Of(in.Depth).Sub(x.Of(in.FlangeThickness).Mul(x.Int(2)))
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if err := in.check(); err != nil {
		return Output{}, err
	}
	aboutX := section.Strips(in.aboutX).Round(ctx, "x", in.Depth)
	aboutY := section.Strips(in.aboutY).Round(ctx, "y", in.FlangeWidth)
	return Output{
		Area:            adaptive.Round(ctx, "area", section.Strips(in.aboutY).Area),
		SecondMomentX:   aboutX.SecondMoment,
		SecondMomentY:   aboutY.SecondMoment,
		SectionModulusX: aboutX.SectionModulus, SectionModulusY: aboutY.SectionModulus,
		PlasticModulusX: aboutX.PlasticModulus, PlasticModulusY: aboutY.PlasticModulus,
		RadiusOfGyrationX: aboutX.RadiusOfGyration, RadiusOfGyrationY: aboutY.RadiusOfGyration,
	}, nil
}

// Draw implements [sdk.Drawer].
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	b, y, w := in.FlangeWidth/2, float64(in.Depth/2), in.WebThickness/2
	inner := y - in.FlangeThickness
	shape := outline.Closed("outline", sdk.Member, [][2]float64{
		{-b, -y}, {b, -y}, {b, -inner}, {w, -inner}, {w, inner}, {b, inner},
		{b, y}, {-b, y}, {-b, inner}, {-w, inner}, {-w, -inner}, {-b, -inner},
	}...)
	return &sdk.Figure{
		Curves: append([]sdk.Curve{shape}, outline.CentreLines(in.FlangeWidth, in.Depth)...),
		Points: []sdk.Point{{Label: "centroid"}},
		Dimensions: []sdk.Dimension{
			outline.Width("flange width", "b_f", in.FlangeWidth, -b, b, -y, sdk.Below),
			outline.Height("depth", "d", in.Depth, -y, y, -b, sdk.OnLeft),
			outline.Height("flange thickness", "t_f", in.FlangeThickness, inner, y, b, sdk.OnRight),
			outline.Width("web thickness", "t_w", in.WebThickness, -w, w, -inner/2, sdk.Between),
		},
	}, nil
}
