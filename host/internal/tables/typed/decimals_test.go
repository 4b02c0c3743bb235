package typed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
)

// A cell has the value of the JSON next to it, or has a problem.
func TestCell(t *testing.T) {
	for _, tt := range []struct {
		field      *sdk.Field
		text, unit string
		decimals   typed.Decimals
		want       string // "" for an error
		detail     string
	}{
		{&plain, "3", "ft", typed.Either, `{"value":3,"unit":"ft"}`, ""},
		{&plain, "3 mm", "ft", typed.Either, `{"value":3,"unit":"mm"}`, ""},
		{&plain, "1,5", "", typed.Either, `1.5`, ""},
		{&plain, "1,234", "", typed.Either, ``, "two readings, 1.234 and 1234"},
		{&plain, "1,234", "", typed.Comma, `1.234`, ""},
		{&plain, "1,234", "", typed.Point, `1234`, ""},
		{&plain, "1.234,5 ft", "", typed.Comma, `{"value":1234.5,"unit":"ft"}`, ""},
		{&plain, "-1,5e3", "", typed.Comma, `-1.5e3`, ""},
		{&plain, "1,5·10", "", typed.Comma, ``, "“1,5·10” is not a number"},
		{&plain, "2*3", "", typed.Either, ``, "is a calculation"},
		{&plain, "3-1/2 in", "", typed.Comma, `{"value":3.5,"unit":"in"}`, ""},
		{&plain, "5' 3,5\"", "", typed.Comma, `{"value":63.5,"unit":"in"}`, ""},
		{&plain, "½ in", "", typed.Comma, `{"value":0.5,"unit":"in"}`, ""},
		{&many, "1,5", "", typed.Comma, `["1.5"]`, ""},
		{&many, "1,5", "", typed.Point, `["1","5"]`, ""},
		{&many, "1,5, 2,5", "", typed.Comma, `["1.5","2.5"]`, ""},
		{&many, "1.234; 2,5", "", typed.Comma, `["1234","2.5"]`, ""},
		{&many, "1,234; 2.5", "", typed.Point, `["1234","2.5"]`, ""},
		{&many, "1.5; 2", "", typed.Comma, ``, "“1.5” is not written with decimal="},
		{&many, "100,200,300", "", typed.Point, ``, "has two readings"},
		{&many, "[2, 3]", "mm", typed.Either, `[{"value":"2","unit":"mm"},{"value":"3","unit":"mm"}]`, ""},
		{&flag, "maybe", "", typed.Either, ``, "is neither true nor false"},
		{&plain, "1.5", "", typed.Comma, ``, "is not written with decimal="},
		{&plain, "1,5", "", typed.Point, ``, "is not written with decimal="},
		{&plain, "1,5,5", "", typed.Comma, ``, "is not written with decimal="},
		{&plain, "2 N.m", "", typed.Comma, `{"value":2,"unit":"N m"}`, ""},
		{&exact, "0,10", "", typed.Comma, `"0.10"`, ""},
		{&many, "1,5 2,5", "", typed.Comma, `["1.5","2.5"]`, ""},
		{&many, "1,5; 2", "mm", typed.Comma, `[{"value":"1.5","unit":"mm"},{"value":"2","unit":"mm"}]`, ""},
		{&many, "[1.5, 2]", "", typed.Comma, `["1.5","2"]`, ""},
		{&plain, "data.materials.metals/S235@1.0.0", "", typed.Comma, `{"preset":"data.materials.metals/S235@1.0.0"}`, ""},
		{&note, "1,5", "", typed.Comma, `"1,5"`, ""},
	} {
		got, err := typed.Cell(tt.field, tt.text, tt.unit, tt.decimals)
		if tt.want == "" {
			if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Code != request.CodeInvalidNumber || e.Field != "x" || !strings.Contains(e.Detail, tt.detail) {
				t.Errorf("%q %q: %v, %v", tt.text, tt.decimals, got, err)
			}
			continue
		}
		if diff := cmp.Diff(parse(t, tt.want), got); diff != "" || err != nil {
			t.Errorf("%q %q %q: %v (-want +got):\n%s", tt.text, tt.unit, tt.decimals, err, diff)
		}
	}
}
