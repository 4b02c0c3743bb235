package show

import (
	"math"
	"net/url"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// Keys of the URL of a CSV file that name the units of its numbers.
const (
	XUnitKey = "x_unit"
	YUnitKey = "y_unit"
)

// AxisUnit is the unit of an axis in a plot. The zero value is the unit of the Spec.
type AxisUnit struct {
	own  customary.Quantity
	unit units.Unit
}

// Axes returns the units of a plot for the reader, chosen for its largest numbers. A plot to scale has the same unit on both
// axes.
func (r *Reading) Axes(p *sdk.Plot, f *sdk.Figure) (x, y AxisUnit) {
	most := [2]float64{}
	visit(f, func(x *float64) { most[0] = max(most[0], math.Abs(*x)) }, func(y *float64) { most[1] = max(most[1], math.Abs(*y)) })
	if p.ToScale {
		most[0] = max(most[0], most[1])
		most[1] = most[0]
	}
	x, y = r.axis(&p.X, most[0]), r.axis(&p.Y, most[1])
	if p.ToScale && x.exact(1) != y.exact(1) {
		return AxisUnit{}, AxisUnit{} // the axes have different quantities
	}
	return x, y
}

func (r *Reading) axis(a *sdk.Axis, most float64) AxisUnit {
	own, ok := quantityOf(r.Spec, a)
	if !ok {
		return AxisUnit{}
	}
	return AxisUnit{own, r.reader.Unit(own, most)}
}

func quantityOf(spec *sdk.Spec, a *sdk.Axis) (customary.Quantity, bool) {
	return customary.Of(spec, a.Unit, wording.IsDifference(&sdk.Field{Name: strings.ToLower(a.Label), Unit: a.Unit}))
}

// AskedAxes reads the units that a query names.
func AskedAxes(spec *sdk.Spec, p *sdk.Plot, raw string) (x, y AxisUnit, err error) {
	query, err := problem.ParseQuery(raw)
	if err != nil {
		return x, y, err
	}
	for _, axis := range []struct {
		key string
		of  *sdk.Axis
		to  *AxisUnit
	}{{XUnitKey, &p.X, &x}, {YUnitKey, &p.Y, &y}} {
		id := query.Get(axis.key)
		if id == "" {
			continue
		}
		own, measured := quantityOf(spec, axis.of)
		u, known := units.Lookup(id)
		if !measured || !known || u.Quantity != own.Unit.Quantity || len(query[axis.key]) > 1 {
			return x, y, problem.New(problem.CodeInvalidQuery, "Leave out "+axis.key+" for the unit of the Spec.", "%s cannot be in the unit %.40q", axis.of.Label, id)
		}
		*axis.to = AxisUnit{own, u}
	}
	return x, y, nil
}

// Query returns the key for the URL of a CSV file, with an & before it. It returns "" for the unit of the Spec.
func (a AxisUnit) Query(key string) string {
	if a.unit.ID == a.own.Unit.ID {
		return ""
	}
	return "&" + key + "=" + url.QueryEscape(a.unit.ID)
}

// exact converts every digit of a number.
func (a AxisUnit) exact(x float64) float64 {
	if a.unit.ID == a.own.Unit.ID {
		return x
	}
	return a.own.Convert(x, a.unit)
}

// near returns a function that converts all but the last digits of a number exactly, which is enough for a picture. It
// takes a thousandth of the time of exact.
func (a AxisUnit) near() func(x float64) float64 {
	if a.unit.ID == a.own.Unit.ID {
		return func(x float64) float64 { return x }
	}
	step := a.own
	step.Difference = true
	scale, zero := step.Convert(1, a.unit), a.exact(0)
	return func(x float64) float64 { return x*scale + zero }
}

func (a AxisUnit) name(axis *sdk.Axis) sdk.Axis {
	named := *axis
	if a.unit.ID != "" {
		named.Unit = a.unit.ID
	}
	return named
}

// Drawn returns the plot and its data in the units of both axes.
func Drawn(p *sdk.Plot, f *sdk.Figure, x, y AxisUnit) (*sdk.Plot, *sdk.Figure) {
	return inUnits(p, f, x, y, x.near(), y.near())
}

// Exactly returns the plot and its data in the units of both axes, with all digits.
func Exactly(p *sdk.Plot, f *sdk.Figure, x, y AxisUnit) (*sdk.Plot, *sdk.Figure) {
	return inUnits(p, f, x, y, x.exact, y.exact)
}

// inUnits returns the plot and its data themselves, or copies if it converts a unit.
func inUnits(p *sdk.Plot, f *sdk.Figure, x, y AxisUnit, toX, toY func(float64) float64) (*sdk.Plot, *sdk.Figure) {
	if x.unit.ID == x.own.Unit.ID && y.unit.ID == y.own.Unit.ID {
		return p, f
	}
	plot, figure := *p, cloneFigure(f)
	plot.X, plot.Y = x.name(&p.X), y.name(&p.Y)
	visit(figure, func(at *float64) { *at = toX(*at) }, func(at *float64) { *at = toY(*at) })
	for i := range figure.Dimensions {
		d := &figure.Dimensions[i]
		d.Length = toX(d.Length) - toX(0)
	}
	return &plot, figure
}

func cloneFigure(f *sdk.Figure) *sdk.Figure {
	c := &sdk.Figure{
		Arrows: append([]sdk.Arrow(nil), f.Arrows...), Couples: append([]sdk.Couple(nil), f.Couples...),
		Supports: append([]sdk.Support(nil), f.Supports...), Points: append([]sdk.Point(nil), f.Points...),
		Dimensions: append([]sdk.Dimension(nil), f.Dimensions...), Family: f.Family,
	}
	for _, curve := range f.Curves {
		curve.X, curve.Y = append([]float64(nil), curve.X...), append([]float64(nil), curve.Y...)
		c.Curves = append(c.Curves, curve)
	}
	for _, shape := range f.Shapes {
		shape.X, shape.Y = append([]float64(nil), shape.X...), append([]float64(nil), shape.Y...)
		c.Shapes = append(c.Shapes, shape)
	}
	return c
}

// visit calls onX and onY for every place of a plot, which they can move. Both numbers of a shape are on x.
func visit(f *sdk.Figure, onX, onY func(*float64)) {
	for i := range f.Curves {
		c := &f.Curves[i]
		for k := range min(len(c.X), len(c.Y)) {
			onX(&c.X[k])
			onY(&c.Y[k])
		}
	}
	for i := range f.Shapes {
		h := &f.Shapes[i]
		for k := range min(len(h.X), len(h.Y)) {
			onX(&h.X[k])
			onX(&h.Y[k])
		}
	}
	pair := func(x, y *float64) {
		onX(x)
		onY(y)
	}
	for i := range f.Arrows {
		pair(&f.Arrows[i].X, &f.Arrows[i].Y)
		pair(&f.Arrows[i].ToX, &f.Arrows[i].ToY)
	}
	for i := range f.Dimensions {
		pair(&f.Dimensions[i].X, &f.Dimensions[i].Y)
		pair(&f.Dimensions[i].ToX, &f.Dimensions[i].ToY)
	}
	for i := range f.Couples {
		pair(&f.Couples[i].X, &f.Couples[i].Y)
	}
	for i := range f.Supports {
		pair(&f.Supports[i].X, &f.Supports[i].Y)
	}
	for i := range f.Points {
		pair(&f.Points[i].X, &f.Points[i].Y)
	}
}
