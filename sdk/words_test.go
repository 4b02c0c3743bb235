package sdk_test

import (
	"testing"

	"github.com/slipstick/slipstick/sdk"
)

func TestRangeWords(t *testing.T) {
	for want, r := range map[string]sdk.Range{
		"":                              {},
		"greater than 0":                {Min: new(0.0), MinOpen: true},
		"at least 0":                    {Min: new(0.0)},
		"less than -273.15":             {Max: new(-273.15), MaxOpen: true},
		"at most 1":                     {Max: new(1.0)},
		"between 0 and 1":               {Min: new(0.0), Max: new(1.0)},
		"greater than 0 and at most 1":  {Min: new(0.0), MinOpen: true, Max: new(1.0)},
		"at least 0 and less than span": {Min: new(0.0), MaxInput: "span", MaxOpen: true},
		"between start and 2.5":         {MinInput: "start", Max: new(2.5)},
	} {
		if got := r.Words(nil); got != want {
			t.Errorf("%s in words: %q, want %q", &r, got, want)
		}
	}
	r := sdk.Range{MaxInput: "span"}
	if got := r.Words(func(string) string { return "the span" }); got != "at most the span" {
		t.Errorf("with another name: %q", got)
	}
}

func TestExpects(t *testing.T) {
	length := sdk.Field{Name: "length", Type: sdk.TypeNumber, Unit: "m", Range: &sdk.Range{Min: new(0.0), MinOpen: true}}
	for want, f := range map[string]sdk.Field{
		"a number in m, greater than 0":       length,
		"a number":                            {Type: sdk.TypeNumber},
		"a number, or a decimal string, in m": {Type: sdk.TypeNumber, Decimal: true, Unit: "m"},
		"a number, or a decimal string":       {Type: sdk.TypeNumber, Decimal: true},
		"an integer, between 1 and 100":       {Type: sdk.TypeInteger, Range: &sdk.Range{Min: new(1.0), Max: new(100.0)}},
		"one of dc, ac":                       {Type: sdk.TypeString, Enum: []string{"dc", "ac"}},
		"a string":                            {Type: sdk.TypeString},
		"true or false":                       {Type: sdk.TypeBoolean},
		"an array, each item a number in m, greater than 0": {Type: sdk.TypeArray, Items: &length},
		"an object with length":                             {Type: sdk.TypeObject, Fields: []sdk.Field{length}},
	} {
		if got := f.Expects(); got != want {
			t.Errorf("expects %q, want %q", got, want)
		}
	}
}
