package terminal_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/calctest"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// deck returns a service and its answer for a deck, which calls other calculations.
func deck(t *testing.T) (*calc.Service, *calc.Answer) {
	t.Helper()
	s := calctest.NewService(t, nil)
	inputs, err := strictjson.ParseObject([]byte(`{"load":500,"spacing":2,"span":30}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Calculate(t.Context(), calc.Request{ID: "deck", Inputs: inputs})
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

// The steps of a called calculation are indented below its line.
func TestCalledSteps(t *testing.T) {
	s, a := deck(t)
	s.AddSteps(a, nil)
	shown, err := outputs.Choose(a.Success.Spec, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := terminal.Answer(&b, a, shown); err != nil {
		t.Fatal(err)
	}
	const want = `
steps
  p = 500 Pa
  s = 2 m
  L = 30 m
  c = two(load=p*s, span=L, modulus={2.1e11 Pa}, inertia={1e-5 m4})
    = {total 5.650111607142858 m, ratio 0.1674107142857143}
      by Two beams 1.0.0
    q = 1000 N/m
    L = 30 m
    E = 2.1e11 Pa
    I = 1e-5 m4
    a = beam(load=q, length=L, modulus=E, inertia=I)
      = {deflection 5.022321428571429 m, moment 112500 N m, grade S235}
        by Deflection of a beam 1.0.0
      w = 1000 N/m
`
	if !strings.Contains(b.String(), want) {
		t.Error(b.String())
	}
}

// With a system of units, the inputs of an answer are in its units, as the outputs are.
func TestAnswerInSystem(t *testing.T) {
	_, a := deck(t)
	shown, err := outputs.Choose(a.Success.Spec, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"span      30 m\n", "span      98.4252 ft "} {
		var b strings.Builder
		if err := terminal.Answer(&b, a, shown); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v, no %q in\n%s", err, want, b.String())
		}
		shown = shown.In("us")
	}
}
