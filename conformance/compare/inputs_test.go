package compare_test

import (
	"testing"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

func TestInputsAreCarriedOverAndNeverGuessed(t *testing.T) {
	number := func(name string, change func(*sdk.Field)) sdk.Field {
		f := sdk.Field{Name: name, Type: sdk.TypeNumber, Unit: "m"}
		if change != nil {
			change(&f)
		}
		return f
	}
	required := func(f *sdk.Field) { f.Required = true }
	defaulted := func(text string) func(*sdk.Field) { return func(f *sdk.Field) { f.Default = text } }
	mode := func(choices ...string) sdk.Field {
		return sdk.Field{Name: "mode", Type: sdk.TypeString, Enum: choices}
	}
	one, two := value.NumberOf(1), value.NumberOf(2)
	for name, c := range map[string]struct {
		was, is []sdk.Field
		inputs  value.Values
		want    value.Values
		why     compare.Obstacle
	}{
		"other places": {
			was: []sdk.Field{number("a", nil), number("b", nil)}, is: []sdk.Field{number("b", nil), number("a", nil)},
			inputs: value.Values{one, two}, want: value.Values{two, one},
		},
		"new with a default": {
			was: []sdk.Field{number("a", nil)}, is: []sdk.Field{number("b", defaulted("2")), number("a", nil)},
			inputs: value.Values{one}, want: value.Values{two, one},
		},
		"new and required": {
			was: []sdk.Field{number("a", nil)}, is: []sdk.Field{number("a", nil), number("b", required)},
			inputs: value.Values{one}, why: compare.Obstacle{Field: "b", Reason: compare.Needed},
		},
		"required now, and sent": {
			was: []sdk.Field{number("a", nil)}, is: []sdk.Field{number("a", required)},
			inputs: value.Values{one}, want: value.Values{one},
		},
		"required now, and not sent": {
			was: []sdk.Field{number("a", nil)}, is: []sdk.Field{number("a", required)},
			inputs: value.Values{{}}, why: compare.Obstacle{Field: "a", Reason: compare.Needed},
		},
		"gone": {
			was: []sdk.Field{number("a", nil)}, inputs: value.Values{one}, why: compare.Obstacle{Field: "a", Reason: compare.Unknown},
		},
		"gone, and not sent": {was: []sdk.Field{number("a", nil)}, inputs: value.Values{{}}, want: value.Values{}},
		"another unit": {
			was: []sdk.Field{number("a", nil)}, is: []sdk.Field{number("a", func(f *sdk.Field) { f.Unit = "mm" })},
			inputs: value.Values{one}, why: compare.Obstacle{Field: "a", Reason: compare.Other},
		},
		"another default, and it could be it": {
			was: []sdk.Field{number("a", defaulted("1"))}, is: []sdk.Field{number("a", defaulted("2"))},
			inputs: value.Values{one}, why: compare.Obstacle{Field: "a", Reason: compare.Default},
		},
		"another default, and another value": {
			was: []sdk.Field{number("a", defaulted("1"))}, is: []sdk.Field{number("a", defaulted("3"))},
			inputs: value.Values{two}, want: value.Values{two},
		},
		"a choice that is gone": {
			was: []sdk.Field{mode("fixed", "free")}, is: []sdk.Field{mode("free")},
			inputs: value.Values{value.TextOf("fixed")}, why: compare.Obstacle{Field: "mode", Reason: compare.Choice},
		},
		"renamed": {
			was: []sdk.Field{number("a", nil)}, is: []sdk.Field{number("b", func(f *sdk.Field) { f.Aliases = []string{"a"} })},
			inputs: value.Values{one}, want: value.Values{one},
		},
		"an alias of what was there": {
			was:    []sdk.Field{number("a", nil), number("b", nil)},
			is:     []sdk.Field{number("b", func(f *sdk.Field) { f.Aliases = []string{"a"} })},
			inputs: value.Values{one, two}, why: compare.Obstacle{Field: "a", Reason: compare.Unknown},
		},
		"columns in another order": {
			was:    []sdk.Field{{Name: "rows", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{number("a", nil), number("b", nil)}}}},
			is:     []sdk.Field{{Name: "rows", Type: sdk.TypeArray, Items: &sdk.Field{Type: sdk.TypeObject, Fields: []sdk.Field{number("b", nil), number("a", nil)}}}},
			inputs: value.Values{value.ListOf(value.RecordOf(one, two))}, why: compare.Obstacle{Field: "rows", Reason: compare.Other},
		},
	} {
		got, why := compare.NewInputs(&sdk.Spec{Inputs: c.was}, &sdk.Spec{Inputs: c.is}).Carry(c.inputs)
		switch {
		case why != nil && *why != c.why, why == nil && c.why.Field != "":
			t.Errorf("%s: %+v, want %+v", name, why, c.why)
		case string(value.AppendKey(nil, got)) != string(value.AppendKey(nil, c.want)):
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
