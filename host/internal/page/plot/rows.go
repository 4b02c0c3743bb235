package plot

import (
	"encoding/csv"
	"io"
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/visible"
)

// Rows returns the numbers of a plot as a table for people, with six significant digits and in the units of the picture. If
// there are more than most points, it selects some of them evenly, and all ends of curves and marked points. Curves over the
// same places share rows; otherwise each row names its curve.
func Rows(p *sdk.Plot, f *sdk.Figure, most int) (header []string, rows [][]string) {
	s := newScene(p, f, 560)
	curves := slices.DeleteFunc(slices.Clone(f.Curves), func(c sdk.Curve) bool { return (&curve{Curve: &c}).background() })
	if shared(curves) {
		header, rows = s.together(curves, most)
	} else {
		header, rows = s.oneByOne(curves, most)
	}
	for i := range f.Dimensions {
		rows = append(rows, make([]string, len(header)))
		rows[len(rows)-1][len(header)-1] = s.size(&f.Dimensions[i])
	}
	if !slices.ContainsFunc(rows, func(row []string) bool { return row[len(row)-1] != "" }) { // no point is marked
		header = header[:len(header)-1]
		for i, row := range rows {
			rows[i] = row[:len(row)-1]
		}
	}
	return header, rows
}

// shared reports whether all curves are over the same places.
func shared(curves []sdk.Curve) bool {
	return !slices.ContainsFunc(curves, func(c sdk.Curve) bool { return !slices.Equal(c.X, curves[0].X) || len(c.Y) != len(c.X) })
}

func (a *axis) head() string {
	if a.unit == "" {
		return formatLabel(a.name)
	}
	return formatLabel(a.name) + " (" + a.unit + ")"
}

func (s *scene) together(curves []sdk.Curve, most int) (header []string, rows [][]string) {
	header = []string{s.x.head()}
	for _, c := range curves {
		name := *s.y
		if len(curves) > 1 {
			name.name = c.Label
		}
		header = append(header, name.head())
	}
	marks, rest := s.marks(curves)
	if len(curves) > 0 {
		for _, i := range choose(len(curves[0].X), most-len(rest), func(i int) bool { return marks[i] != "" }) {
			row := []string{formatNumber(s.x.scaled(curves[0].X[i]), 6)}
			for _, c := range curves {
				row = append(row, formatNumber(s.y.scaled(c.Y[i]), 6))
			}
			rows = append(rows, append(row, marks[i]))
		}
	}
	for _, p := range rest { // not on a point of a curve
		row := make([]string, len(header)+1)
		row[0] = formatNumber(s.x.scaled(p.X), 6)
		row[len(header)] = formatLabel(p.Label)
		if len(curves) == 1 {
			row[1] = formatNumber(s.y.scaled(p.Y), 6)
		} else {
			row[len(header)] += ": " + s.y.format(p.Y, 6)
		}
		rows = append(rows, row)
	}
	return append(header, "Marked"), rows
}

// marks returns the labels of marked points on curves, by their place in the curves, and the
// other marked points.
func (s *scene) marks(curves []sdk.Curve) (marks map[int]string, rest []sdk.Point) {
	marks = map[int]string{}
	for _, p := range s.figure.Points {
		at := -1
		for _, c := range curves {
			for i := range c.X {
				if c.X[i] == p.X && c.Y[i] == p.Y {
					at = i
				}
			}
		}
		switch {
		case at < 0:
			rest = append(rest, p)
		case marks[at] != "":
			marks[at] += ", " + formatLabel(p.Label)
		default:
			marks[at] = formatLabel(p.Label)
		}
	}
	return marks, rest
}

// oneByOne returns the table of curves over different places.
func (s *scene) oneByOne(curves []sdk.Curve, most int) (header []string, rows [][]string) {
	header = []string{"Curve", s.x.head(), s.y.head(), "Marked"}
	_, rest := s.marks(curves)
	total := 0
	for _, c := range curves {
		total += len(c.X)
	}
	for i := range curves {
		c := curves[i : i+1]
		marks, _ := s.marks(c)
		n := min(len(c[0].X), len(c[0].Y))
		for _, j := range choose(n, max(2, (most-len(rest))*n/max(1, total)), func(j int) bool { return marks[j] != "" }) {
			rows = append(rows, []string{formatLabel(c[0].Label), formatNumber(s.x.scaled(c[0].X[j]), 6), formatNumber(s.y.scaled(c[0].Y[j]), 6), marks[j]})
		}
	}
	for _, p := range rest {
		rows = append(rows, []string{"", formatNumber(s.x.scaled(p.X), 6), formatNumber(s.y.scaled(p.Y), 6), formatLabel(p.Label)})
	}
	return header, rows
}

// choose selects at most the given number of n places evenly, including both ends and all marked places.
func choose(n, most int, marked func(int) bool) []int {
	var out []int
	for i := range n {
		if marked(i) {
			out = append(out, i)
		}
	}
	for k, rest := 0, max(2, most-len(out)); k < rest && n > 0; k++ {
		out = append(out, k*(n-1)/max(1, rest-1))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CSV writes all numbers of a plot, in the units of the Spec, as the shortest decimals that read back exactly. Curves
// over the same places share a column of places. Points, arrows, dimensions and shapes follow in their own columns.
func CSV(w io.Writer, p *sdk.Plot, f *sdk.Figure) error {
	var columns [][]string
	add := func(name, unit string, values ...string) {
		if unit != "" {
			name += " [" + unit + "]"
		}
		columns = append(columns, append([]string{visible.Cell(name)}, values...))
	}
	for i, c := range f.Curves {
		if i == 0 || !slices.Equal(c.X, f.Curves[i-1].X) {
			add(p.X.Label, p.X.Unit, exact(c.X)...)
		}
		name := c.Label
		if c.Style == sdk.Context && f.Family != "" {
			name = f.Family + " " + c.Label
		}
		add(name, p.Y.Unit, exact(c.Y)...)
	}
	if len(f.Points) > 0 {
		labels, xs, ys := make([]string, len(f.Points)), make([]float64, len(f.Points)), make([]float64, len(f.Points))
		for i, point := range f.Points {
			labels[i], xs[i], ys[i] = visible.Cell(point.Label), point.X, point.Y
		}
		add("point", "", labels...)
		add(p.X.Label, p.X.Unit, exact(xs)...)
		add(p.Y.Label, p.Y.Unit, exact(ys)...)
	}
	pieces := func(name string, n int, piece func(i int) (label string, from, to [2]float64)) {
		labels, ends := make([]string, n), make([][]float64, 4)
		for i := range n {
			label, from, to := piece(i)
			labels[i] = visible.Cell(label)
			for j, v := range []float64{from[0], from[1], to[0], to[1]} {
				ends[j] = append(ends[j], v)
			}
		}
		add(name, "", labels...)
		for j, name := range []string{"from " + p.X.Label, "from " + p.Y.Label, "to " + p.X.Label, "to " + p.Y.Label} {
			add(name, []string{p.X.Unit, p.Y.Unit}[j%2], exact(ends[j])...)
		}
	}
	if n := len(f.Arrows); n > 0 {
		pieces("arrow", n, func(i int) (string, [2]float64, [2]float64) {
			a := &f.Arrows[i]
			return a.Label, [2]float64{a.X, a.Y}, [2]float64{a.ToX, a.ToY}
		})
	}
	if n := len(f.Dimensions); n > 0 {
		lengths := make([]float64, n)
		pieces("dimension", n, func(i int) (string, [2]float64, [2]float64) {
			d := &f.Dimensions[i]
			lengths[i] = d.Length
			return d.Label, [2]float64{d.X, d.Y}, [2]float64{d.ToX, d.ToY}
		})
		add("length", p.X.Unit, exact(lengths)...)
	}
	for _, h := range f.Shapes {
		add(p.X.Label, p.X.Unit, exact(h.X)...)
		add(h.Label, p.X.Unit, exact(h.Y)...)
	}
	return write(w, columns)
}

func exact(values []float64) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(value.AppendNumber(nil, v))
	}
	return out
}

// write writes columns of different lengths as CSV (RFC 4180).
func write(w io.Writer, columns [][]string) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	rows := 0
	for _, c := range columns {
		rows = max(rows, len(c))
	}
	for i := range rows {
		row := make([]string, len(columns))
		for j, c := range columns {
			if i < len(c) {
				row[j] = c[i]
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
