package calc_test

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// A request without steps does not parse the formula. TestRequestAllocations bounds the
// allocations of such a request to an engine with a formula.
func TestStepsOnlyIfAsked(t *testing.T) {
	service := newBench(&calc.Options{BaseURL: "https://calc.example.org"})
	body, err := strictjson.ParseObject([]byte(eightNumbers))
	if err != nil {
		t.Fatal(err)
	}
	req, err := calc.ReadRequest("eight", body)
	if err != nil {
		t.Fatal(err)
	}
	a, err := service.Calculate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	plain := string(a.AppendJSON(nil))
	if n := service.Formulas(); n != 0 {
		t.Errorf("%d formulas were read", n)
	}
	little := service.Steps(a, formula.LittleStepWork, nil)
	service.AddSteps(a, nil)
	if n := len(a.Success.Steps); n != 16 || n != len(little.Steps) || !little.Whole || service.Formulas() != 1 {
		t.Errorf("%d steps, and %d with little work (%v)", n, len(little.Steps), little.Whole)
	}
	if with := string(a.AppendJSON(nil)); len(with) <= len(plain) {
		t.Errorf("the answer has no steps: %s", with)
	}
}
