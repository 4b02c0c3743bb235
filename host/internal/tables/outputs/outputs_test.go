package outputs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/visible"
)

func spec() *sdk.Spec {
	return &sdk.Spec{
		Capability: "test.one.beam",
		Inputs:     []sdk.Field{{Name: "to", Type: sdk.TypeString, Enum: []string{"ft", "degC"}, Required: true}},
		Outputs: []sdk.Field{
			{Name: "delta", Type: sdk.TypeNumber, Unit: "m", Required: true},
			{Name: "model", Type: sdk.TypeString},
			{Name: "warming", Type: sdk.TypeNumber, Unit: "K", Difference: true},
			{Name: "turns", Type: sdk.TypeInteger},
			{Name: "converted", Type: sdk.TypeNumber, UnitBy: &sdk.UnitBy{Input: "to"}},
			{Name: "roots", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeNumber}},
		},
	}
}

func outcome() *sdk.Outcome {
	return &sdk.Outcome{
		Inputs: value.Values{value.TextOf("ft")},
		Result: value.Values{value.NumberOf(0.0071), value.TextOf("timoshenko"), value.NumberOf(10), value.NumberOf(3),
			value.NumberOf(5), value.ListOf(value.NumberOf(1), value.NumberOf(2))},
	}
}

func TestChoice(t *testing.T) {
	for _, tt := range []struct {
		names, units  []string
		header, texts string // joined with |
	}{
		{nil, nil, "delta [m]|model|warming [K]|turns|converted|roots", "0.0071|timoshenko|10|3|5|[1,2]"},
		{[]string{"turns", "delta"}, []string{"delta=mm"}, "turns|delta [mm]", "3|7.1"},
		{[]string{"delta"}, []string{"µm"}, "delta [um]", "7100"},
		{[]string{"warming"}, []string{"°F"}, "warming [degF]", "18"},
		{[]string{"converted"}, []string{"in"}, "converted [in]", "60"},
	} {
		c, err := outputs.Choose(spec(), tt.names, tt.units)
		if err != nil {
			t.Fatal(tt.names, err)
		}
		texts, err := c.AppendTexts(nil, outcome(), typed.Either)
		if err != nil || strings.Join(c.Header(), "|") != tt.header || strings.Join(texts, "|") != tt.texts {
			t.Errorf("%v %v: %v\n%q\n%q", tt.names, tt.units, err, c.Header(), texts)
		}
	}
}

// Only numbers have a decimal mark.
func TestDecimalComma(t *testing.T) {
	c, err := outputs.Choose(spec(), []string{"delta", "model"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome()
	o.Result[1] = value.TextOf("EN 1.5")
	if texts, err := c.AppendTexts(nil, o, typed.Comma); err != nil || strings.Join(texts, "|") != "0,0071|EN 1.5" {
		t.Errorf("%q, %v", texts, err)
	}
}

func TestBadChoice(t *testing.T) {
	for _, tt := range []struct {
		names, units []string
		code, detail string
	}{
		{[]string{"detla"}, nil, "UNKNOWN_OUTPUT", "Did you mean delta?"},
		{[]string{"delta", "delta"}, nil, "CONFLICTING_INPUTS", "asked for twice"},
		{nil, []string{"mm"}, "UNKNOWN_OUTPUT", "Name the output: delta=mm."},
		{[]string{"turns"}, []string{"delta=mm"}, "UNKNOWN_OUTPUT", "not asked for"},
		{nil, []string{"delta=mm", "delta=cm"}, "CONFLICTING_INPUTS", "two units"},
		{nil, []string{"delta=milimeter"}, "UNKNOWN_UNIT", "Use one of m, nm"},
		{nil, []string{"delta=MM"}, "UNKNOWN_UNIT", "Use one of m, nm, µm, mm, "}, {nil, []string{"delta=Mm"}, "UNKNOWN_UNIT", "Use one of m, "}, {nil, []string{"delta=CM"}, "UNKNOWN_UNIT", "Did you mean cm?"},
		{nil, []string{"delta=kg"}, "INCOMPATIBLE_UNIT", "delta (m) cannot be converted to kg"},
		{nil, []string{"model=m"}, "INCOMPATIBLE_UNIT", "not a number with a unit"},
		{nil, []string{"turns=m"}, "INCOMPATIBLE_UNIT", "not a number with a unit"},
		{nil, []string{"roots=m"}, "INCOMPATIBLE_UNIT", "not a number with a unit"},
	} {
		_, err := outputs.Choose(spec(), tt.names, tt.units)
		if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Code != tt.code || !strings.Contains(e.Detail+" "+e.Suggestion, tt.detail) {
			t.Errorf("%v %v: %+v", tt.names, tt.units, err)
		}
	}
}

// A result that a unit cannot represent is an error, never a wrong number.
func TestBeyond(t *testing.T) {
	for _, tt := range []struct {
		unit, code string
		x          float64
	}{
		{"delta=nm", sdk.CodeNonFiniteResult, 1e305}, {"delta=nmi", sdk.CodeNonFiniteResult, 5e-324},
		{"converted=degC", "INCOMPATIBLE_UNIT", 1}, {"delta=nm", "", 0},
	} {
		c, err := outputs.Choose(spec(), nil, []string{tt.unit})
		if err != nil {
			t.Fatal(err)
		}
		o := outcome()
		o.Result[0] = value.NumberOf(tt.x)
		_, err = c.AppendTexts(nil, o, typed.Either)
		if e, ok := errors.AsType[*sdk.Error](err); ok != (tt.code != "") || ok && e.Code != tt.code {
			t.Errorf("%s: %v", tt.unit, err)
		}
	}
}

func TestHarmless(t *testing.T) {
	dangerous := []string{"=1", "@SUM(A1)", "\tx", "\rx", "+cmd", "-x", "-2+3+cmd|' /C calc'!A0", "-1+HYPERLINK(1)"}
	for _, cell := range slices.Concat(dangerous, []string{"", "-", "-5", "+1,5", "-.5 ft", "x=1", "1e-5"}) {
		if got := outputs.HarmlessCell(cell); (got == "'"+cell) != slices.Contains(dangerous, cell) || got != cell && got != "'"+cell {
			t.Errorf("%q became %q", cell, got)
		}
	}
	if got := visible.Cell("+1"); got != "'+1" {
		t.Errorf("a text that looks like a number became %q", got)
	}
}
