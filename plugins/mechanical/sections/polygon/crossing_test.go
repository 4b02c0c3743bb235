package main

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

// codeOf returns the code of the rejection of the polygon, "" if it has a result.
func codeOf(t ask.Tester, corners [][]float64) string {
	t.Helper()
	_, err := engine.Calculate(t.Context(), values(corners))
	if err == nil {
		return ""
	}
	rejection, ok := err.(*sdk.Error)
	if !ok {
		t.Fatalf("%v: %v", corners, err)
	}
	return rejection.Code
}

// TestCrossing decides polygons on a small grid, of which most cross, touch, or run along themselves, as an
// independent method does that computes in integers where two edges meet.
func TestCrossing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 9).Draw(t, "size")
		corners := rapid.SliceOfN(rapid.SliceOfN(rapid.Map(rapid.IntRange(0, size), func(i int) float64 { return float64(i) }), 2, 2), 3, 12).Draw(t, "corners")
		want := judge(corners)
		if got := codeOf(t, corners); got != want {
			t.Fatalf("%v: %q, want %q", corners, got, want)
		}
		// Neither the first corner, nor the direction, nor a turn of the plane changes that; nor does a corner that is given twice.
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
		return degeneratePolygon
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
					return selfCrossing
				}
			} else if (c.x-a.x)*dy == (c.y-a.y)*dx { // on one line: compare the places along it
				along := func(p whole) int { return (p.x-a.x)*dx + (p.y-a.y)*dy }
				from, to := min(along(c), along(d)), max(along(c), along(d))
				common := min(to, along(b)) - max(from, 0)
				neighbours := (i+1)%n == k || (k+1)%n == i
				if common > 0 || common == 0 && !neighbours {
					return selfCrossing
				}
			}
		}
	}
	return ""
}

// TestTurnIsExact compares with fractions at points that are a few units in the last place from a line, at any magnitude,
// and where products leave the range of binary64.
func TestTurnIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	number := func() float64 { return 4*random.Float64() - 2 }
	naive := 0
	for _, scale := range []float64{1, 0x1p30, 0x1p-30, 0x1p511, 0x1p1000, 0x1p-500, 0x1p-537, 0x1p-1060} {
		for range 500 {
			a, b, s := point{number(), number()}, point{number(), number()}, number()
			c := point{a[0] + s*(b[0]-a[0]), a[1] + s*(b[1]-a[1])}
			for i := range c {
				for range random.IntN(4) {
					c[i] = math.Nextafter(c[i], math.Inf(2*random.IntN(2)-1))
				}
			}
			for _, p := range []*point{&a, &b, &c} {
				p[0], p[1] = p[0]*scale, p[1]*scale
			}
			difference := func(x, y float64) *big.Rat {
				return new(big.Rat).Sub(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
			}
			left := new(big.Rat).Mul(difference(b[0], a[0]), difference(c[1], a[1]))
			right := new(big.Rat).Mul(difference(b[1], a[1]), difference(c[0], a[0]))
			want := left.Cmp(right)
			if got := turn(a, b, c); got != want {
				t.Fatalf("turn(%v, %v, %v) = %d, want %d", a, b, c, got, want)
			}
			if det := (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0]); want != 0 && (det > 0) != (want > 0) {
				naive++
			}
		}
	}
	if naive == 0 {
		t.Error("binary64 decides all points correctly: they are not near enough to the line")
	}
}

// TestOutlinesThatNearlyTouch moves the tip of a notch by one unit in the last place.
func TestOutlinesThatNearlyTouch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slope := rapid.Float64Range(0.1, 3).Draw(t, "slope")
		x := rapid.Float64Range(0.5, 1.5).Draw(t, "x")
		line := new(big.Rat).Mul(new(big.Rat).SetFloat64(slope), new(big.Rat).SetFloat64(x)) // the edge from (0, 0) to (2, 2 slope)
		y := slope * x
		for _, tip := range []float64{math.Nextafter(y, -1), y, math.Nextafter(y, 9)} {
			want := selfCrossing
			if new(big.Rat).SetFloat64(tip).Cmp(line) > 0 {
				want = ""
			}
			if got := codeOf(t, [][]float64{{0, 0}, {2, 2 * slope}, {2, 9}, {x, tip}, {0, 9}}); got != want {
				t.Fatalf("tip (%v, %v): %q, want %q", x, tip, got, want)
			}
		}
	})
}

// TestMessageNamesTheEdges counts corners from 1, as they were sent.
func TestMessageNamesTheEdges(t *testing.T) {
	_, err := engine.Calculate(t.Context(), values([][]float64{{0, 0}, {0, 0}, {1, 1}, {1, 0}, {0, 1}}))
	const want = "the outline crosses, touches or repeats itself: the edge from corner 2 to corner 3 meets the edge from corner 4 to corner 5, where the first corner is number 1"
	if rejection, ok := err.(*sdk.Error); !ok || rejection.Detail != want {
		t.Errorf("%v, want %s", err, want)
	}
}
