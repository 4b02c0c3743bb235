package plot

import (
	"math"

	"github.com/slipstick/slipstick/sdk"
)

// background reports whether the curve is not a quantity of this calculation. The pointer shows no numbers for such a
// curve, and the legend does not name it.
func (c *curve) background() bool {
	return c.Style == sdk.Context || c.Style == sdk.Centre || c.Style == sdk.Zone
}

// contextWidth returns the width on the right for the labels of a family of curves.
func (s *scene) contextWidth() float64 {
	widest := 0.0
	for _, c := range s.figure.Curves {
		if c.Style == sdk.Context {
			widest = max(widest, width(formatLabel(c.Label))+8)
		}
	}
	return min(widest, s.width/4)
}

func (s *scene) drawZones() {
	d := new(path)
	for _, c := range s.curves {
		if c.Style == sdk.Zone && len(c.spots) > 1 {
			d.move(c.spots[0]).poly(c.spots[1:]).close()
		}
	}
	if d.String() != "" {
		s.path("zone", d)
	}
}

// nameBackground writes the labels of zones, and of curves with a label at their last point, if there is space.
func (s *scene) nameBackground() {
	if s.figure.Family != "" && s.framed() {
		space := s.width - s.left - width(capital(s.y.name)) - 90 // for symbol and unit
		s.put(text([]string{shorten(capital(s.figure.Family), space)}, "title", "end", spot{s.width - 4, s.top - titleRow/2 - 4}))
	}
	for i := range s.curves {
		c := &s.curves[i]
		if !c.background() || c.Label == "" || len(c.spots) == 0 {
			continue
		}
		label := []string{shorten(formatLabel(c.Label), s.width/2)}
		if c.Style == sdk.Zone {
			s.put(first(s.nextTo(label, "label zone", c.top(), 9)))
			continue
		}
		if at := c.end(label); s.free(at.box.lower(2)) { // lines of a list can be close
			s.put(at)
		}
	}
}

// top returns the middle of the upper edge of a curve.
func (c *curve) top() spot {
	low, high, top := math.Inf(1), math.Inf(-1), math.Inf(1)
	for _, at := range c.spots {
		low, high, top = min(low, at.x), max(high, at.x), min(top, at.y)
	}
	return spot{(low + high) / 2, top}
}

// end places a label after the last point of a curve, in the direction of the curve.
func (c *curve) end(label []string) placed {
	last := c.spots[len(c.spots)-1]
	before := c.spots[max(0, len(c.spots)-2)]
	switch dx, dy := last.x-before.x, last.y-before.y; {
	case math.Abs(dy) <= math.Abs(dx) && dx >= 0:
		return text(label, "label "+c.class, "start", last.plus(4, 0))
	case math.Abs(dy) <= math.Abs(dx):
		return text(label, "label "+c.class, "end", last.plus(-4, 0))
	default:
		return text(label, "label "+c.class, "middle", last.plus(0, math.Copysign(9, dy)))
	}
}

// free reports whether a box is within the picture and meets no other label or mark.
func (s *scene) free(b box) bool {
	if b.left < 0 || b.right > s.width || b.top < 0 || b.bottom > s.height {
		return false
	}
	for _, other := range s.taken {
		if other.meets(b) {
			return false
		}
	}
	return true
}
