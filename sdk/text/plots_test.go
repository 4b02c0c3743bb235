package text

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

const circuit = "# RC circuit\n\nVoltage of a capacitor.\n\n- id: test.circuits.rc\n- version: 1.0.0\n- keywords: capacitor\n\n## Inputs\n\n" +
	"| symbol | name | unit | range | default | doc |\n|---|---|---|---|---|---|\n" +
	"| R | resistance | kohm | (0,) | | Resistance. |\n| C | capacitance | uF | (0,) | | Capacitance. |\n" +
	"| V_s | source_voltage | V | | | Voltage of the source. |\n| t | time | ms | [0,) | optional | Time. |\n| n | points | integer | [1,100] | 4 | Points. |\n\n" +
	"## Formula\n\n```formula\ntau = R*C\nv = V_s*(1 - exp(-t/tau)) if given(t)\nw = V_s*(1 - exp(-1))\nk[i in 1..n] = i\ns[i in 1..n] = V_s*i/n\n```\n\n" +
	"## Outputs\n\n| symbol | name | unit | doc |\n|---|---|---|---|\n| w | after_one | V | Voltage after one time constant. |\n| v | voltage? | V | Voltage. |\n\n" +
	"## Plots\n\n```plots\nresponse \"Voltage over time\"\n  The voltage approaches\n  that of the source.\n  x \"Time\" t\n  y \"Voltage\" v\n  curve \"Voltage\" (t, v) along t from 0 to 5*tau in 200 steps including t\n  guide \"Final value\" (0, V_s) (5*tau, V_s)  # a guide\n  point \"this calculation\" (t, v)\n\n" +
	"stairs \"Voltage at each point\"\n  x \"Point\"\n  y \"Voltage\"\n  curve \"Voltage\" (k[i], s[i]) along i in 1..n\n```\n\n" +
	"## References\n\n- Kirchhoff's voltage law: Vs = R*i + v\n\n## Vectors\n\n```vectors\nV1: hand: 10*(1 - 1/e)\n  R = 1 kohm, C = 1 uF, V_s = 10 V\n  => w = 6.321 V\n```\n"

func circuitEngine(t *testing.T) *Engine {
	t.Helper()
	e, err := Bind("rc.calc.md", []byte(circuit))
	var mistakes Mistakes
	if errors.As(err, &mistakes) {
		for _, m := range mistakes {
			t.Error(m.Report())
		}
		t.FailNow()
	}
	return e
}

func circuitInputs(time value.Value) value.Values {
	return value.Values{value.NumberOf(1e3), value.NumberOf(1e-6), value.NumberOf(10), time, value.NumberOf(4)}
}

// A plot over an input has the curve of the formula, and a point at the input that was sent.
func TestPlotOverInput(t *testing.T) {
	e := circuitEngine(t)
	p := e.Spec().Plots[0]
	if p.ID != "response" || p.Title != "Voltage over time" || p.Summary != "The voltage approaches that of the source." ||
		p.X.Label != "Time" || p.X.Unit != "s" || p.Y.Label != "Voltage" || p.Y.Unit != "V" {
		t.Errorf("%+v", p)
	}
	f, err := e.Draw(t.Context(), "response", circuitInputs(value.NumberOf(1.234e-3)))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Curves[0]
	if len(c.X) != 202 || c.X[0] != 0 || c.X[len(c.X)-1] != 5e-3 || len(f.Curves) != 2 || f.Curves[1].Style != sdk.Guide {
		t.Fatalf("%d points from %v to %v", len(c.X), c.X[0], c.X[len(c.X)-1])
	}
	for i, x := range c.X {
		want := -10 * math.Expm1(-x/1e-3)
		if math.Abs(c.Y[i]-want) > 1e-12 || f.Curves[1].Y[i%2] != 10 {
			t.Fatalf("at %v: %v, want %v", x, c.Y[i], want)
		}
	}
	want := -10 * math.Expm1(-1.234)
	if len(f.Points) != 1 || f.Points[0].X != 1.234e-3 || math.Abs(f.Points[0].Y-want) > 1e-12 {
		t.Errorf("points %+v", f.Points)
	}
	f, err = e.Draw(t.Context(), "response", circuitInputs(value.Value{}))
	if err != nil || len(f.Points) != 0 || len(f.Curves[0].X) != 201 {
		t.Errorf("without a time: %+v, %v", f, err)
	}
}

// A curve that only the exact evaluator computes has fewer places, and both ends.
func TestSlowPlot(t *testing.T) {
	in := circuitInputs(value.Value{})
	in[2] = value.NumberOf(1e300) // beyond the numbers of the fast path
	f, err := circuitEngine(t).Draw(t.Context(), "response", in)
	if err != nil {
		t.Fatal(err)
	}
	c, last := f.Curves[0], len(f.Curves[0].X)-1
	if last < mostSlow || last > mostSlow+(200-mostSlow)/coarser+1 || c.X[0] != 0 || c.X[last] != 5e-3 {
		t.Errorf("%d places from %v to %v", len(c.X), c.X[0], c.X[last])
	}
}

// A curve keeps its places if the exact evaluator has to compute only quantities that are the same at all of them.
func TestFixedQuantities(t *testing.T) {
	in := circuitInputs(value.Value{})
	in[0], in[1] = value.NumberOf(1e297), value.NumberOf(1e-300) // beyond the numbers of the fast path; their product is 1 ms
	f, err := circuitEngine(t).Draw(t.Context(), "response", in)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Curves[0]
	if len(c.X) != 201 {
		t.Errorf("%d places", len(c.X))
	}
	for i, x := range c.X {
		want := -10 * math.Expm1(-x/1e-3)
		if math.Abs(c.Y[i]-want) > 1e-12 {
			t.Fatalf("at %v: %v, want %v", x, c.Y[i], want)
		}
	}
}

// A plot over a list has a place for each item.
func TestPlotOverList(t *testing.T) {
	f, err := circuitEngine(t).Draw(t.Context(), "stairs", circuitInputs(value.Value{}))
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Curves[0]; len(c.X) != 4 || c.X[3] != 4 || c.Y[0] != 2.5 || c.Y[3] != 10 {
		t.Errorf("%+v", c)
	}
}

// Each kind of element is drawn as the part of a drawing that it names.
func TestElements(t *testing.T) {
	source, err := os.ReadFile("testdata/euler_johnson.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Bind("column.calc.md", source)
	if err != nil {
		t.Fatal(err)
	}
	in := make(value.Values, len(e.spec.Inputs))
	for name, x := range map[string]float64{"length": 3, "elastic_modulus": 210e9, "area": 0.01, "second_moment_of_area": 1e-5, "yield_strength": 235e6} {
		in[e.spec.Input(name)] = value.NumberOf(x)
	}
	in[e.spec.Input("end_condition")] = value.TextOf("fixed_fixed")
	o, err := e.Calculate(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	r := math.Sqrt(1e-5 / 0.01)
	slenderness, transition := 0.5*3/r, math.Sqrt(2*math.Pi*math.Pi*210e9/235e6)
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

	f, err := e.Draw(t.Context(), "curve", in)
	if err != nil {
		t.Fatal(err)
	}
	johnson, half, zone := f.Curves[0], f.Curves[2], f.Curves[4]
	switch {
	case f.Family != "part of the modulus" || len(f.Curves) != 5 || len(f.Points) != 1:
		t.Errorf("parts of the chart: %+v", f)
	case johnson.Label != "Johnson" || len(johnson.X) != 81 || !near(johnson.Y[80], 235e6/2) || !near(johnson.X[80], transition):
		t.Errorf("curve %+v", johnson)
	case half.Label != "0.5" || half.Style != sdk.Context || len(half.X) != 101 || !near(half.Y[0], 235e6/4) || f.Curves[3].Label != "0.8":
		t.Errorf("family %+v", half)
	case zone.Style != sdk.Zone || len(zone.X) != 5 || zone.X[0] != zone.X[4] || zone.Y[2] != 235e6:
		t.Errorf("zone %+v", zone)
	case !strings.HasPrefix(f.Points[0].Label, "this column: 2") || !strings.HasSuffix(f.Points[0].Label, " MPa") || !near(f.Points[0].X, slenderness):
		t.Errorf("point %+v", f.Points[0])
	}

	f, err = e.Draw(t.Context(), "column", in)
	if err != nil {
		t.Fatal(err)
	}
	want := &sdk.Figure{
		Arrows:     []sdk.Arrow{{Label: "load", X: 3 + r, ToX: 3}},
		Couples:    []sdk.Couple{{Label: "moment", X: 3}},
		Supports:   []sdk.Support{{Kind: sdk.WallLeft}},
		Dimensions: []sdk.Dimension{{Label: "length", Symbol: "L", Length: 3, Y: r, ToX: 3, ToY: r, Side: sdk.Below}},
	}
	for i := range 5 {
		want.Points = append(want.Points, sdk.Point{Label: fmt.Sprint(i), X: 0.75 * float64(i)})
	}
	outline := f.Curves[1]
	if len(outline.X) != 5 || outline.Style != sdk.Member || outline.X[2] != 3+r || outline.Y[2] != r || outline.Y[4] != -r {
		t.Errorf("outline %+v", outline)
	}
	if f.Curves[2].Style != sdk.Area || !near(f.Curves[2].Y[50], r) || f.Curves[3].Style != sdk.Centre {
		t.Errorf("area %+v", f.Curves[2])
	}
	want.Curves = f.Curves
	if !reflect.DeepEqual(f, want) {
		t.Errorf("%+v\nwant %+v", f, want)
	}

	f, err = e.Draw(t.Context(), "shape", in)
	if err != nil {
		t.Fatal(err)
	}
	load := o.Result[slices.IndexFunc(e.spec.Outputs, func(f sdk.Field) bool { return f.Name == "critical_load" })].Number() / 3
	if len(f.Shapes) != 1 || !near(f.Shapes[0].Y[4], r) || f.Curves[1].Style != sdk.Load || !near(f.Curves[1].Y[0], load) || e.spec.Plots[2].Y.Unit != "N/m" {
		t.Errorf("shape %+v of %+v", f, e.spec.Plots[2])
	}
}

// Plots of inputs that are rejected, and plots that do not exist.
func TestPlotFails(t *testing.T) {
	e := circuitEngine(t)
	wrong := circuitInputs(value.Value{})
	wrong[0] = value.NumberOf(-1)
	_, err := e.Draw(t.Context(), "response", wrong)
	var rejected *sdk.Error
	if !errors.As(err, &rejected) || rejected.Code != "RESISTANCE_MUST_BE_POSITIVE" {
		t.Errorf("a rejected input: %v", err)
	}
	_, err = e.Draw(t.Context(), "stress", circuitInputs(value.Value{}))
	if err == nil {
		t.Error("a plot that does not exist")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = e.Draw(ended, "response", circuitInputs(value.Value{}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a call that has ended: %v", err)
	}
	empty, err := Bind("rc.calc.md", []byte(strings.NewReplacer("from 0 to 5*tau", "from 5*tau to tau", "  guide", "  # guide").Replace(circuit)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = empty.Draw(t.Context(), "response", circuitInputs(value.Value{}))
	if !errors.As(err, &rejected) || rejected.Code != sdk.CodeUndefined {
		t.Errorf("an empty range: %v", err)
	}
}

// Mistakes in plots have their place, and say what to write.
func TestPlotMistakes(t *testing.T) {
	for _, m := range []struct{ name, old, new, want string }{
		{"heading", `response "Voltage over time"`, `response: Voltage over time`, `a plot starts with its id and its title: response "Voltage over time"`},
		{"id", `stairs "`, `response "`, "the plot response is there twice"},
		{"indented", `response "Voltage over time"`, `  response "Voltage over time"`, "a plot starts at the beginning of a line"},
		{"no x", `  x "Point"`, "  Points", `the plot stairs has no x: write x "Radius" r, or x "Frequency" f log`},
		{"no y", `  y "Voltage"` + "\n", "", `the plot stairs has no y: write y "Stress" sigma below x`},
		{"no elements", `  curve "Voltage" (k[i], s[i]) along i in 1..n` + "\n", "", `the plot stairs has no elements: write curve "displacement"`},
		{"two x", `  y "Voltage" v`, `  x "Voltage" v`, "the plot response has two x: delete one, or make two plots"},
		{"axis", `x "Time" t`, `x "Time" = t`, `an axis has a label, and perhaps a symbol, log or down: write x "Radius" r`},
		{"down", `x "Time" t`, `x "Time" t down`, `only y can grow downwards: delete down`},
		{"element", `curve "Voltage" (t`, `cruve "Voltage" (t`, "this is not a line of a plot: is it curve?"},
		{"label", `curve "Voltage" (t`, `curve (t`, "this element has no label: write curve"},
		{"open label", `guide "Final value"`, `guide "Final value`, `the label is not closed by "`},
		{"no point", `point "this calculation" (t, v)`, `point "this calculation"`, `a point is missing here: write point "largest moment" (x_M, M_max)`},
		{"one coordinate", `(t, v)` + "\n\n", `(t)` + "\n\n", `a point has an x and a y: write (x_M, M_max)`},
		{"open point", `(t, v)` + "\n\n", `(t, v` + "\n\n", `( is not closed by )`},
		{"points of a point", `(t, v)` + "\n\n", `(t, v) (t, w)` + "\n\n", `this element has one point: write point`},
		{"point of a line", `(0, V_s) (5*tau, V_s)`, `(0, V_s)`, `a line has two points or more, or values to go along: write guide`},
		{"points along", `"this calculation" (t, v)`, `"this calculation" (t, v) along i in 1..n`, `along makes one line through many points: write for, which makes a point for each value`},
		{"clause", `along t from`, `over t from`, "after the points, write along, for or if"},
		{"clause twice", `including t`, `including t if v > 0 if v > 1`, "if has no condition, or is there twice"},
		{"range", `from 0 to 5*tau in`, `from 0 in`, "write r from r_i to r_o"},
		{"integers", `along i in 1..n`, `along i in 1..`, "write r from r_i to r_o"},
		{"steps", `in 200 steps`, `in many steps`, "write a number of steps from 1 to 1000: in 60 steps"},
		{"support", `point "this calculation" (t, v)`, `support hinge (t, v)`, "a point is missing here: write support pin (0, 0)"},
		{"kind of support", `point "this calculation" (t, v)`, `support (t, v)`, "write support pin, or roller, or wall left, or wall right: support pin (0, 0)"},
		{"end", `to 5*tau in`, `to 5*tao in`, "tao is not an input, and nothing above defines it: is it tau?"},
		{"unit of an end", `to 5*tau in`, `to 5 in`, "this is in plain numbers, and t is in s: choose a new name for it, or another value"},
		{"integers of a unit", `along t from 0 to 5*tau in 200 steps including t`, `along t in 1..5`, "t is in s, and i in 1..n gives integers"},
		{"coordinate", `(t, v) along`, `(t, u) along`, "u is not an input, and nothing above defines it"},
		{"varied outside", `  curve "Voltage" (t`, "  half = time/2\n" + `  guide "half" (time, half) (time, V_s) for time in tau` + "\n" + `  curve "Voltage" (t`,
			"time has values only in the elements with along or for: write a function, half(time) = ..., and half(time) in the points"},
		{"varied parameter", `  curve "Voltage" (t`, "  half(time) = time + V_s\n" + `  guide "half" (time, half(time)) (time, V_s) for time in tau` + "\n" + `  curve "Voltage" (t`,
			"is added to"},
		{"unit", `(5*tau, V_s)`, `(5*tau, R)`, "this y is in ohm, and y of a point above is in V: an axis has one unit"},
		{"list", `(t, v) along`, `(t, s) along`, "a coordinate is a number with a known unit: write {0 V} for a bare 0"},
		{"word", `along t from`, `along s from`, "s is not a number that can take other values: choose a new name"},
		{"unused", `  curve "Voltage" (t`, "  half = tau/2\n" + `  curve "Voltage" (t`, "half is used by nothing: delete the line"},
		{"definition", `  curve "Voltage" (t`, "  half = tao/2\n" + `  curve "Voltage" (t`, "tao is not an input, and nothing above defines it"},
		{"condition", `(t, v)` + "\n\n", `(t, v) if tau` + "\n\n", "the condition is"},
		{"hole", `"this calculation"`, `"v = {v in ms}"`, "v is in V, and ms is a unit of another quantity"},
	} {
		t.Run(m.name, func(t *testing.T) {
			changed := strings.Replace(circuit, m.old, m.new, 1)
			if changed == circuit {
				t.Fatalf("the document has no %q", m.old)
			}
			_, err := Bind("rc.calc.md", []byte(changed))
			list, ok := errors.AsType[Mistakes](err)
			if !ok || !strings.Contains(list.Error(), m.want) {
				t.Fatalf("%v\nwant %s", err, m.want)
			}
			if len(list) > 2 || strings.Contains(list.Error(), "__") || list[0].Line < 36 {
				t.Errorf("%s", list.Error())
			}
		})
	}
}

// A plot that is added needs a title.
func TestWithDrawRefuses(t *testing.T) {
	e := circuitEngine(t)
	for _, id := range []string{"sketch", "response"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", id)
				}
			}()
			e.WithDraw([]sdk.Plot{{ID: id}}, nil)
		}()
	}
}
