package cases_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

type beamInput struct {
	Length   float64      `name:"length" alias:"L,l" unit:"m" range:"(0,)"`
	Position float64      `name:"position" unit:"m" range:"[0,length]"`
	Ratio    float64      `name:"ratio" range:"(-1,0.5]" default:"0.3"`
	Count    int          `name:"count" range:"[1,100]" default:"1"`
	Model    string       `name:"model" enum:"thin,thick=solid|stout" default:"thin"`
	Exact    *sdk.Decimal `name:"exact"`
	Hollow   *bool        `name:"hollow"`
	Loads    []float64    `name:"loads" unit:"N" range:"[0,)"`
	Note     *string      `name:"note"`
}

type beamOutput struct {
	Deflection float64 `name:"deflection" unit:"m"`
}

func beam() *sdk.Spec {
	spec := sdk.New(sdk.Spec{
		Capability: "test.cases.beam", Version: "1.0.0", Tool: "beam", Group: "test", Title: "Beam", Summary: "A beam.",
	}, func(context.Context, beamInput) (beamOutput, error) { return beamOutput{}, nil }).Spec()
	return &spec
}

// example reads a request as the server does.
func example(t testing.TB, spec *sdk.Spec, text string) value.Values {
	t.Helper()
	inputs, err := strictjson.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := request.Read(spec, inputs)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func examples(t testing.TB, spec *sdk.Spec) []value.Values {
	return []value.Values{
		example(t, spec, `{"length": 2, "position": 1.5, "exact": "0.1", "loads": [10, {"value": 1, "unit": "N"}]}`),
		example(t, spec, `{"L": {"value": 300, "unit": "cm"}, "position": 0, "loads": [], "hollow": true, "model": "stout"}`),
	}
}

func find(t *testing.T, list []cases.Case, id string) cases.Case {
	t.Helper()
	i := slices.IndexFunc(list, func(c cases.Case) bool { return c.ID == id })
	if i < 0 {
		var ids []string
		for _, c := range list {
			ids = append(ids, c.ID)
		}
		t.Fatalf("there is no case %q among\n%s", id, strings.Join(ids, "\n"))
	}
	return list[i]
}

func TestGenerate(t *testing.T) {
	spec := beam()
	list := cases.Generate(spec, examples(t, spec))
	const rest = `"ratio":0.3,"count":1,"model":"thin","exact":"0.1","loads":[10,1]}`
	for _, want := range []cases.Case{
		{ID: "example 1", Kind: cases.Example, Inputs: `{"length":2,"position":1.5,` + rest},
		{ID: "length at its minimum", Kind: cases.Boundary, Inputs: `{"length":0,"position":1.5,` + rest},
		{ID: "length just inside its minimum", Kind: cases.Boundary, Inputs: `{"length":5e-324,"position":1.5,` + rest},
		{ID: "position just outside its maximum", Kind: cases.Boundary, Inputs: `{"length":2,"position":2.0000000000000004,` + rest},
		{ID: "position far outside its maximum", Kind: cases.Boundary, Inputs: `{"length":2,"position":5,` + rest},
		{ID: "ratio just inside its maximum", Kind: cases.Boundary, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, "0.3", "0.49999999999999994", 1)},
		{ID: "count just outside its maximum", Kind: cases.Boundary, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, `"count":1`, `"count":101`, 1)},
		{ID: "loads.0 at its minimum", Kind: cases.Boundary, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, "[10,1]", "[0,1]", 1)},
		{ID: "length is -0", Kind: cases.Magnitude, Inputs: `{"length":-0,"position":1.5,` + rest, Like: "length is 0"},
		{ID: "length is 1e-400", Kind: cases.Magnitude, Inputs: `{"length":1e-400,"position":1.5,` + rest, Code: "NUMERIC_UNDERFLOW", Field: "length"},
		{ID: "count is 1e300", Kind: cases.Magnitude, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, `"count":1`, `"count":1e300`, 1), Code: "INVALID_NUMBER", Field: "count"},
		{ID: "length as l", Kind: cases.Alias, Inputs: `{"l":2,"position":1.5,` + rest, Like: "example 1"},
		{ID: "length and another as L", Kind: cases.Alias, Inputs: strings.TrimSuffix(`{"length":2,"position":1.5,`+rest, "}") + `,"L":1}`, Code: "CONFLICTING_INPUTS", Field: "length"},
		{ID: "model is thick, spelled stout", Kind: cases.Enum, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, "thin", "stout", 1), Like: "model is thick"},
		{ID: "model is none of its values", Kind: cases.Enum, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, "thin", "no_such_input", 1), Code: "INVALID_MODE", Field: "model"},
		{ID: "loads.0 in m", Kind: cases.Unit, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, "[10,", `[{"value":10,"unit":"m"},`, 1), Code: "INCOMPATIBLE_UNIT", Field: "loads"},
		{ID: "exact as text", Kind: cases.Decimal, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, `"0.1"`, `"0.099975585937500"`, 1), Like: "exact is 0.099975585937500"},
		{ID: "length as text", Kind: cases.Decimal, Inputs: `{"length":"2.0000000000","position":1.5,` + rest, Code: "INVALID_NUMBER", Field: "length"},
		{ID: "position left out", Kind: cases.Presence, Inputs: `{"length":2,` + rest, Code: "MISSING_REQUIRED_INPUT", Field: "position"},
		{ID: "ratio left out", Kind: cases.Presence, Inputs: strings.Replace(`{"length":2,"position":1.5,`+rest, `"ratio":0.3,`, "", 1), Like: "ratio is its default"},
		{ID: "note added", Kind: cases.Presence, Inputs: strings.TrimSuffix(`{"length":2,"position":1.5,`+rest, "}") + `,"note":"text"}`},
		{ID: "hollow is false", Kind: cases.Enum, Inputs: `{"length":3,"position":0,"ratio":0.3,"count":1,"model":"thick","hollow":false,"loads":[]}`},
		{ID: "no input at all", Kind: cases.Presence, Inputs: "{}", Code: "MISSING_REQUIRED_INPUT", Field: "length"},
	} {
		if got := find(t, list, want.ID); got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	seen := map[cases.Kind]bool{}
	for _, c := range list {
		seen[c.Kind] = true
	}
	if len(seen) != 10 {
		t.Errorf("kinds %v", seen)
	}
}

// Each case is one JSON object, has an id of its own, and refers to an earlier case if any.
// Cases within the ranges can be read, and lie in the ranges.
func TestCasesAreWhole(t *testing.T) {
	spec := beam()
	ids := map[string]bool{}
	for _, c := range cases.Generate(spec, examples(t, spec)) {
		inputs, err := strictjson.ParseObject([]byte(c.Inputs))
		if err != nil || ids[c.ID] || c.Like != "" && !ids[c.Like] || c.Code != "" && c.Like != "" {
			t.Errorf("%+v: %v", c, err)
		}
		ids[c.ID] = true
		if c.Kind != cases.Inside && c.Kind != cases.Example {
			continue
		}
		values, _, err := request.Read(spec, inputs)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		length, position := values[0].Number(), values[1].Number()
		if length <= 0 || position < 0 || position > length || values[3].Number() < 1 {
			t.Errorf("%s leaves the ranges: %s", c.ID, c.Inputs)
		}
	}
}

func TestCasesDependOnTheVersionOnly(t *testing.T) {
	spec := beam()
	first, second := cases.Generate(spec, examples(t, spec)), cases.Generate(beam(), examples(t, spec))
	if !reflect.DeepEqual(first, second) {
		t.Error("the same Spec has other cases")
	}
	spec.Version = "1.0.1"
	if reflect.DeepEqual(first, cases.Generate(spec, examples(t, spec))) {
		t.Error("another version has the same cases")
	}
}

func TestNoCasesWithoutExamples(t *testing.T) {
	if got := cases.Generate(beam(), nil); got != nil {
		t.Errorf("%d cases", len(got))
	}
}

// A large Spec has few cases, and none refers to a dropped case.
func TestCasesAreFew(t *testing.T) {
	spec := beam()
	values := examples(t, spec)[0]
	for i := range 60 {
		f := spec.Inputs[0]
		f.Name, f.Aliases = fmt.Sprintf("length_%d", i), []string{fmt.Sprintf("L%d", i)}
		spec.Inputs, values = append(spec.Inputs, f), append(values, value.NumberOf(3))
	}
	list := cases.Generate(spec, []value.Values{values})
	ids, kinds := map[string]bool{}, map[cases.Kind]bool{}
	for _, c := range list {
		if c.Like != "" && !ids[c.Like] {
			t.Errorf("%s is like %s, which is not there", c.ID, c.Like)
		}
		ids[c.ID], kinds[c.Kind] = true, true
	}
	if len(list) != cases.Most || len(kinds) != 10 {
		t.Errorf("%d cases of the kinds %v", len(list), kinds)
	}
}

// A value within an object within a list is a place of its own.
func TestNestedPlaces(t *testing.T) {
	type layer struct {
		Thickness float64 `name:"thickness" unit:"m" range:"(0,)"`
		Depth     float64 `name:"depth" unit:"m" range:"(thickness,)"`
		Kind      string  `name:"kind" enum:"wood,stone"`
	}
	type in struct {
		Layers []layer `name:"layers"`
	}
	spec := sdk.New(sdk.Spec{
		Capability: "test.cases.wall", Version: "1.0.0", Tool: "wall", Group: "test", Title: "Wall", Summary: "A wall.",
	}, func(context.Context, in) (beamOutput, error) { return beamOutput{}, nil }).Spec()
	list := cases.Generate(&spec, []value.Values{example(t, &spec, `{"layers": [{"thickness": 0.5, "depth": 1, "kind": "wood"}, {"thickness": 1, "depth": 2, "kind": "stone"}]}`)})
	for id, want := range map[string]string{
		"layers.0.thickness at its minimum":       `{"layers":[{"thickness":0,"depth":1,"kind":"wood"},{"thickness":1,"depth":2,"kind":"stone"}]}`,
		"layers.0.depth at its minimum":           `{"layers":[{"thickness":0.5,"depth":0.5,"kind":"wood"},{"thickness":1,"depth":2,"kind":"stone"}]}`,
		"layers.0.depth just inside its minimum":  `{"layers":[{"thickness":0.5,"depth":0.5000000000000001,"kind":"wood"},{"thickness":1,"depth":2,"kind":"stone"}]}`,
		"layers.0.depth just outside its minimum": `{"layers":[{"thickness":0.5,"depth":0.49999999999999994,"kind":"wood"},{"thickness":1,"depth":2,"kind":"stone"}]}`,
		"layers.0.kind is stone":                  `{"layers":[{"thickness":0.5,"depth":1,"kind":"stone"},{"thickness":1,"depth":2,"kind":"stone"}]}`,
		"layers is empty":                         `{"layers":[]}`,
		"layers.0.thickness in no unit there is":  `{"layers":[{"thickness":{"value":0.5,"unit":"no_such_unit"},"depth":1,"kind":"wood"},{"thickness":1,"depth":2,"kind":"stone"}]}`,
	} {
		if got := find(t, list, id).Inputs; got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
