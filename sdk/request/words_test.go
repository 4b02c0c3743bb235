package request_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/units"
)

// faults has one request for every kind of fault, with its texts. Callers read these texts:
// they change with the interface only.
var faults = map[request.Kind]struct{ body, code, place, detail, suggestion string }{
	request.Unknown: {`{"lenght":3}`, request.CodeUnknownInput, "lenght", `"lenght" is not an input of this calculation`, "Did you mean length?"},
	request.Conflict: {`{"L":3,"span":4,"modulus":1}`, sdk.CodeConflictingInputs, "length",
		"L and span name the same input and differ", "Give length once."},
	request.Repeated: {`{` + base + `,"layers":[{"t":1,"thickness":2}]}`, sdk.CodeConflictingInputs, "layers.0",
		"layers.0.thickness is sent twice", "Give thickness once."},
	request.Missing: {`{"modulus":1}`, sdk.CodeMissingRequiredInput, "length", "length (m) is required", "Give length (or L, span)."},
	request.WrongType: {`{` + base + `,"layers":[{"t":true}]}`, request.CodeInvalidNumber, "layers.0.thickness",
		"layers.0.thickness: must be a number; a boolean was sent", "Give layers.0.thickness as a number in m."},
	request.QuotedNumber: {`{"length":"3","modulus":1}`, request.CodeInvalidNumber, "length",
		"length: must be a number; a string was sent", "Give the number without quotes: 3."},
	request.NotQuantity: {`{"length":{"value":3},"modulus":1}`, request.CodeInvalidNumber, "length",
		`length: must be a number, or an object with exactly "value" and "unit"`, "Give length as a number in m."},
	request.NotChoice: {`{` + base + `,"layers":[{"t":1,"kind":"straw"}]}`, request.CodeInvalidMode, "layers.0.kind",
		`kind "straw" is not one of wood, brick`, "Give one of wood, brick."},
	request.ChoiceNotText: {`{` + base + `,"circuit":3}`, request.CodeInvalidMode, "circuit",
		"circuit must be one of dc, ac", "Give one of them as a string."},
	request.TooLong: {`{` + base + `,"note":"` + strings.Repeat("x", sdk.MaxText+1) + `"}`, request.CodeInvalidNumber, "note",
		"note: has 4097 bytes; at most 4096 are allowed", "Give note as a string."},
	request.TooManyDigits: {`{` + base + `,"price":"0.` + strings.Repeat("1", 399) + `"}`, request.CodeInvalidNumber, "price",
		"price: has 401 characters; at most 400 count digit by digit", "Give fewer digits."},
	request.NotDecimal: {`{` + base + `,"price":"ten"}`, request.CodeInvalidNumber, "price",
		`price: "ten" is not a decimal literal`, "Give price as a number, or a decimal string."},
	request.NotNumber: {`{"length":{"value":0e99999999999999999999,"unit":"ft"},"modulus":1}`, request.CodeInvalidNumber, "length",
		"length: 0e99999999999999999999 is not a number", "Give length as a number in m."},
	request.NotInteger: {`{` + base + `,"count":1.5}`, request.CodeInvalidNumber, "count",
		"count: 1.5 is not an integer that binary64 holds exactly", "Give count as an integer."},
	request.NotIntegerInUnit: {`{` + base + `,"posts":{"value":1,"unit":"in"}}`, request.CodeInvalidNumber, "posts",
		"posts: 1 in is not an integer in m", "Give posts as an integer in m."},
	request.Underflow: {`{"length":{"value":5e-324,"unit":"mm"},"modulus":1}`, request.CodeNumericUnderflow, "length",
		"length: 5e-324 mm is not zero but would become zero as a binary64 number", "Give 0 if zero is meant, or a larger magnitude."},
	request.Overflow: {`{` + base + `,"data":[1,1e400]}`, sdk.CodeNonFiniteResult, "data.1",
		"data.1: 1e400 is beyond the range of binary64 numbers", "Give a magnitude below 1.8e308."},
	request.UnknownUnit: {`{"length":{"value":3,"unit":"CM"},"modulus":1}`, request.CodeUnknownUnit, "length",
		`length: unknown unit "CM"`, "Did you mean cm?"},
	request.IncompatibleUnit: {`{` + base + `,"count":{"value":3,"unit":"m"}}`, request.CodeIncompatibleUnit, "count",
		"count: m cannot be converted to a dimensionless number", "Give a bare number: this input has no unit."},
}

func TestWords(t *testing.T) {
	spec := spec()
	spec.Inputs = append(spec.Inputs, sdk.Field{Name: "posts", Type: sdk.TypeInteger, Unit: "m"})
	for kind := request.Unknown; kind <= request.IncompatibleUnit; kind++ {
		want, listed := faults[kind]
		if !listed {
			t.Errorf("no request has a fault of kind %d", kind)
			continue
		}
		object, err := strictjson.ParseObject([]byte(want.body))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = request.Read(spec, object)
		var got request.Faults
		if !errors.As(err, &got) || got[0].Kind != kind {
			t.Errorf("%.80s: %v", want.body, err)
			continue
		}
		f, e := &got[0], got.Rejection()
		if f.Code() != want.code || f.Place() != want.place || f.Detail(request.AsSent) != want.detail || f.Suggestion(request.AsSent) != want.suggestion {
			t.Errorf("%.80s:\n got %s of %s: %s. %s\nwant %s of %s: %s. %s", want.body, f.Code(), f.Place(),
				f.Detail(request.AsSent), f.Suggestion(request.AsSent), want.code, want.place, want.detail, want.suggestion)
		}
		first := sdk.InvalidParameter{Name: want.place, Constraint: want.detail}
		if e.Code != want.code || e.Field != f.Name() || e.Detail != want.detail || e.Suggestion != want.suggestion || e.Invalid[0] != first {
			t.Errorf("%.80s: the error of the interface is %+v", want.body, e)
		}
	}
}

// loud names everything in capitals.
type loud struct{}

func (loud) Place(f *request.Fault) string { return strings.ToUpper(f.Place()) }
func (loud) Field(f *sdk.Field) string     { return strings.ToUpper(f.Name) }
func (loud) Choice(value string) string    { return strings.ToUpper(value) }

// A reader of a fault can use other names for inputs and choices. Sent texts are repeated
// unchanged.
func TestNames(t *testing.T) {
	for kind, want := range map[request.Kind][2]string{
		request.Conflict:  {"L and span name the same input and differ", "Give LENGTH once."},
		request.Missing:   {"LENGTH (m) is required", "Give LENGTH (or L, span)."},
		request.WrongType: {"LAYERS.0.THICKNESS: must be a number; a boolean was sent", "Give LAYERS.0.THICKNESS as a number in m."},
		request.NotChoice: {`KIND "straw" is not one of WOOD, BRICK`, "Give one of WOOD, BRICK."},
	} {
		_, _, err := read(t, faults[kind].body)
		var got request.Faults
		if !errors.As(err, &got) {
			t.Fatal(err)
		}
		if detail, suggestion := got[0].Detail(loud{}), got[0].Suggestion(loud{}); detail != want[0] || suggestion != want[1] {
			t.Errorf("kind %d: %s. %s", kind, detail, suggestion)
		}
	}
}

// The list of faults is bounded, and the first one is complete.
func TestManyFaults(t *testing.T) {
	var body strings.Builder
	for i := range 2 * sdk.MaxNotes {
		body.WriteString(`,"x` + strconv.Itoa(i) + `":1`)
	}
	_, _, err := read(t, "{"+body.String()[1:]+"}")
	var rejection *sdk.Error
	if !errors.As(err, &rejection) || len(rejection.Invalid) != sdk.MaxNotes || rejection.Field != "x0" {
		t.Errorf("%d faults: %v", len(rejection.Invalid), err)
	}
}

// TestWordsAboutUnits has the texts for units that cannot be converted to the unit of the
// field.
func TestWordsAboutUnits(t *testing.T) {
	for body, want := range map[string]string{
		`{` + base + `,"warming":{"value":1,"unit":"m"}}`: "warming: m cannot be converted to temperature difference in K. " +
			"Use one of K, °C, °F, °R, or a bare number in K.",
		`{` + base + `,"fluidity":{"value":1,"unit":"m"}}`: "fluidity: m cannot be converted to a number in kg/(m·s·K¹ᐟ²). " +
			"Give a bare number in kg/(m·s·K¹ᐟ²).",
		`{` + base + `,"fluidity":{"value":1,"unit":"kg/m"}}`: `fluidity: unknown unit "kg/m". Give a bare number in kg/(m·s·K¹ᐟ²).`,
	} {
		_, _, err := read(t, body)
		var e *sdk.Error
		if !errors.As(err, &e) || e.Detail+". "+e.Suggestion != want {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// A suggestion never names a unit of another size or quantity. Earlier versions did in all
// these cases.
func TestUnitSuggestions(t *testing.T) {
	spec := func(unit string) *sdk.Spec {
		return &sdk.Spec{Inputs: []sdk.Field{{Name: "x", Type: sdk.TypeNumber, Unit: unit}}}
	}
	for _, tt := range []struct{ own, sent, code, want string }{
		{"Pa", "10 mPa", request.CodeUnknownUnit, "Use one of Pa, hPa, kPa, MPa, "}, {"Pa", "1 mpa", request.CodeUnknownUnit, "Use one of Pa, "}, {"Pa", "2 cubits", request.CodeUnknownUnit, "Use one of Pa, "},
		{"Pa", "1 KPA", request.CodeUnknownUnit, "Did you mean kPa?"}, {"ohm", "1 MOhm", request.CodeUnknownUnit, "Did you mean MΩ?"}, {"ohm", "3 m", request.CodeIncompatibleUnit, "m does not decide the unit. Use one of mΩ, MΩ."}, {"N m", "5 mN m", request.CodeUnknownUnit, "Use one of N·m, "},
		{"N", "2 klf", request.CodeUnknownUnit, "Use one of N, mN, kN, "}, {"N", "2 KN", request.CodeUnknownUnit, "Did you mean kN?"}, {"N", "2 kg", request.CodeIncompatibleUnit, "kg does not decide the unit. Use one of kgf, N."}, {"kg", "2 ton", request.CodeUnknownUnit, "ton does not decide the unit. Use one of t, ton (US), ton (imperial)."},
		{"N", "2 m", request.CodeIncompatibleUnit, "Use one of N, "}, {"m", "10 MM", request.CodeUnknownUnit, "Use one of m, "},
		{"Pa", "10 psig", request.CodeUnknownUnit, "Gauge pressure is relative to the pressure of the atmosphere. If this input is an absolute pressure, add the atmosphere (14.6959 psi as standard) and give psi. If it is a difference of pressures, give psi."},
		{"Pa", "3 bar(g)", request.CodeUnknownUnit, "Gauge pressure is relative to the pressure of the atmosphere. If this input is an absolute pressure, add the atmosphere (1.01325 bar as standard) and give bar."},
		{"Pa", "20 psia", request.CodeUnknownUnit, "Give psi if this input is an absolute pressure."}, {"N", "20 psig", request.CodeUnknownUnit, "Use one of N, "},
	} {
		_, _, err := request.Read(spec(tt.own), strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: "x", Value: strictjson.Value{Kind: strictjson.String, Text: tt.sent}}}})
		var e *sdk.Error
		if !errors.As(err, &e) || e.Code != tt.code || !strings.HasPrefix(e.Suggestion, tt.want) {
			t.Errorf("%s: %+v, want %s", tt.sent, e, tt.want)
		}
	}
	for _, text := range []string{"12e-6 1/degC", "12e-6 1/°C", "12e-6 1/K"} {
		values, _, err := request.Read(spec("1/K"), strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: "x", Value: strictjson.Value{Kind: strictjson.String, Text: text}}}})
		if err != nil || values[0].Number() != 12e-6 {
			t.Errorf("%s: %v %v", text, values, err)
		}
	}
}

// Each unit in a suggestion can be sent. A force that is sent in lb is read in lbf, and a conversion shows this.
func TestSuggestedUnitsAreUnderstood(t *testing.T) {
	for _, quantity := range units.Quantities() {
		text, ok := strings.CutPrefix(request.SuggestUnit("cubit", quantity), "Use one of ")
		if !ok {
			t.Errorf("%s: %q", quantity, text)
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(text, "."), ", ") {
			if u, ok := formula.ReadUnit(name, quantity); name != "..." && (!ok || u.Quantity != quantity) {
				t.Errorf("%s: %q is %q", quantity, name, u.ID)
			}
		}
	}
	for own, want := range map[string]string{"lbf": "x: 5 lbf = 5 lbf", "N": "x: 5 lbf = 22.2411080763025 N", "lb": ""} {
		spec := &sdk.Spec{Inputs: []sdk.Field{{Name: "x", Type: sdk.TypeNumber, Unit: own}}}
		object, _ := strictjson.ParseObject([]byte(`{"x":"5 lb"}`))
		_, conversions, err := request.Read(spec, object)
		if want == "" && len(conversions) != 0 || want != "" && (len(conversions) != 1 || conversions[0].String() != want) || err != nil {
			t.Errorf("%s: %v %v, want %q", own, conversions, err, want)
		}
	}
}

// Choices that are units are suggested like units.
func TestChoicesThatAreUnits(t *testing.T) {
	f := sdk.Field{Name: "to", Type: sdk.TypeString, Enum: []string{"Pa", "kPa", "MPa", "psi"}}
	for sent, want := range map[string]string{"mPa": "Give one of Pa, kPa, MPa, psi.", "KPA": "Did you mean kPa?", "psig": "Give one of Pa, kPa, MPa, psi."} {
		fault := &request.Fault{Kind: request.NotChoice, Input: &f, Field: &f, Got: sent}
		if got := fault.Suggestion(request.AsSent); got != want {
			t.Errorf("%s: %s, want %s", sent, got, want)
		}
	}
}

// If the range excludes zero, the advice for an underflow is not to send zero.
func TestUnderflowOfPositiveNumbers(t *testing.T) {
	zero := 0.0
	for want, r := range map[string]*sdk.Range{
		"Give a larger magnitude.": {Min: &zero, MinOpen: true}, "Give 0 if zero is meant, or a larger magnitude.": {Min: &zero},
	} {
		spec := &sdk.Spec{Inputs: []sdk.Field{{Name: "x", Type: sdk.TypeNumber, Range: r}}}
		object, _ := strictjson.ParseObject([]byte(`{"x":1e-400}`))
		_, _, err := request.Read(spec, object)
		var e *sdk.Error
		if !errors.As(err, &e) || e.Code != request.CodeNumericUnderflow || e.Suggestion != want {
			t.Errorf("%v: %+v", r, e)
		}
	}
}

// A declared name means its number, and other texts are not numbers.
func TestNamesOfNumbers(t *testing.T) {
	spec := &sdk.Spec{Inputs: []sdk.Field{{Name: "gauge", Type: sdk.TypeInteger, Names: []sdk.Named{{Name: "4/0", Value: -3}, {Name: "0000", Value: -3}}}}}
	for body, want := range map[string]float64{`{"gauge":"4/0"}`: -3, `{"gauge":"0000"}`: -3, `{"gauge":-3}`: -3} {
		object, _ := strictjson.ParseObject([]byte(body))
		if values, _, err := request.Read(spec, object); err != nil || values[0].Number() != want {
			t.Errorf("%s: %v %v", body, values, err)
		}
	}
	for _, body := range []string{`{"gauge":"000"}`, `{"gauge":" 4/0"}`, `{"gauge":"12"}`} {
		object, _ := strictjson.ParseObject([]byte(body))
		if values, _, err := request.Read(spec, object); err == nil {
			t.Errorf("%s: %v", body, values)
		}
	}
	if got := spec.Inputs[0].Expects(); got != "an integer, or one of the texts 4/0, 0000" {
		t.Error(got)
	}
}
