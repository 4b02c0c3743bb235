package mutation

import (
	"fmt"
	"io"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// JudgeTexts computes each text with one mistake in it for what the vectors and the generated
// requests ask, and writes a line for each: its number, the request at which the engine differs
// from it, "check" if it is no legal text, or "-", and what the mistake is.
func JudgeTexts(w io.Writer, engine sdk.Engine, vectors []byte) error {
	requests, err := requestsOf(engine, vectors)
	if err != nil {
		return err
	}
	spec := engine.Spec()
	text, err := spec.Text()
	if err != nil || text == nil {
		return err
	}
	var answered []asking
	for _, r := range requests {
		if r.answer, _ = answerOf(engine, r.in); r.answer.refusal == "" {
			answered = append(answered, r)
		}
	}
	t := texts{&spec, spec.Symbols(), nil}
	for i := range spec.Formulas {
		t.ids = append(t.ids, spec.Formulas[i].ID)
	}
	for i, m := range formula.Mutants(text) {
		fmt.Fprintf(w, "%d\t%s\tline %d of the text: %s\n", i+1, t.noticed(m.Text, answered), m.Line, strings.ReplaceAll(m.What, "\n", " "))
	}
	return nil
}

// texts compares texts with one engine.
type texts struct {
	spec    *sdk.Spec
	symbols []formula.Symbol
	ids     []string
}

// noticed returns by what it is noticed that the engine does not compute this text.
func (t *texts) noticed(text *formula.Text, answered []asking) string {
	if len(text.Check(t.symbols, t.ids)) > 0 {
		return "check"
	}
	for i := range answered {
		if r := &answered[i]; t.differs(text, r) {
			return r.id
		}
	}
	return "-"
}

// differs reports whether the text gives another number than the engine, or none where the engine
// has one, or a fault, or one where the engine has none.
func (t *texts) differs(text *formula.Text, r *asking) bool {
	outputs := t.spec.FormulaOutputs(r.answer.outcome.Result)
	decided := func(v *formula.Value) bool {
		got, has := outputs[v.Name]
		return !has || v.Compare(got, tolerance) != formula.Unproved
	}
	result := text.Evaluate(t.spec.FormulaInputs(r.in), outputs, decided)
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
			if !has || v.Compare(got, tolerance) == formula.Differs {
				return true
			}
		}
	}
	return false
}
