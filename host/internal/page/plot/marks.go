package plot

import (
	"math"

	"github.com/slipstick/slipstick/sdk"
)

// extents are the distances that the signs of supports extend from their place.
var extents = map[sdk.SupportKind]margins{
	sdk.WallLeft:  {16, 0, 30, 30},
	sdk.WallRight: {0, 16, 30, 30},
	sdk.Pin:       {18, 18, 0, 34},
	sdk.Roller:    {18, 18, 0, 34},
}

// half is half of the thickness of a member.
const half = 3

// drawSupport draws a support of a member, with hatching for the fixed ground.
func (s *scene) drawSupport(p sdk.Support) {
	at := s.spot(p.X, p.Y)
	d := new(path)
	switch p.Kind {
	case sdk.WallLeft, sdk.WallRight:
		out := -8.0
		if p.Kind == sdk.WallRight {
			out = 8
		}
		d.move(at.plus(0, -26)).line(at.plus(0, 26))
		for y := -26.0; y <= 18; y += 8.8 {
			d.move(at.plus(0, y)).line(at.plus(out, y+8))
		}
	default:
		top, foot := at.plus(0, half), 18.0
		d.move(top).line(top.plus(-9, 15)).line(top.plus(9, 15)).close()
		if p.Kind == sdk.Roller {
			s.path("support", new(path).move(top.plus(-13, 15)).line(top.plus(13, 15)))
			foot = 22
			for _, dx := range []float64{-6, 6} {
				s.out.WriteString(`<circle class="support" cx="` + pixels(top.x+dx) + `" cy="` + pixels(top.y+18.5) + `" r="3"/>` + "\n")
			}
		} else {
			foot = 15
		}
		d.move(top.plus(-13, foot)).line(top.plus(13, foot))
		for x := -9.0; x <= 13; x += 5.5 {
			d.move(top.plus(x, foot)).line(top.plus(x-4, foot+6))
		}
	}
	s.path("support", d)
}

// head returns the head of an arrow that points from one spot to another.
func head(from, to spot) *path {
	dx, dy := to.x-from.x, to.y-from.y
	n := math.Hypot(dx, dy)
	dx, dy = dx/n, dy/n
	const long, wide = 8, 3.2
	base := to.plus(-long*dx, -long*dy)
	return new(path).move(to).line(base.plus(-wide*dy, wide*dx)).line(base.plus(wide*dy, -wide*dx)).close()
}

// drawArrow draws an arrow; in a sketch it ends at the surface of a member.
func (s *scene) drawArrow(a sdk.Arrow) {
	from, to := s.spot(a.X, a.Y), s.spot(a.ToX, a.ToY)
	if s.sketch && a.ToY == 0 && from.y != to.y {
		to.y += math.Copysign(half+1, from.y-to.y)
	}
	if math.Hypot(to.x-from.x, to.y-from.y) > 1 {
		s.path("arrow", new(path).move(from).line(to))
		s.path("head", head(from, to))
		s.lines = append(s.lines, segment{from, to})
	}
	if a.Label == "" {
		return
	}
	label := formatLabel(a.Label)
	if s.sketch {
		label = s.quantity(a.Label, a.Y-a.ToY)
	}
	s.put(first(s.nextTo([]string{shorten(label, s.width-20)}, "label", from, 8)))
}

// coupleRadius is the radius of the bent arrow of a couple.
const coupleRadius = 17

// drawCouple draws a bent arrow around its place, open to the side of the member.
func (s *scene) drawCouple(c sdk.Couple) {
	at := s.spot(c.X, c.Y)
	open := math.Pi // direction of the gap: to the left
	if at.x < (s.left+s.right)/2 {
		open = 0
	}
	const gap = math.Pi / 4
	on := func(angle float64) spot { return at.plus(coupleRadius*math.Cos(angle), -coupleRadius*math.Sin(angle)) }
	from, to, turn := on(open+gap), on(open-gap), 1.0 // counterclockwise on the screen
	sweep := "0"
	if !c.Counterclockwise {
		from, to, turn, sweep = to, from, -1, "1"
	}
	d := new(path).move(from)
	d.b.WriteString("A17 17 0 1 " + sweep + " " + pixels(to.x) + " " + pixels(to.y))
	s.path("arrow", d)
	// The head follows the chord of the last bit of the arc.
	angle := open - turn*gap
	s.path("head", head(on(angle-turn*0.5), to))
	if c.Label != "" {
		p, _ := s.nextTo([]string{shorten(formatLabel(c.Label), s.width-20)}, "label", at, coupleRadius+8)
		p.leader = nil // the arrow is large enough to see what it belongs to
		s.put(p)
	}
}

// drawLoadArrows draws the arrows of a load from its intensity to the member.
func (s *scene) drawLoadArrows(c *curve) {
	const apart, shortest = 26, 12
	first, last := c.spots[0], c.spots[len(c.spots)-1]
	n := max(1, int(math.Abs(last.x-first.x)/apart))
	zero := s.ground()
	lines, heads := new(path), new(path)
	for i := range n + 1 {
		x := first.x + (last.x-first.x)*float64(i)/float64(n)
		from, to := spot{x, height(c.spots, x)}, spot{x, zero}
		to.y += math.Copysign(half+1, from.y-zero)
		if math.Abs(from.y-to.y) < shortest {
			continue
		}
		lines.move(from).line(to)
		heads.b.WriteString(head(from, to).String())
		s.lines = append(s.lines, segment{from, to})
	}
	if heads.String() != "" {
		s.path("load "+c.class, lines)
		s.path("head "+c.class, heads)
	}
}

// height returns the y of a line of spots at an x.
func height(spots []spot, x float64) float64 {
	for i := 1; i < len(spots); i++ {
		a, b := spots[i-1], spots[i]
		if (x-a.x)*(x-b.x) <= 0 && a.x != b.x {
			return a.y + (b.y-a.y)*(x-a.x)/(b.x-a.x)
		}
	}
	return spots[len(spots)-1].y
}
