package sdk_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/internal/box"
	"github.com/slipstick/slipstick/sdk/value"
)

type drawn struct {
	X float64 `name:"x"`
	Y float64 `name:"y"`
}

// Draw implements [sdk.Drawer].
func (in *drawn) Draw(_ context.Context, plot string) (*sdk.Figure, error) {
	f := &sdk.Figure{Curves: []sdk.Curve{{Label: "line", X: []float64{1, 2}, Y: []float64{1, in.Y * in.Y}}}}
	if plot == "points" {
		f.Curves[0].Y[1] = 1
		f.Points = []sdk.Point{{Label: "end", X: in.X, Y: in.Y * in.Y}}
	}
	return f, nil
}

func drawing(x, y sdk.Axis) sdk.Plotter {
	spec := box.Spec()
	x.Label, y.Label = "x", "y"
	spec.Plots = []sdk.Plot{{ID: "line", Title: "Line", X: x, Y: y}, {ID: "points", Title: "Points", X: x, Y: y}}
	return sdk.New(spec, func(_ context.Context, in drawn) (drawn, error) { return in, nil }).(sdk.Plotter)
}

// A drawing beyond binary64 is rejected like such a result, because the caller can change the
// inputs.
func TestFigureOverflows(t *testing.T) {
	for _, plot := range []string{"line", "points"} {
		_, err := drawing(sdk.Axis{}, sdk.Axis{}).Draw(t.Context(), plot, value.Values{value.NumberOf(1), value.NumberOf(1e300)})
		var e *sdk.Error
		if !errors.As(err, &e) || e.Code != sdk.CodeNonFiniteResult || !strings.Contains(e.Detail, plot) || e.Suggestion == "" {
			t.Errorf("%s: %v, want %s", plot, err, sdk.CodeNonFiniteResult)
		}
		if f, err := drawing(sdk.Axis{}, sdk.Axis{}).Draw(t.Context(), plot, value.Values{value.NumberOf(1), value.NumberOf(1e3)}); err != nil || len(f.Curves) != 1 {
			t.Errorf("%s: %v, %v", plot, f, err)
		}
	}
	for part, f := range map[string]sdk.Figure{
		"arrow":   {Arrows: []sdk.Arrow{{ToY: math.Inf(1)}}},
		"couple":  {Couples: []sdk.Couple{{X: math.NaN()}}},
		"support": {Supports: []sdk.Support{{Kind: sdk.Pin, Y: math.Inf(-1)}}},

		"dimension": {Dimensions: []sdk.Dimension{{Label: "b", Length: math.Inf(1)}}},
		"shape":     {Shapes: []sdk.Shape{{X: []float64{0}, Y: []float64{math.NaN()}}}},
	} {
		f.Curves = []sdk.Curve{{X: []float64{0}, Y: []float64{0}}}
		if err := f.Check(); err == nil {
			t.Errorf("a figure with such a %s can be drawn", part)
		}
	}
}

// A logarithmic axis shows only numbers above zero. Other numbers are the author's fault.
func TestLogarithmicAxes(t *testing.T) {
	log := sdk.Axis{Log: true}
	draw := func(x, y sdk.Axis, plot string, at ...float64) error {
		_, err := drawing(x, y).Draw(t.Context(), plot, value.Values{value.NumberOf(at[0]), value.NumberOf(at[1])})
		return err
	}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"above zero":       {draw(log, log, "points", 1, 5e-100), ""},
		"a curve at zero":  {draw(sdk.Axis{}, log, "line", 1, 0), `curve "line" has a number that is not above zero`},
		"zero on the left": {draw(log, sdk.Axis{}, "line", 1, 0), ""},
		"a point below":    {draw(log, sdk.Axis{}, "points", -1, 1), `point "end" is not above zero`},
		"a point at zero":  {draw(sdk.Axis{}, log, "points", 1, 0), `point "end" is not above zero`},
	} {
		var rejection *sdk.Error
		if ok := tt.want == "" && tt.err == nil || tt.want != "" && tt.err != nil && strings.Contains(tt.err.Error(), tt.want) && !errors.As(tt.err, &rejection); !ok {
			t.Errorf("%s: %v, want %q", name, tt.err, tt.want)
		}
	}
	p := sdk.Plot{X: log}
	one := []float64{1}
	for name, f := range map[string]sdk.Figure{
		"load":    {Curves: []sdk.Curve{{Style: sdk.Load, X: one, Y: one}}},
		"member":  {Curves: []sdk.Curve{{Style: sdk.Member, X: one, Y: one}}},
		"support": {Curves: []sdk.Curve{{X: one, Y: one}}, Supports: []sdk.Support{{Kind: sdk.Pin, X: 1, Y: 1}}},
	} {
		if err := p.Check(&f); err == nil {
			t.Errorf("a %s has a place on a logarithmic axis", name)
		}
	}
	spec := box.Spec()
	spec.Plots = []sdk.Plot{{ID: "p", Title: "P", X: sdk.Axis{Label: "x", Log: true}, Y: sdk.Axis{Label: "y"}, ToScale: true}}
	if err := spec.Validate(); err == nil || !strings.Contains(err.Error(), `plot "p" is drawn to scale`) {
		t.Errorf("a logarithmic axis to scale: %v", err)
	}
}

// Samples include both ends exactly, for all sizes of numbers, and the other places.
func TestSampleDecades(t *testing.T) {
	for _, ends := range [][2]float64{{1, 1e6}, {0.1, 0.3}, {5e-324, math.MaxFloat64}, {7, 8}} {
		middle := math.Sqrt(ends[0]) * math.Sqrt(ends[1])
		xs, ys := sdk.SampleDecades(ends[0], ends[1], 5, func(x float64) float64 { return 2 * x }, middle, ends[1]*2, 0)
		if xs[0] != ends[0] || xs[len(xs)-1] != ends[1] || !slices.IsSorted(xs) || len(xs) != len(ys) || ys[0] != 2*xs[0] || !slices.Contains(xs, middle) {
			t.Errorf("from %v to %v: %v, %v", ends[0], ends[1], xs, ys)
		}
	}
	xs, _ := sdk.SampleDecades(1, 1e4, 5, math.Abs)
	for i, want := range []float64{1, 10, 100, 1000, 1e4} {
		if math.Abs(xs[i]-want) > 1e-12*want {
			t.Errorf("place %d is %v, want %v", i, xs[i], want)
		}
	}
}

// A size needs axes with one scale and unit, and a shape needs a member that bends.
func TestDimensionsAndShapes(t *testing.T) {
	m := sdk.Axis{Label: "x", Unit: "m"}
	scale, loads := sdk.Plot{ToScale: true, X: m, Y: m}, sdk.Plot{X: m, Y: sdk.Axis{Unit: "N"}}
	one := []float64{1}
	member := []sdk.Curve{{Style: sdk.Member, X: one, Y: one}}
	width := func(d sdk.Dimension) *sdk.Figure { return &sdk.Figure{Curves: member, Dimensions: []sdk.Dimension{d}} }
	shape := func(curves []sdk.Curve, ys ...float64) *sdk.Figure {
		return &sdk.Figure{Curves: curves, Shapes: []sdk.Shape{{Label: "bent", X: one, Y: ys}}}
	}
	for name, tt := range map[string]struct {
		plot   sdk.Plot
		figure *sdk.Figure
		want   string
	}{
		"width":                {scale, width(sdk.Dimension{Label: "width", Length: 1, Side: sdk.Below}), ""},
		"not to scale":         {loads, width(sdk.Dimension{Label: "width", Length: 1}), "dimensions need a plot that is drawn to scale"},
		"of two units":         {sdk.Plot{ToScale: true, X: m, Y: sdk.Axis{Unit: "s"}}, width(sdk.Dimension{Label: "width", Length: 1}), "one unit on both axes"},
		"negative":             {scale, width(sdk.Dimension{Label: "width", Length: -1}), "not negative"},
		"without a name":       {scale, width(sdk.Dimension{Length: 1}), "needs a label"},
		"on the back":          {scale, width(sdk.Dimension{Label: "width", Side: "behind"}), `unknown side "behind"`},
		"bent":                 {loads, shape(member, -1), ""},
		"bent, to scale":       {scale, shape(member, -1), "a shape needs a member"},
		"nothing that bends":   {loads, shape([]sdk.Curve{{X: one, Y: one}}, -1), "a shape needs a member"},
		"bent in fewer places": {loads, shape(member), `shape "bent" has 1 x and 0 y`},
	} {
		if err := tt.plot.Check(tt.figure); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestHeadline(t *testing.T) {
	type good struct {
		A float64 `name:"a"`
		B float64 `name:"b" headline:"true"`
		C string  `name:"c"`
	}
	type two struct {
		A float64 `name:"a" headline:"true"`
		B float64 `name:"b" headline:"true"`
	}
	type word struct {
		C string `name:"c" headline:"true"`
	}
	outputs := sdk.New(box.Spec(), func(context.Context, drawn) (good, error) { return good{}, nil }).Spec().Outputs
	if outputs[0].Headline || !outputs[1].Headline || outputs[2].Headline {
		t.Errorf("headlines %+v", outputs)
	}
	for want, build := range map[string]func(sdk.Spec){
		`outputs "a" and "b" are headlines`: build[drawn, two], `output "c" is a headline`: build[drawn, word], `input "b" is a headline`: build[good, drawn],
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("panic %q, want %q", text, want)
				}
			}()
			build(box.Spec())
		}()
	}
}

// An example is data, so that pages can convert it. Money has no unit to convert.
func TestExampleAndMoney(t *testing.T) {
	type good struct {
		A float64 `name:"a" unit:"m" example:"4.5e-5 for commercial steel"`
		B float64 `name:"b" money:"true"`
	}
	type wordy struct {
		A float64 `name:"a" example:"about 3"`
	}
	type text struct {
		A string `name:"a" example:"3"`
	}
	type dear struct {
		A float64 `name:"a" unit:"m" money:"true"`
	}
	type yes struct {
		A float64 `name:"a" money:"yes"`
	}
	fields := sdk.New(box.Spec(), func(context.Context, drawn) (good, error) { return good{}, nil }).Spec().Outputs
	if e := fields[0].Example; e == nil || e.Number != "4.5e-5" || e.Of != "for commercial steel" || fields[0].Money || !fields[1].Money || fields[1].Example != nil {
		t.Errorf("fields %+v", fields)
	}
	for want, build := range map[string]func(sdk.Spec){
		`does not start with a number`: build[drawn, wordy], `the example "3" is not a number`: build[drawn, text],
		`money is a number without a unit`: build[drawn, dear], `money "yes" is not true`: build[drawn, yes],
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("panic %q, want %q", text, want)
				}
			}()
			build(box.Spec())
		}()
	}
}
