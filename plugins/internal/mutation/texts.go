package mutation

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// judgeTexts computes each text with one mistake in it for what the vectors and the generated
// requests ask, and writes a line for each: its number, by what it is noticed or "-", the line of
// the text, and what the mistake is. It is noticed by a request, if the engine differs from it
// there or reports the formula of another case; by "check", if it is no legal text; by "coverage",
// if no vector reaches a case of it; and by "proofs", if an output cannot be compared any more.
func judgeTexts(w io.Writer, engine sdk.Engine, vectors []byte) error {
	requests, err := requestsOf(engine, vectors)
	if err != nil {
		return err
	}
	spec := engine.Spec()
	text, err := spec.Text()
	if err != nil || text == nil {
		return err
	}
	t := texts{spec: &spec, symbols: spec.Symbols()}
	for i := range spec.Formulas {
		t.ids = append(t.ids, spec.Formulas[i].ID)
	}
	for _, r := range ask(engine, requests) {
		if r.answer.refusal == "" {
			t.answered = append(t.answered, r)
		}
	}
	if by := t.noticed(text); by != "-" {
		return fmt.Errorf("the text as it is differs from the engine: %s", by)
	}
	lines := strings.Split(spec.Definition, "\n")
	for i, m := range formula.Mutants(text) {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", i+1, t.noticed(m.Text), strings.TrimSpace(lines[m.Line-1]), strings.Join(strings.Fields(m.What), " "))
	}
	return nil
}

// texts compares texts with one engine.
type texts struct {
	spec     *sdk.Spec
	symbols  []formula.Symbol
	ids      []string
	answered []asking
	compared map[string]bool // outputs of the text as it is
}

// noticed returns by what it is noticed that the engine does not compute this text. It is first
// asked for the text as it is.
func (t *texts) noticed(text *formula.Text) string {
	if len(text.Check(t.symbols, t.ids)) > 0 {
		return "check"
	}
	compared, reached := map[string]bool{}, map[*formula.Case]bool{}
	for i := range t.answered {
		r := &t.answered[i]
		result := text.Evaluate(t.spec.FormulaInputs(r.in), t.spec.FormulaOutputs(r.answer.outcome.Result), t.decided(r))
		if t.differs(result, r, compared) || t.otherFormula(text, result, r) {
			return r.id
		}
		if r.vector {
			reach(text, result, reached)
		}
	}
	if t.compared == nil {
		t.compared = compared
	}
	switch {
	case len(compared) < len(t.compared):
		return "proofs"
	case slices.ContainsFunc(text.Definitions, func(d *formula.Definition) bool { return !covered(d, reached) }):
		return "coverage"
	}
	return "-"
}

func (t *texts) decided(r *asking) func(v *formula.Value) bool {
	outputs := t.spec.FormulaOutputs(r.answer.outcome.Result)
	return func(v *formula.Value) bool {
		got, has := outputs[v.Name]
		return !has || v.Compare(got, tolerance) != formula.Unproved
	}
}

// differs reports whether the text gives another number than the engine, or none where the engine
// has one, or a fault, or one where the engine has none. Numbers beside a subnormal input count
// as undecided, as in conformance.
func (t *texts) differs(result *formula.Result, r *asking, compared map[string]bool) bool {
	outputs, coarse := t.spec.FormulaOutputs(r.answer.outcome.Result), isCoarse(r.in)
	for i := range t.symbols {
		s := &t.symbols[i]
		v := result.Value(s.Name)
		if s.Output == "" || s.Kind != formula.NumberField || v == nil || v.Sent {
			continue
		}
		got, has := outputs[s.Name]
		switch v.State {
		case formula.Fault:
			return true
		case formula.Absent:
			if has {
				return true
			}
		case formula.Known:
			agreement := v.Compare(got, tolerance)
			if !has || agreement == formula.Differs && !coarse {
				return true
			}
			compared[s.Name] = compared[s.Name] || agreement == formula.Agrees
		}
	}
	return false
}

// otherFormula reports whether the engine reports another formula than that of the cases that
// were computed.
func (t *texts) otherFormula(text *formula.Text, result *formula.Result, r *asking) bool {
	var taken, all []string
	for i := range result.Values {
		v := &result.Values[i]
		d := text.Definition(v.Name)
		hasID := false
		for _, c := range d.Cases {
			if c.ID != "" {
				all, hasID = append(all, c.ID), true
			}
		}
		switch {
		case v.State == formula.Known && v.ID != "":
			taken = append(taken, v.ID)
		case hasID && v.State != formula.Known && v.State != formula.Absent:
			return false // open
		}
	}
	got := r.answer.outcome.Formula
	if i := t.spec.Formula(got); i >= 0 {
		got = t.spec.Formulas[i].ID
	}
	return len(all) > 0 && !isCoarse(r.in) && !slices.Contains(taken, got) && (len(taken) > 0 || slices.Contains(all, got))
}

// reach notes the cases that hold, and all of a definition that is not decided.
func reach(text *formula.Text, result *formula.Result, reached map[*formula.Case]bool) {
	for _, d := range text.Definitions {
		v := result.Value(d.Name) // nil for a function
		for i := range d.Cases {
			open := v != nil && v.State == formula.Undecided
			if open || result.Reached(d, i) && (v == nil || v.State != formula.Absent) {
				reached[&d.Cases[i]] = true
			}
		}
	}
}

func covered(d *formula.Definition, reached map[*formula.Case]bool) bool {
	for i := range d.Cases {
		if d.Kind != formula.Constant && !reached[&d.Cases[i]] {
			return false
		}
	}
	return true
}

// isCoarse reports whether a number among the values is subnormal.
func isCoarse(values []value.Value) bool {
	return slices.ContainsFunc(values, func(v value.Value) bool {
		if v.Kind() == value.Number {
			x := math.Abs(v.Number())
			return 0 < x && x < 0x1p-1022
		}
		return (v.Kind() == value.List || v.Kind() == value.Record) && isCoarse(v.Items())
	})
}
