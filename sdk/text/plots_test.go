package text

import (
	"context"
	"errors"
	"math"
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
	"## Plots\n\n```plots\nresponse \"Voltage over time\"\n  The voltage approaches\n  that of the source.\n  x \"Time\" = t from 0 to 5*tau\n  y \"Voltage\" = v\n  y \"Final value\" = V_s  # a guide\n\n" +
	"stairs \"Voltage at each point\"\n  x \"Point\" = k\n  y \"Voltage\" = s\n```\n\n" +
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
	if len(c.X) != samples+1 || c.X[0] != 0 || c.X[len(c.X)-1] != 5e-3 || len(f.Curves) != 2 || f.Curves[1].Style != sdk.Guide {
		t.Fatalf("%d points from %v to %v", len(c.X), c.X[0], c.X[len(c.X)-1])
	}
	for i, x := range c.X {
		want := -10 * math.Expm1(-x/1e-3)
		if math.Abs(c.Y[i]-want) > 1e-12 || f.Curves[1].Y[i] != 10 {
			t.Fatalf("at %v: %v, want %v", x, c.Y[i], want)
		}
	}
	want := -10 * math.Expm1(-1.234)
	if len(f.Points) != 1 || f.Points[0].X != 1.234e-3 || math.Abs(f.Points[0].Y-want) > 1e-12 {
		t.Errorf("points %+v", f.Points)
	}
	f, err = e.Draw(t.Context(), "response", circuitInputs(value.Value{}))
	if err != nil || len(f.Points) != 0 || len(f.Curves[0].X) != samples {
		t.Errorf("without a time: %+v, %v", f, err)
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
	empty, err := Bind("rc.calc.md", []byte(strings.Replace(circuit, "from 0 to 5*tau", "from 5*tau to tau", 1)))
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
		{"heading", `response "Voltage over time"`, `response: Voltage over time`, `12345:1: a plot starts with its id and its title: response "Voltage over time"`},
		{"id", `stairs "`, `response "`, "the plot response is there twice"},
		{"indented", `response "Voltage over time"`, `  response "Voltage over time"`, "a plot starts at the beginning of a line"},
		{"no x", `  x "Point" = k`, "", `the plot stairs has no x: write x "Time" = t from 0 to 5*tau, or x "Period" = k with a list k`},
		{"no curve", `  y "Voltage" = s`, "", `the plot stairs has no curve: write y "Voltage" = v`},
		{"two x", `  y "Voltage" = s`, `  x "Voltage" = s`, "the plot stairs has two x: delete one, or make two plots"},
		{"no label", `x "Time" = t`, `x = t`, `write x "Label" = INPUT from LOW to HIGH`},
		{"input", `= t from`, `= T from`, "T is not the symbol of an input that is a number"},
		{"end", `to 5*tau`, `to 5*tao`, "tao is no input, and nothing above defines it: is it tau?"},
		{"unit of an end", `to 5*tau`, `to 5`, "is in s"},
		{"curve", `"Voltage" = v`, `"Voltage" = u`, "u is no input, and nothing above defines it"},
		{"unit", `"Final value" = V_s`, `"Final value" = R`, "this curve is in ohm, and the first one in V: curves of a plot have one unit"},
		{"bare zero", `"Final value" = V_s`, `"Final value" = 0`, "a curve is a number with a known unit: write {0 V} for a bare 0"},
		{"list", `"Voltage" = v`, `"Voltage" = s`, "a curve is a number"},
		{"number", `"Voltage" = s`, `"Voltage" = s` + "\n  y \"Last\" = w", "a curve over a list is a list, with an item for each x"},
	} {
		t.Run(m.name, func(t *testing.T) {
			changed := strings.Replace(circuit, m.old, m.new, 1)
			if changed == circuit {
				t.Fatalf("the document has no %q", m.old)
			}
			_, err := Bind("rc.calc.md", []byte(changed))
			want := strings.TrimPrefix(m.want, "12345:1: ")
			list, ok := errors.AsType[Mistakes](err)
			if !ok || !strings.Contains(list.Error(), want) {
				t.Fatalf("%v\nwant %s", err, want)
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
