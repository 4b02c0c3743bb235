package main

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/slipstick/slipstick/plugins/internal/adaptive"
)

// point is a corner.
type point [2]float64

// compare orders points from left to right, and from below to above where their x is equal.
func (p point) compare(q point) int { return cmp.Or(cmp.Compare(p[0], q[0]), cmp.Compare(p[1], q[1])) }

// edge joins a corner to the next different one.
type edge struct {
	a, b        point
	left, right point // a and b in the order of compare
	from, to    int   // numbers of a and b among the vertices that were sent, from 1
}

// edgesOf returns the edges in order around the polygon. A corner that repeats the previous one makes no edge.
func edgesOf(corners [][]float64) []edge {
	edges := make([]edge, 0, len(corners))
	for i := range corners {
		next := (i + 1) % len(corners)
		e := edge{a: point(corners[i]), b: point(corners[next]), from: i + 1, to: next + 1}
		e.left, e.right = e.a, e.b
		switch order := e.a.compare(e.b); {
		case order == 0:
			continue
		case order > 0:
			e.left, e.right = e.b, e.a
		}
		edges = append(edges, e)
	}
	return edges
}

// onOneLine reports whether all corners are on one straight line.
func onOneLine(edges []edge) bool {
	return !slices.ContainsFunc(edges, func(e edge) bool { return turn(edges[0].a, edges[0].b, e.b) != 0 })
}

// crossing returns two edges that have a point in common which is not the corner between them. A polygon is simple if
// there are none.
//
// A line sweeps over the plane from corner to corner (Shamos and Hoey 1976). Of the edges that it cuts, only neighbours can
// be the next to cross, so n corners take n log n comparisons, however many edges run side by side. Where an outline
// touches or repeats itself, a corner is on an edge that the line cuts, or in the place of another corner.
func crossing(edges []edge) (one, other *edge, found bool) {
	n := len(edges)
	order := make([]int, n) // of the corners: i is where edge i begins
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, k int) int { return edges[i].a.compare(edges[k].a) })
	var cut []*edge // from below to above
	for i, at := range order {
		v, before, after := edges[at].a, &edges[(at+n-1)%n], &edges[at]
		if i > 0 && edges[order[i-1]].a == v {
			return &edges[order[i-1]], after, true
		}
		low := sort.Search(len(cut), func(k int) bool { return turn(cut[k].left, cut[k].right, v) <= 0 })
		high := low
		for ; high < len(cut) && turn(cut[high].left, cut[high].right, v) == 0; high++ {
			if e := cut[high]; e != before && e != after {
				return e, after, true
			}
		}
		var begun []*edge
		switch {
		case before.left == v && after.left == v:
			side := turn(v, before.a, after.b)
			if side == 0 {
				return before, after, true
			}
			if begun = []*edge{before, after}; side < 0 {
				begun = []*edge{after, before}
			}
		case before.left == v:
			begun = []*edge{before}
		case after.left == v:
			begun = []*edge{after}
		}
		cut = slices.Replace(cut, low, high, begun...)
		for k := max(low, 1); k <= low+len(begun) && k < len(cut); k++ {
			if cross(cut[k-1], cut[k]) {
				return cut[k-1], cut[k], true
			}
		}
	}
	return nil, nil, false
}

// cross reports whether each of two edges has its ends on both sides of the other one.
func cross(e, f *edge) bool {
	return turn(e.a, e.b, f.a)*turn(e.a, e.b, f.b) < 0 && turn(f.a, f.b, e.a)*turn(f.a, f.b, e.b) < 0
}

// turn returns 1 if the way from a over b to c turns left, -1 if it turns right, and 0 if the points are on one line.
// The answer is exact: a bound of the rounding errors decides first, and exact arithmetic where it does not.
func turn(a, b, c point) int {
	left := float64((b[0] - a[0]) * (c[1] - a[1]))
	right := float64((b[1] - a[1]) * (c[0] - a[0]))
	// The error of the difference is below (3u + 16u^2)(|left| + |right|) with u = 2^-53 (Shewchuk 1997), and below 2^-1000
	// for products under the least normal number. Where something overflows, nothing is greater than the bound.
	if det := left - right; math.Abs(det) > float64(4e-16*(math.Abs(left)+math.Abs(right)))+0x1p-1000 {
		return int(math.Copysign(1, det))
	}
	return adaptive.Sign(func(x *adaptive.X) adaptive.Num {
		difference := func(p, q float64) adaptive.Num { return x.Of(p).Sub(x.Of(q)) }
		return difference(b[0], a[0]).Times(difference(c[1], a[1])).Sub(difference(b[1], a[1]).Times(difference(c[0], a[0])))
	})
}
