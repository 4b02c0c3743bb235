package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// draw draws all parts of the picture, from back to front.
func (s *scene) draw() {
	s.drawAxes()
	s.drawBodies()
	s.drawZones()
	for i := range s.curves {
		s.drawGround(&s.curves[i])
	}
	for i := range s.curves {
		s.drawCurve(&s.curves[i])
	}
	for i := range s.curves {
		s.labelLoad(&s.curves[i])
	}
	for i := range s.figure.Shapes {
		s.drawShape(&s.figure.Shapes[i])
	}
	for _, p := range s.figure.Supports {
		s.drawSupport(p)
	}
	for _, a := range s.figure.Arrows {
		s.drawArrow(a)
	}
	for _, c := range s.figure.Couples {
		s.drawCouple(c)
	}
	for i := range s.figure.Shapes {
		s.labelShape(&s.figure.Shapes[i])
	}
	s.drawDimensions()
	s.nameBackground()
	s.drawPoints()
	for _, p := range s.direct {
		s.write(p)
	}
	if s.legend {
		s.drawLegend()
	}
}

func (s *scene) path(class string, d *path) { s.pathWith(class, d, "") }

func (s *scene) pathWith(class string, d *path, attributes string) {
	s.out.WriteString(`<path class="` + class + `" d="` + d.String() + `"` + attributes + "/>\n")
}

func (s *scene) drawAxes() {
	if s.drawing {
		return
	}
	grid, minor, base := new(path), new(path), new(path)
	for _, v := range s.x.ticks() {
		at := s.x.at(v)
		if s.sketch {
			base.move(spot{at, s.bottom}).line(spot{at, s.bottom + 5})
		} else {
			grid.move(spot{at, s.top}).line(spot{at, s.bottom})
		}
		half := width(s.x.tick(v)) / 2
		s.write(text([]string{s.x.tick(v)}, "tick", "middle", spot{min(max(at, half), s.width-half), s.bottom + tickRow/2 + 2}))
	}
	if !s.sketch {
		for _, v := range s.y.ticks() {
			at := s.y.at(v)
			grid.move(spot{s.left, at}).line(spot{s.right, at})
			s.write(text([]string{s.y.tick(v)}, "tick", "end", spot{s.left - 6, at}))
		}
		for _, v := range s.x.minors() {
			minor.move(spot{s.x.at(v), s.top}).line(spot{s.x.at(v), s.bottom})
		}
		for _, v := range s.y.minors() {
			minor.move(spot{s.left, s.y.at(v)}).line(spot{s.right, s.y.at(v)})
		}
		if minor.String() != "" {
			s.path("grid minor", minor)
		}
		s.path("grid", grid)
		s.drawZero()
		s.title(s.y, spot{4, s.top - titleRow/2 - 4}, "start")
	}
	s.path("axis", base.move(spot{s.x.from, s.bottom}).line(spot{s.x.to, s.bottom}))
	s.title(s.x, spot{s.right, s.bottom + tickRow + titleRow/2}, "end")
}

func (s *scene) drawZero() {
	zero := new(path)
	for _, line := range s.zeros() {
		zero.move(line.a).line(line.b)
	}
	if zero.String() != "" {
		s.path("zero", zero)
	}
}

// zeros returns the lines where a quantity is zero, if they are within the frame.
func (s *scene) zeros() (lines []segment) {
	if !s.y.log && s.y.low <= 0 && s.y.high >= 0 && math.Abs(s.y.at(0)-s.bottom) > 1 {
		lines = append(lines, segment{spot{s.left, s.y.at(0)}, spot{s.right, s.y.at(0)}})
	}
	if !s.x.log && s.x.low < 0 && s.x.high > 0 {
		lines = append(lines, segment{spot{s.x.at(0), s.top}, spot{s.x.at(0), s.bottom}})
	}
	return lines
}

// ground returns the pixel from which areas and loads rise: the pixel of zero, or the start of a logarithmic axis.
func (s *scene) ground() float64 {
	if s.y.log {
		return s.y.from
	}
	return s.y.at(0)
}

// title writes the quantity of an axis: name, symbol, unit.
func (s *scene) title(a *axis, at spot, anchor string) {
	name, unit := capital(a.name), ""
	symbol, ok := readSymbol(a.symbol)
	if !ok || a.symbol == a.name {
		symbol = nil
	}
	if a.unit != "" {
		unit = " (" + a.unit + ")"
	}
	name = shorten(name, s.width-20-width(unit)-40)
	if symbol != nil {
		name += " "
	}
	p := text([]string{name + unit}, "title", anchor, at)
	s.out.WriteString(`<text class="title" x="` + pixels(p.at.x) + `" y="` + pixels(p.at.y) + `"`)
	if anchor != "start" {
		s.out.WriteString(` text-anchor="` + anchor + `"`)
	}
	s.out.WriteString(">" + escape(name) + spans(symbol, unit) + "</text>\n")
}

// spans returns the markup of a symbol and the text after it.
func spans(symbol []part, after string) string {
	var b strings.Builder
	lowered := false
	for _, part := range symbol {
		b.WriteString(`<tspan class="` + part.class() + `"`)
		if part.sub != lowered {
			b.WriteString(` dy="` + map[bool]string{true: "3", false: "-3"}[part.sub] + `"`)
			lowered = part.sub
		}
		b.WriteString(">" + escape(part.text) + "</tspan>")
	}
	if lowered {
		return b.String() + `<tspan dy="-3">` + escape(after) + "</tspan>"
	}
	return b.String() + escape(after)
}

// drawBodies shades the area inside closed outlines, except for holes.
func (s *scene) drawBodies() {
	d := new(path)
	for _, c := range s.curves {
		if c.body() {
			d.move(c.spots[0]).poly(c.spots[1 : len(c.spots)-1]).close()
		}
	}
	if d.String() != "" {
		s.path("body", d)
	}
}

// body reports whether the curve is a closed outline, of an object or of a hole in it.
func (c *curve) body() bool {
	last := len(c.spots) - 1
	return c.class == "outline" && last > 1 && math.Hypot(c.spots[0].x-c.spots[last].x, c.spots[0].y-c.spots[last].y) < 0.5
}

// drawGround shades the area below a curve.
func (s *scene) drawGround(c *curve) {
	if c.Style != sdk.Area && c.Style != sdk.Load || len(c.spots) == 0 {
		return
	}
	zero := s.ground()
	first, last := c.spots[0], c.spots[len(c.spots)-1]
	s.path("ground "+c.class, new(path).move(spot{first.x, zero}).poly(c.spots).line(spot{last.x, zero}).close())
}

func (s *scene) drawCurve(c *curve) {
	if len(c.spots) == 0 || c.Style == sdk.Zone {
		return
	}
	d := new(path)
	if c.Style == sdk.Load {
		s.drawLoadArrows(c)
		first, last := c.spots[0], c.spots[len(c.spots)-1]
		s.path("curve "+c.class, d.move(spot{first.x, s.ground()}).poly(c.spots).line(spot{last.x, s.ground()}))
		return
	}
	if len(c.spots) == 1 {
		s.dot(c.spots[0])
	}
	d.move(c.spots[0]).poly(c.spots[1:])
	s.pathWith("curve "+c.class, d, s.data(c))
}

// data returns the numbers of a curve for the script, in shown units. If there are very many points, it returns only
// the drawn points.
func (s *scene) data(c *curve) string {
	if !s.framed() || c.background() {
		return ""
	}
	which := c.kept
	if len(which) > 2000 {
		return "" // too many to point at
	}
	if len(c.X) <= 201 {
		which = nil
		for i := range c.X {
			which = append(which, i)
		}
	}
	list := func(a *axis, values []float64) string {
		var b strings.Builder
		for i, j := range which {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(brief(a.scaled(values[j]), 5))
		}
		return b.String()
	}
	return ` data-label="` + escape(c.Label) + `" data-x="` + list(s.x, c.X) + `" data-y="` + list(s.y, c.Y) + `"`
}

// brief writes a number for the script.
func brief(v float64, digits int) string {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		return "0" // cannot happen: the text is always a number
	}
	text := strconv.FormatFloat(v+0, 'g', -1, 64)
	return strings.Replace(strings.Replace(text, "e+0", "e", 1), "e-0", "e-", 1)
}

func (s *scene) drawLegend() {
	names, at, _ := s.entries()
	for i, c := range names {
		line := new(path).move(at[i]).line(at[i].plus(swatch, 0))
		s.path("curve "+c.class, line)
		label := shorten(formatLabel(c.Label), s.width-at[i].x-swatch-10)
		s.write(text([]string{label}, "label", "start", at[i].plus(swatch+6, 0)))
	}
}

func (s *scene) drawPoints() {
	for _, p := range s.figure.Points {
		s.dot(s.spot(p.X, p.Y))
	}
	for _, p := range s.figure.Points {
		if p.Label == "" {
			continue
		}
		lines := []string{shorten(formatLabel(p.Label), s.right-s.left)}
		if !hasNumber.MatchString(p.Label) {
			lines = append(lines, s.value(p))
		}
		best, _ := s.nextTo(lines, "label", s.spot(p.X, p.Y), 9)
		s.put(best)
	}
}

func (s *scene) dot(at spot) {
	s.out.WriteString(`<circle class="point" cx="` + pixels(at.x) + `" cy="` + pixels(at.y) + `" r="4"/>` + "\n")
}

// value returns the values at a point as text.
func (s *scene) value(p sdk.Point) string {
	if s.plot.ToScale && s.x.unit == s.y.unit {
		unit := s.x.unit
		if s.x.power {
			unit = "× " + unit
		}
		return strings.TrimSpace("(" + formatNumber(s.x.scaled(p.X), 4) + ", " + formatNumber(s.y.scaled(p.Y), 4) + ") " + unit)
	}
	return s.y.format(p.Y, 4) + " at " + s.x.format(p.X, 4)
}

// labelLoad writes the intensity of a load at its maximum, and at its ends if it is smaller there.
func (s *scene) labelLoad(c *curve) {
	if c.Style != sdk.Load || len(c.spots) == 0 {
		return
	}
	last := len(c.Y) - 1
	peak := 0
	for i, y := range c.Y {
		if math.Abs(y) > math.Abs(c.Y[peak]) {
			peak = i
		}
	}
	at := s.spot(c.X[peak], c.Y[peak])
	if slices.Max(c.Y) == slices.Min(c.Y) {
		at = s.spot(c.X[0]/2+c.X[last]/2, c.Y[peak])
	}
	s.put(first(s.nextTo([]string{shorten(s.quantity(c.Label, c.Y[peak]), s.width-20)}, "label "+c.class, at, 6)))
	for _, i := range []int{0, last} {
		if c.Y[i] != 0 && math.Abs(c.Y[i]) < 0.98*math.Abs(c.Y[peak]) {
			s.put(first(s.nextTo([]string{s.y.format(math.Abs(c.Y[i]), 4)}, "label "+c.class, s.spot(c.X[i], c.Y[i]), 6)))
		}
	}
}

func first(p placed, _ float64) placed { return p }

// quantity returns a label with a value, or only the label if it has a number.
func (s *scene) quantity(label string, v float64) string {
	if hasNumber.MatchString(label) {
		return formatLabel(label)
	}
	return strings.TrimSpace(formatLabel(label) + " " + s.y.format(math.Abs(v), 4))
}
