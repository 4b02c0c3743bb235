package text_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/units"
	"github.com/slipstick/slipstick/sdk/value"
)

const prose = `# Plate

A plate of up to {3 mm}, from {5 K difference} to {300 K}, {{so called}}.

- id: mechanical.test.plate
- version: 1.0.0
- keywords: plate

## Inputs

| symbol | name      | unit | range | doc                                        |
| ------ | --------- | ---- | ----- | ------------------------------------------ |
| t      | thickness | mm   | (0,)  | Thickness, such as {1000 mm} or {0.25 mm}. |

## Formula

` + "```formula\na = 2*t\n```" + `

## Outputs

| symbol | name | unit | doc                   |
| ------ | ---- | ---- | --------------------- |
| a      | size | mm   | Size at {-20.5 degC}. |

## Checks

` + "```checks\nwarn caution THICK if t > {3 mm}\n  {t} is more than {3 mm} and {5 K difference}.\n  > Take less than {3 mm}.\n```" + `

## Assumptions

- Below {0.00393 1/K} and {50 %}.

## References

- Handbook: plates up to {0.25 m2 K/W}

## Vectors

` + "```vectors\nV1: hand: 2*2\n  t = 2 mm\n  => a == 4 mm\nV2: hand: 2*4\n  t = 4 mm\n  => a == 8 mm, warns THICK\n```" + `
`

// inUS shows quantities in some US units.
func inUS(unit string, x float64) (float64, string) {
	to := map[string]string{"mm": "in", "degC": "degF", "m2 K/W": "h ft2 degF/Btu_it", "1/K": "1/degF"}[unit]
	if unit == "K difference" {
		return x * 1.8, "degF"
	}
	u, ok := units.Lookup(to)
	if !ok {
		return x, ""
	}
	q, _ := units.Lookup(unit)
	y, _ := units.Convert(new(big.Rat).SetFloat64(x), units.SI(q.Quantity), u).Float64()
	return y, to
}

// The Spec has quantities as their authors wrote them, and a reader sees them in other units.
func TestProse(t *testing.T) {
	e, err := text.Bind("plate.calc.md", []byte(prose))
	if err != nil {
		t.Fatal(err)
	}
	spec := e.Spec()
	us := text.ReadFor(&spec, inUS)
	for _, tt := range []struct{ name, plain, plainWant, us, usWant string }{
		{"summary", spec.Summary, "A plate of up to 3 mm, from 5 K to 300 K, {so called}.", us.Summary, "A plate of up to 0.118 in, from 9 °F to 80.3 °F, {so called}."},
		{"input", spec.Inputs[0].Doc, "Thickness, such as 1000 mm or 0.25 mm.", us.Inputs[0].Doc, "Thickness, such as 39.4 in or 0.00984 in."},
		{"output", spec.Outputs[0].Doc, "Size at -20.5 °C.", us.Outputs[0].Doc, "Size at -4.9 °F."},
		{"assumption", spec.Assumptions[0], "Below 0.00393 1/K and 50 %.", us.Assumptions[0], "Below 0.00218 1/°F and 50 %."},
		{"reference", spec.References[0].Where, "plates up to 0.25 " + formula.FormatUnit("m2 K/W"), us.References[0].Where, "plates up to 1.42 " + formula.FormatUnit("h ft2 degF/Btu_it")},
	} {
		if tt.plain != tt.plainWant || tt.us != tt.usWant {
			t.Errorf("%s: %q and %q", tt.name, tt.plain, tt.us)
		}
	}
	in := value.Values{value.NumberOf(0.004)}
	o, err := e.Calculate(t.Context(), in)
	if err != nil || len(o.Warnings) != 1 || o.Warnings[0].Detail != "4 mm is more than 3 mm and 5 K." || o.Warnings[0].Suggestion != "Take less than 3 mm." {
		t.Errorf("%+v, %v", o.Warnings, err)
	}
	warnings, _, err := e.Notes(t.Context(), in, formula.MaxWork, inUS)
	if err != nil || len(warnings) != 1 || warnings[0].Detail != "0.1575 in is more than 0.118 in and 9 °F." {
		t.Errorf("%+v, %v", warnings, err)
	}
	if plain := text.ReadFor(&spec, func(string, float64) (float64, string) { return 0, "" }); plain != &spec || spec.Inputs[0].Doc != "Thickness, such as 1000 mm or 0.25 mm." {
		t.Errorf("%q", plain.Summary)
	}
}

// Braces in a text have a number and a unit.
func TestProseMistakes(t *testing.T) {
	for old, want := range map[string]string{
		"{5 K difference}":  "",
		"{5 Kx}":            `unit "Kx" is not known`,
		"{t}":               "braces in this text have a number and a unit",
		"{3}":               "braces in this text have a number and a unit",
		"{3,5 mm}":          "a decimal point is a point",
		"{5 mm difference}": "a difference is of temperatures",
		"{5 money}":         "an amount of money has no unit",
		"{5 mm":             "{ is not closed by }",
	} {
		_, err := text.Bind("plate.calc.md", []byte(strings.Replace(prose, "{5 K difference} to", old+" to", 1)))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", old, err)
		}
	}
}
