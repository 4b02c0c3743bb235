package vary

import (
	"strconv"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// carriedJSON returns the JSON of an input for the field of another version, or why there is none. number is the value
// that the first version used.
func carriedJSON(from, to sdk.Field, sent string, number float64) string {
	inputs, err := strictjson.ParseObject([]byte(`{"a":` + sent + `}`))
	if err != nil {
		return err.Error()
	}
	spec := &sdk.Spec{Inputs: []sdk.Field{from}}
	out, notes := carried(spec, inputs, value.Values{value.NumberOf(number)}, &catalog.Release{Version: "2.0.0", Spec: sdk.Spec{Inputs: []sdk.Field{to}}})
	if len(notes) > 0 {
		return notes[0]
	}
	return jsonOf(out.Members[0].Value)
}

func jsonOf(v strictjson.Value) string {
	switch v.Kind {
	case strictjson.Number:
		return v.Text
	case strictjson.String:
		return strconv.Quote(v.Text)
	}
	var members []string
	for _, m := range v.Members {
		members = append(members, strconv.Quote(m.Name)+":"+jsonOf(m.Value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// Inputs for another version are the same quantities in the units of its fields.
func TestCarriedInputs(t *testing.T) {
	number := func(name, unit string) sdk.Field { return sdk.Field{Name: name, Type: sdk.TypeNumber, Unit: unit} }
	for _, tt := range []struct {
		from, to   sdk.Field
		sent, want string
	}{
		{number("a", "m"), number("a", "m"), `2`, `2`},
		{number("a", "m"), number("a", "mm"), `2`, `{"value":2,"unit":"m"}`},
		{number("a", "m"), number("a", "mm"), `{"value":2,"unit":"ft"}`, `{"value":2,"unit":"ft"}`},
		{number("a", ""), number("a", "m"), `2`, `2`},
		{number("a", "m"), number("a", ""), `{"value":2,"unit":"ft"}`, `0.6096`},
		{number("a", "m"), number("a", ""), `2`, `2`},
		{sdk.Field{Name: "a", Type: sdk.TypeNumber, Decimal: true}, number("a", ""), `"0.1"`, `0.1`},
		{number("a", ""), sdk.Field{Name: "a", Type: sdk.TypeNumber, Decimal: true}, `2`, `"2"`},
		{number("a", "m"), number("b", "m"), `2`, `Version 2.0.0 does not have the input “a”, and calculates without it.`},
	} {
		if got := carriedJSON(tt.from, tt.to, tt.sent, 0.6096); got != tt.want {
			t.Errorf("%s from %q to %q: %s, want %s", tt.sent, tt.from.Unit, tt.to.Unit, got, tt.want)
		}
	}
}

// A bare number of decimal inputs is carried as the decimal with which the first version computed.
func TestCarriedDecimals(t *testing.T) {
	spec := sdk.Spec{Inputs: []sdk.Field{{Name: "a", Type: sdk.TypeNumber, Decimal: true}}, Evaluation: sdk.DecimalInputs}
	sent, err := strictjson.ParseObject([]byte(`{"a":0.1}`))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := carried(&spec, sent, value.Values{value.NumberOf(0.1)}, &catalog.Release{Version: "2.0.0", Spec: spec})
	if got := jsonOf(out.Members[0].Value); got != `"0.1"` {
		t.Errorf("0.1 is carried as %s", got)
	}
}
