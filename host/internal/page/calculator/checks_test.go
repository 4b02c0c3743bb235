package calculator

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// A check names the quantity and the limit that its definition compares, and draws a share of a maximum.
func TestCompare(t *testing.T) {
	spec := &sdk.Spec{
		Inputs: []sdk.Field{{Name: "limit", Symbol: "H_lim", Type: sdk.TypeNumber, Unit: "m"}},
		Outputs: []sdk.Field{
			{Name: "utilization", Symbol: "eta", Type: sdk.TypeNumber},
			{Name: "head", Symbol: "H", Type: sdk.TypeNumber, Unit: "m"},
			{Name: "verdict", Type: sdk.TypeString, Enum: []string{"pass", "fail"}},
		},
	}
	quantity := func(name, label, unit string, x float64) show.Quantity {
		return show.Quantity{Name: name, Label: label, Unit: unit, Number: new(wording.FormatNumber(x)), Full: wording.Shortest(x), FullUnit: unit}
	}
	s := &sheet{
		Inputs:  []show.Quantity{quantity("limit", "Limit", "m", 4)},
		Outputs: []show.Quantity{quantity("utilization", "Utilization", "", 0.87), quantity("head", "Head", "m", 5.1)},
	}
	for _, tt := range []struct {
		condition, text string
		width           float64 // of the bar, 0 for none
	}{
		{"eta <= 1", "Utilization 0.87, at most 1", 87},
		{"given(H_lim) and eta < 0.5", "Utilization 0.87, less than 0.5", barEnd},
		{"H >= H_lim", "Head 5.1 m, at least 4 m", 0},
		{"given(H_lim)", "", 0},
		{"2*eta <= 1", "", 0},
	} {
		text, err := formula.Parse("verdict = \"pass\" if " + tt.condition + "\nverdict = \"fail\" otherwise")
		if err != nil {
			t.Fatal(err)
		}
		var c check
		if x := comparison(text.Definitions[0].Cases[0].When); x != nil {
			c.compare(s, spec, x)
		}
		width := 0.0
		if c.Bar != nil {
			width = c.Bar.Width
		}
		if c.Text != tt.text || width != tt.width {
			t.Errorf("%s: %q with %v, want %q with %v", tt.condition, c.Text, width, tt.text, tt.width)
		}
	}
	if !isVerdict(&spec.Outputs[2]) || isVerdict(&spec.Outputs[0]) {
		t.Error("only an output that is pass or fail is a verdict")
	}
}
