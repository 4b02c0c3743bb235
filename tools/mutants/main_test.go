package main

import (
	"bytes"
	"strings"
	"testing"
)

// Each change of the code or the formula of a spring is noticed, and there are enough changes of each kind.
func TestSpring(t *testing.T) {
	list, err := load([]string{"github.com/slipstick/slipstick/plugins/mechanical/springs/helical_compression"})
	if err != nil {
		t.Fatal(err)
	}
	r := judge(list[0])
	if r.err != nil {
		t.Fatal(r.err)
	}
	for _, line := range append(r.missing, r.wrong...) {
		t.Errorf("not noticed: %s", line)
	}
	_, mutants, err := rewrite(list[0])
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]int{}
	for _, m := range mutants {
		changes[m.kind]++
	}
	if r.code.all != len(mutants) || len(mutants) < 30 || r.text.all < 20 || changes["number"] < 5 || changes["operation"] < 5 || changes["operand"] < 5 {
		t.Errorf("%v changes of the code %v, %v of the text", r.code, changes, r.text)
	}
}

// In a shared package, a noticed change needs no reason, and a survivor needs one.
func TestReasonsAreHeldToTheMutants(t *testing.T) {
	list, err := load([]string{"github.com/slipstick/slipstick/plugins/internal/circuit"})
	if err != nil {
		t.Fatal(err)
	}
	const noSuch = `none -> one`
	wrong := list[0].reasons
	wrong.engines, wrong.entries = nil, map[entry]*use{{place{"none", "none"}, noSuch}: {want: 1, line: 7}}
	var b bytes.Buffer
	results := make(chan *result, 1)
	results <- judge(list[0])
	err = report(&b, list, []chan *result{results})
	if err == nil || !strings.Contains(err.Error(), "1 of 1 packages") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{
		"\tCircuit.PowerFactor\n\t\treturn 0, sdk.Reject(", "\t\t\t0 -> 1\n",
		"survivors.txt:7: in none: " + noSuch + ": this change does not exist, or is noticed",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: want %q", b.String(), want)
		}
	}
}

func TestNoPackage(t *testing.T) {
	if _, err := load([]string{"github.com/slipstick/slipstick/plugins/internal/look"}); err == nil || !strings.Contains(err.Error(), "name directories") {
		t.Errorf("error %v", err)
	}
}
