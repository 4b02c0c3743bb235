package plot

import (
	"math"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// box is an occupied part of the picture.
type box struct{ left, top, right, bottom float64 }

func (a box) meets(b box) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// wider returns the box with a margin on each side.
func (a box) wider(by float64) box { return box{a.left - by, a.top - by, a.right + by, a.bottom + by} }

// has reports whether the spot is in the box.
func (a box) has(at spot) bool {
	return a.left <= at.x && at.x <= a.right && a.top <= at.y && at.y <= a.bottom
}

// lower returns the box with a height that is smaller by the given number of pixels.
func (a box) lower(by float64) box { return box{a.left, a.top + by/2, a.right, a.bottom - by/2} }

// segment is a straight piece of a line.
type segment struct{ a, b spot }

// meets reports whether the segment goes through the box.
func (s segment) meets(b box) bool {
	if max(s.a.x, s.b.x) < b.left || min(s.a.x, s.b.x) > b.right || max(s.a.y, s.b.y) < b.top || min(s.a.y, s.b.y) > b.bottom {
		return false
	}
	side := func(x, y float64) float64 { return (s.b.x-s.a.x)*(y-s.a.y) - (s.b.y-s.a.y)*(x-s.a.x) }
	corners := []float64{side(b.left, b.top), side(b.right, b.top), side(b.left, b.bottom), side(b.right, b.bottom)}
	return slices.Min(corners) <= 0 && slices.Max(corners) >= 0
}

// placed is a text with its place: the left, middle or right end of its first line.
type placed struct {
	lines  []string
	class  string
	at     spot
	anchor string // as text-anchor
	box    box
	leader *segment // line to the named point, if it is not next to the text
}

const (
	lineHeight = 15
	ascent     = 10 // from the base line to the top of letters
)

// text places lines with their left end, middle or right end at a spot, vertically centred.
func text(lines []string, class, anchor string, at spot) placed {
	wide := 0.0
	for i, line := range lines {
		if i == 0 {
			wide = width(line)
		} else {
			wide = max(wide, 1.13*width(line)) // values are bold
		}
	}
	return sized(wide, lines, class, anchor, at)
}

// sized places lines of the given width in the same way as text.
func sized(wide float64, lines []string, class, anchor string, at spot) placed {
	high := float64(len(lines)) * lineHeight
	p := placed{lines: lines, class: class, anchor: anchor, at: spot{at.x, at.y - high/2 + ascent + 1}}
	p.box = box{at.x, at.y - high/2, at.x + wide, at.y + high/2}
	switch anchor {
	case "middle":
		p.box.left, p.box.right = at.x-wide/2, at.x+wide/2
	case "end":
		p.box.left, p.box.right = at.x-wide, at.x
	}
	return p
}

// directions are the places of a text relative to the named point, the best first.
var directions = []struct {
	dx, dy float64
	anchor string
}{
	{0, -1, "middle"}, {0.7, -0.7, "start"}, {-0.7, -0.7, "end"}, {0, 1, "middle"}, {0.7, 0.7, "start"}, {-0.7, 0.7, "end"},
	{1, 0, "start"}, {-1, 0, "end"}, {0.9, -0.35, "start"}, {-0.9, -0.35, "end"}, {0.9, 0.35, "start"}, {-0.9, 0.35, "end"},
}

// distances are the distances of a text from its point, in addition to the gap, with their costs. A text far away from its
// point is better than a text across a line.
var distances = []struct{ away, cost float64 }{{0, 0}, {12, 12}, {28, 24}, {48, 36}, {72, 48}, {100, 60}, {132, 68}, {168, 74}, {208, 78}, {252, 82}}

// crossing is the cost of a text across a line.
const crossing = 100

// nextTo places the lines next to a spot where they hide the least, and returns the cost. At a cost below 50 they hide
// nothing.
func (s *scene) nextTo(lines []string, class string, at spot, gap float64) (best placed, cost float64) {
	cost = math.Inf(1)
	high := float64(len(lines)) * lineHeight / 2
	for step, far := range distances {
		if far.cost >= cost {
			break // no place is better
		}
		away := gap + far.away
		for i, d := range directions {
			p := s.shifted(text(lines, class, d.anchor, at.plus(d.dx*away, d.dy*(away+high-4))))
			if step > 1 {
				p.leader = &segment{at, spot{min(max(at.x, p.box.left), p.box.right), min(max(at.y, p.box.top), p.box.bottom)}}
			}
			if c := s.cost(p) + float64(i) + far.cost; c < cost {
				best, cost = p, c
			}
		}
	}
	return best, cost
}

// shifted moves a text into the picture.
func (s *scene) shifted(p placed) placed {
	least := 4.0
	if s.framed() {
		least = s.left + 4
	}
	dx := max(0, least-p.box.left)
	if p.box.right > s.width-4 {
		dx = s.width - 4 - p.box.right
	}
	dy := max(0, 2-p.box.top) + min(0, s.height-2-p.box.bottom)
	p.at = p.at.plus(dx, dy)
	p.box = box{p.box.left + dx, p.box.top + dy, p.box.right + dx, p.box.bottom + dy}
	return p
}

// cost measures how much a text hides at its place.
func (s *scene) cost(p placed) float64 {
	sum := 0.0
	if p.box.left < 0 || p.box.right > s.width || p.box.top < s.top-12 || p.box.bottom > s.bottom-1 {
		sum += 2000
	}
	for _, b := range s.taken {
		if b.meets(p.box) {
			sum += 500
		} else if p.leader != nil && p.leader.meets(b) && !b.has(p.leader.a) {
			sum += 40
		}
	}
	near := p.box.wider(1) // half of the width of a line
	for _, l := range s.lines {
		if l.meets(near) {
			sum += crossing
			if sum > 2500 {
				break
			}
		}
	}
	for _, l := range s.faint { // text across a dashed line can still be read
		if l.meets(near) {
			sum += 15
		}
	}
	return sum
}

// put writes a text, and marks its place as taken.
func (s *scene) put(p placed) {
	s.taken = append(s.taken, p.box)
	if p.leader != nil {
		s.path("leader", new(path).move(p.leader.a).line(p.leader.b))
		s.faint = append(s.faint, *p.leader)
	}
	s.write(p)
}

func (s *scene) write(p placed) {
	for i, line := range p.lines {
		class := p.class
		if i > 0 {
			class += " value"
		}
		s.out.WriteString(`<text class="` + class + `" x="` + pixels(p.at.x) + `" y="` + pixels(p.at.y+float64(i)*lineHeight) + `"`)
		if p.anchor != "start" {
			s.out.WriteString(` text-anchor="` + p.anchor + `"`)
		}
		s.out.WriteString(">" + escape(line) + "</text>\n")
	}
}

// shorten cuts a text that is wider than the available space.
func shorten(text string, space float64) string {
	if width(text) <= space {
		return text
	}
	runes := []rune(text)
	for len(runes) > 1 && width(string(runes))+fontSize > space {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}

// named returns the curves that need a name: one for each label, if there are several labels.
func (s *scene) named() []*curve {
	var out []*curve
	seen := map[string]bool{"": true}
	for i := range s.curves {
		c := &s.curves[i]
		if c.Style == sdk.Load || c.Style == sdk.Member && s.sketch || c.background() || c.body() || seen[c.Label] {
			continue
		}
		seen[c.Label] = true
		out = append(out, c)
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// labelled finds places for the names next to their curves. It returns false if a name has no good place.
func (s *scene) labelled() bool {
	s.direct = nil
	before := len(s.taken)
	for _, c := range s.named() {
		best, cost := placed{}, math.Inf(1)
		for _, share := range []float64{0.5, 0.7, 0.85, 0.3, 0.95, 0.15} {
			p, k := s.nextTo([]string{formatLabel(c.Label)}, "label "+c.class, along(c.spots, share), 9)
			if k < cost && p.leader == nil && p.box.right-p.box.left < 0.45*(s.right-s.left) {
				best, cost = p, k
			}
		}
		if cost >= 50 {
			s.direct, s.taken = nil, s.taken[:before]
			return false
		}
		s.direct = append(s.direct, best)
		s.taken = append(s.taken, best.box)
	}
	return true
}

// along returns the spot on a line at a share of its length.
func along(spots []spot, share float64) spot {
	total := 0.0
	for i := 1; i < len(spots); i++ {
		total += math.Hypot(spots[i].x-spots[i-1].x, spots[i].y-spots[i-1].y)
	}
	rest := share * total
	for i := 1; i < len(spots); i++ {
		piece := math.Hypot(spots[i].x-spots[i-1].x, spots[i].y-spots[i-1].y)
		if rest <= piece && piece > 0 {
			t := rest / piece
			return spot{spots[i-1].x + t*(spots[i].x-spots[i-1].x), spots[i-1].y + t*(spots[i].y-spots[i-1].y)}
		}
		rest -= piece
	}
	return spots[len(spots)-1]
}

const swatch = 24 // width of the sample of a line in a legend

// entries returns the places of the names in a legend, from the left and row by row.
func (s *scene) entries() (names []*curve, at []spot, rows int) {
	x, y := s.left, 14.0
	for _, c := range s.named() {
		wide := swatch + 6 + min(width(formatLabel(c.Label)), s.width-s.left-swatch-20) + 18
		if x > s.left && x+wide > s.width {
			x, y = s.left, y+legendRow
		}
		names, at = append(names, c), append(at, spot{x, y})
		x += wide
	}
	if len(names) == 0 {
		return nil, nil, 0
	}
	return names, at, int((y-14)/legendRow) + 1
}

func (s *scene) legendRows() int {
	_, _, rows := s.entries()
	return rows
}
