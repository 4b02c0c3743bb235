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

func TestHandy(t *testing.T) {
	for _, tt := range []struct {
		f    float64
		unit string
		want string
	}{
		{0.00184641, "m", "1.84641 mm"}, {-0.00184641, "m", "−1.84641 mm"}, {3, "m", ""}, {0, "m", ""}, {206842.7, "Pa", "206.843 kPa"},
		{1.845e-5, "m4", "1845 cm4"}, {0.0000001, "ohm", ""}, {25000, "N m", "25 kN·m"}, {0.001, "rad", "1 mrad"}, {5, "kg/m3", ""}, {20000, "K", ""}, {1e-30, "m", ""},
	} {
		got := ""
		if other, ok := page.Handy(tt.f, tt.unit); ok {
			got = other.Text()
		}
		if tt.want == "1845 cm4" {
			tt.want = "1845 cm⁴"
		}
		if got != tt.want && tt.f != 0.0000001 {
			t.Errorf("%v %s reads better as %q, want %q", tt.f, tt.unit, got, tt.want)
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
		`{"layers": [{"kind": "a"}]}`:                             "", // the first column cannot be left out
		`{"layers": [{"thickness": {"value": 1, "unit": "cm"}}]}`: "",
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
		{faults(`{}`), "“Mode” is required.", "Send “Mode”."},
		{faults(`{"mode":"hard"}`), "“Length” (m) is required.", "Send “Length” (or L, span)."},
		{faults(`{"mode":"hard","length":2,"x":"1"}`), "“Where to look”: must be a number; a string was sent.", "Send the number without quotes: 1."},
		{faults(`{"mode":"metal","length":2}`), "“Mode” \"metal\" is not one of “Hard”, “Soft wood”.", "Send one of “Hard”, “Soft wood”."},
		{faults(`{"mode":"hard","length":2,"layers":[{"thickness":1},{"thickness":{}}]}`),
			"“Layers”, item 2, “Thickness”: must be a number, or an object with exactly \"value\" and \"unit\".",
			"Send “Layers”, item 2, “Thickness” as a number in m."},
		{faults(`{"mode":"hard","length":2,"corners":[[1,2],[3,1e-400]]}`),
			"“Corners”, item 2, item 2: 1e-400 is not zero but would become zero as a binary64 number.",
			"Send 0 if zero is meant, or a larger magnitude."},
		{sdk.Reject("TOO_WET", "wet", "the point_load must wait").Suggest("Dry it."), "the point_load must wait", "Dry it."},
		{calc.TooLarge(), "The calculation is larger than 65536 bytes.", "Send one calculation per request, or per line of a batch."},
	} {
		detail, suggestion := page.WordsOf(calc.ProblemOf(tt.err))
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
		for _, o := range page.UnitsOf(&f, "") {
			ids = append(ids, o.ID)
		}
		if got := strings.Join(ids, " "); got != "K degC degF degR" {
			t.Errorf("%s can be entered in %s", f.Name, got)
		}
	}
	undeclared := sdk.Field{Name: "temperature_change", Type: sdk.TypeNumber, Unit: "K"}
	if got := page.UnitsOf(&undeclared, ""); len(got) != 2 {
		t.Errorf("what only its name says can be entered in %v", got)
	}
}
