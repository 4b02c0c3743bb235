package rules

import (
	"math"
	"slices"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// definition is the Definition of an engine, evaluated at each request that the engine answered
// as other rules want it.
type definition struct {
	*formula.Text
	outputs []output
	worked  []*worked
}

// output is an output that is a number.
type output struct {
	field     *sdk.Field
	index     int    // in the Spec
	name      string // in the Definition
	tolerance float64
	reason    string // why the tolerance is looser than usual, or why the output is taken
	taken     bool

	definition *formula.Definition
}

// worked is what the Definition gives at one request.
type worked struct {
	subject report.Subject
	answer  *observe.Answer
	formula string // id of the one that the engine reports
	result  *formula.Result
	coarse  bool // a number was sent that is subnormal, see isCoarse

	compared []comparing // by output, see compare
}

// definition evaluates the Definition, once. It returns nil if there is none, or none that can
// be read.
func (o *evidence) definition() *definition {
	if !o.evaluated {
		o.evaluated = true
		if text, err := o.Spec.Text(); err == nil && text != nil {
			o.defined = definitionOf(o.Spec, text)
			o.evaluate(o.defined)
		}
	}
	return o.defined
}

func definitionOf(spec *sdk.Spec, text *formula.Text) *definition {
	d := &definition{Text: &formula.Text{Definitions: slices.Clone(text.Definitions)}}
	for _, symbol := range spec.Symbols() {
		i := slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return symbol.Output != "" && f.Name == symbol.Output })
		defined := text.Definition(symbol.Name)
		if i < 0 || symbol.Kind != formula.NumberField || defined == nil && symbol.Input == "" {
			continue // what is not defined is reported by spec-valid
		}
		out := output{field: &spec.Outputs[i], index: i, name: symbol.Name, tolerance: sdk.LeastTolerance}
		switch {
		case defined == nil: // it is an input that is always sent
			d.Definitions = append(d.Definitions, &formula.Definition{Name: symbol.Name, Line: 1})
		case defined.Kind == formula.Taken:
			out.taken, out.reason = true, defined.Note
		}
		for _, t := range spec.Tolerances {
			if t.Output == out.field.Name {
				out.tolerance, out.reason = t.Relative, t.Reason
			}
		}
		out.definition = d.Definition(symbol.Name)
		d.outputs = append(d.outputs, out)
	}
	return d
}

// evaluate evaluates the Definition at each vector and generated request that has a result, but
// for those that other rules object to: one fault is reported by one rule.
func (o *evidence) evaluate(d *definition) {
	known := map[string]*formula.Result{} // many requests are other spellings of the same
	add := func(subject report.Subject, a *observe.Answer) {
		key := string(appendValues(appendValues(nil, o.Spec.Inputs, a.Sent), o.Spec.Outputs, a.Outcome.Result))
		if known[key] == nil {
			known[key] = d.at(o.Spec, a)
		}
		reported := a.Outcome.Formula
		if i := o.Spec.Formula(reported); i >= 0 {
			reported = o.Spec.Formulas[i].ID
		}
		w := &worked{subject: subject, answer: a, formula: reported, result: known[key], coarse: isCoarse(a.Sent)}
		for i := range d.outputs {
			w.compared = append(w.compared, w.compare(&d.outputs[i]))
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

// at evaluates the Definition at the inputs as they were sent, with as many digits as it takes
// to compare each number.
func (d *definition) at(spec *sdk.Spec, a *observe.Answer) *formula.Result {
	numbers := spec.FormulaOutputs(a.Outcome.Result)
	tolerances := map[string]float64{}
	for i := range d.outputs {
		tolerances[d.outputs[i].name] = d.outputs[i].tolerance
	}
	return d.Evaluate(spec.FormulaInputs(a.Sent), numbers, func(v *formula.Value) bool {
		x, compared := numbers[v.Name]
		return !compared || v.Compare(x, tolerances[v.Name]) != formula.Unproved
	})
}

// proofs counts how the numbers compare with the Definition, by output.
func (d *definition) proofs() []report.Proof {
	list := make([]report.Proof, 0, len(d.outputs))
	for i := range d.outputs {
		out := &d.outputs[i]
		p := report.Proof{Output: out.field.Name, Reason: out.reason, Tolerance: out.tolerance}
		for _, w := range d.worked {
			w.count(w.compared[i], &p)
		}
		switch decided := p.Compared(); {
		case out.taken:
			p.Verdict, p.Tolerance = report.Taken, 0
		case p.Differing > 0:
			p.Verdict = report.Differs
		case decided == 0:
			p.Verdict = report.Unproved
		case out.tolerance > sdk.LeastTolerance:
			p.Verdict = report.Declared
		default:
			p.Verdict = report.Proved
		}
		list = append(list, p)
	}
	return list
}

// count counts one result of an output. Results that are absent are not numbers to compare.
func (w *worked) count(c comparing, p *report.Proof) {
	switch c {
	case differing, presence, faulty:
		p.Differing++
	case undecided:
		p.Undecided++
		return
	case notCompared:
		return
	}
	if w.ofVector() {
		p.Vectors++
	} else {
		p.Generated++
	}
}

// comparing is how the result of an output compares with what the Definition gives.
type comparing uint8

const (
	notCompared comparing = iota // both are absent, or the output is taken
	agreeing
	differing
	presence // one is absent, the other is not
	faulty   // the Definition cannot be computed
	undecided
)

// compare compares one result. Where a number was sent that is subnormal, no difference counts.
func (w *worked) compare(out *output) comparing {
	c := w.exactly(out)
	if w.coarse && (c == differing || c == presence || c == faulty) {
		return undecided
	}
	return c
}

func (w *worked) exactly(out *output) comparing {
	v := w.result.Value(out.name)
	got, present := w.number(out)
	switch {
	case out.taken:
		return notCompared
	case v.State == formula.Fault:
		return faulty
	case v.State == formula.Undecided:
		return undecided
	case present != (v.State == formula.Known):
		return presence
	case !present:
		return notCompared
	}
	switch v.Compare(got, out.tolerance) {
	case formula.Agrees:
		return agreeing
	case formula.Differs:
		return differing
	}
	return undecided
}

// number returns the number that the engine answers.
func (w *worked) number(out *output) (float64, bool) {
	return numberOf(w.answer.Outcome.Result[out.index])
}

func (w *worked) ofVector() bool { return w.subject.Vector != "" }

// undecided reports whether a value is not decided, or if it is nil, any is.
func (w *worked) undecided(v *formula.Value) bool {
	if v != nil {
		return v.State == formula.Undecided
	}
	return slices.ContainsFunc(w.result.Values, func(v formula.Value) bool { return v.State == formula.Undecided })
}

// isCoarse reports whether a number is subnormal. It has fewer bits than others, so that an engine
// cannot derive further inputs from it, such as a half of it, to 1e-12.
func isCoarse(values []value.Value) bool {
	return slices.ContainsFunc(values, func(v value.Value) bool {
		x, ok := numberOf(v)
		return ok && x != 0 && math.Abs(x) < minNormal || isCoarse(v.Items())
	})
}

// minNormal is the smallest number that has all bits of a binary64.
const minNormal = 0x1p-1022
