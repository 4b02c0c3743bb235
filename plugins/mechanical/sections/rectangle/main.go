// Command rectangle is the engine of the section properties of a rectangle. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/plugins/internal/outline"
	"github.com/slipstick/slipstick/plugins/internal/section"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

const wallThicknessRange = "WALL_THICKNESS_OUT_OF_RANGE"

// Input is the rectangle.
type Input struct {
	Width         float64  `name:"width" alias:"b" unit:"m" symbol:"b" range:"(0,)" doc:"Outer dimension along the x axis."`
	Height        float64  `name:"height" alias:"h" unit:"m" symbol:"h" range:"(0,)" doc:"Outer dimension along the y axis."`
	WallThickness *float64 `name:"wall_thickness" alias:"t" unit:"m" symbol:"t" range:"(0,)" code:"WALL_THICKNESS_OUT_OF_RANGE" doc:"Thickness of all four walls of a hollow section, less than half of width and of height. Leave it out for a solid one."`
}

// Output is the properties about the axes of symmetry.
type Output struct {
	Area              float64  `name:"area" unit:"m2" symbol:"A" doc:"Area."`
	SecondMomentX     float64  `name:"second_moment_x" headline:"true" unit:"m4" symbol:"I_x" label:"Second moment of area about x" doc:"Second moment of area about the x axis: for loads along y."`
	SecondMomentY     float64  `name:"second_moment_y" unit:"m4" symbol:"I_y" label:"Second moment of area about y" doc:"Second moment of area about the y axis."`
	SectionModulusX   float64  `name:"section_modulus_x" unit:"m3" symbol:"S_x" label:"Elastic section modulus about x" doc:"Elastic section modulus about the x axis."`
	SectionModulusY   float64  `name:"section_modulus_y" unit:"m3" symbol:"S_y" label:"Elastic section modulus about y" doc:"Elastic section modulus about the y axis."`
	PlasticModulusX   float64  `name:"plastic_modulus_x" unit:"m3" symbol:"Z_x" label:"Plastic section modulus about x" doc:"Plastic section modulus about the x axis."`
	PlasticModulusY   float64  `name:"plastic_modulus_y" unit:"m3" symbol:"Z_y" label:"Plastic section modulus about y" doc:"Plastic section modulus about the y axis."`
	RadiusOfGyrationX float64  `name:"radius_of_gyration_x" unit:"m" symbol:"r_x" label:"Radius of gyration about x" doc:"Radius of gyration about the x axis."`
	RadiusOfGyrationY float64  `name:"radius_of_gyration_y" unit:"m" symbol:"r_y" label:"Radius of gyration about y" doc:"Radius of gyration about the y axis."`
	TorsionConstant   *float64 `name:"torsion_constant" unit:"m4" symbol:"J" doc:"Torsion constant of Saint-Venant. Given for a solid section only."`
}

// Engine returns the engine of mechanical.sections.rectangle 1.0.0. A rectangle b wide
// (along x) and h high (along y) is solid or has walls of thickness t. The axes x and y go
// through its centre. The formula is the Definition. Its torsion constant is the sum of
// Saint-Venant's series of tanh(n pi p/(2 q))/n^5 over odd n, with p the longer and q the
// shorter side; of what these tanh lack to 1, the 21st term is below 1e-60.
//
// Units are SI.
//
// Errors: WALL_THICKNESS_OUT_OF_RANGE where the walls leave no hole.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs;
// J is, unless the true value lies within 2^-100 of the middle between two.
//
// Source: the definitions of the properties; Saint-Venant's series for J as in the
// references. The books were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.sections.rectangle",
		Version:    "1.0.0",
		Tool:       "rectangular-section",
		Group:      "sections",
		Title:      "Rectangular section, solid or hollow",
		Summary:    "Area, second moments, elastic and plastic section moduli, radii of gyration and torsion constant of a rectangle or a rectangular tube.",
		Keywords:   []string{"box section", "square tube", "RHS", "SHS", "hollow section", "flat bar", "plank", "moment of inertia", "section properties", "section modulus"},
		Definition: `b_i = b - 2*t  if given(t)  @rectangle_hollow_v1
b_i = 0        otherwise    @rectangle_solid_v1
h_i = h - 2*t  if given(t)  @rectangle_hollow_v1
h_i = 0        otherwise    @rectangle_solid_v1
A = b*h - b_i*h_i
I_x = (b*h^3 - b_i*h_i^3)/12
I_y = (h*b^3 - h_i*b_i^3)/12
S_x = 2*I_x/h
S_y = 2*I_y/b
Z_x = (b*h^2 - b_i*h_i^2)/4
Z_y = (h*b^2 - h_i*b_i^2)/4
r_x = sqrt(I_x/A)
r_y = sqrt(I_y/A)
# tanh(n*pi*p/(2*q)) of Saint-Venant's series is 1 - 2*u(n)/(1 + u(n)), and the sum of 1/n^5 over odd n a constant
zeta_5 := 1.0045237627951396161335103150052518503052971407674780365999991567  # 31/32 of the zeta function of 5
p = max(b, h)
q = min(b, h)
u(n) = exp(-n*pi*p/q)
e(n) = 2*u(n)/((1 + u(n))*n^5)
J = p*q^3*(1/3 - 64/pi^5*(q/p)*(zeta_5 - sum(k in 1..20: e(2*k - 1))))  if not given(t)  @rectangle_solid_v1`,
		Formulas: []sdk.Formula{{
			ID:    "rectangle_solid_v1",
			Label: "Solid rectangle",
		}, {
			ID:    "rectangle_hollow_v1",
			Label: "Hollow rectangle: outer less inner",
		}},
		Assumptions: []string{
			"The corners are sharp, inside and outside: rolled and cold-formed tubes have rounded ones and less area.",
			"The x and y axes are the axes of symmetry; x lies along the width, y along the height.",
		},
		References: []sdk.Reference{
			{Title: "Roark's Formulas for Stress and Strain", Where: "Appendix A, properties of a plane area; torsion of a solid rectangle"},
			{Title: "Timoshenko and Goodier, Theory of Elasticity", Where: "torsion of rectangular bars: Saint-Venant's series"},
		},
		Plots: []sdk.Plot{{
			ID: "section", Title: "Section", ToScale: true,
			Summary: "The outline of the section to scale, with its dimensions, its centroid and the axes x and y.",
			X:       sdk.Axis{Label: "x", Symbol: "x", Unit: "m"},
			Y:       sdk.Axis{Label: "y", Symbol: "y", Unit: "m"},
		}},
		Errors: []string{wallThicknessRange},
	}, calculate)
}

// check rejects walls that leave no hole.
func (in *Input) check() error {
	if in.WallThickness == nil || *in.WallThickness < min(in.Width, in.Height)/2 {
		return nil
	}
	return sdk.Reject(wallThicknessRange, "wall_thickness", "walls of %v m leave no hole in a section of %v m by %v m", *in.WallThickness, in.Width, in.Height).
		Suggest("Give a wall_thickness of less than half the width and half the height, or none for a solid section.")
}

// about returns the strips for bending about the axis along which the breadth lies.
func (in *Input) about(breadth, depth float64) section.Strips {
	return func(x *adaptive.X) []section.Strip {
		outer := section.Strip{Breadth: x.Of(breadth), Depth: x.Of(depth)}
		if in.WallThickness == nil {
			return []section.Strip{outer}
		}
		walls := x.Of(*in.WallThickness).Mul(x.Int(2))
		return []section.Strip{outer, {Breadth: walls.Sub(outer.Breadth), Depth: outer.Depth.Sub(walls)}}
	}
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if err := in.check(); err != nil {
		return Output{}, err
	}
	stripsX, stripsY := in.about(in.Width, in.Height), in.about(in.Height, in.Width)
	aboutX, aboutY := stripsX.Round(ctx, "x", in.Height), stripsY.Round(ctx, "y", in.Width)
	out := Output{
		Area:            adaptive.Round(ctx, "area", stripsX.Area),
		SecondMomentX:   aboutX.SecondMoment,
		SecondMomentY:   aboutY.SecondMoment,
		SectionModulusX: aboutX.SectionModulus, SectionModulusY: aboutY.SectionModulus,
		PlasticModulusX: aboutX.PlasticModulus, PlasticModulusY: aboutY.PlasticModulus,
		RadiusOfGyrationX: aboutX.RadiusOfGyration, RadiusOfGyrationY: aboutY.RadiusOfGyration,
	}
	if in.WallThickness != nil {
		sdk.UseFormula(ctx, "rectangle_hollow_v1")
	} else {
		j := torsionConstant(max(in.Width, in.Height), min(in.Width, in.Height))
		out.TorsionConstant = new(elementary.Round(ctx, "torsion_constant", j))
	}
	return out, nil
}

// zeta is the sum of 1/n^5 over odd n: 31/32 of the zeta function of 5.
var zeta = elementary.Literal("1.0045237627951396161335103150052518503052971407674780365999991567")

// torsionConstant sums what the tanh of the series lack to 1, with u = e^(-pi p/q):
//
//	tanh(n pi p/(2 q)) = 1 - 2 u^n/(1 + u^n)
//
// so that the terms fall by a factor of at least e^(2 pi).
func torsionConstant(longer, shorter float64) elementary.Num {
	p, q, one := elementary.Of(longer), elementary.Of(shorter), elementary.Int(1)
	u := elementary.Pi.Mul(p).Div(q).Neg().Exp()
	sum, power := zeta, u
	for n := int64(1); power.Cmp(negligible) > 0; n += 2 {
		term := power.Add(power).Div(one.Add(power)).Div(elementary.Int(n * n * n * n * n))
		sum, power = sum.Sub(term), power.Mul(u, u)
	}
	return q.Mul(q, q, p.Div(elementary.Int(3)).Sub(sum.Mul(q, scale)))
}

var (
	scale      = elementary.Int(64).Div(elementary.Pi.Mul(elementary.Pi, elementary.Pi, elementary.Pi, elementary.Pi))
	negligible = elementary.Literal("1e-35")
)

// Draw implements [sdk.Drawer].
func (in *Input) Draw(context.Context, string) (*sdk.Figure, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	x, y := in.Width/2, float64(in.Height/2)
	f := &sdk.Figure{
		Curves: []sdk.Curve{outline.Rectangle("outline", sdk.Member, in.Width, in.Height)},
		Points: []sdk.Point{{Label: "centroid"}},
		Dimensions: []sdk.Dimension{
			outline.Width("width", "b", in.Width, -x, x, -y, sdk.Below),
			outline.Height("height", "h", in.Height, -y, y, -x, sdk.OnLeft),
		},
	}
	if t := in.WallThickness; t != nil {
		f.Curves = append(f.Curves, outline.Rectangle("hole", sdk.Member, in.Width-2**t, in.Height-2**t))
		f.Dimensions = append(f.Dimensions, outline.Height("wall thickness", "t", *t, y-*t, y, x, sdk.OnRight))
	}
	f.Curves = append(f.Curves, outline.CentreLines(in.Width, in.Height)...)
	return f, nil
}
