package typed_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/host/internal/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

var (
	plain  = sdk.Field{Name: "x", Type: sdk.TypeNumber, Unit: "m"}
	exact  = sdk.Field{Name: "x", Type: sdk.TypeNumber, Unit: "m", Decimal: true}
	rate   = sdk.Field{Name: "x", Type: sdk.TypeNumber, Decimal: true}
	many   = sdk.Field{Name: "x", Type: sdk.TypeArray, Items: &exact}
	layers = sdk.Field{Name: "x", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{
		{Name: "thickness", Aliases: []string{"t"}, Type: sdk.TypeNumber, Decimal: true, Required: true}, {Name: "kind", Type: sdk.TypeString},
	}}}
	points = sdk.Field{Name: "x", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber}}}
	flag   = sdk.Field{Name: "x", Type: sdk.TypeBoolean}
	note   = sdk.Field{Name: "x", Type: sdk.TypeString}
)

// valueOf is the value that an engine would get for JSON.
func valueOf(t interface{ Fatal(...any) }, f *sdk.Field, v strictjson.Value) value.Value {
	spec := sdk.Spec{Inputs: []sdk.Field{*f}}
	values, _, err := request.Read(&spec, strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: "x", Value: v}}})
	if err != nil {
		t.Fatal(v, err)
	}
	return values[0]
}

func parse(t *testing.T, text string) strictjson.Value {
	t.Helper()
	v, err := strictjson.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A text is the value that the JSON beside it is.
func TestValue(t *testing.T) {
	for _, tt := range []struct {
		field      *sdk.Field
		text, unit string
		want       string
	}{
		{&plain, " 3.30 ", "", `3.30`},
		{&exact, " 3.30 ", "", `"3.30"`},
		{&exact, "3.30", "m", `"3.30"`},
		{&exact, "3.30", "ft", `{"value":"3.30","unit":"ft"}`},
		{&plain, "3.30", "ft", `{"value":3.30,"unit":"ft"}`},
		{&plain, "3,30", "", `3.30`},
		{&plain, "20 ft", "mm", `{"value":20,"unit":"ft"}`},
		{&exact, "1/8 in", "", `{"value":"0.125","unit":"in"}`},
		{&plain, "1,234", "", `"1,234"`},
		{&plain, "20 m", "ft", `20`},
		{&exact, "-1e400", "", `"-1e400"`},
		{&rate, "0.4%", "", `"0.004"`},
		{&rate, "4,8 % / 12", "", `"0.004"`},
		{&rate, "1% m", "", `"1% m"`},
		{&rate, "%", "", `"%"`},
		{&plain, "40%", "", `{"value":40,"unit":"%"}`},
		{&many, "0.1, 1e5;2", "", `["0.1","1e5","2"]`},
		{&many, "1 2", "ft", `[{"value":"1","unit":"ft"},{"value":"2","unit":"ft"}]`},
		{&many, "1 20mm 1/4", "", `["1",{"value":"20","unit":"mm"},"0.25"]`},
		{&many, "1,5 2,5", "", `"1,5 2,5"`},
		{&many, "1,5\n2,5", "", `"1,5\n2,5"`},
		{&many, "1,5,2,5", "", `["1","5","2","5"]`},
		{&points, "0,0; 1,0", "", `[[0,0],[1,0]]`},
		{&points, "0,5 0; 1,0", "", `["0,5 0",[1,0]]`},
		{&layers, "- wood", "", `[{"kind":"wood"}]`},
		{&layers, "0.1 wood; 0.2", "", `[{"thickness":"0.1","kind":"wood"},{"thickness":"0.2"}]`},
		{&points, "0 0.1; 1 2", "", `[[0,0.1],[1,2]]`},
		{&flag, "true", "", `true`},
		{&flag, "maybe", "", `"maybe"`},
		{&note, "12", "", `"12"`},
	} {
		if diff := cmp.Diff(parse(t, tt.want), typed.Value(tt.field, tt.text, typed.Units{"": tt.unit})); diff != "" {
			t.Errorf("%q %q (-want +got):\n%s", tt.text, tt.unit, diff)
		}
	}
}

func TestArgument(t *testing.T) {
	for _, tt := range []struct {
		field      *sdk.Field
		text, want string
	}{
		{&plain, "3ft", `{"value":3,"unit":"ft"}`},
		{&exact, "3.30 ft", `{"value":"3.30","unit":"ft"}`},
		{&exact, "3.30", `"3.30"`},
		{&plain, "3..0ft", `"3..0ft"`},
		{&many, "2,4,4", `["2","4","4"]`},
		{&many, `[2, "4", {"value": 0.1, "unit": "ft"}]`, `["2","4",{"value":"0.1","unit":"ft"}]`},
		{&many, "2", `["2"]`},
		{&layers, `[{"t": 0.1, "kind": "4"}]`, `[{"t":"0.1","kind":"4"}]`},
		{&points, `[[0, 0.1]]`, `[[0,0.1]]`},
		{&points, `{"a": [`, `[["{\"a\":","["]]`},
		{&flag, "false", `false`},
		{&note, "[1]", `"[1]"`},
	} {
		if diff := cmp.Diff(parse(t, tt.want), typed.Argument(tt.field, tt.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// Only what an address can say has a text.
func TestText(t *testing.T) {
	const tenth = "0.1000000000000000055511151231257827021181583404541015625"
	for _, tt := range []struct {
		field            *sdk.Field
		json, text, unit string
	}{
		{&plain, `0.1`, "0.1", ""},
		{&exact, `0.1`, tenth, ""},
		{&exact, `"0.10"`, "0.10", ""},
		{&exact, `0.5`, "0.5", ""},
		{&exact, `1e23`, "99999999999999991611392", ""},
		{&exact, `-1e21`, "-1e+21", ""},
		{&exact, `1e-7`, "9.99999999999999954748111825886258685613938723690807819366455078125e-08", ""},
		{&exact, `5e-324`, "", ""}, // 751 digits
		{&exact, `{"value":"0.1","unit":"ft"}`, "0.1", "ft"},
		{&exact, `{"value":0.1,"unit":"ft"}`, "", ""},
		{&plain, `{"value":2e0,"unit":"ft"}`, "2", "ft"},
		{&plain, `{"value":0.30000000000000000001,"unit":"ft"}`, "0.30000000000000000001", "ft"},
		{&plain, `{"value":1e-400,"unit":"ft"}`, "", ""},
		{&many, `[0.5,"0.1"]`, "0.5 0.1", ""},
		{&many, `[]`, "", ""},
		{&layers, `[{"t":0.5,"kind":"a"},{"t":"0.1"}]`, "0.5 a; 0.1", ""},
		{&layers, `[{"t":0.5,"kind":"a b"}]`, "", ""},
		{&layers, `[{"kind":"a"}]`, "- a", ""},
		{&layers, `[{"kind":"-"}]`, "", ""},
		{&many, `[{"value":"1","unit":"mm"},"2"]`, "1mm 2", ""},
		{&points, `[[1,2],[3]]`, "1 2; 3", ""},
		{&note, `"a b"`, "a b", ""},
		{&note, `" "`, "", ""},
		{&note, `1`, "1", ""},
	} {
		text, unit, ok := typed.Text(tt.field, parse(t, tt.json))
		if ok != (tt.text != "") || ok && (text != tt.text || unit != tt.unit) {
			t.Errorf("%s: %q %q %v, want %q %q", tt.json, text, unit, ok, tt.text, tt.unit)
		}
	}
}

// Whatever number it is: from its text the engine gets the very same, and where the field
// takes decimal strings the text is exactly that number.
func TestTextIsTheNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return
		}
		v := strictjson.Value{Kind: strictjson.Number, Text: string(value.AppendNumber(nil, f)), Float: f + 0}
		text, _, ok := typed.Text(&plain, v)
		if got := valueOf(t, &plain, typed.Value(&plain, text, nil)); !ok || got.Number() != f {
			t.Fatalf("%v has the text %q, which is %v", f, text, got)
		}
		if text, _, ok = typed.Text(&exact, v); !ok {
			if len(text) <= sdk.MaxDecimal {
				t.Fatalf("%v has no text", f)
			}
			return
		}
		got := valueOf(t, &exact, typed.Value(&exact, text, nil))
		if r, ok := new(big.Rat).SetString(got.Text()); !ok || got.Kind() != value.Exact || r.Cmp(new(big.Rat).SetFloat64(f)) != 0 {
			t.Fatalf("%v has the text %q, which is %v", f, text, got)
		}
	})
}

// Arguments are inputs by name or alias; the envelope refuses what is none.
func TestInputs(t *testing.T) {
	spec := &sdk.Spec{Inputs: []sdk.Field{{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m"}, {Name: "model", Type: sdk.TypeString}}}
	inputs, err := typed.Inputs(spec, []string{"L=3", "model=a=b", "other=4"})
	if err != nil {
		t.Fatal(err)
	}
	want := []strictjson.Member{
		{Name: "L", Value: typed.Value(&spec.Inputs[0], "3", nil)},
		{Name: "model", Value: strictjson.Value{Kind: strictjson.String, Text: "a=b"}},
		{Name: "other", Value: strictjson.Value{Kind: strictjson.String, Text: "4"}},
	}
	if diff := cmp.Diff(want, inputs.Members); diff != "" {
		t.Error(diff)
	}
	if _, err := typed.Inputs(spec, []string{"L"}); !isA[*typed.ArgumentError](err) {
		t.Errorf("without a value: %v", err)
	}
	if _, err := typed.Inputs(spec, []string{"L=3", "L=4"}); !isA[*sdk.Error](err) {
		t.Errorf("given twice: %v", err)
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
