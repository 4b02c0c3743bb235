// Command polygon is the engine of the section properties of a polygon. See [Engine].
package main

import (
	"context"
	_ "embed"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/elementary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/wire"
)

//go:embed vectors.json
var vectors []byte

func main() { wire.Serve(Engine(), vectors) }

// The codes of this engine's errors.
const (
	tooFewVertices    = "TOO_FEW_VERTICES"
	lengthMismatch    = "LENGTH_MISMATCH"
	degeneratePolygon = "DEGENERATE_POLYGON"
	selfCrossing      = "SELF_CROSSING_POLYGON"
)

// Input is the polygon.
type Input struct {
	Vertices [][]float64 `name:"vertices" symbol:"v" unit:"m" doc:"Corners, in order around the outline, either way round. The last is joined to the first."`
}

// Output is the properties about the centroid and axes parallel to x and y.
type Output struct {
	Area              float64 `name:"area" unit:"m2" symbol:"A" doc:"Area."`
	Perimeter         float64 `name:"perimeter" unit:"m" symbol:"U" doc:"Length of the outline."`
	CentroidX         float64 `name:"centroid_x" unit:"m" symbol:"x_c" doc:"Position of the centroid along x."`
	CentroidY         float64 `name:"centroid_y" unit:"m" symbol:"y_c" doc:"Position of the centroid along y."`
	SecondMomentX     float64 `name:"second_moment_x" headline:"true" unit:"m4" symbol:"I_x" label:"Second moment of area about x" doc:"Second moment of area about the axis through the centroid parallel to x."`
	SecondMomentY     float64 `name:"second_moment_y" unit:"m4" symbol:"I_y" label:"Second moment of area about y" doc:"Second moment of area about the axis through the centroid parallel to y."`
	ProductMoment     float64 `name:"product_moment" unit:"m4" symbol:"I_{xy}" label:"Product moment of area" doc:"Integral over the area of the product of both distances from the centroid."`
	PrincipalMoment1  float64 `name:"principal_moment_1" unit:"m4" symbol:"I_1" label:"Greater principal second moment" doc:"Greatest second moment of area about any axis through the centroid."`
	PrincipalMoment2  float64 `name:"principal_moment_2" unit:"m4" symbol:"I_2" label:"Lesser principal second moment" doc:"Least second moment of area about any axis through the centroid."`
	RadiusOfGyrationX float64 `name:"radius_of_gyration_x" unit:"m" symbol:"r_x" label:"Radius of gyration about x" doc:"Radius of gyration about the axis through the centroid parallel to x."`
	RadiusOfGyrationY float64 `name:"radius_of_gyration_y" unit:"m" symbol:"r_y" label:"Radius of gyration about y" doc:"Radius of gyration about the axis through the centroid parallel to y."`
}

// Engine returns the engine of mechanical.sections.polygon 2.0.0. The formula is the
// Definition: sums over the edges from each corner i to the next. The code sums with the
// origin in the first corner.
//
// Units are SI. The product moment is positive where the area lies mostly in the first and
// third quadrant of the centroid.
//
// Errors: TOO_FEW_VERTICES below three corners, LENGTH_MISMATCH for a corner that is not
// two numbers, DEGENERATE_POLYGON if all corners are on one line, SELF_CROSSING_POLYGON if
// two edges have a point in common which is not the corner between them. So an outline that
// crosses, touches or repeats itself is always refused. Exact arithmetic decides this for the
// given binary64 numbers.
//
// Precision: each result is the binary64 nearest to the true value for the given inputs,
// wherever the polygon lies. The perimeter is an exception if the true value lies within
// 1e-50 of its size of the middle between two binary64 numbers.
//
// Source: Green's theorem; the references were not opened for this.
func Engine() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "mechanical.sections.polygon",
		Version:    "2.0.0",
		Tool:       "polygon-section",
		Group:      "sections",
		Title:      "Section of any polygon",
		Summary:    "Area, perimeter, centroid, second moments, principal moments and radii of gyration of a polygon given by its corners.",
		Changes:    "Every outline that crosses, touches or repeats itself is refused: 1.1.1 gave a number for most of them, such as twice the area of a square that was drawn twice. Other numbers are as before.",
		Keywords:   []string{"arbitrary shape", "L section", "angle", "T section", "channel", "centre of gravity", "center of area", "shoelace", "moment of inertia", "section properties"},
		Definition: `n = count(v)
x(i) = v[1][1]  if i > n
x(i) = v[i][1]  otherwise
y(i) = v[1][2]  if i > n
y(i) = v[i][2]  otherwise
c(i) = x(i)*y(i + 1) - x(i + 1)*y(i)
a = sum(i in 1..n: c(i))/2  # negative for a polygon that is run around clockwise
s = sign(a)
A = abs(a)
U = sum(i in 1..n: sqrt((x(i + 1) - x(i))^2 + (y(i + 1) - y(i))^2))
x_c = sum(i in 1..n: (x(i) + x(i + 1))*c(i))/(6*a)
y_c = sum(i in 1..n: (y(i) + y(i + 1))*c(i))/(6*a)
I_x = s*sum(i in 1..n: (y(i)^2 + y(i)*y(i + 1) + y(i + 1)^2)*c(i))/12 - A*y_c^2
I_y = s*sum(i in 1..n: (x(i)^2 + x(i)*x(i + 1) + x(i + 1)^2)*c(i))/12 - A*x_c^2
I_xy = s*sum(i in 1..n: (x(i)*y(i + 1) + 2*x(i)*y(i) + 2*x(i + 1)*y(i + 1) + x(i + 1)*y(i))*c(i))/24 - A*x_c*y_c
R = sqrt(((I_x - I_y)/2)^2 + I_xy^2)
I_1 = (I_x + I_y)/2 + R
I_2 = (I_x + I_y)/2 - R
r_x = sqrt(I_x/A)
r_y = sqrt(I_y/A)`,
		Formulas: []sdk.Formula{{
			ID:    "polygon_green_v1",
			Label: "Green's theorem along the edges from corner i to the next, j",
		}},
		Assumptions: []string{
			"The outline is simple: two edges meet only in the corner between them.",
			"A corner on a straight edge, a corner that repeats the previous one, and the first corner again at the end change nothing.",
		},
		SignConvention: "area and second moments are positive whichever way round the corners are given. product_moment is the integral of x*y about the centroid: positive where the area lies mostly in the first and third quadrant.",
		References: []sdk.Reference{
			{Title: "Green's theorem", Where: "area integrals of polynomials as sums over the edges of a polygon"},
			{Title: "Roark's Formulas for Stress and Strain", Where: "Appendix A, properties of a plane area: parallel axes and principal axes"},
		},
		Plots: []sdk.Plot{{
			ID: "section", Title: "Section", ToScale: true,
			Summary: "The outline of the section to scale, with its width and height, its centroid and how far that is from top and bottom, and its principal axes: I₁ is the greater moment, I₂ the lesser.",
			X:       sdk.Axis{Label: "x", Symbol: "x", Unit: "m"},
			Y:       sdk.Axis{Label: "y", Symbol: "y", Unit: "m"},
		}},
		Errors: []string{tooFewVertices, lengthMismatch, degeneratePolygon, selfCrossing},
	}, calculate)
}

// check rejects vertices that are not a simple polygon.
func (in *Input) check() error {
	if n := len(in.Vertices); n < 3 {
		return sdk.Reject(tooFewVertices, "vertices", "a polygon has at least 3 vertices, not %d", n).
			Suggest("Give at least three corners.")
	}
	for i, v := range in.Vertices {
		if len(v) != 2 {
			return sdk.Reject(lengthMismatch, "vertices", "a corner is [x, y], two numbers; vertices.%d has %d", i, len(v)).
				Suggest("Give each corner as a list of its x and its y.")
		}
	}
	edges := edgesOf(in.Vertices)
	if onOneLine(edges) {
		return sdk.Reject(degeneratePolygon, "vertices", "all corners of the polygon are on one line: its area is zero").
			Suggest("Give at least three corners that are not on one line.")
	}
	if e, f, found := crossing(edges); found {
		return sdk.Reject(selfCrossing, "vertices", "the outline crosses, touches or repeats itself: the edge from corner %d to corner %d meets the edge from corner %d to corner %d, where the first corner is number 1",
			e.from, e.to, f.from, f.to).
			Suggest("Give each corner once, in order around the outline. Calculate a hole by itself, and subtract it.")
	}
	return nil
}

func calculate(ctx context.Context, in Input) (Output, error) {
	if err := in.check(); err != nil {
		return Output{}, err
	}
	p := polygonOf(in.Vertices)
	out := Output{
		Area:          adaptive.Round(ctx, "area", p.area),
		Perimeter:     elementary.Round(ctx, "perimeter", p.perimeter()),
		CentroidX:     adaptive.Round(ctx, "centroid_x", p.centroidX),
		CentroidY:     adaptive.Round(ctx, "centroid_y", p.centroidY),
		SecondMomentX: adaptive.Round(ctx, "second_moment_x", p.secondMomentX),
		SecondMomentY: adaptive.Round(ctx, "second_moment_y", p.secondMomentY),
		ProductMoment: adaptive.Round(ctx, "product_moment", p.productMoment),
	}
	out.RadiusOfGyrationX = adaptive.RoundSqrt(ctx, "radius_of_gyration_x", p.radiusX)
	out.RadiusOfGyrationY = adaptive.RoundSqrt(ctx, "radius_of_gyration_y", p.radiusY)
	out.PrincipalMoment1, out.PrincipalMoment2 = p.principalMoments(ctx, &out)
	return out, nil
}
