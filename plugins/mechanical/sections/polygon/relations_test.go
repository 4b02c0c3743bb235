package polygon

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
)

var (
	engine   = ask.Document("../polygon.calc.md")
	iSection = ask.Document("../i_section.calc.md")
)

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
	n := rapid.IntRange(3, 9).Draw(t, "corners")
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

// TestReorderingMovingAndScaling starts at another corner and runs the other way around. It moves by whole numbers, which
// is exact up to 2^42, and scales by powers of two.
func TestReorderingMovingAndScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := stars(t)
		dx := float64(rapid.Int64Range(-1<<42, 1<<42).Draw(t, "dx"))
		dy := float64(rapid.Int64Range(-1<<42, 1<<42).Draw(t, "dy"))
		shift := rapid.IntRange(-60, 60).Draw(t, "shift")
		first := rapid.IntRange(0, len(corners)-1).Draw(t, "first")
		want := of(t, corners)
		reordered := slices.Concat(corners[first:], corners[:first])
		slices.Reverse(reordered)
		if got := of(t, reordered); !maps.Equal(got, want) {
			t.Fatalf("%v in another order, want %v", got, want)
		}
		moved := of(t, transformed(corners, func(x, y float64) (float64, float64) { return x + dx, y + dy }))
		large := of(t, transformed(corners, func(x, y float64) (float64, float64) { return math.Ldexp(x, shift), math.Ldexp(y, shift) }))
		for name, before := range want {
			by, tolerance := map[string]float64{"centroid_x": dx, "centroid_y": dy}[name], 0.0
			if by != 0 {
				tolerance = 4e-16 * (math.Abs(by) + 4)
			}
			if math.Abs(moved[name]-(before+by)) > tolerance {
				t.Fatalf("%s = %v, want %v", name, moved[name], before+by)
			}
		}
		for name, power := range map[string]int{"area": 2, "perimeter": 1, "centroid_x": 1, "second_moment_x": 4, "product_moment": 4, "principal_moment_2": 4, "radius_of_gyration_y": 1} {
			if scaled := math.Ldexp(want[name], power*shift); large[name] != scaled {
				t.Fatalf("%s of 2^%d the size: %v, want %v", name, shift, large[name], scaled)
			}
		}
	})
}

// TestTurning turns by right angles, which is exact, and by any angle. The tensor turns, and the invariants stay.
func TestTurning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := stars(t)
		sin, cos := math.Sincos(rapid.Float64Range(-4, 4).Draw(t, "angle"))
		a := of(t, corners)
		b := of(t, transformed(corners, func(x, y float64) (float64, float64) { return -y, x }))
		c := of(t, transformed(corners, func(x, y float64) (float64, float64) { return -x, y }))
		d := of(t, transformed(corners, func(x, y float64) (float64, float64) { return cos*x - sin*y, sin*x + cos*y }))
		switch {
		case a["second_moment_x"] != b["second_moment_y"], a["second_moment_y"] != b["second_moment_x"], a["product_moment"] != -b["product_moment"],
			a["centroid_x"] != b["centroid_y"], a["centroid_y"] != -b["centroid_x"]:
			t.Fatalf("%v, turned by a right angle %v", a, b)
		case a["second_moment_x"] != c["second_moment_x"], a["product_moment"] != -c["product_moment"], a["centroid_x"] != -c["centroid_x"]:
			t.Fatalf("%v, mirrored %v", a, c)
		}
		for _, name := range []string{"area", "perimeter", "principal_moment_1", "principal_moment_2"} {
			if a[name] != b[name] || a[name] != c[name] || !near(a[name], d[name], 1e-12) {
				t.Fatalf("%s = %v, turned %v and %v, mirrored %v", name, a[name], b[name], d[name], c[name])
			}
		}
		ix, iy, ixy := a["second_moment_x"], a["second_moment_y"], a["product_moment"]
		if want := ix*cos*cos + iy*sin*sin + 2*ixy*sin*cos; !near(d["second_moment_x"], want, 1e-12) {
			t.Fatalf("second moment %v, want %v", d["second_moment_x"], want)
		}
		i1, i2 := a["principal_moment_1"], a["principal_moment_2"]
		if !near(ix+iy, i1+i2, 1e-15) || !near(ix*iy-ixy*ixy, i1*i2, 1e-13) || i1 < max(ix, iy) || i2 > min(ix, iy) || i2 <= 0 {
			t.Fatalf("Ix %v, Iy %v, Ixy %v; I1 %v, I2 %v", ix, iy, ixy, i1, i2)
		}
		// No shape of this area has less than the circle, or a shorter outline.
		if least := a["area"] * a["area"] / (2 * math.Pi); i1+i2 < least || a["perimeter"] < math.Sqrt(4*math.Pi*a["area"]) {
			t.Fatalf("polar moment %v below %v, the polar moment of the circle; perimeter %v", i1+i2, least, a["perimeter"])
		}
	})
}

// TestCutInTwo cuts along a line between two corners of a convex polygon: areas add up,
// and second moments by the parallel axis theorem.
func TestCutInTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 9).Draw(t, "corners")
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

// TestAgreesWithISection draws the outline of an I-section.
func TestAgreesWithISection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := func(name string, from, to int) float64 { return float64(rapid.IntRange(from, to).Draw(t, name)) }
		b, d := whole("half flange", 2, 50), whole("half depth", 2, 50)
		w, inner := whole("half web", 1, int(b)-1), whole("half hole", 1, int(d)-1)
		got := of(t, [][]float64{
			{-b, -d}, {b, -d}, {b, -inner}, {w, -inner}, {w, inner}, {b, inner},
			{b, d}, {-b, d}, {-b, inner}, {-w, inner}, {-w, -inner}, {-b, -inner},
		})
		want := ask.For(t, iSection, ask.In{"depth": 2 * d, "flange_width": 2 * b, "flange_thickness": d - inner, "web_thickness": 2 * w}).Number
		for _, name := range []string{"area", "second_moment_x", "second_moment_y", "radius_of_gyration_x", "radius_of_gyration_y"} {
			if got[name] != want[name] {
				t.Fatalf("%s = %v, want %v", name, got[name], want[name])
			}
		}
		if got["perimeter"] != 4*(2*b+d-w) || got["centroid_x"] != 0 || got["centroid_y"] != 0 || got["product_moment"] != 0 {
			t.Fatalf("perimeter, centroid or product moment of %v", got)
		}
	})
}

// codeOf returns the code of the rejection of the polygon, "" if it has a result.
func codeOf(t ask.Tester, corners [][]float64) string {
	t.Helper()
	_, err := ask.Try(t, engine, ask.In{"vertices": corners})
	if err == nil {
		return ""
	}
	code, _ := ask.Code(t, engine, ask.In{"vertices": corners})
	return code
}

// TestCrossing compares the engine with an independent method, which computes in integers where two edges
// meet. The polygons are on a small grid, and most of them cross, touch, or run along themselves.
func TestCrossing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 9).Draw(t, "size")
		corners := rapid.SliceOfN(rapid.SliceOfN(rapid.Map(rapid.IntRange(0, size), func(i int) float64 { return float64(i) }), 2, 2), 3, 9).Draw(t, "corners")
		want := judge(corners)
		if got := codeOf(t, corners); got != want {
			t.Fatalf("%v: %q, want %q", corners, got, want)
		}
		// Neither the first corner, nor the direction, nor a turn of the plane, nor a repeated corner changes the answer.
		slices.Reverse(corners)
		corners = append(corners[1:], corners[0], corners[0])
		corners = transformed(corners, func(x, y float64) (float64, float64) { return 7 - y, x - 1 })
		if again := codeOf(t, corners); again != want {
			t.Fatalf("%v: %q, want %q", corners, again, want)
		}
	})
}

// judge returns the code that a polygon with small whole coordinates is rejected with.
func judge(corners [][]float64) string {
	type whole struct{ x, y int }
	var list []whole
	for _, c := range corners {
		p := whole{int(c[0]), int(c[1])}
		if len(list) == 0 || p != list[len(list)-1] {
			list = append(list, p)
		}
	}
	for len(list) > 1 && list[0] == list[len(list)-1] {
		list = list[:len(list)-1]
	}
	n, area := len(list), false
	for i := range list {
		for k := range list {
			a, b, c := list[0], list[i], list[k]
			area = area || (b.x-a.x)*(c.y-a.y) != (b.y-a.y)*(c.x-a.x)
		}
	}
	if !area {
		return "DEGENERATE_POLYGON"
	}
	for i := range list {
		for k := range i {
			a, b, c, d := list[i], list[(i+1)%n], list[k], list[(k+1)%n]
			dx, dy, ex, ey := b.x-a.x, b.y-a.y, d.x-c.x, d.y-c.y
			if det := dx*ey - dy*ex; det != 0 { // a + s/det (b - a) = c + u/det (d - c)
				s, u := (c.x-a.x)*ey-(c.y-a.y)*ex, (c.x-a.x)*dy-(c.y-a.y)*dx
				if det < 0 {
					s, u, det = -s, -u, -det
				}
				inside := s >= 0 && s <= det && u >= 0 && u <= det
				neighbour := s == det && u == 0 && (i+1)%n == k || s == 0 && u == det && (k+1)%n == i
				if inside && !neighbour {
					return "SELF_CROSSING_POLYGON"
				}
			} else if (c.x-a.x)*dy == (c.y-a.y)*dx { // on one line: compare the places along it
				along := func(p whole) int { return (p.x-a.x)*dx + (p.y-a.y)*dy }
				from, to := min(along(c), along(d)), max(along(c), along(d))
				common := min(to, along(b)) - max(from, 0)
				neighbours := (i+1)%n == k || (k+1)%n == i
				if common > 0 || common == 0 && !neighbours {
					return "SELF_CROSSING_POLYGON"
				}
			}
		}
	}
	return ""
}

// TestOutlinesThatNearlyTouch moves the tip of a notch by one unit in the last place, at any magnitude.
func TestOutlinesThatNearlyTouch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slope := rapid.Float64Range(0.1, 3).Draw(t, "slope")
		x := rapid.Float64Range(0.5, 1.5).Draw(t, "x")
		shift := rapid.IntRange(-200, 200).Draw(t, "shift")
		line := new(big.Rat).Mul(new(big.Rat).SetFloat64(slope), new(big.Rat).SetFloat64(x)) // the edge from (0, 0) to (2, 2 slope)
		y := slope * x
		for _, tip := range []float64{math.Nextafter(y, -1), y, math.Nextafter(y, 9)} {
			want := "SELF_CROSSING_POLYGON"
			if new(big.Rat).SetFloat64(tip).Cmp(line) > 0 {
				want = ""
			}
			corners := transformed([][]float64{{0, 0}, {2, 2 * slope}, {2, 9}, {x, tip}, {0, 9}}, func(x, y float64) (float64, float64) { return math.Ldexp(x, shift), math.Ldexp(y, shift) })
			if got := codeOf(t, corners); got != want {
				t.Fatalf("tip (%v, %v): %q, want %q", x, tip, got, want)
			}
		}
	})
}
