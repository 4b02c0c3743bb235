package main

import (
	"strings"
	"testing"
)

// Each change of the code or the formula of a spring is noticed, and there are enough of each kind.
func TestSpring(t *testing.T) {
	list, err := load([]string{"github.com/slipstick/slipstick/plugins/mechanical/springs/helical_compression"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := judge(list[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.survivors {
		t.Errorf("not noticed: %v", m)
	}
	_, mutants, err := rewrite(list[0])
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]int{}
	for _, m := range mutants {
		switch {
		case strings.HasSuffix(m.to, " + 1"):
			changes["number"]++
		case strings.HasPrefix(m.to, `"`):
			changes["literal"]++
		case strings.HasPrefix(m.to, "."):
			changes["operation"]++
		default:
			changes["operand"]++
		}
	}
	if r.code.all != len(mutants) || len(mutants) < 30 || r.text.all < 20 || changes["number"] < 5 || changes["literal"] < 1 || changes["operation"] < 5 || changes["operand"] < 5 {
		t.Errorf("%v changes of the code %v, %v of the text", r.code, changes, r.text)
	}
}

func TestNoEngine(t *testing.T) {
	if _, err := load([]string{"github.com/slipstick/slipstick/plugins/internal/pi"}); err == nil || !strings.Contains(err.Error(), "name their directories") {
		t.Errorf("error %v", err)
	}
}
