package typed_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// typedText is a case of testdata/texts.json. It has a text for an input, and either the value for the
// engine in the unit of the input or the error. The values were computed with fractions in Python. Tests of the
// interfaces read the same file.
type typedText struct {
	Input, Text string
	Value       *float64
	Values      []float64
	Points      [][]float64
	Says        string
	Worked      *float64 // the value at the level Arithmetic, if only that accepts the text
	Page        string   // the error there, if it differs
}

func texts(t testing.TB) (list []typedText) {
	text, err := os.ReadFile("testdata/texts.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil || len(list) < 200 {
		t.Fatal(len(list), err)
	}
	return list
}

// inputs has the inputs in testdata/texts.json.
var inputs = &sdk.Spec{Inputs: []sdk.Field{
	{Name: "length", Type: sdk.TypeNumber, Unit: "m"}, {Name: "rate", Type: sdk.TypeNumber, Decimal: true}, {Name: "count", Type: sdk.TypeInteger},
	{Name: "gauge", Type: sdk.TypeInteger, Names: []sdk.Named{{Name: "4/0", Value: -3}, {Name: "0000", Value: -3}, {Name: "2/0", Value: -1}, {Name: "00", Value: -1}, {Name: "1/0"}}},
	{Name: "expansion", Type: sdk.TypeNumber, Unit: "1/K"}, {Name: "film", Type: sdk.TypeNumber, Unit: "W/(m2 K)"},
	{Name: "data", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Unit: "m"}},
	{Name: "points", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Unit: "m"}}},
}}

// numbersOf returns the numbers that the engine receives.
func numbersOf(v value.Value) any {
	switch v.Kind() {
	case value.List:
		list := []any{}
		for _, item := range v.Items() {
			list = append(list, numbersOf(item))
		}
		return list
	case value.Exact:
		x, _ := strictjson.ParseNumber(v.Text())
		return x.Float
	}
	return v.Number()
}

func (c *typedText) want() any {
	switch {
	case c.Values != nil:
		list := []any{}
		for _, x := range c.Values {
			list = append(list, x)
		}
		return list
	case c.Points != nil:
		list := []any{}
		for _, point := range c.Points {
			list = append(list, (&typedText{Values: point}).want())
		}
		return list
	case c.Value != nil:
		return *c.Value
	}
	return nil
}

// Each text has one value or is refused with a reason. The suggestions in the reason are accepted.
func TestTexts(t *testing.T) {
	for _, c := range texts(t) {
		f := &inputs.Inputs[inputs.Input(c.Input)]
		for _, level := range []typed.Level{typed.Numbers, typed.Arithmetic} {
			want, detail := c.want(), c.Says
			switch {
			case level == typed.Arithmetic && c.Worked != nil:
				want, detail = *c.Worked, ""
			case level == typed.Arithmetic && c.Page != "":
				detail = c.Page
			}
			v, err := typed.Value(f, c.Text, nil, level)
			if detail != "" {
				e, ok := errors.AsType[*typed.TextError](err)
				if !ok || !strings.Contains(e.Detail(), detail) || v.Text != c.Text {
					t.Errorf("%s %q at level %d: %v %v, want %q", c.Input, c.Text, level, v, err, detail)
					continue
				}
				suggestionsHold(t, f, e, level)
				continue
			}
			if err != nil {
				t.Errorf("%s %q at level %d: %v", c.Input, c.Text, level, err)
				continue
			}
			if diff := cmp.Diff(want, numbersOf(readValue(t, f, v))); diff != "" {
				t.Errorf("%s %q at level %d (-want +got):\n%s", c.Input, c.Text, level, diff)
			}
		}
		for _, cell := range []func() (strictjson.Value, error){
			func() (strictjson.Value, error) { return typed.Cell(f, c.Text, "", typed.Either) },
			func() (strictjson.Value, error) {
				m, err := typed.Input(inputs, c.Input, c.Text)
				return m.Value, err
			},
		} {
			v, err := cell()
			plain, _ := typed.Value(f, c.Text, nil, typed.Numbers)
			if e, ok := errors.AsType[*sdk.Error](err); ok != (c.Says != "") || ok && (e.Code != request.CodeInvalidNumber || e.Field != c.Input || !strings.Contains(e.Detail, c.Says)) || !ok && cmp.Diff(plain, v) != "" {
				t.Errorf("%s %q as a cell or an argument: %v %v", c.Input, c.Text, v, err)
			}
		}
	}
}

func readValue(t *testing.T, f *sdk.Field, v strictjson.Value) value.Value {
	t.Helper()
	spec := &sdk.Spec{Inputs: []sdk.Field{*f}}
	values, _, err := request.Read(spec, strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: f.Name, Value: v}}})
	if err != nil {
		t.Fatal(f.Name, v, err)
	}
	return values[0]
}

// suggestionsHold checks that all readings in an error are accepted, each with a different value.
func suggestionsHold(t *testing.T, f *sdk.Field, e *typed.TextError, level typed.Level) {
	t.Helper()
	if len(e.Path) > 0 {
		f = e.Field
	}
	var values []string
	for _, reading := range e.Readings {
		v, err := typed.Value(f, reading, nil, level)
		if err != nil {
			t.Errorf("%q is suggested for %q, and refused: %v", reading, e.Text, err)
		}
		if text, unit, ok := typed.Text(f, v); ok {
			values = append(values, text+" "+unit)
		}
	}
	slices.Sort(values)
	if len(slices.Compact(slices.Clone(values))) != len(values) {
		t.Errorf("the readings of %q are alike: %q", e.Text, e.Readings)
	}
	if e.Problem == typed.Ambiguous && len(e.Readings) < 2 || e.Remedy() == "" {
		t.Errorf("%q has the readings %q, remedy %q", e.Text, e.Readings, e.Remedy())
	}
}
