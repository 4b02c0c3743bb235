package main

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/plugins/internal/look"
	"github.com/slipstick/slipstick/plugins/internal/section"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

var engine = Engine()

func TestConformance(t *testing.T) { conformance.Run(t, engine, vectors) }

func of(t ask.Tester, corners [][]float64) map[string]float64 {
	t.Helper()
	return ask.For(t, engine, ask.In{"vertices": corners}).Number
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// stars draws a simple polygon with corners inwards and outwards, counterclockwise around
// the origin. Its coordinates are whole 1024ths, so that moving it is exact.
func stars(t *rapid.T) [][]float64 {
	n := rapid.IntRange(3, 12).Draw(t, "corners")
	corners := make([][]float64, n)
	for i := range corners {
		radius := rapid.Float64Range(0.2, 2).Draw(t, "radius")
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		corners[i] = []float64{math.Round(1024*radius*cos) / 1024, math.Round(1024*radius*sin) / 1024}
	}
	return corners
}

func transformed(corners [][]float64, f func(x, y float64) (float64, float64)) [][]float64 {
	out := make([][]float64, len(corners))
	for i, c := range corners {
		x, y := f(c[0], c[1])
		out[i] = []float64{x, y}
	}
	return out
}

// TestOrderOfCornersDoesNotMatter: where they begin and which way they run.
func TestOrderOfCornersDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := stars(t)
		want := of(t, corners)
		first := rapid.IntRange(0, len(corners)-1).Draw(t, "first")
		shifted := slices.Concat(corners[first:], corners[:first])
		if rapid.Bool().Draw(t, "clockwise") {
			slices.Reverse(shifted)
		}
		for name, got := range of(t, shifted) {
			if got != want[name] {
				t.Fatalf("%s = %v, want %v", name, got, want[name])
			}
		}
	})
}

// TestMovingChangesTheCentroidOnly moves by whole numbers, which is exact up to 2^42.
func TestMovingChangesTheCentroidOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := stars(t)
		dx := float64(rapid.Int64Range(-1<<42, 1<<42).Draw(t, "dx"))
		dy := float64(rapid.Int64Range(-1<<42, 1<<42).Draw(t, "dy"))
		want := of(t, corners)
		got := of(t, transformed(corners, func(x, y float64) (float64, float64) { return x + dx, y + dy }))
		for name, before := range want {
			moved, tolerance := map[string]float64{"centroid_x": dx, "centroid_y": dy}[name], 0.0
			if moved != 0 {
				tolerance = 4e-16 * (math.Abs(moved) + 4)
			}
			if math.Abs(got[name]-(before+moved)) > tolerance {
				t.Fatalf("%s = %v, want %v", name, got[name], before+moved)
			}
		}
	})
}

// TestRightAngles turns and mirrors, which is exact.
func TestRightAngles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := stars(t)
		a := of(t, corners)
		b := of(t, transformed(corners, func(x, y float64) (float64, float64) { return -y, x }))
		c := of(t, transformed(corners, func(x, y float64) (float64, float64) { return -x, y }))
		switch {
		case a["second_moment_x"] != b["second_moment_y"], a["second_moment_y"] != b["second_moment_x"], a["product_moment"] != -b["product_moment"],
			a["centroid_x"] != b["centroid_y"], a["centroid_y"] != -b["centroid_x"]:
			t.Fatalf("%v, turned by a right angle %v", a, b)
		case a["second_moment_x"] != c["second_moment_x"], a["product_moment"] != -c["product_moment"], a["centroid_x"] != -c["centroid_x"]:
			t.Fatalf("%v, mirrored %v", a, c)
		}
		for _, name := range []string{"area", "perimeter", "principal_moment_1", "principal_moment_2"} {
			if a[name] != b[name] || a[name] != c[name] {
				t.Fatalf("%s = %v, turned %v, mirrored %v", name, a[name], b[name], c[name])
			}
		}
	})
}

// TestTurning by any angle changes the tensor as tensors change, and no invariant.
func TestTurning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := stars(t)
		angle := rapid.Float64Range(-4, 4).Draw(t, "angle")
		sin, cos := math.Sincos(angle)
		a := of(t, corners)
		b := of(t, transformed(corners, func(x, y float64) (float64, float64) { return cos*x - sin*y, sin*x + cos*y }))
		for _, name := range []string{"area", "perimeter", "principal_moment_1", "principal_moment_2"} {
			if !near(a[name], b[name], 1e-12) {
				t.Fatalf("%s = %v, turned %v", name, a[name], b[name])
			}
		}
		ix, iy, ixy := a["second_moment_x"], a["second_moment_y"], a["product_moment"]
		if want := ix*cos*cos + iy*sin*sin + 2*ixy*sin*cos; !near(b["second_moment_x"], want, 1e-12) {
			t.Fatalf("second moment %v, want %v", b["second_moment_x"], want)
		}
	})
}

func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := of(t, stars(t))
		ix, iy, ixy, i1, i2 := a["second_moment_x"], a["second_moment_y"], a["product_moment"], a["principal_moment_1"], a["principal_moment_2"]
		if !near(ix+iy, i1+i2, 1e-15) || !near(ix*iy-ixy*ixy, i1*i2, 1e-13) {
			t.Fatalf("Ix %v, Iy %v, Ixy %v; I1 %v, I2 %v", ix, iy, ixy, i1, i2)
		}
		if i1 < max(ix, iy) || i2 > min(ix, iy) || i2 <= 0 {
			t.Fatalf("I1 %v, I2 %v do not enclose %v and %v", i1, i2, ix, iy)
		}
		// No shape of this area has less than the circle, or a shorter outline.
		if least := a["area"] * a["area"] / (2 * math.Pi); i1+i2 < least || a["perimeter"] < math.Sqrt(4*math.Pi*a["area"]) {
			t.Fatalf("polar moment %v below that of the circle, %v; perimeter %v", i1+i2, least, a["perimeter"])
		}
	})
}

// TestCutInTwo cuts along a line between two corners of a convex polygon: areas add up,
// and second moments by the parallel axis theorem.
func TestCutInTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 12).Draw(t, "corners")
		var corners [][]float64
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * (float64(i) + rapid.Float64Range(0, 0.9).Draw(t, "angle")) / float64(n))
			corners = append(corners, []float64{3 * cos, 2 * sin})
		}
		cut := rapid.IntRange(2, n-2).Draw(t, "cut")
		whole := of(t, corners)
		parts := []map[string]float64{of(t, corners[:cut+1]), of(t, slices.Concat(corners[cut:], corners[:1]))}
		area, second, product := 0.0, 0.0, 0.0
		for _, p := range parts {
			dx, dy := p["centroid_x"]-whole["centroid_x"], p["centroid_y"]-whole["centroid_y"]
			area += p["area"]
			second += p["second_moment_x"] + p["area"]*dy*dy
			product += p["product_moment"] + p["area"]*dx*dy
		}
		if !near(area, whole["area"], 1e-14) || !near(second, whole["second_moment_x"], 1e-13) || math.Abs(product-whole["product_moment"]) > 1e-13*second {
			t.Fatalf("parts: area %v, Ix %v, Ixy %v; whole %v", area, second, product, whole)
		}
	})
}

// TestAgreesWithStrips compares I-sections with the sums of rectangles that other engines
// compute with.
func TestAgreesWithStrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := func(name string, from, to int) float64 { return float64(rapid.IntRange(from, to).Draw(t, name)) }
		b, d := whole("half flange", 2, 50), whole("half depth", 2, 50)
		w, inner := whole("half web", 1, int(b)-1), whole("half hole", 1, int(d)-1)
		got := of(t, [][]float64{
			{-b, -d}, {b, -d}, {b, -inner}, {w, -inner}, {w, inner}, {b, inner},
			{b, d}, {-b, d}, {-b, inner}, {-w, inner}, {-w, -inner}, {-b, -inner},
		})
		strips := func(sizes ...[2]float64) section.Strips {
			return func(x *adaptive.X) (list []section.Strip) {
				for _, size := range sizes {
					list = append(list, section.Strip{Breadth: x.Of(size[0]), Depth: x.Of(size[1])})
				}
				return list
			}
		}
		aboutX := strips([2]float64{2 * b, 2 * d}, [2]float64{2*w - 2*b, 2 * inner})
		aboutY := strips([2]float64{2*d - 2*inner, 2 * b}, [2]float64{2 * inner, 2 * w})
		x, y := aboutX.Round(t.Context(), "x", 2*d), aboutY.Round(t.Context(), "y", 2*b)
		for name, want := range map[string]float64{
			"area": adaptive.Round(t.Context(), "", aboutX.Area), "perimeter": 4 * (2*b + d - w), "centroid_x": 0, "centroid_y": 0,
			"second_moment_x": x.SecondMoment, "second_moment_y": y.SecondMoment, "product_moment": 0,
			"principal_moment_1": max(x.SecondMoment, y.SecondMoment), "principal_moment_2": min(x.SecondMoment, y.SecondMoment),
			"radius_of_gyration_x": x.RadiusOfGyration, "radius_of_gyration_y": y.RadiusOfGyration,
		} {
			if got[name] != want {
				t.Fatalf("%s = %v, want %v", name, got[name], want)
			}
		}
	})
}

func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := stars(t)
		shift := rapid.IntRange(-60, 60).Draw(t, "shift")
		small := of(t, corners)
		large := of(t, transformed(corners, func(x, y float64) (float64, float64) { return math.Ldexp(x, shift), math.Ldexp(y, shift) }))
		for name, power := range map[string]int{"area": 2, "perimeter": 1, "centroid_x": 1, "second_moment_x": 4, "product_moment": 4, "principal_moment_2": 4, "radius_of_gyration_y": 1} {
			if want := math.Ldexp(small[name], power*shift); large[name] != want {
				t.Fatalf("%s of 2^%d the size: %v, want %v", name, shift, large[name], want)
			}
		}
	})
}

// values are the inputs as the engine gets them.
func values(corners [][]float64) value.Values {
	var list []value.Value
	for _, c := range corners {
		list = append(list, value.ListOf(value.NumberOf(c[0]), value.NumberOf(c[1])))
	}
	return value.Values{value.ListOf(list...)}
}

// TestFigure checks that the axis of the greater moment is one: the second moment about
// it, by the formula of turned axes, is the greater principal moment.
func TestFigure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := stars(t)
		f, err := engine.(sdk.Plotter).Draw(t.Context(), "section", values(corners))
		if err != nil {
			t.Fatal(err)
		}
		a := of(t, corners)
		for i, want := range []float64{a["principal_moment_1"], a["principal_moment_2"]} {
			axis := f.Curves[1+i]
			dx, dy := axis.X[1]-axis.X[0], axis.Y[1]-axis.Y[0]
			length := math.Hypot(dx, dy)
			cos, sin := dx/length, dy/length
			about := a["second_moment_x"]*cos*cos + a["second_moment_y"]*sin*sin - 2*a["product_moment"]*sin*cos
			if !near(about, want, 1e-12) {
				t.Fatalf("second moment about %s: %v, want %v", axis.Label, about, want)
			}
		}
		if p := f.Points[0]; p.X != a["centroid_x"] || p.Y != a["centroid_y"] {
			t.Fatalf("centroid drawn at (%v, %v)", p.X, p.Y)
		}
		sizes := look.Sizes(t, f)
		if got := sizes["c_t"] + sizes["c_b"]; !near(got, sizes["h"], 1e-12) {
			t.Fatalf("from the centroid to top and bottom %v, height %v", got, sizes["h"])
		}
	})
}

func TestFigureOfNothing(t *testing.T) {
	_, err := engine.(sdk.Plotter).Draw(t.Context(), "section", values([][]float64{{0, 0}, {1, 1}, {2, 2}}))
	if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != degeneratePolygon {
		t.Errorf("error %v, want %s", err, degeneratePolygon)
	}
}

func TestFigureWithoutBounds(t *testing.T) {
	_, err := engine.(sdk.Plotter).Draw(t.Context(), "section", values([][]float64{{0, 0}, {1e100, 0}, {0, 1e100}}))
	if rejection, ok := err.(*sdk.Error); !ok || rejection.Code != sdk.CodeNonFiniteResult {
		t.Errorf("error %v, want %s", err, sdk.CodeNonFiniteResult)
	}
}

func BenchmarkCalculate(b *testing.B) {
	var cases []struct {
		ID     string
		Inputs struct{ Vertices json.RawMessage }
	}
	if err := json.Unmarshal(vectors, &cases); err != nil {
		b.Fatal(err)
	}
	var corners [][]float64
	if err := json.Unmarshal(cases[0].Inputs.Vertices, &corners); err != nil { // P064, six corners
		b.Fatal(err)
	}
	round := func(n int) [][]float64 {
		many := make([][]float64, n)
		for i := range many {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			many[i] = []float64{cos, sin}
		}
		return many
	}
	// The bounding boxes of all teeth of this comb overlap. A request of 64 KiB has 10,000 corners at most.
	comb := [][]float64{{-1, 1}, {-1, 0}}
	for i := range 4999 {
		x := float64(i)
		comb = append(comb, []float64{x + 10_000, 10_000 - x}, []float64{x + 0.5, 0.5 - x})
	}
	comb = append(comb, []float64{-2, -5000})
	for name, in := range map[string]value.Values{"6 corners": values(corners), "1000 corners": values(round(1000)), "10000 corners": values(round(10_000)), "comb": values(comb)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := engine.Calculate(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestAnyCorners gives corners in any order, so that most edges cross. An outline that is accepted has no negative second
// moments: all of its area has one sign.
func TestAnyCorners(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-2, 2), 2, 2), 3, 7).Draw(t, "corners")
		o, err := engine.Calculate(t.Context(), values(corners))
		rejection, _ := err.(*sdk.Error)
		switch {
		case err == nil && o.Result[4].Number() >= 0 && o.Result[5].Number() >= 0:
		case rejection != nil && (rejection.Code == selfCrossing || rejection.Code == degeneratePolygon):
		default:
			t.Fatalf("%v: %v, error %v", corners, o.Result, err)
		}
	})
}
