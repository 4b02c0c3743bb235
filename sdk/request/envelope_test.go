package request_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

func spec() *sdk.Spec {
	return &sdk.Spec{Inputs: []sdk.Field{
		{Name: "length", Aliases: []string{"L", "span"}, Type: sdk.TypeNumber, Unit: "m", Required: true},
		{Name: "modulus", Aliases: []string{"E"}, Type: sdk.TypeNumber, Unit: "Pa", Required: true},
		{Name: "count", Type: sdk.TypeInteger, Default: "1"},
		{Name: "circuit", Type: sdk.TypeString, Enum: []string{"dc", "ac"}, EnumAliases: []sdk.Alias{{Alias: "direct", Value: "dc"}}, Default: "dc"},
		{Name: "price", Type: sdk.TypeNumber, Decimal: true},
		{Name: "cable", Type: sdk.TypeNumber, Decimal: true, Unit: "m"},
		{Name: "temperature", Type: sdk.TypeNumber, Unit: "K"},
		{Name: "flag", Type: sdk.TypeBoolean},
		{Name: "note", Type: sdk.TypeString},
		{Name: "data", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber, Decimal: true}},
		{Name: "layers", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{
			{Name: "thickness", Aliases: []string{"t"}, Type: sdk.TypeNumber, Unit: "m", Required: true},
			{Name: "kind", Type: sdk.TypeString, Enum: []string{"wood", "brick"}, Default: "wood"},
		}}},
		{Name: "angle", Type: sdk.TypeNumber, Decimal: true, Unit: "rad"},
		{Name: "torque", Type: sdk.TypeNumber, Unit: "N m"},
		{Name: "warming", Type: sdk.TypeNumber, Unit: "K", Difference: true},
		{Name: "fluidity", Type: sdk.TypeNumber, Unit: "kg/(m s K(1/2))"},
		{Name: "spring", Type: sdk.TypeNumber, Unit: "N/m", Strict: true},
	}}
}

const base = `"length":3,"modulus":2e11`

func read(t *testing.T, body string) (value.Values, []value.Conversion, error) {
	t.Helper()
	object, err := strictjson.ParseObject([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return request.Read(spec(), object)
}

func TestRead(t *testing.T) {
	s := spec()
	for body, want := range map[string]map[string]value.Value{
		`{` + base + `}`:             {"length": value.NumberOf(3), "modulus": value.NumberOf(2e11), "count": value.NumberOf(1), "circuit": value.TextOf("dc")},
		`{"E":2e11,"span":3}`:        {"length": value.NumberOf(3), "modulus": value.NumberOf(2e11)},
		`{"L":3,"length":3.0,"E":1}`: {"length": value.NumberOf(3)}, // equal values under two names are legal
		`{` + base + `,"circuit":"direct","count":7,"flag":false,"note":""}`: {
			"circuit": value.TextOf("dc"), "count": value.NumberOf(7), "flag": value.BoolOf(false), "note": value.TextOf("")},
		`{"length":-0,"modulus":5e-324}`:           {"length": value.NumberOf(0), "modulus": value.NumberOf(5e-324)},
		`{"length":0e-400,"modulus":1}`:            {"length": value.NumberOf(0)},
		`{` + base + `,"price":"0.1","cable":0.1}`: {"price": value.ExactOf("0.1"), "cable": value.NumberOf(0.1)},
		`{` + base + `,"data":["0.1",2,"3e2"]}`:    {"data": value.ListOf(value.ExactOf("0.1"), value.NumberOf(2), value.ExactOf("3e2"))},
		`{` + base + `,"layers":[{"t":0.1},{"thickness":{"value":10,"unit":"cm"},"kind":"brick"}]}`: {"layers": value.ListOf(
			value.RecordOf(value.NumberOf(0.1), value.TextOf("wood")), value.RecordOf(value.NumberOf(0.1), value.TextOf("brick")))},
		`{"length":{"value":3,"unit":"ft"},"modulus":{"unit":"GPa","value":210}}`: {"length": value.NumberOf(0.9144), "modulus": value.NumberOf(2.1e11)},
		`{` + base + `,"cable":{"value":"0.1","unit":"ft"}}`:                      {"cable": value.ExactOf("0.03048")},
		`{` + base + `,"temperature":{"value":72,"unit":"degF"}}`:                 {"temperature": value.NumberOf(295.3722222222222)},
		`{` + base + `,"angle":{"value":30,"unit":"deg"}}`:                        {"angle": value.NumberOf(0.5235987755982989)},
		`{` + base + `,"angle":{"value":"0.1","unit":"deg"}}`:                     {"angle": value.NumberOf(0.0017453292519943296)}, // pi has no end
		`{` + base + `,"angle":{"value":"0.1","unit":"mrad"}}`:                    {"angle": value.ExactOf("0.0001")},
		`{` + base + `,"torque":{"value":2,"unit":"kN.m"}}`:                       {"torque": value.NumberOf(2000)},
		`{` + base + `,"warming":{"value":10,"unit":"degC"}}`:                     {"warming": value.NumberOf(10)},
		`{` + base + `,"warming":{"value":-9,"unit":"degF"}}`:                     {"warming": value.NumberOf(-5)},
		`{` + base + `,"fluidity":{"value":2,"unit":"kg/(m s K(1/2))"}}`:          {"fluidity": value.NumberOf(2)},
		`{"length":"3 ft","modulus":"210GPa"}`:                                    {"length": value.NumberOf(0.9144), "modulus": value.NumberOf(2.1e11)},
		`{"length":"1.5e3\u00a0µm","modulus":"200 N/mm²"}`:                        {"length": value.NumberOf(0.0015), "modulus": value.NumberOf(2e8)},
		`{` + base + `,"temperature":"20 °C","torque":"2 Nm"}`:                    {"temperature": value.NumberOf(293.15), "torque": value.NumberOf(2)},
		`{` + base + `,"temperature":{"value":20,"unit":"°C"}}`:                   {"temperature": value.NumberOf(293.15)},
		`{` + base + `,"cable":"0.1 ft"}`:                                         {"cable": value.ExactOf("0.03048")},
		`{` + base + `,"layers":[{"t":"10 cm"}]}`:                                 {"layers": value.ListOf(value.RecordOf(value.NumberOf(0.1), value.TextOf("wood")))},
	} {
		got, _, err := read(t, body)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		for name, v := range want {
			if g := got[s.Input(name)]; !g.Equal(v) {
				t.Errorf("%s: %s = %+v, want %+v", body, name, g, v)
			}
		}
		if math.Signbit(got[0].Number()) {
			t.Errorf("%s: negative zero", body)
		}
	}
}

func TestAbsentIsNotZero(t *testing.T) {
	got, _, err := read(t, `{`+base+`}`)
	if err != nil || got[4].Kind() != value.Absent || got[7].Kind() != value.Absent {
		t.Errorf("values = %v, %v", got, err)
	}
}

func TestConversionsAreStated(t *testing.T) {
	if _, got, err := read(t, `{"length":{"value":3.00,"unit":"m"},"modulus":1}`); len(got) != 0 || err != nil {
		t.Errorf("nothing was converted, and it says %v, %v", got, err)
	}
	_, got, err := read(t, `{"length":{"value":3.00,"unit":"ft"},"modulus":{"value":30e6,"unit":"psi"},"layers":[{"t":{"value":1,"unit":"in"}}]}`)
	want := []value.Conversion{
		{Field: "length", Literal: "3.00", From: "ft", Value: 0.9144, To: "m"},
		{Field: "modulus", Literal: "30e6", From: "psi", Value: 206842718795.05084, To: "Pa"},
		{Field: "layers.0.thickness", Literal: "1", From: "in", Value: 0.0254, To: "m"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("conversions (-want +got):\n%s%v", diff, err)
	}
}

func TestRejections(t *testing.T) {
	for body, want := range map[string]struct {
		code, field string
		names       []string // of invalid_parameters
		hint        string
	}{
		`{"lenght":3,"modulus":1}`:                                           {request.CodeUnknownInput, "lenght", []string{"lenght"}, "Did you mean length?"},
		`{"Length":3,"modulus":1}`:                                           {request.CodeUnknownInput, "Length", []string{"Length"}, "Did you mean length?"}, // E6
		`{"zzzzzzzz":3}`:                                                     {request.CodeUnknownInput, "zzzzzzzz", []string{"zzzzzzzz"}, "The inputs are length"},
		`{"x":1,"length":null,"modulus":"2"}`:                                {request.CodeUnknownInput, "x", []string{"x", "length", "modulus"}, ""},
		`{"L":3,"span":4,"modulus":1}`:                                       {sdk.CodeConflictingInputs, "length", []string{"length"}, "once"},
		`{"length":"three","modulus":1}`:                                     {request.CodeInvalidNumber, "length", []string{"length"}, "as a number in m."},
		`{"length":"3","modulus":1}`:                                         {request.CodeInvalidNumber, "length", []string{"length"}, "without quotes: 3."},
		`{"length":" 3 m","modulus":1}`:                                      {request.CodeInvalidNumber, "length", []string{"length"}, "a number in m"},
		`{"length":"1,5 m","modulus":1}`:                                     {request.CodeInvalidNumber, "length", []string{"length"}, "a number in m"},
		`{"length":"1/2 m","modulus":1}`:                                     {request.CodeInvalidNumber, "length", []string{"length"}, "a number in m"},
		`{"length":"2 m 3","modulus":1}`:                                     {request.CodeUnknownUnit, "length", []string{"length"}, "Use one of"},
		`{"length":"3 CM","modulus":1}`:                                      {request.CodeUnknownUnit, "length", []string{"length"}, "Did you mean cm?"},
		`{"length":"3 kg","modulus":1}`:                                      {request.CodeIncompatibleUnit, "length", []string{"length"}, "ft"},
		`{"length":"1e-400 m","modulus":1}`:                                  {request.CodeNumericUnderflow, "length", []string{"length"}, ""},
		`{` + base + `,"count":"3 m"}`:                                       {request.CodeInvalidNumber, "count", []string{"count"}, "an integer"},
		`{` + base + `,"price":"3 m"}`:                                       {request.CodeInvalidNumber, "price", []string{"price"}, "decimal string"},
		`{` + base + `,"spring":"3 N/m"}`:                                    {request.CodeInvalidNumber, "spring", []string{"spring"}, "a number in N/m"},
		`{"length":null,"modulus":1}`:                                        {request.CodeInvalidNumber, "length", []string{"length"}, ""},
		`{"length":true,"modulus":[1]}`:                                      {request.CodeInvalidNumber, "length", []string{"length", "modulus"}, ""},
		`{"length":{"value":3},"modulus":1}`:                                 {request.CodeInvalidNumber, "length", []string{"length"}, ""},
		`{"length":{"value":3,"unit":7},"modulus":1}`:                        {request.CodeInvalidNumber, "length", []string{"length"}, ""},
		`{"length":{"value":"3","unit":"m"},"modulus":1}`:                    {request.CodeInvalidNumber, "length", []string{"length"}, ""},
		`{"length":{"value":3,"unit":"furlong"},"modulus":1}`:                {request.CodeUnknownUnit, "length", []string{"length"}, ""},
		`{"length":{"value":3,"unit":"CM"},"modulus":1}`:                     {request.CodeUnknownUnit, "length", []string{"length"}, "Did you mean cm?"},
		`{"length":{"value":3,"unit":"kg"},"modulus":1}`:                     {request.CodeIncompatibleUnit, "length", []string{"length"}, "ft"},
		`{` + base + `,"count":{"value":3,"unit":"m"}}`:                      {request.CodeIncompatibleUnit, "count", []string{"count"}, "bare number"},
		`{` + base + `,"count":1.5}`:                                         {request.CodeInvalidNumber, "count", []string{"count"}, ""},
		`{` + base + `,"count":9007199254740994}`:                            {request.CodeInvalidNumber, "count", []string{"count"}, ""},
		`{"length":1e-400,"modulus":1}`:                                      {request.CodeNumericUnderflow, "length", []string{"length"}, ""},
		`{"L":1e-400,"modulus":1}`:                                           {request.CodeNumericUnderflow, "length", []string{"length"}, ""},
		`{"length":-1e400,"modulus":1}`:                                      {sdk.CodeNonFiniteResult, "length", []string{"length"}, ""},
		`{"length":{"value":1e-400,"unit":"km"},"modulus":1}`:                {request.CodeNumericUnderflow, "length", []string{"length"}, ""},
		`{"length":{"value":5e-324,"unit":"mm"},"modulus":1}`:                {request.CodeNumericUnderflow, "length", []string{"length"}, ""},
		`{"length":{"value":1e308,"unit":"km"},"modulus":1}`:                 {sdk.CodeNonFiniteResult, "length", []string{"length"}, ""},
		`{` + base + `,"price":"1e-400"}`:                                    {request.CodeNumericUnderflow, "price", []string{"price"}, ""},
		`{` + base + `,"price":"ten"}`:                                       {request.CodeInvalidNumber, "price", []string{"price"}, ""},
		`{` + base + `,"price":" 1"}`:                                        {request.CodeInvalidNumber, "price", []string{"price"}, ""},
		`{` + base + `,"price":"0x10"}`:                                      {request.CodeInvalidNumber, "price", []string{"price"}, ""},
		`{` + base + `,"data":["NaN"]}`:                                      {request.CodeInvalidNumber, "data", []string{"data.0"}, ""},
		`{` + base + `,"data":[1,1e-400]}`:                                   {request.CodeNumericUnderflow, "data", []string{"data.1"}, ""},
		`{` + base + `,"data":3}`:                                            {request.CodeInvalidNumber, "data", []string{"data"}, ""},
		`{` + base + `,"flag":1}`:                                            {request.CodeInvalidNumber, "flag", []string{"flag"}, ""},
		`{` + base + `,"note":1}`:                                            {request.CodeInvalidNumber, "note", []string{"note"}, ""},
		`{` + base + `,"note":"` + strings.Repeat("x", sdk.MaxText+1) + `"}`: {request.CodeInvalidNumber, "note", []string{"note"}, ""},
		`{` + base + `,"layers":[{"kind":"wood"}]}`:                          {sdk.CodeMissingRequiredInput, "layers", []string{"layers.0.thickness"}, "Give layers.0.thickness."},
		`{` + base + `,"layers":[{"t":1},{"t":"x"}]}`:                        {request.CodeInvalidNumber, "layers", []string{"layers.1.thickness"}, ""},
		`{` + base + `,"layers":[{"t":1,"thickness":2}]}`:                    {sdk.CodeConflictingInputs, "layers", []string{"layers.0"}, "Give thickness once."},
		`{` + base + `,"layers":[{"t":1,"kind":"straw"}]}`:                   {request.CodeInvalidMode, "layers", []string{"layers.0.kind"}, ""},
		`{` + base + `,"layers":[{"t":1,"colour":"red"}]}`:                   {request.CodeUnknownInput, "layers", []string{"layers.0"}, ""},
		`{` + base + `,"layers":[3]}`:                                        {request.CodeInvalidNumber, "layers", []string{"layers.0"}, ""},
		`{}`:                                                                 {sdk.CodeMissingRequiredInput, "length", []string{"length", "modulus"}, "L, span"},
		`{"length":3}`:                                                       {sdk.CodeMissingRequiredInput, "modulus", []string{"modulus"}, ""},
		`{"length":3,"circuit":"xx"}`:                                        {sdk.CodeMissingRequiredInput, "modulus", []string{"modulus"}, ""}, // presence before enums
		`{` + base + `,"circuit":"AC"}`:                                      {request.CodeInvalidMode, "circuit", []string{"circuit"}, "Did you mean ac?"},
		`{` + base + `,"circuit":""}`:                                        {request.CodeInvalidMode, "circuit", []string{"circuit"}, ""},
		`{` + base + `,"circuit":null}`:                                      {request.CodeInvalidMode, "circuit", []string{"circuit"}, ""},
		`{` + base + `,"circuit":3}`:                                         {request.CodeInvalidMode, "circuit", []string{"circuit"}, ""},
	} {
		_, _, err := read(t, body)
		var e *sdk.Error
		if !errors.As(err, &e) {
			t.Errorf("%.80s: error = %v, want %s", body, err, want.code)
			continue
		}
		var names []string
		for _, p := range e.Invalid {
			names = append(names, p.Name)
		}
		if e.Suggestion == "" || strings.Contains(e.Suggestion, "schema") {
			t.Errorf("%.80s: the suggestion %q says nothing to do", body, e.Suggestion)
		}
		if e.Code != want.code || e.Field != want.field || !slices.Equal(names, want.names) || !strings.Contains(e.Suggestion, want.hint) {
			t.Errorf("%.80s:\n got %s of %s, invalid %v, %q\nwant %s of %s, invalid %v, %q", body,
				e.Code, e.Field, names, e.Suggestion, want.code, want.field, want.names, want.hint)
		}
	}
}

// Errors repeat only a short part of a request.
func TestErrorsStayShort(t *testing.T) {
	long := strings.Repeat("x", 60000)
	for _, body := range []string{
		`{"` + long + `":1}`, `{` + base + `,"circuit":"` + long + `"}`, `{` + base + `,"price":"` + long + `"}`,
		`{"length":{"value":1,"unit":"` + long + `"},"modulus":1}`,
	} {
		_, _, err := read(t, body)
		var e *sdk.Error
		if !errors.As(err, &e) || len(e.Field)+len(e.Detail)+len(e.Suggestion) > 1000 {
			t.Errorf("error of %d bytes: %.200v", len(err.Error()), err)
		}
	}
}

// For all requests, the values fit the Spec or the error is a rejection.
func FuzzRead(f *testing.F) {
	f.Add(`{` + base + `}`)
	f.Add(`{"L":{"value":3,"unit":"ft"},"E":1,"layers":[{"t":1}],"data":["1e5"],"circuit":"direct"}`)
	f.Fuzz(func(t *testing.T, body string) {
		object, err := strictjson.ParseObject([]byte(body))
		if err != nil {
			return
		}
		s := spec()
		values, _, err := request.Read(s, object)
		var rejection *sdk.Error
		if err != nil && !errors.As(err, &rejection) {
			t.Fatalf("%s: %v is no rejection", body, err)
		}
		if err == nil {
			if err := sdk.CheckValues(s.Inputs, values); err != nil {
				t.Fatalf("%s: %v", body, err)
			}
		}
	})
}

// There can be many inputs, in any order, under any of their names.
func TestManyInputs(t *testing.T) {
	const fields = 40
	spec := &sdk.Spec{}
	for i := range fields {
		spec.Inputs = append(spec.Inputs, sdk.Field{Name: fmt.Sprintf("x%d", i), Aliases: []string{fmt.Sprintf("a%d", i)}, Type: sdk.TypeNumber, Required: true})
	}
	var forwards, backwards, twice strings.Builder
	for i := range fields {
		fmt.Fprintf(&forwards, `,"x%d":%d`, i, i)
		fmt.Fprintf(&backwards, `,"a%d":%d`, fields-1-i, fields-1-i)
		fmt.Fprintf(&twice, `,"a%d":%d,"x%d":%d.0`, i, i, i, i)
	}
	read := func(members string) (value.Values, error) {
		v, err := strictjson.ParseObject([]byte("{" + members[1:] + "}"))
		if err != nil {
			t.Fatal(err)
		}
		values, _, err := request.Read(spec, v)
		return values, err
	}
	for name, members := range map[string]string{"forwards": forwards.String(), "backwards": backwards.String(), "twice": twice.String()} {
		values, err := read(members)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, v := range values {
			if v.Number() != float64(i) {
				t.Errorf("%s: x%d is %v", name, i, v.Number())
			}
		}
	}
	var e *sdk.Error
	_, err := read(forwards.String() + `,"a7":8,"b":1,"a3":4`)
	if !errors.As(err, &e) || e.Code != request.CodeUnknownInput || len(e.Invalid) != 3 || e.Invalid[1].Name != "x3" || e.Invalid[2].Name != "x7" {
		t.Errorf("%+v", e)
	}
}

// Memory that was used before gives the same values as new memory.
func TestReadInto(t *testing.T) {
	spec := &sdk.Spec{Inputs: []sdk.Field{{Name: "x", Type: sdk.TypeNumber}, {Name: "y", Type: sdk.TypeNumber, Default: "7"}}}
	values := value.Values{value.NumberOf(1), value.TextOf("old")}
	v, err := strictjson.ParseObject([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := request.ReadInto(values, spec, v); err != nil || values[0].Kind() != value.Absent || values[1].Number() != 7 {
		t.Errorf("%v, %v", values, err)
	}
}

// Numbers that are sent once need no memory, because every request and every row of a batch is
// read here.
func TestReadIntoAllocatesNothing(t *testing.T) {
	spec := sdk.Spec{Inputs: []sdk.Field{
		{Name: "length", Type: sdk.TypeNumber, Unit: "m", Required: true},
		{Name: "modulus", Type: sdk.TypeNumber, Unit: "Pa", Required: true},
	}}
	inputs, err := strictjson.ParseObject([]byte(`{"modulus":2.1e11,"length":3}`))
	if err != nil {
		t.Fatal(err)
	}
	values := make(value.Values, len(spec.Inputs))
	if n := testing.AllocsPerRun(100, func() {
		clear(values)
		if _, err := request.ReadInto(values, &spec, inputs); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A number with a unit that depends on a choice is converted to the unit of that choice. The
// choice can be anywhere in the request.
func TestUnitBy(t *testing.T) {
	s := &sdk.Spec{Inputs: []sdk.Field{
		{Name: "primary", Type: sdk.TypeNumber, Required: true, UnitBy: &sdk.UnitBy{Input: "dir", Units: map[string]string{"to_amps": "kVA", "to_kva": "A"}}},
		{Name: "dir", Aliases: []string{"d"}, Type: sdk.TypeString, Enum: []string{"to_amps", "to_kva"}, EnumAliases: []sdk.Alias{{Alias: "k", Value: "to_kva"}}, Default: "to_amps"},
		{Name: "a", Type: sdk.TypeNumber, Decimal: true, UnitBy: &sdk.UnitBy{Input: "from"}},
		{Name: "from", Type: sdk.TypeString, Enum: []string{"degC", "K"}, Default: "K"},
	}}
	for body, want := range map[string]string{
		`{"primary":3}`:                                                 "3",
		`{"primary":{"value":3,"unit":"kVA"}}`:                          "3",
		`{"primary":{"value":3,"unit":"MVA"}}`:                          "3000 MVA>kVA",
		`{"primary":{"value":3,"unit":"mA"},"d":"k"}`:                   "0.003 mA>A",
		`{"dir":"to_kva","primary":{"value":3,"unit":"kA"}}`:            "3000 kA>A",
		`{"primary":1,"a":{"value":"300.15","unit":"K"},"from":"degC"}`: "27 K>degC",
		`{"primary":{"value":3,"unit":"A"}}`:                            request.CodeIncompatibleUnit + " A cannot be converted to apparent power in kVA",
		`{"primary":{"value":3,"unit":"A"},"dir":"up"}`:                 request.CodeIncompatibleUnit + " Give a bare number: the unit of this input is A or kVA, by dir.",
	} {
		object, err := strictjson.ParseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		values, conversions, err := request.Read(s, object)
		var e *sdk.Error
		got := ""
		switch {
		case errors.As(err, &e):
			got = e.Code + " " + e.Detail + " " + e.Suggestion
		case values[2].Kind() != value.Absent:
			got = values[2].Text()
		default:
			got = fmt.Sprint(values[0].Number())
		}
		for _, c := range conversions {
			got += " " + c.From + ">" + c.To
		}
		if ok := got == want || e != nil && strings.HasPrefix(want, e.Code) && strings.Contains(got, want[len(e.Code)+1:]); !ok {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
