package rules

import (
	"slices"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/proof"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	documents "github.com/slipstick/slipstick/sdk/text"
)

// definition is the Definition of an engine, evaluated at each request that no other rule
// objects to.
type definition struct {
	*proof.Judge
	worked []*worked
}

// worked is the result of the Definition for one request.
type worked struct {
	subject report.Subject
	answer  *observe.Answer
	formula string // id of the formula that the engine reports
	result  *formula.Result
	coarse  bool // a subnormal number was sent, see [proof.IsCoarse]

	compared []proof.Verdict // by output
}

// definition evaluates the Definition, once. It returns nil if there is none, or if it cannot
// be read.
func (o *evidence) definition() *definition {
	if !o.evaluated {
		o.evaluated = true
		if text, err := documents.Formula(o.Spec); err == nil && text != nil {
			countFromDocument(o.Spec, text)
			o.defined = &definition{Judge: proof.New(o.Spec, text)}
			o.evaluate(o.defined)
		}
	}
	return o.defined
}

// countFromDocument makes the lines of the Definition lines of the document, if there is one. Definitions after the block are
// from other documents.
func countFromDocument(s *sdk.Spec, definition *formula.Text) {
	if s.Document == "" {
		return
	}
	d, err := documents.Parse("document", []byte(s.Document))
	if err != nil {
		return // document-same reports it
	}
	for _, one := range definition.Definitions {
		if one.Line <= len(d.Formula.Lines) {
			one.Line += d.Formula.Line - 1
		}
	}
}

// evaluate evaluates the Definition at each vector and generated request that has a result. It
// skips requests that other rules object to, so that one fault is reported by one rule.
func (o *evidence) evaluate(d *definition) {
	known := map[string]*formula.Result{} // many requests are other spellings of the same inputs
	add := func(subject report.Subject, a *observe.Answer) {
		key := string(appendValues(appendValues(nil, o.Spec.Inputs, a.Sent), o.Spec.Outputs, a.Outcome.Result))
		if known[key] == nil {
			known[key] = d.Work(a.Sent, a.Outcome.Result)
		}
		reported := a.Outcome.Formula
		if i := o.Spec.Formula(reported); i >= 0 {
			reported = o.Spec.Formulas[i].ID
		}
		w := &worked{subject: subject, answer: a, formula: reported, result: known[key], coarse: proof.IsCoarse(a.Sent)}
		for i := range d.Outputs {
			w.compared = append(w.compared, d.Outputs[i].Compare(w.result, a.Sent, a.Outcome.Result))
		}
		d.worked = append(d.worked, w)
	}
	for i := range o.Answers {
		if a := &o.Answers[i]; a.Kind == observe.Answered && o.Spec.CheckOutcome(a.Sent, a.Outcome) == nil && agreed(o, i) {
			add(about(&o.Vectors[i]), a)
		}
	}
	for i := range o.Generated.Cases {
		if a := &o.Generated.First[i]; a.Kind == observe.Answered && o.casePassed(i) {
			add(o.subjectOf(i), a)
		}
	}
}

// proofs counts how the numbers compare with the Definition, by output.
func (d *definition) proofs() []report.Proof {
	list := make([]report.Proof, 0, len(d.Outputs))
	for i := range d.Outputs {
		out := &d.Outputs[i]
		p := report.Proof{Output: out.Field.Name, Reason: out.Reason, Tolerance: out.Tolerance}
		for _, w := range d.worked {
			w.count(w.compared[i], &p)
		}
		switch decided := p.Compared(); {
		case out.Taken:
			p.Verdict, p.Tolerance = report.Taken, 0
		case p.Differing > 0:
			p.Verdict = report.Differs
		case decided == 0:
			p.Verdict = report.Unproved
		case out.Tolerance > sdk.LeastTolerance:
			p.Verdict = report.Declared
		default:
			p.Verdict = report.Proved
		}
		list = append(list, p)
	}
	return list
}

// count counts one result of an output. It does not compare absent results.
func (w *worked) count(c proof.Verdict, p *report.Proof) {
	switch c {
	case proof.Differs, proof.Presence, proof.Faulty:
		p.Differing++
	case proof.Undecided:
		p.Undecided++
		return
	case proof.NotCompared:
		return
	}
	if w.ofVector() {
		p.Vectors++
	} else {
		p.Generated++
	}
}

// number returns the number in the engine's answer.
func (w *worked) number(out *proof.Output) (float64, bool) {
	return proof.Number(w.answer.Outcome.Result[out.Index])
}

func (w *worked) ofVector() bool { return w.subject.Vector != "" }

// undecided reports whether a value is not decided. If it is nil, it reports whether any value
// is undecided.
func (w *worked) undecided(v *formula.Value) bool {
	if v != nil {
		return v.State == formula.Undecided
	}
	return slices.ContainsFunc(w.result.Values, func(v formula.Value) bool { return v.State == formula.Undecided })
}
