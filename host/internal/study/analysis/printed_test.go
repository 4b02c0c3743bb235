package analysis_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/study/analysis"
)

// printedAs reports whether a number rounds to the printed number: their difference is at most half a unit of its last digit.
func printedAs(x float64, printed json.Number) bool {
	mantissa, _, _ := strings.Cut(string(printed), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	exponent := new(big.Rat)
	exponent.SetString(strings.Replace(string(printed), mantissa, "1", 1))
	unit, _ := exponent.Float64()
	want, err := printed.Float64()
	return err == nil && math.Abs(x-want) <= 0.5001*unit*math.Pow10(-len(decimals))
}

// checkPrinted compares a budget with the printed numbers of guides and other programs, digit for digit.
func (c *aCase) checkPrinted(t *testing.T, b *analysis.Budget) {
	t.Helper()
	var is struct{ Published map[string]json.RawMessage }
	if err := json.Unmarshal(c.raw, &is); err != nil {
		t.Fatal(err)
	}
	u := &b.Of[0]
	k := analysis.CoverageFactor(c.Plan.Probability, math.Floor(u.Freedom))
	for name, got := range map[string]float64{
		"estimate": b.Values[0], "u": u.Standard, "u_propagate": u.Standard, "u_second_order": u.SecondOrder, "u_second_order_propagate": u.SecondOrder,
		"effective_degrees_of_freedom": u.Freedom, "U99": k * u.Standard,
	} {
		var printed json.Number
		if json.Unmarshal(is.Published[name], &printed) != nil || printed == "" || math.IsNaN(got) {
			continue // not printed, or printed by output
		}
		if c.ID == "SD004" && name == "estimate" {
			continue // the printed number is a unit of the last digit below the sum of the printed inputs
		}
		if c.ID == "SD001" && name == "effective_degrees_of_freedom" {
			got = math.Floor(got) // the guide rounds down
		}
		if !printedAs(got, printed) {
			t.Errorf("%s is %v, and was printed as %s", name, got, printed)
		}
	}
}
