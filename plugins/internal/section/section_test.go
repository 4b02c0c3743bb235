package section_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
	"github.com/slipstick/slipstick/plugins/internal/section"
)

// strips makes a section of rectangles of given breadth and depth.
func strips(sizes ...[2]float64) section.Strips {
	return func(x *adaptive.X) []section.Strip {
		var list []section.Strip
		for _, size := range sizes {
			list = append(list, section.Strip{Breadth: x.Of(size[0]), Depth: x.Of(size[1])})
		}
		return list
	}
}

func value(t *rapid.T, f func(*adaptive.X) adaptive.Num) float64 {
	return adaptive.Round(t.Context(), "", f)
}

// size is a dimension whose fourth powers binary64 holds exactly, so that properties
// hold to the last bit.
func size(t *rapid.T, name string) float64 {
	return float64(rapid.IntRange(1, 2000).Draw(t, name)) / 8
}

// TestStripsAgreeWithIntegration sums thin layers: the rule of Simpson is exact for
// squares, and the middle of a rectangle is a joint.
func TestStripsAgreeWithIntegration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, h := size(t, "b"), size(t, "h")
		s := strips([2]float64{b, h})
		third := func(y float64) float64 { return b * y * y } // of the second moment, at height y
		if got, want := value(t, s.SecondMoment), h/6*(third(-h/2)+4*third(0)+third(h/2)); math.Abs(got-want) > 1e-15*want {
			t.Fatalf("second moment %v, want %v", got, want)
		}
		first := func(y float64) float64 { return b * y }
		if got, want := value(t, s.PlasticModulus), 2*(h/2)/6*(first(0)+4*first(h/4)+first(h/2)); math.Abs(got-want) > 1e-15*want {
			t.Fatalf("plastic modulus %v, want %v", got, want)
		}
	})
}

func TestHolesAreTakenAway(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, h := size(t, "b")+1, size(t, "h")+1
		bi, hi := size(t, "bi"), size(t, "hi")
		whole, hole, hollow := strips([2]float64{b, h}), strips([2]float64{bi, hi}), strips([2]float64{b, h}, [2]float64{-bi, hi})
		for name, of := range map[string]func(section.Strips) func(*adaptive.X) adaptive.Num{
			"area":            func(s section.Strips) func(*adaptive.X) adaptive.Num { return s.Area },
			"second moment":   func(s section.Strips) func(*adaptive.X) adaptive.Num { return s.SecondMoment },
			"plastic modulus": func(s section.Strips) func(*adaptive.X) adaptive.Num { return s.PlasticModulus },
		} {
			outer, inner := value(t, of(whole)), value(t, of(hole))
			if got, want := value(t, of(hollow)), outer-inner; math.Abs(got-want) > 4e-16*(outer+inner) {
				t.Fatalf("%s %v, of the whole less that of the hole %v", name, got, want)
			}
		}
	})
}

func TestBendingIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, h := size(t, "b"), size(t, "h")
		s := strips([2]float64{b, h})
		got := s.Round(t.Context(), "x", h)
		for name, pair := range map[string][2]float64{
			"second moment":   {got.SecondMoment, got.SectionModulus * h / 2},
			"shape factor":    {got.PlasticModulus, 1.5 * got.SectionModulus},
			"gyration":        {got.SecondMoment, got.RadiusOfGyration * got.RadiusOfGyration * value(t, s.Area)},
			"plastic modulus": {got.PlasticModulus, value(t, s.PlasticModulus)},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-15*pair[0] {
				t.Fatalf("%s: %v and %v", name, pair[0], pair[1])
			}
		}
	})
}

// TestRingAgreesWithPolygon compares with a regular polygon of many corners between the
// circles that touch it inside and outside.
func TestRingAgreesWithPolygon(t *testing.T) {
	const corners = 20000
	r := 1.5
	area, polar := 0.0, 0.0
	a := 2 * math.Pi / corners
	area = corners / 2 * r * r * math.Sin(a)
	polar = corners / 2.0 * math.Pow(r, 4) * math.Sin(a) * (2 + math.Cos(a)) / 6
	ring := section.Ring{Outer: 2 * r}
	for name, pair := range map[string][2]float64{
		"area":         {adaptive.Round(t.Context(), "", ring.Area), area},
		"polar moment": {adaptive.Round(t.Context(), "", ring.PolarMoment), polar},
	} {
		if off := pair[0]/pair[1] - 1; off < 0 || off > 1e-7 {
			t.Errorf("%s %v, of the polygon inside %v", name, pair[0], pair[1])
		}
	}
}

func TestRingIsCircleLessHole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		outer := size(t, "outer") + 1
		inner := min(size(t, "inner"), outer-0.125)
		ring, circle, hole := section.Ring{outer, inner}, section.Ring{Outer: outer}, section.Ring{Outer: inner}
		for name, of := range map[string]func(section.Ring) func(*adaptive.X) adaptive.Num{
			"area":            func(r section.Ring) func(*adaptive.X) adaptive.Num { return r.Area },
			"polar moment":    func(r section.Ring) func(*adaptive.X) adaptive.Num { return r.PolarMoment },
			"plastic modulus": func(r section.Ring) func(*adaptive.X) adaptive.Num { return r.PlasticModulus },
		} {
			whole, less := value(t, of(circle)), value(t, of(hole))
			if got := value(t, of(ring)); math.Abs(got-(whole-less)) > 4e-16*(whole+less) {
				t.Fatalf("%s of the ring %v, circle %v, hole %v", name, got, whole, less)
			}
		}
	})
}
