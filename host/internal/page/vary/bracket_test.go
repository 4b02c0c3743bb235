package vary

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// A proposed bracket surrounds the number of the calculation, and stays within the range of the input.
func TestBracketOf(t *testing.T) {
	zero, ten := 0.0, 10.0
	spec := &sdk.Spec{Inputs: []sdk.Field{
		{Name: "length", Unit: "m"},
		{Name: "width", Unit: "m", Range: &sdk.Range{Min: &zero, MinOpen: true, Max: &ten}},
		{Name: "position", Unit: "m", Range: &sdk.Range{Min: &zero, MaxInput: "length"}},
		{Name: "temperature", Unit: "K"},
		{Name: "factor", Example: &sdk.Example{Number: "0.5"}},
		{Name: "free"},
	}}
	inputs := value.Values{value.NumberOf(3), value.NumberOf(0.001), value.NumberOf(1), value.NumberOf(300), value.Value{}, value.Value{}}
	for i, want := range []bracket{{"0.3 m", "30 m"}, {"0.0001 m", "0.01 m"}, {"0.1 m", "3 m"}, {"150 K", "600 K"}, {"0.05", "5"}, {}} {
		if got, ok := bracketOf(spec, inputs, i, show.UnitOf(&spec.Inputs[i])); got != want || ok != (want != bracket{}) {
			t.Errorf("%s: %v, want %v", spec.Inputs[i].Name, got, want)
		}
	}
	for x, want := range map[float64]bracket{0: {"0 m", "1 m"}, 3: {"0.3 m", "3 m"}} { // both ends of the range
		inputs[2] = value.NumberOf(x)
		if got, ok := bracketOf(spec, inputs, 2, show.UnitOf(&spec.Inputs[2])); got != want || !ok {
			t.Errorf("position %v: %v, want %v", x, got, want)
		}
	}
}
