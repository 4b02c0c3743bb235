package vary

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	found "github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/sdk"
)

// The page of a study with numbers at the ends of binary64 has no picture that browsers cannot draw.
func TestStudiedAtTheEnds(t *testing.T) {
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	outputs := []found.Quantity{{Name: "y", Label: "y"}}
	inputs := []found.Quantity{{Name: "x", Label: "x"}}
	seed := uint64(1)
	for name, r := range map[string]*found.Result{
		"wide histogram":   {Drawn: []found.Drawn{{Draws: 4, Mean: 0, Standard: most, Shortest: found.Interval{Low: -most, High: most}, Histogram: &found.Histogram{Low: -most, Width: most, Counts: []int{2, 2}}}}},
		"narrow histogram": {Drawn: []found.Drawn{{Draws: 4, Histogram: &found.Histogram{Low: 0, Width: least, Counts: []int{2, 2}}}}},
		"budget":           {Budget: []found.Budget{{Estimate: most, Standard: most, Inputs: []found.Contribution{{Input: "x", Contribution: most}, {Input: "x", Contribution: least}, {Input: "x"}}}}},
		"tornado":          {Sensitivity: []found.SensitivityOf{{Value: 1, Inputs: []found.Effect{{Input: "x", Low: &found.Trial{Output: new(float64)}, High: &found.Trial{Output: new(float64)}}}}}},
		"curve":            {Rows: []found.Row{row(-most, most), row(0, -most), row(most, least)}, Plan: found.Plan{Vary: found.Vary{{Input: "x"}}}},
		"flat curve":       {Rows: []found.Row{row(least, least), row(2*least, least)}, Plan: found.Plan{Vary: found.Vary{{Input: "x"}}}},
	} {
		r.Outputs, r.Inputs, r.Plan.Seed = outputs, inputs, &seed
		if name == "tornado" {
			*r.Sensitivity[0].Inputs[0].Low.Output, *r.Sensitivity[0].Inputs[0].High.Output = -most, most
		}
		s := newStudied(r, new(sdk.Spec), 0)
		for _, p := range s.Pictures {
			if text := string(p.SVG); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "inf") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if text := fmt.Sprint(s.Lead, s.Rows, s.Notes); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func row(x, y float64) found.Row {
	at, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return found.Row{At: []json.RawMessage{at}, Result: []float64{y}}
}
