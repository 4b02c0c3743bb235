package wording

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

func TestFormatUnit(t *testing.T) {
	for id, want := range map[string]string{
		"m": "m", "m2": "m²", "N m2": "N·m²", "N.m": "N·m", "kN/m": "kN/m", "ohm": "Ω", "kohm": "kΩ", "degC": "°C", "um": "µm",
		"W/(m K)": "W/(m·K)", "Btu_it/(h ft2)": "Btu/(h·ft²)", "gal_us/min": "gal/min", "lb/gal_us": "lb/gal", "inH2O": "inH₂O", "1/K": "1/K", "s-1": "s⁻¹", "ft lbf": "ft·lbf", "gal_us": "gal (US)", "": "",
	} {
		if got := formula.FormatUnit(id); got != want {
			t.Errorf("%s is written %s, want %s", id, got, want)
		}
	}
}

func TestFormatName(t *testing.T) {
	for name, want := range map[string]string{
		"elastic_modulus": "Elastic modulus", "resistance_1": "Resistance 1", "ac_three_phase": "AC three phase", "kw_to_kva": "kW to kVA",
		"V": "V", "euler_bernoulli": "Euler Bernoulli", "kwh": "kWh", "simply-supported": "Simply supported", "": "", "_": "",
	} {
		if got := FormatName(name); got != want {
			t.Errorf("%q is said %q, want %q", name, got, want)
		}
	}
}

func TestFormatChoice(t *testing.T) {
	for value, want := range map[string]string{
		"single_phase": "Single phase", "ac_three_phase": "AC three phase", "dc": "DC", "schedule_40": "Schedule 40", "mm2": "mm²", "e24": "E24",
		"8.8": "8.8", "12.9": "12.9", "A4-70": "A4-70", "1.4301": "1.4301", "S355J2": "S355J2", "GL24h": "GL24h", "c24": "C24", "k-omega": "k-omega",
	} {
		if got := FormatChoice(value); got != want {
			t.Errorf("%q is shown as %q, want %q", value, got, want)
		}
	}
}

func TestFormatNumber(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 0.001846406346166997: "0.00184641", 2.1e11: "2.1e11", -8.356e-5: "−8.356e−5", 12000: "12000", 1234567: "1.23457e6", -0.5: "−0.5", 5e-324: "4.94066e−324",
	} {
		n := FormatNumber(f)
		got := n.Mantissa
		if n.Exponent != "" {
			got += "e" + n.Exponent
		}
		if got != want {
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
		if got := formatRange(&spec, tt.r); got != tt.want {
			t.Errorf("%v is said %q, want %q", tt.r, got, tt.want)
		}
	}
}

// A form shows all units that a number can have.
func TestUnitText(t *testing.T) {
	for want, f := range map[string]sdk.Field{
		"N·m":     {Unit: "N m"},
		"kVA / A": {UnitBy: &sdk.UnitBy{Input: "dir", Units: map[string]string{"a": "kVA", "b": "A", "c": "A"}}},
		"":        {UnitBy: &sdk.UnitBy{Input: "from"}},
	} {
		if got := UnitText(&f); got != want {
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
		for _, o := range UnitsOf(new(sdk.Spec), &f, "", "") {
			ids = append(ids, o.ID)
		}
		if got := strings.Join(ids, " "); got != "K degC degF degR" {
			t.Errorf("%s can be entered in %s", f.Name, got)
		}
	}
	undeclared := sdk.Field{Name: "temperature_change", Type: sdk.TypeNumber, Unit: "K"}
	if got := UnitsOf(new(sdk.Spec), &undeclared, "", ""); len(got) != 2 {
		t.Errorf("what only its name says can be entered in %v", got)
	}
}

func TestMoney(t *testing.T) {
	for x, want := range map[float64]string{
		472198.8189072011: "472\u202f198.82", 1311.6633858533364: "1311.66", 0: "0.00", -0.001: "0.00", -12345678.9: "−12\u202f345\u202f678.90", 9999.994: "9999.99", 10000: "10\u202f000.00", 999999.999: "1\u202f000\u202f000.00", 5: "5.00",
	} {
		if got := formatMoney(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}

func TestRound(t *testing.T) {
	for _, tt := range []struct {
		x      float64
		digits int
		toward Direction
		want   float64
	}{
		{0.11811, 4, Nearest, 0.1181}, {0.11811, 4, Up, 0.1182}, {0.11811, 4, Down, 0.1181},
		{48.598, 4, Up, 48.6}, {48.598, 4, Down, 48.59}, {99.996, 4, Up, 100}, {99.996, 4, Down, 99.99}, {1000.4, 4, Up, 1001},
		{-0.11811, 4, Up, -0.1181}, {-0.11811, 4, Down, -0.1182}, {0, 4, Up, 0}, {12.000000000000002, 4, Up, 12}, {1e308, 3, Up, 1e308},
	} {
		if got := Round(tt.x, tt.digits, tt.toward); got != tt.want {
			t.Errorf("Round(%v, %d, %d) = %v, want %v", tt.x, tt.digits, tt.toward, got, tt.want)
		}
	}
}
