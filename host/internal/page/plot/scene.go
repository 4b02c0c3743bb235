package plot

import (
	"math"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// scene is a picture during its layout.
type scene struct {
	plot   *sdk.Plot
	figure *sdk.Figure
	x, y   *axis
	sketch bool // a drawing of a loaded member: its height is not a quantity

	drawing bool      // a drawing of an object with dimensions instead of axes
	levels  []leveled // its dimensions

	dataX, dataY             [2]float64 // range of the data, in shown units
	width, height            float64
	left, right, top, bottom float64 // of the frame of the axes

	curves []curve
	direct []placed // labels next to curves; empty if there is a legend
	legend bool
	taken  []box // occupied by texts and marks
	lines  []segment
	faint  []segment // of background lines, which a label can cross
	out    strings.Builder
}

// curve is a curve in the picture.
type curve struct {
	*sdk.Curve
	class string
	spots []spot // drawn points
	kept  []int  // indexes of the drawn points
}

func newScene(p *sdk.Plot, f *sdk.Figure, width float64) *scene {
	if p.ToScale && (p.X.Log || p.Y.Log) { // no Spec may have this
		linear := *p
		linear.X.Log, linear.Y.Log = false, false
		p = &linear
	}
	s := &scene{plot: p, figure: f, width: width, drawing: p.ToScale && p.X.Unit == p.Y.Unit && len(f.Dimensions) > 0}
	series := 0
	for i := range f.Curves {
		c := curve{Curve: &f.Curves[i]}
		switch c.Style {
		case sdk.Member:
			c.class = "member"
			if p.ToScale { // a thick line would have a wrong thickness there
				c.class = "outline"
			}
			s.sketch = s.sketch || !p.ToScale
		case sdk.Guide, sdk.Context, sdk.Centre, sdk.Zone:
			c.class = string(c.Style)
		default:
			s.sketch = s.sketch || c.Style == sdk.Load
			c.class = s.classOf(c.Curve)
			if c.class != "" {
				break
			}
			c.class = "s" + string(rune('1'+series%4))
			if series >= 4 {
				c.class += " dashed"
			}
			series++
		}
		s.curves = append(s.curves, c)
	}
	s.axes()
	if s.drawing {
		s.levels = level(f.Dimensions)
	}
	return s
}

// framed reports whether the picture has both axes.
func (s *scene) framed() bool { return !s.sketch && !s.drawing }

// classOf returns the class of an earlier curve with the same label and style, because both are pieces of one curve; "" if
// there is none.
func (s *scene) classOf(piece *sdk.Curve) string {
	for i := range s.curves {
		if c := &s.curves[i]; piece.Label != "" && piece.Style != sdk.Load && c.Label == piece.Label && c.Style == piece.Style {
			return c.class
		}
	}
	return ""
}

// places calls f for every place in the picture.
func places(figure *sdk.Figure, f func(x, y float64)) {
	for _, c := range figure.Curves {
		for i := range min(len(c.X), len(c.Y)) {
			f(c.X[i], c.Y[i])
		}
	}
	for _, a := range figure.Arrows {
		f(a.X, a.Y)
		f(a.ToX, a.ToY)
	}
	for _, c := range figure.Couples {
		f(c.X, c.Y)
	}
	for _, p := range figure.Supports {
		f(p.X, p.Y)
	}
	for _, p := range figure.Points {
		f(p.X, p.Y)
	}
	for _, h := range figure.Shapes {
		for _, x := range h.X {
			f(x, 0)
		}
	}
	for _, d := range figure.Dimensions {
		f(d.X, d.Y)
		f(d.ToX, d.ToY)
	}
}

// axes chooses the units and ranges of the axes.
func (s *scene) axes() {
	xs, ys := [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
	extend := func(to *[2]float64, a *sdk.Axis, v float64) {
		if !a.Log || v > 0 {
			*to = [2]float64{min(to[0], v), max(to[1], v)}
		}
	}
	places(s.figure, func(x, y float64) {
		extend(&xs, &s.plot.X, x)
		extend(&ys, &s.plot.Y, y)
	})
	for _, of := range []*[2]float64{&xs, &ys} {
		if of[0] > of[1] { // no data
			*of = [2]float64{}
		}
	}
	if s.wantsZero(ys) {
		ys = [2]float64{min(ys[0], 0), max(ys[1], 0)}
	}
	ox, oy := order(max(-xs[0], xs[1])), order(max(-ys[0], ys[1]))
	if s.plot.ToScale {
		ox, oy = max(ox, oy), max(ox, oy)
	}
	s.x, s.y = newAxis(&s.plot.X, ox), newAxis(&s.plot.Y, oy)
	if s.plot.ToScale && s.x.exponent != s.y.exponent {
		s.y.count(s.plot.Y.Unit, s.x.exponent)
	}
	s.x.span(s.x.along(xs[0]), s.x.along(xs[1]))
	s.y.span(s.y.along(ys[0]), s.y.along(ys[1]))
	if !s.plot.ToScale && !s.sketch && !s.y.log {
		s.addLabelSpace(ys)
	}
	s.dataX, s.dataY = [2]float64{s.x.low, s.x.high}, [2]float64{s.y.low, s.y.high}
}

// addLabelSpace extends the range for the labels of the highest and lowest points.
func (s *scene) addLabelSpace(ys [2]float64) {
	space := 0.13 * (s.y.high - s.y.low)
	has := func(y float64) bool {
		return y != 0 && slices.ContainsFunc(s.figure.Points, func(p sdk.Point) bool { return p.Y == y })
	}
	if has(ys[0]) {
		s.y.low -= space
	}
	if has(ys[1]) {
		s.y.high += space
	}
}

// wantsZero reports whether the picture should include y = 0, as a base or because it is near.
func (s *scene) wantsZero(ys [2]float64) bool {
	based := func(c sdk.Curve) bool {
		return c.Style == sdk.Area || c.Style == sdk.Load || c.Style == sdk.Member && !s.plot.ToScale
	}
	if s.plot.Y.Log {
		return false
	}
	near := !s.plot.ToScale && (ys[0] >= 0 && ys[0] <= ys[1]/2 || ys[1] <= 0 && ys[1] >= ys[0]/2)
	return near || slices.ContainsFunc(s.figure.Curves, based)
}

const (
	tickRow   = 20 // height of the numbers below the frame
	titleRow  = 20 // height of a title
	legendRow = 20
	shortest  = 110 // height of a frame
)

// layout places the frame and its curves, with the given number of rows above it for a legend.
func (s *scene) layout(legend int) {
	s.legend = legend > 0
	s.top = 12 + float64(legend)*legendRow
	high := 250.0
	switch {
	case s.drawing:
		s.left, s.right = 12, s.width-12
	case s.sketch:
		high = 150 + s.shapeSpace()
		s.left, s.right = 12, s.width-12
	default:
		s.top += titleRow
		s.left, s.right = 40, s.width-max(24, s.contextWidth())
		if !s.plot.ToScale {
			s.divideY(high)
			s.left = s.tickWidth() + 12
		}
	}
	in := s.insets()
	s.x.from, s.x.to = s.left+in.left, s.right-in.right
	if s.plot.ToScale {
		high = s.toScale(in)
		if s.framed() {
			s.left = s.tickWidth() + 12
			s.x.from = s.left + in.left
			high = s.toScale(in)
		}
	}
	s.bottom = s.top + high
	s.height = s.bottom + tickRow + titleRow + 4
	if s.drawing {
		s.height = s.bottom + 4
	}
	s.y.from, s.y.to = s.bottom-in.bottom, s.top+in.top
	if s.plot.Down {
		s.y.from, s.y.to = s.top+in.top, s.bottom-in.bottom
	}
	s.divideX()
	s.project()
	s.takePlaces()
}

// takePlaces marks the places of numbers, titles and marks as taken, so that no label covers them.
func (s *scene) takePlaces() {
	s.taken = nil
	if s.framed() {
		s.lines = append(s.lines, s.zeros()...)
	}
	around := func(at spot, left, right, up, down float64) {
		s.taken = append(s.taken, box{at.x - left, at.y - up, at.x + right, at.y + down})
	}
	if s.framed() {
		s.taken = append(s.taken, box{0, s.top - titleRow - 2, s.width, s.top - 4}, box{0, s.top - 8, s.left - 4, s.bottom})
	}
	for _, p := range s.figure.Points {
		around(s.spot(p.X, p.Y), 5, 5, 5, 5)
	}
	for _, p := range s.figure.Supports {
		m := extents[p.Kind]
		around(s.spot(p.X, p.Y), m.left, m.right, m.top, m.bottom)
	}
	for _, c := range s.figure.Couples {
		around(s.spot(c.X, c.Y), coupleRadius+4, coupleRadius+4, coupleRadius+4, coupleRadius+4)
	}
}

func (s *scene) tickWidth() float64 {
	widest := 0.0
	for _, v := range s.y.ticks() {
		widest = max(widest, width(s.y.tick(v)))
	}
	return widest
}

// divideY chooses ticks for an axis of a height in pixels.
func (s *scene) divideY(high float64) {
	if s.y.log {
		perDecade := high / (s.y.high - s.y.low)
		s.y.divideDecades(func(v, next float64) bool { return (next-v)*perDecade > fontSize+3 })
		return
	}
	s.y.divide(high / 44)
	s.y.round()
}

// divideX chooses as many ticks as there is space for their numbers.
func (s *scene) divideX() {
	const apart = 10
	long := math.Abs(s.x.to - s.x.from)
	if s.x.log {
		perDecade := long / (s.x.high - s.x.low)
		s.x.divideDecades(func(v, next float64) bool {
			return (next-v)*perDecade > width(s.x.tick(v))/2+width(s.x.tick(next))/2+apart
		})
		return
	}
	for steps := long / 64; ; steps /= 1.6 {
		s.x.divide(steps)
		widest := 0.0
		for _, v := range s.x.ticks() {
			widest = max(widest, width(s.x.tick(v)))
		}
		if steps < 1.5 || widest+apart < long*s.x.step/(s.x.high-s.x.low) {
			return
		}
	}
}

// toScale gives a unit the same length on both axes, and returns the height of the frame.
func (s *scene) toScale(in margins) float64 {
	const highest = 380
	long := s.x.to - s.x.from
	pad := 0.05 * max(s.dataX[1]-s.dataX[0], s.dataY[1]-s.dataY[0])
	if s.drawing {
		pad = 0 // its margins are for dimensions
	}
	x0, x1, y0, y1 := s.dataX[0]-pad, s.dataX[1]+pad, s.dataY[0]-pad, s.dataY[1]+pad
	scale := min(long/(x1-x0), (highest-in.top-in.bottom)/(y1-y0))
	wider, higher := long/scale-(x1-x0), (shortest-in.top-in.bottom)/scale-(y1-y0)
	s.x.low, s.x.high = x0-wider/2, x1+wider/2
	s.y.low, s.y.high = y0-max(0, higher)/2, y1+max(0, higher)/2
	high := (s.y.high-s.y.low)*scale + in.top + in.bottom
	s.y.divide(high / 44)
	return high
}

// margins are distances from the sides of the frame.
type margins struct{ left, right, top, bottom float64 }

// insets returns the margins needed by signs that extend beyond their place.
func (s *scene) insets() margins {
	var m margins
	if s.drawing {
		m = s.dimensionMargins()
	}
	need := func(x, y float64, sign margins) {
		across := (s.x.along(x) - s.x.low) / (s.x.high - s.x.low)
		up := (s.y.along(y) - s.y.low) / (s.y.high - s.y.low)
		if s.plot.Down {
			up = 1 - up
		}
		const near = 0.12 // of the frame
		if across < near {
			m.left = max(m.left, sign.left)
		}
		if across > 1-near {
			m.right = max(m.right, sign.right)
		}
		if up < near {
			m.bottom = max(m.bottom, sign.bottom)
		}
		if up > 1-near {
			m.top = max(m.top, sign.top)
		}
	}
	for _, c := range s.figure.Couples {
		need(c.X, c.Y, margins{24, 24, 28, 46}) // with a label below
	}
	for _, p := range s.figure.Supports {
		need(p.X, p.Y, extents[p.Kind])
	}
	if s.sketch {
		places(s.figure, func(x, y float64) { need(x, y, margins{8, 8, 0, 0}) })
		for _, c := range s.figure.Curves {
			if c.Style == sdk.Load {
				m.top, m.bottom = max(m.top, 20), max(m.bottom, 20) // for its label
			}
		}
		if len(s.figure.Arrows) > 0 {
			m.top, m.bottom = max(m.top, 20), max(m.bottom, 20)
		}
		if space := s.shapeSpace(); space > 0 {
			need(s.dataX[0], 0, margins{top: space, bottom: space})
		}
	}
	return m
}

// project computes the places of the curves in the picture.
func (s *scene) project() {
	s.lines, s.faint = nil, nil
	for i := range s.curves {
		c := &s.curves[i]
		spots := make([]spot, min(len(c.X), len(c.Y)))
		for j := range spots {
			spots[j] = s.spot(c.X[j], c.Y[j])
		}
		c.kept = simplify(spots)
		c.spots = c.spots[:0:0]
		for _, j := range c.kept {
			c.spots = append(c.spots, spots[j])
		}
		for j := 1; j < len(c.spots) && c.Style != sdk.Context; j++ { // labels can cross the thin lines of context
			a, b := c.spots[j-1], c.spots[j]
			switch {
			case c.background():
				s.faint = append(s.faint, segment{a, b})
			case c.Style == sdk.Member && s.sketch: // both edges of it
				s.lines = append(s.lines, segment{a.plus(0, -half), b.plus(0, -half)}, segment{a.plus(0, half), b.plus(0, half)})
			default:
				s.lines = append(s.lines, segment{a, b})
			}
		}
	}
}

// spot returns the pixel of a place.
func (s *scene) spot(x, y float64) spot { return spot{s.x.px(x), s.y.px(y)} }
