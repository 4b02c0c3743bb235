package plot

import (
	"math"
	"slices"

	"github.com/slipstick/slipstick/sdk"
)

const (
	shapeHeight = 34 // of the largest displacement in a sketch, at most
	shapeLabel  = 22 // below or above it
)

// largest returns the largest displacement of a shape, in either direction.
func largest(h *sdk.Shape) float64 {
	most := 0.0
	for _, y := range h.Y {
		if math.Abs(y) > math.Abs(most) {
			most = y
		}
	}
	return most
}

// shapeSpace returns the height of shapes next to the member.
func (s *scene) shapeSpace() float64 {
	if slices.ContainsFunc(s.figure.Shapes, func(h sdk.Shape) bool { return largest(&h) != 0 }) {
		return shapeHeight + shapeLabel
	}
	return 0
}

// magnified returns the scale of a shape: 1, 2 or 5 times a power of ten. It is 0 for a shape without displacement.
func (s *scene) magnified(h *sdk.Shape) float64 {
	most, scale := math.Abs(s.x.scaled(largest(h))), math.Abs(s.x.to-s.x.from)/(s.x.high-s.x.low)
	if most == 0 || !s.sketch {
		return 0
	}
	times := math.Log10(shapeHeight) - math.Log10(most) - math.Log10(scale)
	if math.Abs(times) > 300 {
		return 0 // float64 has no such number
	}
	return math.Pow(10, roundDecades(times, false))
}

// drawShape draws the displaced axis of a member.
func (s *scene) drawShape(h *sdk.Shape) {
	times := s.magnified(h)
	if times == 0 {
		return
	}
	spots := s.displaced(h, times)
	var line []spot
	for _, k := range simplify(spots) {
		line = append(line, spots[k])
	}
	s.path("shape", new(path).move(line[0]).poly(line[1:]))
	for i := 1; i < len(line); i++ {
		s.lines = append(s.lines, segment{line[i-1], line[i]})
	}
}

// displaced returns the spots of a shape.
func (s *scene) displaced(h *sdk.Shape, times float64) []spot {
	scale := times * math.Abs(s.x.to-s.x.from) / (s.x.high - s.x.low)
	spots := make([]spot, len(h.X))
	for i := range spots {
		spots[i] = spot{s.x.px(h.X[i]), s.ground() - s.x.scaled(h.Y[i])*scale}
	}
	return spots
}

// labelShape writes the name and the scale of a shape at its largest displacement.
func (s *scene) labelShape(h *sdk.Shape) {
	times := s.magnified(h)
	if times == 0 {
		return
	}
	peak := 0
	for i, y := range h.Y {
		if math.Abs(y) > math.Abs(h.Y[peak]) {
			peak = i
		}
	}
	label := formatLabel(h.Label) + " ×\u00a0" + formatNumber(times, 1)
	s.put(first(s.nextTo([]string{shorten(label, s.width-20)}, "label shape", s.displaced(h, times)[peak], 9)))
}
