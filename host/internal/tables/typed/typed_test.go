package typed_test

import (
	"errors"
	"math"
	"math/big"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slipstick/slipstick/host/internal/tables/typed"
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
		{Name: "thickness", Aliases: []string{"t"}, Type: sdk.TypeNumber, Unit: "m", Decimal: true, Required: true}, {Name: "kind", Type: sdk.TypeString},
	}}}
	points = sdk.Field{Name: "x", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Unit: "m"}}}
	flag   = sdk.Field{Name: "x", Type: sdk.TypeBoolean}
	note   = sdk.Field{Name: "x", Type: sdk.TypeString}

	lengths = sdk.Field{Name: "x", Type: sdk.TypeArray, Items: &plain}
	names   = sdk.Field{Name: "x", Type: sdk.TypeArray, Items: &note}
)

// valueOf returns the value that an engine receives for JSON.
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

// A text has the value of the JSON next to it, or an error: "" is any error.
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
		{&plain, "5' 6\"", "mm", `{"value":66,"unit":"in"}`},
		{&exact, "1/8 in", "", `{"value":"0.125","unit":"in"}`},
		{&plain, "20 m", "ft", `20`},
		{&exact, "-1e400", "", `"-1e400"`},
		{&rate, "0.4%", "", `"0.004"`},
		{&rate, "4,8 % / 12", "", `"0.004"`},
		{&rate, "1% m", "", ``},
		{&plain, "40%", "", `{"value":40,"unit":"%"}`},
		{&many, "0.1;1e5;2", "", `["0.1","1e5","2"]`},
		{&many, "1 2", "ft", `[{"value":"1","unit":"ft"},{"value":"2","unit":"ft"}]`},
		{&many, "1 20mm 1/4", "", `["1",{"value":"20","unit":"mm"},"0.25"]`},
		{&many, "2*3; 4", "", `["6","4"]`},
		{&many, "[2, \"4\", {\"value\": 0.1, \"unit\": \"ft\"}]", "", `["2","4",{"value":"0.1","unit":"ft"}]`},
		{&many, "[2, 4]", "mm", `[{"value":"2","unit":"mm"},{"value":"4","unit":"mm"}]`},
		{&many, "x [in]\n2", "mm", `[{"value":"2","unit":"in"}]`},
		{&layers, "- wood", "", `[{"kind":"wood"}]`},
		{&layers, "0.1 wood; 0.2", "", `[{"thickness":"0.1","kind":"wood"},{"thickness":"0.2"}]`},
		{&layers, "0.1, red oak; 0.2, pine", "", `[{"thickness":"0.1","kind":"red oak"},{"thickness":"0.2","kind":"pine"}]`},
		{&layers, "0,1 oak; 0,2 ash", "", ``},
		{&layers, `[{"t": 0.1, "kind": "4"}]`, "", `[{"t":"0.1","kind":"4"}]`},
		{&layers, "0.1 a b", "", `[{"thickness":"0.1","kind":"a","column b":"b"}]`},
		{&points, "0 0.1; 1 2", "", `[[0,0.1],[1,2]]`},
		{&points, `{"a": [`, "", ``},
		{&layers, `[{"t": 0.1}]`, "", `[{"t":"0.1"}]`},
		{&flag, "true", "", `true`},
		{&flag, " false ", "", `false`},
		{&flag, "maybe", "", ``},
		{&note, "12", "", `"12"`},
		{&note, "[1]", "", `"[1]"`},
	} {
		got, err := typed.Value(tt.field, tt.text, typed.Units{"": tt.unit}, typed.Arithmetic)
		if tt.want == "" {
			if !isA[*typed.TextError](err) {
				t.Errorf("%q is %v, want an error", tt.text, got)
			}
			continue
		}
		if diff := cmp.Diff(parse(t, tt.want), got); diff != "" || err != nil {
			t.Errorf("%q %q: %v (-want +got):\n%s", tt.text, tt.unit, err, diff)
		}
	}
	in := typed.Units{"thickness": "mm"}
	want := parse(t, `[{"thickness":{"value":"1","unit":"mm"},"kind":"oak"}]`)
	for _, text := range []string{"1 oak", `[{"thickness":1,"kind":"oak"}]`} {
		if got, err := typed.Value(&layers, text, in, typed.Numbers); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s in mm: %v %v", text, got, err)
		}
	}
}

// Only values that a URL can contain have a text.
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
		{&layers, `[{"t":0.5,"kind":"a b"}]`, "0.5, a b", ""},
		{&layers, `[{"t":0.5,"kind":"a,b"}]`, "", ""},
		{&layers, `[{"t":12,"kind":"500"}]`, "12, 500", ""},
		{&points, `[[12,500,1],[2,3,4]]`, "12, 500, 1; 2, 3, 4", ""},
		{&layers, `[{"kind":"a"}]`, "- a", ""},
		{&layers, `[{"kind":"-"}]`, "", ""},
		{&many, `[{"value":"1","unit":"mm"},"2"]`, "1mm 2", ""},
		{&many, `["1",{"value":"2","unit":"mm"}]`, "1m 2mm", ""},
		{&many, `["12","500"]`, "12, 500", ""},
		{&many, `["1","2","500"]`, "1, 2, 500", ""},
		{&many, `["2.5","1000"]`, "2.5 1000", ""},
		{&names, `["a b"]`, "a b;", ""},
		{&names, `["[a","b"]`, "", ""},
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

// An engine with decimal inputs takes numbers for their shortest decimals.
func TestAsComputed(t *testing.T) {
	for _, tt := range []struct {
		field      *sdk.Field
		json, want string
	}{
		{&exact, `0.1000`, `"0.1"`},
		{&exact, `0.3000000000000000444`, `"0.30000000000000004"`},
		{&exact, `"0.10"`, `"0.10"`},
		{&exact, `{"value":0.1,"unit":"mm"}`, `{"value":0.1,"unit":"mm"}`},
		{&plain, `0.1`, `0.1`},
		{&many, `[0.1,"0.2"]`, `["0.1","0.2"]`},
	} {
		for evaluation, want := range map[sdk.Evaluation]string{sdk.DecimalInputs: tt.want, sdk.Binary64Inputs: tt.json, "": tt.json} {
			spec := sdk.Spec{Inputs: []sdk.Field{*tt.field}, Evaluation: evaluation}
			if got := typed.AsComputed(&spec, 0, parse(t, tt.json)); !reflect.DeepEqual(got, parse(t, want)) {
				t.Errorf("%s, evaluation %q: %+v, want %s", tt.json, evaluation, got, want)
			}
		}
	}
}

// The engine reads the identical number from the text of any number. If the field takes decimal strings,
// the text is exactly that number.
func TestTextIsTheNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return
		}
		v := strictjson.Value{Kind: strictjson.Number, Text: string(value.AppendNumber(nil, f)), Float: f + 0}
		text, _, ok := typed.Text(&plain, v)
		if got := valueOf(t, &plain, must(typed.Value(&plain, text, nil, typed.Numbers))); !ok || got.Number() != f {
			t.Fatalf("%v has the text %q, which is %v", f, text, got)
		}
		text, _, ok = typed.Text(&exact, v)
		if !ok {
			if len(text) <= sdk.MaxDecimal {
				t.Fatalf("%v has no text", f)
			}
			return
		}
		got := valueOf(t, &exact, must(typed.Value(&exact, text, nil, typed.Numbers)))
		if r, ok := new(big.Rat).SetString(got.Text()); !ok || got.Kind() != value.Exact || r.Cmp(new(big.Rat).SetFloat64(f)) != 0 {
			t.Fatalf("%v has the text %q, which is %v", f, text, got)
		}
	})
}

// Arguments are inputs by name or alias; package request refuses unknown inputs.
func TestInputs(t *testing.T) {
	spec := &sdk.Spec{Inputs: []sdk.Field{{Name: "length", Aliases: []string{"L"}, Type: sdk.TypeNumber, Unit: "m"}, {Name: "model", Type: sdk.TypeString}}}
	inputs, err := typed.Inputs(spec, []string{"L=3", "model=a=b", "other=4"})
	if err != nil {
		t.Fatal(err)
	}
	want := []strictjson.Member{
		{Name: "L", Value: must(typed.Value(&spec.Inputs[0], "3", nil, typed.Numbers))},
		{Name: "model", Value: strictjson.Value{Kind: strictjson.String, Text: "a=b"}},
		{Name: "other", Value: strictjson.Value{Kind: strictjson.String, Text: "4"}},
	}
	if diff := cmp.Diff(want, inputs.Members); diff != "" {
		t.Error(diff)
	}
	if _, err := typed.Inputs(spec, []string{"L"}); !isA[*typed.ArgumentError](err) {
		t.Errorf("without a value: %v", err)
	}
	for _, wrong := range [][]string{{"L=3", "L=4"}, {"L=1-3"}} {
		if _, err := typed.Inputs(spec, wrong); !isA[*sdk.Error](err) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func must(v strictjson.Value, err error) strictjson.Value {
	if err != nil {
		panic(err)
	}
	return v
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Lists and rows of all kinds have texts that are read as the same values, at both levels.
func TestTextOfLists(t *testing.T) {
	unit := rapid.SampledFrom([]string{"", "", "", "mm", "ft"})
	number := func(t *rapid.T) string {
		return rapid.OneOf(rapid.StringMatching(`-?[1-9][0-9]{0,4}(\.[0-9]{1,3})?`), rapid.StringMatching(`[1-9][0-9]{2}`), rapid.StringMatching(`[1-9]e-?[0-9]`)).Draw(t, "number")
	}
	cell := func(t *rapid.T, quoted bool) string {
		text, u := number(t), unit.Draw(t, "unit")
		if quoted {
			text = `"` + text + `"`
		}
		if u == "" {
			return text
		}
		return `{"value":` + text + `,"unit":"` + u + `"}`
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom([]*sdk.Field{&many, &lengths, &points, &layers, &names}).Draw(t, "field")
		var items []string
		for range rapid.IntRange(1, 5).Draw(t, "values") {
			switch f {
			case &points:
				items = append(items, "["+cell(t, false)+","+cell(t, false)+"]")
			case &layers:
				item := `{"thickness":` + cell(t, true)
				if kind := rapid.StringMatching(`[a-z0-9]{0,3}( [a-z]{2})?`).Draw(t, "kind"); strings.TrimSpace(kind) == kind && kind != "" {
					item += `,"kind":"` + kind + `"`
				}
				items = append(items, item+"}")
			case &names:
				items = append(items, `"`+rapid.StringMatching(`[a-z0-9]{1,3}( [a-z0-9]{1,3})?`).Draw(t, "name")+`"`)
			default:
				items = append(items, cell(t, f == &many))
			}
		}
		v, err := strictjson.Parse([]byte("[" + strings.Join(items, ",") + "]"))
		if err != nil {
			t.Fatal(items, err)
		}
		text, _, ok := typed.Text(f, v)
		if !ok {
			t.Fatalf("%s has no text", items)
		}
		want := valueOf(t, f, v)
		for _, level := range []typed.Level{typed.Numbers, typed.Arithmetic} {
			read, err := typed.Value(f, text, nil, level)
			if err != nil {
				t.Fatalf("%s has the text %q: %v", items, text, err)
			}
			if got := valueOf(t, f, read); !got.Equal(want) {
				t.Fatalf("%s has the text %q, which is %v", items, text, read)
			}
		}
	})
}

// A table on a form and its text have the same values in both directions.
func TestTable(t *testing.T) {
	for _, tt := range []struct {
		field *sdk.Field
		rows  [][]string
		text  string
		fails typed.Problem
	}{
		{&layers, [][]string{{"0.1", "oak"}, {"", ""}, {" 0.2 ", ""}}, "0.1 oak; 0.2", 0},
		{&layers, [][]string{{" 1,5 ", "oak"}, {"2 1/2 ft", "ash"}}, "1.5 oak; 2.5ft ash", 0},
		{&layers, [][]string{{"1.234,5", ""}, {"1.234", ""}}, "1234.5; 1234", 0},
		{&layers, [][]string{{"2*3 mm", "red oak"}}, "6mm, red oak", 0},
		{&layers, [][]string{{"", "oak"}}, "- oak", 0},
		{&points, [][]string{{"0", "1/3"}, {"1", "0"}}, "0 1/3; 1 0", 0},
		{&points, [][]string{{"12", "500", "1"}}, "12, 500, 1", 0},
		{&points, [][]string{{"5' 6\"", "0"}}, "66in 0", 0},
		{&layers, nil, "", 0},
		{&layers, [][]string{{"1,234", "oak"}}, "", typed.Ambiguous},
		{&layers, [][]string{{"1", "a;b"}}, "", typed.Inseparable},
		{&layers, [][]string{{"1,5", ""}, {"2.5", ""}}, "", typed.MixedMarks},
	} {
		text, err := typed.Table(tt.field, tt.rows, typed.Arithmetic)
		if e, ok := errors.AsType[*typed.TextError](err); ok != (tt.fails != 0) || ok && e.Problem != tt.fails || !ok && text != tt.text {
			t.Errorf("%q: %q %v, want %q", tt.rows, text, err, tt.text)
		}
		if _, wrong := typed.Value(tt.field, text, nil, typed.Numbers); err != nil && wrong == nil {
			t.Errorf("%q: %v, but %q is read", tt.rows, err, text)
		}
	}
	if rows, ok := typed.Rows(&layers, "- oak; 0.2, red ash"); ok || rows != nil {
		t.Errorf("two ways to separate: %q", rows)
	}
	if rows, ok := typed.Rows(&points, "[[1,2],[3,4]]"); !ok || cmp.Diff([][]string{{"1", "2"}, {"3", "4"}}, rows) != "" {
		t.Errorf("%q", rows)
	}
	if rows, ok := typed.Rows(&layers, "-, oak; 0.2, red ash"); !ok || cmp.Diff([][]string{{"", "oak"}, {"0.2", "red ash"}}, rows) != "" {
		t.Errorf("%q", rows)
	}
}

// Long texts take memory in proportion to their length, and errors quote only a part of them.
func TestLongTexts(t *testing.T) {
	const size = 8 << 10
	for _, f := range []*sdk.Field{&many, &points, &layers, &names, &plain} {
		for _, part := range []string{"500 ", "1 1/2 ", "1 m m ", "1,", "1,5 ", "1, ", ",", ";", "1;", "½ ", "1.234,5;", "\t", "\r", "(", "9", "1-", "a ", "1'", "[", `{"a":`} {
			text := strings.Repeat(part, size/len(part))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := typed.Value(f, text, nil, typed.Arithmetic)
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 2000*size {
				t.Errorf("%q of %s takes %d bytes", part, f.Type, taken)
			}
			if e, ok := errors.AsType[*typed.TextError](err); ok && len(e.Detail())+len(e.Remedy()) > 1000 {
				t.Errorf("%q of %s is described in %d bytes", part, f.Type, len(e.Detail())+len(e.Remedy()))
			}
		}
	}
}

// People who group digits with commas write one text for 350000. All other texts keep their value.
func TestCommaGroups(t *testing.T) {
	const level = typed.Arithmetic | typed.CommaGroups
	count := sdk.Field{Name: "x", Type: sdk.TypeInteger}
	for _, tt := range []struct {
		field      *sdk.Field
		text, want string
	}{
		{&rate, "350,000", `"350000"`},
		{&rate, "-1,234", `"-1234"`},
		{&rate, "1,234.5", `"1234.5"`},
		{&rate, "1,234,567", `"1234567"`},
		{&rate, "1,5", `"1.5"`},
		{&rate, "1,2345", `"1.2345"`},
		{&rate, "0,125", `"0.125"`},
		{&rate, "1.234", `"1.234"`},
		{&rate, "1,234 / 2", `"617"`},
		{&rate, "1,234%", `"12.34"`},
		{&count, "350,000", `350000`},
		{&plain, "1,200 ft", `{"value": 1200, "unit": "ft"}`},
		{&plain, `1,200' 6"`, ""}, // feet have no groups
		{&plain, `1,200'`, `{"value": 1200, "unit": "ft"}`},
		{&many, "1,200; 3", `["1200", "3"]`},
		{&many, "1,200\n3.5", `["1200", "3.5"]`},
		{&many, "1,200; 3,5", ""},
		{&many, "1,5; 3,25", `["1.5", "3.25"]`},
		{&many, "1,200", ""}, // a list of two, or of one
	} {
		v, err := typed.Value(tt.field, tt.text, nil, level)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%q is %v, want an error", tt.text, v)
			}
			continue
		}
		if diff := cmp.Diff(parse(t, tt.want), v); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", tt.text, err, diff)
		}
		if other, err := typed.Value(tt.field, tt.text, nil, typed.Arithmetic); err == nil && !cmp.Equal(other, v) {
			t.Errorf("%q is %v with comma groups and %v without", tt.text, v, other)
		}
	}
	if _, err := typed.Read(&rate, "350,000", typed.Arithmetic); err == nil {
		t.Error("350,000 has one reading without a language")
	}
}

// Texts of engineers with the value that they mean, and "" for a refused text.
func TestTypedUnits(t *testing.T) {
	of := func(unit string) *sdk.Field { return &sdk.Field{Name: "x", Type: sdk.TypeNumber, Unit: unit} }
	for _, tt := range []struct {
		own, text string
		want      string
	}{
		{"m", "20'", "6.096"}, {"m", `240"`, "6.096"}, {"m", `20'-6"`, "6.2484"}, {"m", `20' 6"`, "6.2484"}, {"m", "20 ft 6 in", "6.2484"}, {"m", "20ft-6in", "6.2484"},
		{"m", "20 feet 6 inches", "6.2484"}, {"m", "1 foot 3 in.", "0.381"}, {"m", "1 1/2 in", "0.0381"}, {"m", "3-1/2 inches", "0.0889"}, {"m", "10 m", "10"}, {"m", "5 mils", "0.000127"}, {"m", "10 M", ""},
		{"K", "70 F", "294.2611111111111"}, {"K", "20 C", "293.15"}, {"K", "70 deg F", "294.2611111111111"}, {"K", "70°F", "294.2611111111111"},
		{"ohm", "4k7", "4700"}, {"ohm", "2R2", "2.2"}, {"ohm", "10k", "10000"}, {"ohm", "10 K", "10000"}, {"ohm", "1meg", "1000000"}, {"ohm", "1M", "1000000"}, {"ohm", "1M5", "1500000"}, {"ohm", "10m", ""}, {"ohm", "4k", "4000"}, {"ohm", "4n7", ""},
		{"F", "100n", "1e-7"}, {"F", "4.7u", "0.0000047"}, {"F", "4n7", "4.7e-9"}, {"F", "4µ7", "0.0000047"}, {"F", "22p", "2.2e-11"}, {"H", "10m", ""}, {"V", "3V3", "3.3"}, {"V", "5m", ""}, {"A", "20m", ""}, {"Hz", "10k", "10000"}, {"Hz", "10m", ""},
		{"m", "4k7", ""}, {"m3/s", "40 gpm", "0.002523607856"}, {"m3/s", "40 GPM", "0.002523607856"}, {"N/m", "1.5 klf", "21890.854405809547"}, {"N/m", "1.5 k/ft", "21890.854405809547"}, {"N m", "30 ft-lb", "40.67453844994201"}, {"N m", "30 ft lbf", "40.67453844994201"},
		{"N", "20 lb", "88.96443230521"}, {"kg", "20 lb", "9.0718474"}, {"N", "20 kg", ""}, {"kg", "2 ton", ""}, {"W", "10 HP", "7456.998715822702"}, {"1/K", "12e-6 1/degC", "0.000012"}, {"1/K", "6.5e-6 /F", "0.0000117"},
		{"deg", `30°15'20"`, "30.255555555555556"}, {"deg", `30° 15'`, "30.25"}, {"deg", `-30°15′36″`, "-30.26"}, {"deg", `30°75'`, ""}, {"deg", "30°", "30"},
		{"m2", "4 sq ft", "0.37161216"}, {"W/(m2 K)", "1 Btu/hr-ft2-F", "5.678263341113488"},
	} {
		f := of(tt.own)
		v, err := typed.Value(f, tt.text, nil, typed.Numbers)
		var values value.Values
		if err == nil {
			object := strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: "x", Value: v}}}
			values, _, err = request.Read(&sdk.Spec{Inputs: []sdk.Field{*f}}, object)
		}
		if tt.want == "" {
			if err == nil {
				t.Errorf("%s in %s: %v, want an error", tt.text, tt.own, values)
			}
			continue
		}
		want, _, _ := big.ParseFloat(tt.want, 10, 53, big.ToNearestEven)
		if x, _ := want.Float64(); err != nil || values[0].Number() != x {
			t.Errorf("%s in %s: %v %v, want %s", tt.text, tt.own, values, err, tt.want)
		}
	}
}

// Lines separate the values of a pasted column, so a comma on each line is a decimal comma, or groups digits.
func TestPastedColumns(t *testing.T) {
	data := sdk.Field{Name: "x", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber}}
	inUnit := sdk.Field{Name: "x", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Unit: "m"}}
	for _, tt := range []struct {
		field      *sdk.Field
		text, want string
	}{
		{&data, "10,02\n9,98\n10,05", "[10.02, 9.98, 10.05]"},
		{&data, "10,02\r\n9,98\r\n10,05\r\n", "[10.02, 9.98, 10.05]"},
		{&data, "1,234.5\n1,235.0\n1,236.1", "[1234.5, 1235.0, 1236.1]"},
		{&data, "1.234,5\n1.235,0", "[1234.5, 1235.0]"},
		{&data, "10,02\t9,98", "[10.02, 9.98]"},
		{&inUnit, "length [mm]\n10,02\n9,98", `[{"value": 10.02, "unit": "mm"}, {"value": 9.98, "unit": "mm"}]`},
		{&inUnit, "10.02 mm\n9.98 mm", `[{"value": 10.02, "unit": "mm"}, {"value": 9.98, "unit": "mm"}]`},
	} {
		for _, level := range []typed.Level{typed.Numbers, typed.Arithmetic, typed.Arithmetic | typed.CommaGroups} {
			v, err := typed.Value(tt.field, tt.text, nil, level)
			if diff := cmp.Diff(parse(t, tt.want), v); err != nil || diff != "" {
				t.Errorf("%q at level %d: %v\n%s", tt.text, level, err, diff)
			}
		}
	}
}
