package show

import (
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// shown returns the headlines of a sheet with their units.
func shown(spec *sdk.Spec, inputs, outputs value.Values) []string {
	r := NewReading(new(address.View), spec.At(inputs), strictjson.Value{})
	var texts []string
	for _, q := range Headlines(r.Outputs(outputs), r.Inputs(inputs)) {
		texts = append(texts, q.Name+" "+q.Number.Mantissa+" "+q.Unit)
	}
	return texts
}

// The declared headline comes first, also if it repeats an input. Each number has the unit of the chosen value.
func TestDeclaredHeadline(t *testing.T) {
	by := &sdk.UnitBy{Input: "dir", Units: map[string]string{"to_amps": "kVA", "to_kva": "A"}}
	spec := &sdk.Spec{
		Inputs: []sdk.Field{{Name: "dir", Type: sdk.TypeString, Enum: []string{"to_amps", "to_kva"}, Required: true}, {Name: "primary", Type: sdk.TypeNumber, UnitBy: by}},
		Outputs: []sdk.Field{
			{Name: "sum", Type: sdk.TypeNumber, Unit: "m"}, {Name: "given", Type: sdk.TypeNumber, UnitBy: by}, {Name: "other", Type: sdk.TypeNumber, Unit: "s"},
		},
	}
	inputs, outputs := value.Values{value.TextOf("to_kva"), value.NumberOf(2)}, value.Values{value.NumberOf(1), value.NumberOf(2), value.NumberOf(3)}
	if got, want := shown(spec, inputs, outputs), []string{"sum 1 m", "other 3 s", "given 2 A"}; !slices.Equal(got, want) {
		t.Errorf("without a headline: %q, want %q", got, want)
	}
	for i, want := range [][]string{{"sum 1 m", "other 3 s", "given 2 A"}, {"given 2 A", "sum 1 m", "other 3 s"}, {"other 3 s", "sum 1 m", "given 2 A"}} {
		marked := *spec
		marked.Outputs = slices.Clone(spec.Outputs)
		marked.Outputs[i].Headline = true
		if got := shown(&marked, inputs, outputs); !slices.Equal(got, want) {
			t.Errorf("headline %s: %q, want %q", marked.Outputs[i].Name, got, want)
		}
	}
}
