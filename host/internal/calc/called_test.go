package calc_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/calctest"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
)

// answerOf computes an answer.
func answerOf(t *testing.T, s *calc.Service, id, inputs string) *calc.Answer {
	t.Helper()
	body, err := strictjson.ParseObject([]byte(inputs))
	if err != nil {
		t.Fatal(err)
	}
	req, err := calc.ReadRequest(id, body)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Calculate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// outline lists the calls in steps, each before the calls of its own steps.
func outline(list []response.Step, indent string) (lines []string) {
	for _, s := range list {
		if c := s.Called; c != nil {
			lines = append(lines, fmt.Sprintf("%s%s: %s@%s %s = %s, %d warnings", indent, s.Name, c.Capability, c.Version, c.Inputs, c.Result, len(c.Warnings)))
			lines = append(lines, outline(c.Steps, indent+" ")...)
		}
	}
	return lines
}

const deckInputs = `{"load":500,"spacing":2,"span":30}`

// The steps of a sheet contain the calculations that it calls, and the steps of these. A step has the result that the
// calculation gives alone, and its worked steps.
func TestCalledSteps(t *testing.T) {
	want := []string{
		`c: test.beam.chain@1.0.0 {"load":1000,"span":30,"modulus":210000000000,"inertia":0.00001} = {"total":5.650111607142858,"ratio":0.1674107142857143}, 1 warnings`,
		` a: test.beam.deflection@1.0.0 {"load":1000,"length":30,"modulus":210000000000,"inertia":0.00001,"grade":"S235"} = {"deflection":5.022321428571429,"moment":112500,"grade":"S235"}, 1 warnings`,
		` b: test.beam.deflection@1.0.0 {"load":2000,"length":15,"modulus":210000000000,"inertia":0.00001,"grade":"S235"} = {"deflection":0.6277901785714286,"moment":56250,"grade":"S235"}, 0 warnings`,
	}
	s := calctest.NewService(t, nil)
	a := answerOf(t, s, "deck", deckInputs)
	for _, work := range []int{formula.StepWork, formula.LittleStepWork} {
		worked := s.Steps(a, work, nil)
		if got := outline(worked.Steps, ""); !worked.Whole || len(worked.Warnings) > 0 || !slices.Equal(got, want) {
			t.Errorf("work %d: whole %v, %v: %q", work, worked.Whole, worked.Warnings, got)
		}
	}
	chain := s.Steps(a, formula.StepWork, nil).Steps[3].Called
	alone := answerOf(t, s, chain.Capability, string(chain.Inputs))
	s.AddSteps(alone, nil)
	if got := string(alone.Success.AppendResult(nil)); got != string(chain.Result) {
		t.Errorf("alone %s, in the sheet %s", got, chain.Result)
	}
	for i, one := range alone.Success.Steps {
		if got := chain.Steps[i].Text; got != one.Text {
			t.Errorf("step %d is %q in the sheet, and %q alone", i, got, one.Text)
		}
	}
	const call = "c = two(load=p*s, span=L, modulus={2.1e11 Pa}, inertia={1e-5 m4}) = {total 5.650111607142858 m, ratio 0.1674107142857143}, by Two beams 1.0.0"
	if got := s.Steps(a, formula.StepWork, nil).Steps[3].Text; got != call {
		t.Errorf("the line of the call is %q", got)
	}
}

// A call that no case needs is not a step. Steps beyond the work are missing, and the steps are not whole.
func TestCalledWork(t *testing.T) {
	s := calctest.NewService(t, nil)
	without := answerOf(t, s, "chain", `{"load":-1,"span":4,"modulus":2e11,"inertia":1e-5}`)
	if got := outline(s.Steps(without, formula.StepWork, nil).Steps, ""); len(got) != 1 {
		t.Errorf("calls %q", got)
	}
	a := answerOf(t, s, "deck", deckInputs)
	for work := 1; work < 3000; work = work*3/2 + 1 {
		if worked := s.Steps(a, work, nil); worked.Whole && len(outline(worked.Steps, "")) != 3 {
			t.Errorf("work %d: %q", work, outline(worked.Steps, ""))
		}
	}
	if s.Steps(a, 100, nil).Whole {
		t.Error("steps take no work")
	}
}

// A snapshot of a sheet has its calls without other steps. An answer that calls nothing stays as it is.
func TestAddCalled(t *testing.T) {
	s := calctest.NewService(t, nil)
	a := answerOf(t, s, "deck", deckInputs)
	worked := outline(s.Steps(a, formula.StepWork, nil).Steps, "")
	s.AddCalled(a)
	if got := outline(a.Success.Steps, ""); len(a.Success.Steps) != 1 || !slices.Equal(got, worked) {
		t.Errorf("%q, want %q", got, worked)
	}
	beam := answerOf(t, s, "deflection", `{"load":1000,"length":4,"inertia":1e-5}`)
	before := string(beam.AppendJSON(nil))
	s.AddCalled(beam)
	if after := string(beam.AppendJSON(nil)); after != before {
		t.Errorf("before %s, after %s", before, after)
	}
	s.AddSteps(beam, nil)
	steps := len(beam.Success.Steps)
	s.AddCalled(beam)
	if len(beam.Success.Steps) != steps {
		t.Error("the worked steps are lost")
	}
}
