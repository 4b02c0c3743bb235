package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
)

// near is the part of a plot by which coordinates can differ.
const near = 1e-9

// plotDifferences are meant.
var plotDifferences = map[string]struct {
	within float64 // part of the plot, for lines that have other points
	points bool    // they are not compared
	reason string
}{
	"deflection": {within: 1e-3, points: true, reason: "extremes are the largest of 101 places"},
	"moment":     {within: 1e-3, points: true, reason: "extremes are the largest of 101 places"},
	"shear":      {within: 1e-4, reason: "curves have other places"},
	"sketch":     {within: 1e-3, reason: "curves have other places"},
}

// The plots of the document have the elements, places and labels of the plots of the engine.
func TestSamePlots(t *testing.T) {
	plots, requests := document.Spec().Plots, ask.Vectors(document, document.(interface{ Vectors() []byte }).Vectors())
	for i, plot := range engine.Spec().Plots {
		got := plots[i]
		got.Summary, plot.Summary = "", ""
		if got != plot {
			t.Errorf("the document has\n%+v\nwant\n%+v", got, plot)
		}
		drawn := 0
		for _, in := range requests {
			want, err := engine.(sdk.Plotter).Draw(t.Context(), plot.ID, in)
			if err != nil || isExtreme(want) {
				continue
			}
			got, err := document.(sdk.Plotter).Draw(t.Context(), plot.ID, in)
			if err != nil {
				t.Errorf("%s of %v: %v", plot.ID, in, err)
				continue
			}
			drawn++
			c := plotComparison{within: plotDifferences[plot.ID].within}
			c.figures(got, want, !plotDifferences[plot.ID].points)
			if len(c.differences) > 0 {
				t.Errorf("%s of %v: %d differences, the first is %s", plot.ID, in, len(c.differences), c.differences[0])
			}
		}
		if drawn < 10 {
			t.Errorf("%s: %d vectors have a plot", plot.ID, drawn)
		}
	}
}

// plotComparison collects differences of two plots.
type plotComparison struct {
	within        float64
	width, height float64
	differences   []string
}

func (c *plotComparison) figures(got, want *sdk.Figure, points bool) {
	for _, curve := range want.Curves {
		c.width, c.height = max(c.width, extent(curve.X)), max(c.height, extent(curve.Y))
	}
	for _, f := range []*sdk.Figure{got, want} {
		slices.SortFunc(f.Curves, func(a, b sdk.Curve) int { return cmp.Compare(a.Label, b.Label) })
		slices.SortFunc(f.Points, func(a, b sdk.Point) int { return cmp.Compare(a.Label, b.Label) })
	}
	each(c, "curve", got.Curves, want.Curves, func(a, b sdk.Curve) bool {
		return a.Label == b.Label && a.Style == b.Style && c.line(a.X, a.Y, b.X, b.Y)
	})
	each(c, "shape", got.Shapes, want.Shapes, func(a, b sdk.Shape) bool { return a.Label == b.Label && c.line(a.X, a.Y, b.X, b.Y) })
	if points {
		each(c, "point", got.Points, want.Points, func(a, b sdk.Point) bool { return a.Label == b.Label && c.same(a.X, a.Y, b.X, b.Y) })
	}
	each(c, "couple", got.Couples, want.Couples, func(a, b sdk.Couple) bool {
		return a.Label == b.Label && a.Counterclockwise == b.Counterclockwise && c.same(a.X, a.Y, b.X, b.Y)
	})
	each(c, "support", got.Supports, want.Supports, func(a, b sdk.Support) bool { return a.Kind == b.Kind && c.same(a.X, a.Y, b.X, b.Y) })
	if len(got.Arrows)+len(got.Dimensions)+len(got.Family) > 0 {
		c.differences = append(c.differences, "an arrow, a dimension or a family")
	}
}

// each compares parts of a kind in their order.
func each[T any](c *plotComparison, kind string, got, want []T, same func(a, b T) bool) {
	if !slices.EqualFunc(got, want, same) {
		c.differences = append(c.differences, fmt.Sprintf("%s\n%.500s, want\n%.500s", kind, fmt.Sprint(got), fmt.Sprint(want)))
	}
}

func (c *plotComparison) same(x, y, wantX, wantY float64) bool {
	return math.Abs(x-wantX) <= near*c.width && math.Abs(y-wantY) <= near*c.height
}

// line compares two lines. They have the same points, or the points of each are on the other one. A line of the document
// can have fewer places if the exact evaluator computes it.
func (c *plotComparison) line(xs, ys, wantXs, wantYs []float64) bool {
	if len(xs) == len(wantXs) {
		all := true
		for i := range xs {
			all = all && c.same(xs[i], ys[i], wantXs[i], wantYs[i])
		}
		if all {
			return true
		}
	}
	on := func(xs, ys, lineX, lineY []float64) bool {
		for i := range xs {
			least := math.Inf(1)
			for k := range len(lineX) - 1 {
				least = min(least, c.apart(xs[i], ys[i], lineX[k], lineY[k], lineX[k+1], lineY[k+1]))
			}
			if least > c.within {
				return false
			}
		}
		return true
	}
	last, wantLast := len(xs)-1, len(wantXs)-1
	fewer := last >= 9 && last < wantLast && c.same(xs[0], ys[0], wantXs[0], wantYs[0]) && c.same(xs[last], ys[last], wantXs[wantLast], wantYs[wantLast])
	return on(xs, ys, wantXs, wantYs) && (fewer || on(wantXs, wantYs, xs, ys))
}

// apart returns the distance of a point and a piece of a line, as a part of the plot.
func (c *plotComparison) apart(x, y, fromX, fromY, toX, toY float64) float64 {
	w, h := max(c.width, 1e-300), max(c.height, 1e-300)
	dx, dy, px, py := (toX-fromX)/w, (toY-fromY)/h, (x-fromX)/w, (y-fromY)/h
	part := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		part = min(1, max(0, (px*dx+py*dy)/length))
	}
	return math.Hypot(px-part*dx, py-part*dy)
}

// isExtreme reports whether a plot has numbers near the ends of the range of binary64, where documents leave out parts.
func isExtreme(f *sdk.Figure) bool {
	return slices.ContainsFunc(f.Curves, func(c sdk.Curve) bool {
		x, y := extent(c.X), extent(c.Y)
		return x > 1e300 || y > 1e300 || x < 1e-300 && x > 0 || y < 1e-300 && y > 0
	})
}

func extent(list []float64) float64 {
	most := 0.0
	for _, x := range list {
		most = max(most, math.Abs(x))
	}
	return most
}
