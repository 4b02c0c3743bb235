package plot

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// leveled is a dimension with its level. Level 0 is next to the drawn object.
type leveled struct {
	*sdk.Dimension
	at int
}

// across reports whether a dimension line is horizontal.
func across(d *sdk.Dimension) bool {
	switch d.Side {
	case sdk.Below, sdk.Above:
		return true
	case sdk.OnLeft, sdk.OnRight:
		return false
	}
	return math.Abs(d.ToX-d.X) >= math.Abs(d.ToY-d.Y)
}

// ends returns the range that a dimension line covers.
func ends(d *sdk.Dimension) (low, high float64) {
	if across(d) {
		return min(d.X, d.ToX), max(d.X, d.ToX)
	}
	return min(d.Y, d.ToY), max(d.Y, d.ToY)
}

// level assigns levels to the dimensions of each side, the shortest next to the drawn object. Dimensions that do not overlap
// share a level.
func level(dimensions []sdk.Dimension) []leveled {
	out := make([]leveled, len(dimensions))
	for i := range dimensions {
		out[i].Dimension = &dimensions[i]
	}
	slices.SortStableFunc(out, func(a, b leveled) int { return cmp.Compare(a.Length, b.Length) })
	for i := range out {
		low, high := ends(out[i].Dimension)
		for out[i].at < mostLevels-1 && slices.ContainsFunc(out[:i], func(l leveled) bool {
			from, to := ends(l.Dimension)
			return l.Side == out[i].Side && l.at == out[i].at && low < to && from < high
		}) {
			out[i].at++
		}
	}
	return out
}

const (
	mostLevels    = 4
	dimensionGap  = 26 // from the drawn object to the first dimension line, and between lines
	dimensionTail = 14 // length of arrows that point inwards, if there is no space between them
)

// size returns a dimension in words.
func (s *scene) size(d *sdk.Dimension) string {
	return formatLabel(d.Label) + ": " + s.x.format(d.Length, 6)
}

// symbolOf returns the symbol of a dimension and the text after it, or no symbol and a text with the label.
func (s *scene) symbolOf(d *sdk.Dimension) (symbol []part, after string) {
	value := s.x.format(d.Length, 6)
	if symbol, ok := readSymbol(d.Symbol); ok {
		return symbol, " = " + value
	}
	return nil, shorten(formatLabel(d.Label), s.width/4) + " " + value
}

func (s *scene) sizeWidth(d *sdk.Dimension) float64 {
	symbol, after := s.symbolOf(d)
	var b strings.Builder
	for _, p := range symbol {
		b.WriteString(p.text)
	}
	return width(b.String() + after)
}

// away returns the distance from the drawn object to a dimension line.
func (s *scene) away(l leveled) float64 {
	if across(l.Dimension) {
		return dimensionGap * float64(l.at+1)
	}
	away := float64(dimensionGap)
	for at := range l.at {
		away += s.widest(l.Side, at) + dimensionGap
	}
	return away
}

// widest returns the width of the widest text on a level.
func (s *scene) widest(side sdk.Side, at int) float64 {
	widest := 0.0
	for _, l := range s.levels {
		if l.Side == side && l.at == at {
			widest = max(widest, s.sizeWidth(l.Dimension))
		}
	}
	return widest
}

// dimensionMargins returns the margins around the drawn object for its dimensions and the names of centre lines.
func (s *scene) dimensionMargins() margins {
	m := margins{20, 20, 20, 20}
	for _, l := range s.levels {
		away := s.away(l)
		switch l.Side {
		case sdk.Below:
			m.bottom = max(m.bottom, away+8)
		case sdk.Above:
			m.top = max(m.top, away+12)
		case sdk.OnLeft:
			m.left = max(m.left, away+s.widest(l.Side, l.at)+12)
		case sdk.OnRight:
			m.right = max(m.right, away+s.widest(l.Side, l.at)+12)
		}
	}
	if most := 0.65 * s.width; m.left+m.right > most { // a part of the drawn object must stay visible
		part := most / (m.left + m.right)
		m.left, m.right = part*m.left, part*m.right
	}
	return m
}

func (s *scene) drawDimensions() {
	for _, l := range s.levels {
		s.drawDimension(l)
	}
}

// line returns the ends of a dimension line.
func (s *scene) line(l leveled) (a, b spot) {
	a, b = s.spot(l.X, l.Y), s.spot(l.ToX, l.ToY)
	left, right := s.x.at(s.dataX[0]), s.x.at(s.dataX[1])
	top, bottom := min(s.y.at(s.dataY[0]), s.y.at(s.dataY[1])), max(s.y.at(s.dataY[0]), s.y.at(s.dataY[1]))
	switch l.Side {
	case sdk.Below:
		a.y = bottom + s.away(l)
	case sdk.Above:
		a.y = top - s.away(l)
	case sdk.OnLeft:
		a.x = max(left-s.away(l), dimensionTail)
	case sdk.OnRight:
		a.x = min(right+s.away(l), s.width-dimensionTail)
	}
	if across(l.Dimension) {
		b.y = a.y
	} else {
		b.x = a.x
	}
	return a, b
}

func (s *scene) drawDimension(l leveled) {
	a, b := s.line(l)
	s.extend(s.spot(l.X, l.Y), a)
	s.extend(s.spot(l.ToX, l.ToY), b)
	dx, dy := b.x-a.x, b.y-a.y
	long := math.Hypot(dx, dy)
	if across(l.Dimension) { // keeps its direction, also if it is very short
		dx, dy = math.Copysign(1, dx), 0
	} else {
		dx, dy = 0, math.Copysign(1, dy)
	}
	s.lines = append(s.lines, segment{a, b})
	heads := new(path)
	if long >= 2*dimensionTail {
		s.path("dimension", new(path).move(a).line(b))
		heads.b.WriteString(head(b, a).String() + head(a, b).String())
		s.path("head", heads)
		s.writeSize(l, spot{(a.x + b.x) / 2, (a.y + b.y) / 2}, long)
		return
	}
	before, beyond := a.plus(-dimensionTail*dx, -dimensionTail*dy), b.plus(dimensionTail*dx, dimensionTail*dy)
	s.path("dimension", new(path).move(before).line(a).move(b).line(beyond))
	heads.b.WriteString(head(before, a).String() + head(beyond, b).String())
	s.path("head", heads)
	if across(l.Dimension) {
		right := before
		if beyond.x > before.x {
			right = beyond
		}
		s.putSize(l.Dimension, "start", right.plus(5, 0))
		return
	}
	s.writeSize(l, spot{(a.x + b.x) / 2, (a.y + b.y) / 2}, long)
}

// extend draws the line from a point of the drawn object to its dimension line.
func (s *scene) extend(from, to spot) {
	far := math.Hypot(to.x-from.x, to.y-from.y)
	if far < 8 {
		return
	}
	const gap, over = 3, 4
	dx, dy := (to.x-from.x)/far, (to.y-from.y)/far
	s.path("extension", new(path).move(from.plus(gap*dx, gap*dy)).line(to.plus(over*dx, over*dy)))
}

// writeSize writes the size at the middle of a dimension line: above a horizontal line, and next to a vertical one.
func (s *scene) writeSize(l leveled, middle spot, long float64) {
	switch {
	case across(l.Dimension) && s.sizeWidth(l.Dimension) > long-6:
		s.putSize(l.Dimension, "start", middle.plus(long/2+5, 0))
	case across(l.Dimension):
		s.putSize(l.Dimension, "middle", middle.plus(0, -9))
	case l.Side == sdk.OnLeft:
		s.putSize(l.Dimension, "end", middle.plus(-9, 0))
	default:
		s.putSize(l.Dimension, "start", middle.plus(9, 0))
	}
}

// putSize writes a size at a spot.
func (s *scene) putSize(d *sdk.Dimension, anchor string, at spot) {
	symbol, after := s.symbolOf(d)
	p := s.shifted(sized(s.sizeWidth(d), []string{after}, "label", anchor, at))
	s.taken = append(s.taken, p.box)
	s.out.WriteString(`<text class="label" x="` + pixels(p.at.x) + `" y="` + pixels(p.at.y) + `"`)
	if anchor != "start" {
		s.out.WriteString(` text-anchor="` + anchor + `"`)
	}
	s.out.WriteString(">" + spans(symbol, after) + "</text>\n")
}
