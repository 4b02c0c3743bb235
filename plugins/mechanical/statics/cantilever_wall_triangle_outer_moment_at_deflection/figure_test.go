package main

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/plugins/internal/ask"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

func draw(t ask.Tester, plot string, in ask.In) *sdk.Figure {
	t.Helper()
	spec := engine.Spec()
	values := make(value.Values, len(spec.Inputs))
	for i := range spec.Inputs {
		values[i], _ = spec.Inputs[i].DefaultValue()
	}
	for name, given := range in {
		switch at := spec.Input(name); v := given.(type) {
		case float64:
			values[at] = value.NumberOf(v)
		case string:
			values[at] = value.TextOf(v)
		}
	}
	f, err := engine.(sdk.Plotter).Draw(t.Context(), plot, values)
	if err != nil {
		t.Fatalf("%s of %v: %v", plot, in, err)
	}
	return f
}

// TestDiagrams compares the curves with the formulas of a cantilever, and the deflection
// with the result.
func TestDiagrams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := beams(t)
		number := func(name string) float64 { return in[name].(float64) }
		length, w0, b, w, a, m0 := number("length"), number("triangle_peak_load"), number("triangle_length"), number("outer_uniform_load"), number("outer_start"), number("tip_moment")
		shear := func(x float64) float64 {
			rest := max(b-x, 0)
			return w0*rest*rest/(2*b) + w*(length-max(x, a))
		}
		moment := func(x float64) float64 {
			rest, uniform := max(b-x, 0), (length-x)*(length-x)/2
			if x < a {
				uniform = (length - a) * ((length+a)/2 - x)
			}
			return -(w0*rest*rest*rest/(6*b) + w*uniform + m0)
		}
		for plot, want := range map[string]func(x float64) float64{
			"shear": shear, "moment": moment,
			"deflection": func(x float64) float64 { return delta(t, ask.With(in, ask.In{"position": x})) },
		} {
			curve := draw(t, plot, in).Curves[0]
			for _, place := range []float64{0, a, b, number("position"), length} {
				if !slices.Contains(curve.X, place) {
					t.Fatalf("%s: not drawn at %v", plot, place)
				}
			}
			near := 1e-13 * (math.Abs(w0)*length + math.Abs(w)*length + math.Abs(m0)) * max(1, length)
			if plot == "deflection" {
				near = 0
			}
			for i, x := range curve.X {
				if math.Abs(curve.Y[i]-want(x)) > near {
					t.Fatalf("%s at %v: %v, want %v", plot, x, curve.Y[i], want(x))
				}
			}
		}
	})
}

func TestLargestDeflectionIsMarked(t *testing.T) {
	base := ask.In{"length": 3.0, "flexural_rigidity": 1e6}
	for name, c := range map[string]struct {
		loads ask.In
		want  []sdk.Point
	}{
		"one load": {ask.In{"triangle_peak_load": -4e5, "position": 1.0}, []sdk.Point{{Label: "largest deflection", X: 3, Y: -1.08}, {Label: "position", X: 1, Y: -0.4 * 194 / 360}}},
		"the tip":  {ask.In{"tip_moment": 2e6}, []sdk.Point{{Label: "largest deflection, at position", X: 3, Y: 9}}},
		"no load":  {nil, []sdk.Point{{Label: "position", X: 3}}},
		// EI delta = x^2 (x - 3) (x - 9), which is largest where 2x^2 - 18x + 27 = 0
		"opposite signs": {ask.In{"outer_uniform_load": 24e6, "outer_start": 0.0, "tip_moment": -54e6},
			[]sdk.Point{{Label: "largest deflection", X: (9 - 3*math.Sqrt(3)) / 2, Y: 28.1941731196}, {Label: "position", X: 3}}},
	} {
		got := draw(t, "deflection", ask.With(base, c.loads)).Points
		near := func(a, b sdk.Point) bool {
			return a.Label == b.Label && math.Abs(a.X-b.X) < 1e-6 && math.Abs(a.Y-b.Y) < 1e-6
		}
		if !slices.EqualFunc(got, c.want, near) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestSketch(t *testing.T) {
	base := ask.In{"length": 4.0, "flexural_rigidity": 1e6}
	f := draw(t, "sketch", ask.With(base, ask.In{
		"triangle_peak_load": 12.0, "triangle_length": 2.5, "outer_uniform_load": -5.0, "outer_length": 1.5, "tip_moment": 7.0,
	}))
	want := &sdk.Figure{
		Curves: []sdk.Curve{
			{Label: "beam", Style: sdk.Member, X: []float64{0, 4}, Y: []float64{0, 0}},
			{Label: "triangular load", Style: sdk.Load, X: []float64{0, 2.5}, Y: []float64{12, 0}},
			{Label: "uniform load", Style: sdk.Load, X: []float64{2.5, 4}, Y: []float64{-5, -5}},
		},
		Couples:  []sdk.Couple{{Label: "tip moment", X: 4}},
		Supports: []sdk.Support{{Kind: sdk.WallLeft}},
	}
	want.Shapes = f.Shapes
	if tip := len(f.Shapes[0].Y) - 1; f.Shapes[0].Y[tip] != 3.27109375e-05 { // upwards
		t.Errorf("the tip is drawn at %v", f.Shapes[0].Y[tip])
	}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("%+v, want %+v", f, want)
	}
	if turned := draw(t, "sketch", ask.With(base, ask.In{"tip_moment": -7.0})); len(turned.Curves) != 1 || !turned.Couples[0].Counterclockwise {
		t.Errorf("a couple that lifts the tip: %+v", turned)
	}
}

// TestThinStrip has a uniform load so short that its start is the tip in binary64.
func TestThinStrip(t *testing.T) {
	in := ask.In{"length": 4.0, "flexural_rigidity": 1e6, "outer_uniform_load": 5000.0, "outer_length": 1e-15}
	for plot, want := range map[string]float64{"shear": 5000 * 1e-15, "moment": -5000 * 1e-15 * (4 - 0.5e-15)} {
		ys := draw(t, plot, in).Curves[0].Y
		if math.Abs(ys[0]-want) > 1e-15*math.Abs(want) || ys[len(ys)-1] != 0 {
			t.Errorf("%s from %v to %v, want from %v to 0", plot, ys[0], ys[len(ys)-1], want)
		}
	}
}
