package page_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

func TestFormatUnit(t *testing.T) {
	for id, want := range map[string]string{
		"m": "m", "m2": "m²", "N m2": "N·m²", "N.m": "N·m", "kN/m": "kN/m", "ohm": "Ω", "kohm": "kΩ", "degC": "°C", "um": "µm",
		"W/(m K)": "W/(m·K)", "Btu_it/(h ft2)": "Btu (IT)/(h·ft²)", "1/K": "1/K", "s-1": "s⁻¹", "ft lbf": "ft·lbf", "gal_us": "gal (US)", "": "",
	} {
		if got := page.FormatUnit(id); got != want {
			t.Errorf("%s is written %s, want %s", id, got, want)
		}
	}
}

func TestFormatName(t *testing.T) {
	for name, want := range map[string]string{
		"elastic_modulus": "Elastic modulus", "resistance_1": "Resistance 1", "ac_three_phase": "AC three phase", "kw_to_kva": "kW to kVA",
		"V": "V", "euler_bernoulli": "Euler Bernoulli", "kwh": "kWh", "simply-supported": "Simply supported", "": "", "_": "",
	} {
		if got := page.FormatName(name); got != want {
			t.Errorf("%q is said %q, want %q", name, got, want)
		}
	}
}

func TestFormatNumber(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 0.001846406346166997: "0.00184641", 2.1e11: "2.1e11", -8.356e-5: "−8.356e−5", 12000: "12000", 1234567: "1.23457e6", -0.5: "−0.5", 5e-324: "4.94066e−324",
	} {
		if got := page.FormatNumber(f); got != want {
			t.Errorf("%v is said %s, want %s", f, got, want)
		}
	}
}

func TestFormatRange(t *testing.T) {
	spec := sdk.Spec{Inputs: []sdk.Field{{Name: "length", Label: "Span"}}}
	for _, tt := range []struct {
		r    *sdk.Range
		want string
	}{
		{nil, ""},
		{&sdk.Range{Min: new(0.0), MinOpen: true}, "greater than 0"},
		{&sdk.Range{Min: new(0.0)}, "at least 0"},
		{&sdk.Range{Max: new(1.0)}, "at most 1"},
		{&sdk.Range{Min: new(0.0), MinOpen: true, Max: new(1.0)}, "greater than 0 and at most 1"},
		{&sdk.Range{Min: new(0.0), MaxInput: "length"}, "between 0 and “Span”"},
		{&sdk.Range{MinInput: "length", Max: new(2.5), MaxOpen: true}, "at least “Span” and less than 2.5"},
	} {
		if got := page.FormatRange(&spec, tt.r); got != tt.want {
			t.Errorf("%v is said %q, want %q", tt.r, got, tt.want)
		}
	}
}

// An example is an address only if that says all of it.
func TestQueryOf(t *testing.T) {
	spec := engine("1.0.0", 1).Spec()
	for body, want := range map[string]string{
		`{"L": 2.0, "mode": "hard"}`:                              "mode=hard&length=2",
		`{"L": {"value": 2e0, "unit": "ft"}, "wet": true}`:        "length=2&length.unit=ft&wet=true",
		`{"L": {"unit": "m", "value": 2}, "wet": false}`:          "length=2",
		`{"data": [1, 2.50], "corners": [[0, 0], [1, 2]]}`:        "data=1+2.5&corners=0+0%3B+1+2",
		`{"layers": [{"kind": "a", "thickness": 0.1}]}`:           "layers=0.1+a",
		`{"factor": "0.10"}`:                                      "factor=0.10",
		`{"layers": [{"kind": "a"}]}`:                             "layers=-+a",
		`{"layers": [{"thickness": {"value": 1, "unit": "cm"}}]}`: "layers=1cm",
		`{"unknown": 1}`:                                          "",
		`{"L": "2"}`:                                              "",
		`{"L": null}`:                                             "",
		`{"L": 1e-400}`:                                           "",
		`{"data": 3}`:                                             "data=3",
		`{}`:                                                      "",
	} {
		inputs, err := strictjson.ParseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := page.QueryOf(&spec, inputs); got != want && (ok || want != "") {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// What is wrong with inputs is said with the labels of the form. What an engine says is
// repeated as it is, and what the service says becomes a sentence.
func TestBlame(t *testing.T) {
	spec := engine("1.0.0", 1).Spec()
	faults := func(body string) error {
		inputs, err := strictjson.ParseObject([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = request.Read(&spec, inputs)
		return err
	}
	for _, tt := range []struct {
		err                error
		detail, suggestion string
	}{
		{faults(`{}`), "“Mode”: Enter a value: without it there is nothing to calculate.", ""},
		{faults(`{"mode":"hard","length":2,"x":"1"}`), "“Where to look”: This cannot be read. Enter numbers such as 0.35, 1200 or 2.1e11.", ""},
		{faults(`{"mode":"metal","length":2}`), "“Mode”: Choose one of the values.", ""},
		{faults(`{"mode":"hard","length":2,"layers":[{"thickness":1},{"thickness":{}}]}`),
			"“Layers”: Row 2, “Thickness”: This cannot be read. Enter numbers such as 0.35, 1200 or 2.1e11.", ""},
		{faults(`{"mode":"hard","length":2,"corners":[[1,2],[3,1e-400]]}`),
			"“Corners”: Row 2, column 2: This is not zero, but too small to calculate with. Enter 0 if zero is meant.", ""},
		{faults(`{"mode":"hard","length":{"value":2,"unit":"kg"}}`), "“Length”: kg is a unit of something else. Use one of m, nm, um, mm, cm, km, in, ft, yd, mi, nmi, or a bare number in m.", ""},
		{sdk.Reject("TOO_WET", "wet", "the point_load must wait").Suggest("Dry it."), "The “Point load” must wait.", "Dry it."},
		{calc.TooLarge(), "The calculation is larger than 65536 bytes.", "Send one calculation per request, or per line of a batch."},
	} {
		detail, suggestion := page.WordsOf(&spec, tt.err)
		if detail != tt.detail || suggestion != tt.suggestion {
			t.Errorf("%v:\n got %s | %s\nwant %s | %s", tt.err, detail, suggestion, tt.detail, tt.suggestion)
		}
	}
}

// A form shows the few units that a number may have.
func TestUnitText(t *testing.T) {
	for want, f := range map[string]sdk.Field{
		"N·m":     {Unit: "N m"},
		"kVA / A": {UnitBy: &sdk.UnitBy{Input: "dir", Units: map[string]string{"a": "kVA", "b": "A", "c": "A"}}},
		"":        {UnitBy: &sdk.UnitBy{Input: "from"}},
	} {
		if got := page.UnitText(&f); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

// A declared difference of temperatures can be entered in every unit of temperature.
func TestUnitsOfDifferences(t *testing.T) {
	for _, f := range []sdk.Field{
		{Name: "temperature", Type: sdk.TypeNumber, Unit: "K"},
		{Name: "warming", Type: sdk.TypeNumber, Unit: "K", Difference: true},
		{Name: "temperature_change", Type: sdk.TypeNumber, Unit: "K", Difference: true},
	} {
		var ids []string
		for _, o := range page.UnitsOf(new(sdk.Spec), &f, "", "") {
			ids = append(ids, o.ID)
		}
		if got := strings.Join(ids, " "); got != "K degC degF degR" {
			t.Errorf("%s can be entered in %s", f.Name, got)
		}
	}
	undeclared := sdk.Field{Name: "temperature_change", Type: sdk.TypeNumber, Unit: "K"}
	if got := page.UnitsOf(new(sdk.Spec), &undeclared, "", ""); len(got) != 2 {
		t.Errorf("what only its name says can be entered in %v", got)
	}
}

func TestMoney(t *testing.T) {
	for x, want := range map[float64]string{
		472198.8189072011: "472\u202f198.82", 1311.6633858533364: "1311.66", 0: "0.00", -0.001: "0.00", -12345678.9: "−12\u202f345\u202f678.90", 9999.994: "9999.99", 10000: "10\u202f000.00", 999999.999: "1\u202f000\u202f000.00", 5: "5.00",
	} {
		if got := page.FormatMoney(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}
