package rules

import (
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/proof"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// eachCase makes a rule of a function that judges one generated request, by its index.
func eachCase(look func(*evidence, int, *judgement)) func(*evidence, *judgement) {
	return func(o *evidence, j *judgement) {
		for i := range o.Generated.Cases {
			look(o, i, j)
		}
	}
}

// judgeCase applies all rules about generated requests to one of them.
func judgeCase(o *evidence, i int, j *judgement) {
	j.guard(func() {
		for _, look := range []func(*evidence, int, *judgement){
			judgeCaseAnswer, judgeCaseOutcome, rejudgeCase, judgeCaseRange, judgeCaseInside, judgeRequest, judgeAlias, judgeConversion, judgeDecimal,
		} {
			look(o, i, j)
		}
	})
}

func countGenerated(o *evidence) report.GeneratedCount {
	count := report.GeneratedCount{Count: report.Count{Total: len(o.Generated.Cases)}}
	for i := range o.Generated.Cases {
		if o.Generated.First[i].Kind == observe.Unasked {
			continue
		}
		count.Asked++
		if o.casePassed(i) {
			count.Passed++
		}
	}
	return count
}

// casePassed reports whether a generated request was answered as expected in every respect.
func (o *evidence) casePassed(i int) bool {
	if o.passed == nil {
		o.passed = make([]bool, len(o.Generated.Cases))
		for n := range o.passed {
			var j judgement
			judgeCase(o, n, &j)
			o.passed[n] = len(j.findings) == 0
		}
	}
	return o.passed[i]
}

func judgeCaseAnswer(o *evidence, i int, j *judgement) {
	for _, a := range []*observe.Answer{&o.Generated.First[i], &o.Generated.Repeated[i]} {
		if a.Kind != observe.Unasked {
			j.check(a.Kind != observe.Failed && a.Kind != observe.Late, o.subjectOf(i), a.Problem, "an outcome or an *sdk.Error, in time")
		}
	}
}

func judgeCaseOutcome(o *evidence, i int, j *judgement) {
	g := &o.Generated
	if !g.First[i].ByEngine() {
		return
	}
	if o.legal == nil { // check each answer once: countGenerated and the rule both use the result
		o.legal = make([]error, len(g.Cases))
		for n := range g.Cases {
			o.legal[n] = o.checkAnswer(&g.First[n])
		}
	}
	j.check(o.legal[i] == nil, o.subjectOf(i), fmt.Sprint(o.legal[i]), "an outcome or a rejection as the Spec declares it")
}

// checkAnswer returns an error unless the answer conforms to the Spec.
func (o *evidence) checkAnswer(a *observe.Answer) error {
	switch {
	case a.Kind == observe.Rejected && !a.Early:
		return o.Spec.CheckRejection(a.Rejection)
	case a.Kind != observe.Answered:
		return nil
	}
	if err := o.Spec.CheckOutcome(a.Sent, a.Outcome); err != nil {
		return err
	}
	schema, err := o.outputSchema()
	if err != nil {
		return nil // output-schema reports it
	}
	return validate(schema, renderSuccess(o.Spec, a.Outcome))
}

// rejudgeCase compares the answers of two instances.
func rejudgeCase(o *evidence, i int, j *judgement) {
	first, second := &o.Generated.First[i], &o.Generated.Repeated[i]
	if !first.ByEngine() || !second.ByEngine() {
		return
	}
	found, want, differ := differ(describeParts(o.Spec, second), describeParts(o.Spec, first))
	j.check(!differ, o.subjectOf(i).At("in another instance"), found, want+", as in the first")
}

// differ finds the first part in which two descriptions differ.
func differ(a, b []string) (found, want string, differ bool) {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			found, want = contrast(at(a, i), at(b, i))
			return found, want, true
		}
	}
	return "", "", false
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// judgeCaseRange compares the answer with the ranges of the inputs. A number outside its
// range must be rejected with the code of the range. A number inside must not be rejected
// with that code.
//
// If several numbers lie outside, the rejection of any of them is enough.
func judgeCaseRange(o *evidence, i int, j *judgement) {
	a := &o.Generated.First[i]
	if !a.ByEngine() || len(a.Sent) != len(o.Spec.Inputs) {
		return
	}
	known := a.Sent
	if a.Kind == observe.Answered && len(a.Outcome.Inputs) == len(a.Sent) {
		known = a.Outcome.Inputs // includes inputs that the engine derived
	}
	left := outsideRanges(o.Spec, a.Sent, known)
	rejectedFor := func(f *sdk.Field) bool {
		return a.Kind == observe.Rejected && a.Rejection.Code == f.Range.Code && a.Rejection.Field == f.Name
	}
	switch {
	case slices.ContainsFunc(left, rejectedFor):
		j.checks++
	case len(left) > 0:
		f := left[0]
		j.check(false, o.subjectOf(i), answeredWith(o, a), fmt.Sprintf("the rejection %s of %s, which must lie in %s", f.Range.Code, f.Name, f.Range))
	default:
		for n := range o.Spec.Inputs {
			if f := &o.Spec.Inputs[n]; o.mustAccept(f, a.Sent[n], known) {
				j.check(!rejectedFor(f), o.subjectOf(i), answeredWith(o, a), fmt.Sprintf("no %s, since %s lies in %s", f.Range.Code, f.Name, f.Range))
			}
		}
	}
}

// mustAccept reports whether the engine must not reject the number sent with the code of its
// range. The caller has found no range that excludes the number. If the Spec also lists the
// code among its errors, the engine may use it for other reasons too. If the range ends at an
// unknown input, nothing is required.
func (o *evidence) mustAccept(f *sdk.Field, sent value.Value, known value.Values) bool {
	return f.Range != nil && sent.Kind() != value.Absent && !slices.Contains(o.Spec.Errors, f.Range.Code) &&
		endsKnown(f.Range, numbersIn(o.Spec, known))
}

func answeredWith(o *evidence, a *observe.Answer) string {
	if a.Kind == observe.Rejected {
		return "rejected with " + a.Rejection.Error()
	}
	return "the " + describeParts(o.Spec, a)[0]
}

// outsideRanges returns the inputs that were sent with a number outside their range.
func outsideRanges(spec *sdk.Spec, sent, known value.Values) []*sdk.Field {
	var list []*sdk.Field
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		if f.Range != nil && leaves(f.Range.Within(numbersIn(spec, known)), sent[i]) {
			list = append(list, f)
		}
	}
	return list
}

// leaves reports whether a number, or an item of a list of numbers, lies outside the range.
func leaves(r *sdk.Range, v value.Value) bool {
	if v.Kind() == value.List {
		return slices.ContainsFunc(v.Items(), func(item value.Value) bool { return leaves(r, item) })
	}
	x, ok := proof.Number(v)
	return ok && !r.Contains(x)
}

// numbersIn returns a function that looks up the number of an input by name. It reports
// false if the input has no number.
func numbersIn(spec *sdk.Spec, values value.Values) func(string) (float64, bool) {
	return func(name string) (float64, bool) {
		if i := spec.Input(name); i >= 0 && i < len(values) {
			return proof.Number(values[i])
		}
		return 0, false
	}
}

// endsKnown reports whether all inputs at which the range ends have a number.
func endsKnown(r *sdk.Range, numbers func(string) (float64, bool)) bool {
	for _, name := range []string{r.MinInput, r.MaxInput} {
		if name == "" {
			continue
		}
		if _, ok := numbers(name); !ok {
			return false
		}
	}
	return true
}

// judgeRequests checks that each default lies in its range, and judges the requests whose
// expected reading or refusal the Spec alone determines.
func judgeRequests(o *evidence, j *judgement) {
	for i := range o.Spec.Inputs {
		f := &o.Spec.Inputs[i]
		if v, err := f.DefaultValue(); err == nil && f.Range != nil && v.Kind() == value.Number {
			within := f.Range.Within(func(string) (float64, bool) { return 0, false })
			j.check(within.Contains(v.Number()), ofSpec.At("input "+f.Name), "the default "+f.Default, "a default in "+f.Range.String())
		}
	}
	eachCase(judgeRequest)(o, j)
}

// judgeRequest checks an expected refusal. It compares a request about presence or magnitude
// with the request that means the same. Failed and late calls belong to rule
// generated-answers.
func judgeRequest(o *evidence, i int, j *judgement) {
	switch c, a := &o.Generated.Cases[i], &o.Generated.First[i]; {
	case a.Kind == observe.Unasked || a.Kind == observe.Failed || a.Kind == observe.Late:
	case c.Code != "":
		refused := a.Kind == observe.Rejected && a.Early && a.Rejection.Code == c.Code && a.Rejection.Field == c.Field
		want := "the refusal " + c.Code
		if c.Field != "" {
			want += " of " + c.Field
		}
		j.check(refused, o.subjectOf(i), answeredWith(o, a), want)
	case c.Kind == cases.Presence || c.Kind == cases.Magnitude:
		judgeAlike(o, i, j)
	}
}

func judgeAlias(o *evidence, i int, j *judgement) {
	if kind := o.Generated.Cases[i].Kind; kind == cases.Alias || kind == cases.Enum {
		judgeAlike(o, i, j)
	}
}

func judgeConversion(o *evidence, i int, j *judgement) {
	if o.Generated.Cases[i].Kind == cases.Unit {
		judgeAlike(o, i, j)
	}
}

func judgeDecimal(o *evidence, i int, j *judgement) {
	if o.Generated.Cases[i].Kind == cases.Decimal {
		judgeAlike(o, i, j)
	}
}

// judgeAlike compares the answer to a request with the answer to another request that means
// the same. The echoed inputs may differ, because a decimal string stays a string.
func judgeAlike(o *evidence, i int, j *judgement) {
	like, ok := o.Generated.Index[o.Generated.Cases[i].Like]
	if !ok {
		return
	}
	a, b := &o.Generated.First[i], &o.Generated.First[like]
	for _, one := range []*observe.Answer{a, b} {
		if one.Kind != observe.Answered && one.Kind != observe.Rejected {
			j.spoiled = true
			return
		}
	}
	found, want, differ := differ(meaning(o.Spec, a), meaning(o.Spec, b))
	j.check(!differ, o.subjectOf(i), found, want+", as with "+o.Generated.Cases[like].ID)
}

// meaning returns the parts of an answer that do not depend on how the request was spelled.
func meaning(spec *sdk.Spec, a *observe.Answer) []string {
	if a.Kind == observe.Rejected {
		return []string{"rejection " + a.Rejection.Code + " of " + a.Rejection.Field}
	}
	parts := []string{describeParts(spec, a)[0], "formula " + quote(a.Outcome.Formula)}
	for _, w := range a.Outcome.Warnings {
		parts = append(parts, "warning "+w.Code)
	}
	return parts
}

// subjectOf returns the subject of findings about case i.
func (o *evidence) subjectOf(i int) report.Subject {
	return report.Subject{Request: o.Generated.Cases[i].ID}
}
