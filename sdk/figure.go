package sdk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/slipstick/slipstick/sdk/value"
)

// Plot is a picture of a calculation. Its engine draws it from the same inputs.
type Plot struct {
	ID      string `json:"id"`                 // lower-case words joined by underscores
	Title   string `json:"title"`              // a few words
	Summary string `json:"summary,omitempty"`  // description of the plot, for readers who cannot see it
	X       Axis   `json:"x"`                  // from left to right
	Y       Axis   `json:"y"`                  // upwards
	Down    bool   `json:"down,omitempty"`     // y grows downwards, as deflections are drawn
	ToScale bool   `json:"to_scale,omitempty"` // one unit is as long on both axes
}

// Axis is one axis of a Plot.
type Axis struct {
	Label  string `json:"label"`            // in words
	Symbol string `json:"symbol,omitempty"` // as LaTeX
	Unit   string `json:"unit,omitempty"`   // of SI, for the numbers of the drawing
	Log    bool   `json:"log,omitempty"`    // divided into decades, for numbers above zero
}

// Drawer is implemented by a pointer to an In struct whose Spec declares Plots. Draw returns
// the plot with the id. Before the call the struct has been completed and its ranges have
// been checked. The id is always one of the Spec's.
type Drawer interface {
	Draw(ctx context.Context, plot string) (*Figure, error)
}

// Plotter is an Engine that draws the Plots of its Spec. Its errors have the same meaning as
// the errors of Calculate.
type Plotter interface {
	Draw(ctx context.Context, plot string, in value.Values) (*Figure, error)
}

// Figure is the drawing of a Plot. All coordinates are finite and in the units of its axes. At least one
// Curve is needed; all other parts are optional. [Plot.Check] finds mistakes.
type Figure struct {
	Curves   []Curve   `json:"curves"`
	Arrows   []Arrow   `json:"arrows,omitempty"`
	Couples  []Couple  `json:"couples,omitempty"`
	Supports []Support `json:"supports,omitempty"`
	Points   []Point   `json:"points,omitempty"`

	Dimensions []Dimension `json:"dimensions,omitempty"`
	Shapes     []Shape     `json:"shapes,omitempty"`

	// Family is the meaning of the labels of the curves of style Context, such as "relative roughness".
	Family string `json:"family,omitempty"`
}

// Curve is a polyline through the points (X[i], Y[i]). X and Y have the same length, at least 1.
type Curve struct {
	Label string     `json:"label"`
	Style CurveStyle `json:"style,omitempty"`
	X     []float64  `json:"x"`
	Y     []float64  `json:"y"`
}

// CurveStyle is how a Curve is drawn.
type CurveStyle string

// The styles of curves.
const (
	Line   CurveStyle = ""       // of a quantity
	Area   CurveStyle = "area"   // line, with what lies between it and y = 0 shaded
	Load   CurveStyle = "load"   // intensity of a load that acts on y = 0, with arrows
	Member CurveStyle = "member" // a thing, such as a beam
	Guide  CurveStyle = "guide"  // dashed, for comparison

	Context CurveStyle = "context" // thin: one of a family of curves of a printed chart; its label is at its last point
	Centre  CurveStyle = "centre"  // centre line of a part; its label is at its last point
	Zone    CurveStyle = "zone"    // closed line around a region of the chart, which is shaded
)

var curveStyles = []CurveStyle{Line, Area, Load, Member, Guide, Context, Centre, Zone}

// Arrow points from (X, Y) to (ToX, ToY).
type Arrow struct {
	Label string  `json:"label,omitempty"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	ToX   float64 `json:"to_x"`
	ToY   float64 `json:"to_y"`
}

// Couple is a moment at a point, drawn as a bent arrow. Without Counterclockwise it turns
// clockwise on the page.
type Couple struct {
	Label            string  `json:"label,omitempty"`
	X                float64 `json:"x"`
	Y                float64 `json:"y"`
	Counterclockwise bool    `json:"counterclockwise,omitempty"` // as seen on the page
}

// Support is the symbol of a support of a member, drawn at (X, Y).
type Support struct {
	Kind SupportKind `json:"kind"`
	X    float64     `json:"x"`
	Y    float64     `json:"y"`
}

// SupportKind is the kind of a Support.
type SupportKind string

// The kinds of supports.
const (
	WallLeft  SupportKind = "wall_left" // clamped, with the wall on the left
	WallRight SupportKind = "wall_right"
	Pin       SupportKind = "pin"
	Roller    SupportKind = "roller"
)

// Point marks a point to read values from.
type Point struct {
	Label string  `json:"label"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// Dimension is the size of a part, written at a dimension line between two places. It needs a
// Plot that is drawn to scale, with one unit on both axes.
type Dimension struct {
	Label  string  `json:"label"`            // such as "width"
	Symbol string  `json:"symbol,omitempty"` // as LaTeX
	Length float64 `json:"length"`           // in the unit of the axes; the difference of the places is only close to it
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	ToX    float64 `json:"to_x"`
	ToY    float64 `json:"to_y"`
	Side   Side    `json:"side,omitempty"`
}

// Side is the place of a dimension line: next to the whole drawing, or between the places that
// it measures.
type Side string

// The sides.
const (
	Between Side = ""
	Below   Side = "below"
	Above   Side = "above"
	OnLeft  Side = "left"
	OnRight Side = "right"
)

var sides = []Side{Between, Below, Above, OnLeft, OnRight}

// Shape is the displacement of a member along y = 0. At the places X it is Y, upwards on the
// page, in the unit of x. It is drawn enlarged, and the picture states the factor.
type Shape struct {
	Label string    `json:"label"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
}

// Bounds on a drawing.
const (
	MaxFigurePoints = 20_000 // points of all curves and shapes of a drawing
	MaxFigureParts  = 200    // curves of a drawing, and parts of each other kind
	maxFigureLabel  = 200    // bytes of a label in a drawing
)

// Check returns an error unless f can be drawn as this plot. A logarithmic axis cannot show
// zero and negative numbers, nor loads and members.
func (p *Plot) Check(f *Figure) error {
	if err := f.Check(); err != nil {
		return err
	}
	switch {
	case len(f.Dimensions) > 0 && (!p.ToScale || p.X.Unit != p.Y.Unit):
		return errors.New("dimensions need a plot that is drawn to scale, with one unit on both axes")
	case len(f.Shapes) > 0 && (p.ToScale || p.X.Log || p.Y.Log || !slices.ContainsFunc(f.Curves, func(c Curve) bool { return c.Style == Member })):
		return errors.New("a shape needs a member, on a plot that is not drawn to scale and has no logarithmic axis")
	case !p.X.Log && !p.Y.Log:
		return nil
	}
	for _, c := range f.Curves {
		switch {
		case c.Style == Load || c.Style == Member:
			return fmt.Errorf("curve %q is a thing: it has no logarithmic axis", c.Label)
		case p.X.Log && slices.Min(c.X) <= 0 || p.Y.Log && slices.Min(c.Y) <= 0:
			return fmt.Errorf("curve %q has a number that is not above zero, on a logarithmic axis", c.Label)
		}
	}
	for _, at := range f.Points {
		if p.X.Log && at.X <= 0 || p.Y.Log && at.Y <= 0 {
			return fmt.Errorf("point %q is not above zero, on a logarithmic axis", at.Label)
		}
	}
	if len(f.Arrows)+len(f.Couples)+len(f.Supports) > 0 {
		return errors.New("arrows, couples and supports have no logarithmic axis")
	}
	return nil
}

// Check returns an error unless f can be drawn on a plot without a logarithmic axis. The error joins the
// mistakes in single parts. [Plot.Check] also compares f with its plot.
func (f *Figure) Check() error {
	if len(f.Curves) == 0 {
		return errors.New("a drawing has at least one curve")
	}
	if most := max(len(f.Curves), len(f.Arrows), len(f.Couples), len(f.Supports), len(f.Points), len(f.Dimensions), len(f.Shapes)); most > MaxFigureParts {
		return fmt.Errorf("a drawing has at most %d parts of a kind, not %d", MaxFigureParts, most)
	}
	points := 0
	for _, c := range f.Curves {
		points += len(c.X)
		switch {
		case len(c.X) != len(c.Y) || len(c.X) == 0:
			return fmt.Errorf("curve %q has %d x and %d y", c.Label, len(c.X), len(c.Y))
		case !slices.Contains(curveStyles, c.Style):
			return fmt.Errorf("curve %q has the unknown style %q", c.Label, c.Style)
		case !finite(c.X...) || !finite(c.Y...):
			return fmt.Errorf("curve %q has a number that is not finite", c.Label)
		case len(c.Label) > maxFigureLabel:
			return errors.New("the label of a curve is too long")
		}
	}
	for _, h := range f.Shapes {
		points += len(h.X)
		if len(h.X) != len(h.Y) || len(h.X) == 0 {
			return fmt.Errorf("shape %q has %d x and %d y", h.Label, len(h.X), len(h.Y))
		}
	}
	if points > MaxFigurePoints {
		return fmt.Errorf("a drawing has at most %d points, not %d", MaxFigurePoints, points)
	}
	return f.checkParts()
}

func (f *Figure) checkParts() error {
	part := func(label string, numbers ...float64) error {
		switch {
		case !finite(numbers...):
			return fmt.Errorf("%q is at a place that is not finite", label)
		case len(label) > maxFigureLabel:
			return errors.New("a label is too long")
		}
		return nil
	}
	var errs []error
	for _, a := range f.Arrows {
		errs = append(errs, part(a.Label, a.X, a.Y, a.ToX, a.ToY))
	}
	for _, c := range f.Couples {
		errs = append(errs, part(c.Label, c.X, c.Y))
	}
	for _, p := range f.Points {
		errs = append(errs, part(p.Label, p.X, p.Y))
	}
	for _, h := range f.Shapes {
		errs = append(errs, part(h.Label, append(slices.Clone(h.X), h.Y...)...))
	}
	for _, d := range f.Dimensions {
		errs = append(errs, part(d.Label, d.numbers()...), part(d.Symbol))
		switch {
		case !slices.Contains(sides, d.Side):
			errs = append(errs, fmt.Errorf("dimension %q is on the unknown side %q", d.Label, d.Side))
		case d.Length < 0 || d.Label == "":
			errs = append(errs, fmt.Errorf("dimension %q needs a label, and a length that is not negative", d.Label))
		}
	}
	errs = append(errs, part(f.Family))
	for _, s := range f.Supports {
		errs = append(errs, part(string(s.Kind), s.X, s.Y))
		if !slices.Contains([]SupportKind{WallLeft, WallRight, Pin, Roller}, s.Kind) {
			errs = append(errs, fmt.Errorf("unknown kind of support %q", s.Kind))
		}
	}
	return errors.Join(errs...)
}

func (d *Dimension) numbers() []float64 { return []float64{d.Length, d.X, d.Y, d.ToX, d.ToY} }

// overflows reports whether f has a number that is not finite.
func (f *Figure) overflows() bool {
	for _, c := range f.Curves {
		if !finite(c.X...) || !finite(c.Y...) {
			return true
		}
	}
	return slices.ContainsFunc(f.Arrows, func(a Arrow) bool { return !finite(a.X, a.Y, a.ToX, a.ToY) }) ||
		slices.ContainsFunc(f.Couples, func(c Couple) bool { return !finite(c.X, c.Y) }) ||
		slices.ContainsFunc(f.Supports, func(s Support) bool { return !finite(s.X, s.Y) }) ||
		slices.ContainsFunc(f.Points, func(p Point) bool { return !finite(p.X, p.Y) }) ||
		slices.ContainsFunc(f.Dimensions, func(d Dimension) bool { return !finite(d.numbers()...) }) ||
		slices.ContainsFunc(f.Shapes, func(h Shape) bool { return !finite(h.X...) || !finite(h.Y...) })
}

func finite(numbers ...float64) bool {
	return !slices.ContainsFunc(numbers, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) })
}

// Sample evaluates f at n evenly spaced places from low to high. It also evaluates f at the
// other places between these, such as the start of a load. It returns all places in ascending
// order, with their values.
func Sample(low, high float64, n int, f func(x float64) float64, others ...float64) (xs, ys []float64) {
	for i := range n {
		t := float64(i) / float64(max(1, n-1))
		xs = append(xs, low+t*(high-low))
	}
	if n > 1 {
		xs[n-1] = high // exact, in spite of rounding
	}
	return sampled(low, high, xs, f, others)
}

// sampled evaluates f at the places, and at others between low and high.
func sampled(low, high float64, xs []float64, f func(x float64) float64, others []float64) (places, ys []float64) {
	for _, x := range others {
		if x > low && x < high {
			xs = append(xs, x)
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	for _, x := range xs {
		ys = append(ys, f(x))
	}
	return xs, ys
}

// SampleDecades is [Sample] for a logarithmic axis: the ratio of neighbouring places is
// constant. Low and high must be above zero.
func SampleDecades(low, high float64, n int, f func(x float64) float64, others ...float64) (xs, ys []float64) {
	first, last := math.Log(low), math.Log(high)
	for i := range n {
		t := float64(i) / float64(max(1, n-1))
		xs = append(xs, min(max(math.Exp(first+t*(last-first)), low), high))
	}
	if n > 1 {
		xs[0], xs[n-1] = low, high // exact, in spite of rounding
	}
	return sampled(low, high, xs, f, others)
}

// Draw implements [Plotter].
func (e *typed[In, Out]) Draw(ctx context.Context, plot string, values value.Values) (f *Figure, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("engine panicked: %v", p)
		}
	}()
	at := slices.IndexFunc(e.spec.Plots, func(p Plot) bool { return p.ID == plot })
	if at < 0 {
		return nil, fmt.Errorf("there is no plot %q", plot)
	}
	c := newCalculation(e)
	if _, err := c.accept(&notes{Context: ctx}, values); err != nil {
		return nil, err
	}
	f, err = any(&c.in).(Drawer).Draw(ctx, plot)
	if err := fault(err); err != nil {
		return nil, err
	}
	if f.overflows() {
		return nil, Reject(CodeNonFiniteResult, "", "the plot %s has a number beyond the range of binary64 numbers for these inputs", plot).
			Suggest("Use less extreme inputs.")
	}
	return f, e.spec.Plots[at].Check(f)
}

// checkDrawer panics if a Spec declares plots, and its inputs have no method Draw.
func checkDrawer(spec *Spec, in reflect.Type) {
	if len(spec.Plots) > 0 && !reflect.PointerTo(in).Implements(reflect.TypeFor[Drawer]()) {
		panic(fmt.Sprintf("sdk: spec of %s: Plots are declared, but *%v has no method Draw(ctx, plot string) (*sdk.Figure, error)", spec.Capability, in))
	}
}

func checkPlots(plots []Plot) []error {
	var errs []error
	seen := map[string]bool{}
	for _, p := range plots {
		if !plotForm.MatchString(p.ID) || seen[p.ID] || p.Title == "" || p.X.Label == "" || p.Y.Label == "" {
			errs = append(errs, fmt.Errorf("plot %q needs an ID of its own in lower-case words, a Title and labels on both axes", p.ID))
		}
		if p.ToScale && (p.X.Log || p.Y.Log) {
			errs = append(errs, fmt.Errorf("plot %q is drawn to scale: it has no logarithmic axis", p.ID))
		}
		seen[p.ID] = true
	}
	return errs
}
