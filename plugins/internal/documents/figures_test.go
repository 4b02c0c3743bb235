package documents

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/plugins/internal/library"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// Coordinates agree if they differ by at most this part of the plot.
const near = 1e-9

// exception is a plot that a document draws in another way than the engine.
type exception struct {
	within  float64 // of the plot, for lines that have other points
	parts   string  // kinds of parts that are not compared
	vectors string  // that are not compared
	axes    bool    // which are not compared
	reason  string
}

var exceptions = map[string]exception{
	"electrical/circuits/rlc_series_resonance/impedance":                                {vectors: "X005", axes: true, reason: "the engine cancels near resonance; the document has no symbol |Z|, which is not a name"},
	"electrical/power/power_factor_correction/triangle":                                 {axes: true, reason: "the axis of reactive power is in W in place of var"},
	"electrical/power/power_triangle/triangle":                                          {vectors: "X033", reason: "the engine rounds an angle to 0"},
	"fluids/bernoulli/downstream_pressure/heads":                                        {vectors: "X012", reason: "the engine cancels in heads from a rounded pressure"},
	"fluids/pipe/friction_factor/moody":                                                 {within: 1e-6, vectors: "X021 X023", reason: "insertion into Colebrook's equation converges slowly below Re = 1000; far outside of the chart the zone is not as high"},
	"fluids/pipe/darcy_weisbach/moody":                                                  {vectors: "X008", reason: "the document leaves out places that only the exact evaluator computes"},
	"mechanical/stress/thick_cylinder/stress":                                           {vectors: "X013", reason: "the document leaves out places that only the exact evaluator computes"},
	"mechanical/sections/circle/section":                                                {within: 2e-3, reason: "circles have equal angles between their points"},
	"mechanical/springs/helical_compression/index":                                      {within: 2e-3, vectors: "X010", reason: "the places of the curve are equally far apart"},
	"mechanical/stress/plane_stress/mohr":                                               {within: 2e-3, reason: "circles have equal angles between their points"},
	"mechanical/vibration/sdof/response":                                                {within: 1e-6, axes: true, reason: "the engine cancels near critical damping; the document has no symbol x/x_0, which is not a name"},
	"statistics/regression/linear/fit":                                                  {vectors: "X014 X028", reason: "of more than 200 observations the document takes others; the engine rounds neighbouring x"},
	"thermo/conduction/cylinder/temperature":                                            {vectors: "X005 X007", reason: "the engine takes straight lines in very thin layers"},
	"thermo/conduction/plane_wall/temperature":                                          {vectors: "X011", reason: "of more than 190 faces the document draws the first ones, and the engine none"},
	"mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection/deflection": {within: 1e-3, parts: "point", reason: "extremes are the largest of 101 places"},
	"mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection/moment":     {within: 1e-3, parts: "point", reason: "extremes are the largest of 101 places"},
	"mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection/shear":      {within: 1e-4, reason: "curves have other places"},
	"mechanical/statics/cantilever_wall_triangle_outer_moment_at_deflection/sketch":     {within: 1e-3, reason: "curves have other places"},
}

// The plots of documents have the elements, places and labels of the plots of Go engines.
func TestFigures(t *testing.T) {
	if library.Again(t) {
		return
	}
	for _, e := range library.Engines {
		document := documentOf(t, e.Dir)
		vectors, err := vector.Parse(document.Vectors())
		if err != nil {
			t.Fatal(err)
		}
		for _, plot := range e.Spec().Plots {
			id := e.Dir + "/" + plot.ID
			at := slices.IndexFunc(document.Spec().Plots, func(p sdk.Plot) bool { return p.ID == plot.ID })
			if at < 0 {
				t.Errorf("%s: the document has no such plot", id)
				continue
			}
			got := document.Spec().Plots[at]
			if !exceptions[id].axes && !sameAxes(got, plot) {
				t.Errorf("%s: the document has\n%+v\nwant\n%+v", id, got, plot)
			}
			drawn := 0
			for i := range vectors {
				drawn += compareFigure(t, id, plot.ID, e, document, &vectors[i])
			}
			if drawn == 0 {
				t.Errorf("%s: no vector has a figure", id)
			}
		}
	}
}

// compareFigure draws both plots of a vector. It returns how many it compared.
func compareFigure(t *testing.T, id, plot string, e library.Engine, document *text.Engine, v *vector.Vector) int {
	in, of := read(e.Engine, v), read(document, v)
	if of == nil || slices.Contains(v.Warnings, sdk.WarnResultUnderflow) || slices.Contains(strings.Fields(exceptions[id].vectors), v.ID) {
		return 0
	}
	if in == nil {
		in = asLists(of)
	}
	want, err := e.Engine.(sdk.Plotter).Draw(t.Context(), plot, in)
	if err != nil {
		return 0
	}
	if isExtreme(want) {
		return 0
	}
	got, err := document.Draw(t.Context(), plot, of)
	if err != nil {
		t.Errorf("%s, vector %s: %v", id, v.ID, err)
		return 1
	}
	c := comparer{within: exceptions[id].within, skip: exceptions[id].parts}
	c.figures(got, want)
	if len(c.differences) > 0 {
		t.Errorf("%s, vector %s: %d differences, the first is %s", id, v.ID, len(c.differences), c.differences[0])
	}
	return 1
}

// comparer collects differences of two plots.
type comparer struct {
	within      float64
	skip        string
	size        [2]float64
	differences []string
}

func (c *comparer) figures(got, want *sdk.Figure) {
	for _, curve := range want.Curves {
		c.size[0], c.size[1] = max(c.size[0], extent(curve.X)), max(c.size[1], extent(curve.Y))
	}
	if got.Family != want.Family {
		c.add("family %q, want %q", got.Family, want.Family)
	}
	for _, f := range []*sdk.Figure{got, want} {
		f.Curves = joined(f.Curves)
		slices.SortFunc(f.Points, func(a, b sdk.Point) int {
			return cmp.Or(cmp.Compare(short(a.Label), short(b.Label)), cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
		})
	}
	each(c, "curve", got.Curves, want.Curves, func(a, b sdk.Curve) bool {
		return alike(a.Label, b.Label) && a.Style == b.Style && c.line(a.X, a.Y, b.X, b.Y)
	})
	each(c, "shape", got.Shapes, want.Shapes, func(a, b sdk.Shape) bool { return alike(a.Label, b.Label) && c.line(a.X, a.Y, b.X, b.Y) })
	each(c, "point", got.Points, want.Points, func(a, b sdk.Point) bool { return alike(a.Label, b.Label) && c.same(a.X, a.Y, b.X, b.Y) })
	each(c, "arrow", got.Arrows, want.Arrows, func(a, b sdk.Arrow) bool {
		return alike(a.Label, b.Label) && c.same(a.X, a.Y, b.X, b.Y) && c.same(a.ToX, a.ToY, b.ToX, b.ToY)
	})
	each(c, "couple", got.Couples, want.Couples, func(a, b sdk.Couple) bool {
		return alike(a.Label, b.Label) && a.Counterclockwise == b.Counterclockwise && c.same(a.X, a.Y, b.X, b.Y)
	})
	each(c, "support", got.Supports, want.Supports, func(a, b sdk.Support) bool { return a.Kind == b.Kind && c.same(a.X, a.Y, b.X, b.Y) })
	each(c, "dimension", got.Dimensions, want.Dimensions, func(a, b sdk.Dimension) bool {
		return alike(a.Label, b.Label) && unbraced(a.Symbol) == unbraced(b.Symbol) && a.Side == b.Side && c.same(a.X, a.Y, b.X, b.Y) && c.same(a.ToX, a.ToY, b.ToX, b.ToY) &&
			c.same(a.Length, 0, b.Length, 0)
	})
}

// joined returns curves in the order of their labels. Neighbours with one label and style that touch are one line.
func joined(curves []sdk.Curve) (list []sdk.Curve) {
	for _, c := range curves {
		last := len(list) - 1
		if last >= 0 && list[last].Label == c.Label && list[last].Style == c.Style && list[last].X[len(list[last].X)-1] == c.X[0] {
			list[last].X, list[last].Y = append(list[last].X, c.X...), append(list[last].Y, c.Y...)
			continue
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b sdk.Curve) int { return cmp.Compare(short(a.Label), short(b.Label)) })
	return list
}

func (c *comparer) add(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// each compares parts of a kind in their order.
func each[T any](c *comparer, kind string, got, want []T, same func(a, b T) bool) {
	if strings.Contains(c.skip, kind) {
		return
	}
	if len(got) != len(want) {
		c.add("%d parts of the kind %s, want %d\n%.300v\n%.300v", len(got), kind, len(want), fmt.Sprint(got), fmt.Sprint(want))
		return
	}
	for i := range got {
		if !same(got[i], want[i]) {
			c.add("%s %d is\n%.500s, want\n%.500s", kind, i, fmt.Sprint(got[i]), fmt.Sprint(want[i]))
		}
	}
}

func (c *comparer) same(x, y, wantX, wantY float64) bool {
	return math.Abs(x-wantX) <= near*c.size[0] && math.Abs(y-wantY) <= near*c.size[1]
}

// line compares two lines. They have the same points, or the points of each are on the other one. A line of a document
// can have fewer places if the exact evaluator computes it.
func (c *comparer) line(xs, ys, wantXs, wantYs []float64) bool {
	if len(xs) == len(wantXs) {
		all := true
		for i := range xs {
			all = all && c.same(xs[i], ys[i], wantXs[i], wantYs[i])
		}
		if all {
			return true
		}
	}
	within := max(near, c.within)
	on := func(xs, ys, lineX, lineY []float64) bool {
		for i := range xs {
			least := math.Inf(1)
			for k := range len(lineX) - 1 {
				least = min(least, c.apart(xs[i], ys[i], lineX[k], lineY[k], lineX[k+1], lineY[k+1]))
			}
			if least > within {
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
func (c *comparer) apart(x, y, fromX, fromY, toX, toY float64) float64 {
	w, h := max(c.size[0], 1e-300), max(c.size[1], 1e-300)
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

var numbers = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?`)

// alike reports whether two labels are the same, with numbers of three digits. The unit of a quantity after = can differ.
func alike(a, b string) bool { return short(a) == short(b) }

func short(label string) string {
	label, _, _ = strings.Cut(label, " = ")
	return numbers.ReplaceAllStringFunc(label, func(number string) string {
		x, _ := strconv.ParseFloat(number, 64)
		return strconv.FormatFloat(x, 'g', 3, 64)
	})
}

// asLists returns inputs with lists in place of records in lists.
func asLists(in value.Values) value.Values {
	in = slices.Clone(in)
	for i, v := range in {
		var lists []value.Value
		for _, item := range v.Items() {
			if item.Kind() == value.Record {
				lists = append(lists, value.ListOf(item.Items()...))
			}
		}
		if lists != nil {
			in[i] = value.ListOf(lists...)
		}
	}
	return in
}

// sameAxes compares plots without their summaries.
func sameAxes(a, b sdk.Plot) bool {
	a.Summary, b.Summary = "", ""
	for _, axis := range []*sdk.Axis{&a.X, &a.Y, &b.X, &b.Y} {
		axis.Symbol = unbraced(axis.Symbol)
	}
	return a == b
}

// unbraced returns LaTeX without braces and upright letters.
func unbraced(latex string) string {
	return strings.NewReplacer("{", "", "}", "", `\mathrm`, "").Replace(latex)
}
