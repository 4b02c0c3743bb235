package conformance

import (
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/conformance/cases"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/strictjson"
)

// eachCase judges every generated request.
func eachCase(look func(*observed, int, *judgement)) func(*observed, *judgement) {
	return func(o *observed, j *judgement) {
		for i := range o.generated.cases {
			look(o, i, j)
		}
	}
}

// judgeCase judges a generated request in every respect.
func judgeCase(o *observed, i int, j *judgement) {
	j.guard(func() {
		for _, look := range []func(*observed, int, *judgement){
			judgeCaseAnswer, judgeCaseOutcome, judgeCaseAgain, judgeCaseRange, judgeRequest, judgeAlias, judgeConversion, judgeDecimal,
		} {
			look(o, i, j)
		}
	})
}

func countGenerated(o *observed) Count {
	count := Count{Total: len(o.generated.cases)}
	for i := range o.generated.cases {
		if o.generated.first[i].kind == unasked {
			continue
		}
		count.Asked++
		var j judgement
		if judgeCase(o, i, &j); len(j.findings) == 0 {
			count.Passed++
		}
	}
	return count
}

func judgeCaseAnswer(o *observed, i int, j *judgement) {
	for _, a := range []*answer{&o.generated.first[i], &o.generated.again[i]} {
		if a.kind != unasked {
			j.check(a.kind != failed && a.kind != late, o.subjectOf(i), a.problem, "an outcome or an *sdk.Error, in time")
		}
	}
}

func judgeCaseOutcome(o *observed, i int, j *judgement) {
	g := &o.generated
	if !g.first[i].byEngine() {
		return
	}
	if g.legal == nil {
		g.legal = make([]error, len(g.cases))
		for n := range g.cases {
			g.legal[n] = o.checkAnswer(&g.first[n])
		}
	}
	j.check(g.legal[i] == nil, o.subjectOf(i), fmt.Sprint(g.legal[i]), "an outcome or a rejection as the Spec declares it")
}

// checkAnswer returns an error unless the answer is as the Spec declares it.
func (o *observed) checkAnswer(a *answer) error {
	switch {
	case a.kind == rejected && !a.early:
		return sdk.CheckRejection(o.spec, a.rejection)
	case a.kind != answered:
		return nil
	}
	if err := sdk.CheckOutcome(o.spec, a.sent, a.outcome); err != nil {
		return err
	}
	schema, err := o.outputSchema()
	if err != nil {
		return nil // which output-schema reports
	}
	return validate(schema, renderSuccess(o.spec, a.outcome))
}

func judgeCaseAgain(o *observed, i int, j *judgement) {
	first, again := &o.generated.first[i], &o.generated.again[i]
	if !first.byEngine() || !again.byEngine() {
		return
	}
	found, want, differ := differ(describeParts(o.spec, again), describeParts(o.spec, first))
	j.check(!differ, o.subjectOf(i)+", in another instance", found, want+", as in the first")
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

// judgeCaseRange compares what the engine rejects with the ranges that its fields
// declare.
func judgeCaseRange(o *observed, i int, j *judgement) {
	a := &o.generated.first[i]
	if !a.byEngine() || len(a.sent) != len(o.spec.Inputs) {
		return
	}
	known := a.sent
	if a.kind == answered && len(a.outcome.Inputs) == len(a.sent) {
		known = a.outcome.Inputs // with what the engine derived
	}
	left := outsideRanges(o.spec, a.sent, known)
	rejectedFor := func(f *sdk.Field) bool {
		return a.kind == rejected && a.rejection.Code == f.Range.Code && a.rejection.Field == f.Name
	}
	switch {
	case slices.ContainsFunc(left, rejectedFor):
		j.checks++
	case len(left) > 0:
		f := left[0]
		j.check(false, o.subjectOf(i), answeredWith(o, a), fmt.Sprintf("the rejection %s of %s, which must lie in %s", f.Range.Code, f.Name, f.Range))
	default:
		for n := range o.spec.Inputs {
			if f := &o.spec.Inputs[n]; o.mustAccept(f, a.sent[n], known) {
				j.check(!rejectedFor(f), o.subjectOf(i), answeredWith(o, a), fmt.Sprintf("no %s, since %s lies in %s", f.Range.Code, f.Name, f.Range))
			}
		}
	}
}

// mustAccept reports whether the number sent, which is not known to lie outside, must not
// be rejected by the code of the range. A code that the Spec declares among its errors
// too may stand for more than the range.
func (o *observed) mustAccept(f *sdk.Field, sent sdk.Value, known sdk.Values) bool {
	return f.Range != nil && sent.Kind() != sdk.Absent && !slices.Contains(o.spec.Errors, f.Range.Code) &&
		endsKnown(f.Range, numbersIn(o.spec, known))
}

func answeredWith(o *observed, a *answer) string {
	if a.kind == rejected {
		return "rejected with " + a.rejection.Error()
	}
	return "the " + describeParts(o.spec, a)[0]
}

// outsideRanges lists the inputs that were sent with a number outside their range.
func outsideRanges(spec *sdk.Spec, sent, known sdk.Values) []*sdk.Field {
	var list []*sdk.Field
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		if f.Range != nil && leaves(f.Range.Within(numbersIn(spec, known)), sent[i]) {
			list = append(list, f)
		}
	}
	return list
}

func leaves(r *sdk.Range, v sdk.Value) bool {
	if v.Kind() == sdk.List {
		return slices.ContainsFunc(v.Items(), func(item sdk.Value) bool { return leaves(r, item) })
	}
	x, ok := numberOf(v)
	return ok && !r.Contains(x)
}

func numberOf(v sdk.Value) (float64, bool) {
	switch v.Kind() {
	case sdk.Number:
		return v.Number(), true
	case sdk.Exact:
		literal, err := strictjson.ParseNumber(v.Text())
		return literal.Float, err == nil
	}
	return 0, false
}

func numbersIn(spec *sdk.Spec, values sdk.Values) func(string) (float64, bool) {
	return func(name string) (float64, bool) {
		if i := spec.Input(name); i >= 0 && i < len(values) {
			return numberOf(values[i])
		}
		return 0, false
	}
}

// endsKnown reports whether the inputs at which the range ends are known.
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

// judgeRequests judges the defaults of the Spec, and every request that must be read, or
// refused, in one way.
func judgeRequests(o *observed, j *judgement) {
	for i := range o.spec.Inputs {
		f := &o.spec.Inputs[i]
		if v, err := f.DefaultValue(); err == nil && f.Range != nil && v.Kind() == sdk.Number {
			within := f.Range.Within(func(string) (float64, bool) { return 0, false })
			j.check(within.Contains(v.Number()), "Spec, input "+f.Name, "the default "+f.Default, "a default in "+f.Range.String())
		}
	}
	eachCase(judgeRequest)(o, j)
}

func judgeRequest(o *observed, i int, j *judgement) {
	switch c, a := &o.generated.cases[i], &o.generated.first[i]; {
	case a.kind == unasked || a.kind == failed || a.kind == late:
	case c.Code != "":
		refused := a.kind == rejected && a.early && a.rejection.Code == c.Code && a.rejection.Field == c.Field
		want := "the refusal " + c.Code
		if c.Field != "" {
			want += " of " + c.Field
		}
		j.check(refused, o.subjectOf(i), answeredWith(o, a), want)
	case c.Kind == cases.Presence || c.Kind == cases.Magnitude:
		judgeAlike(o, i, j)
	}
}

func judgeAlias(o *observed, i int, j *judgement) {
	if kind := o.generated.cases[i].Kind; kind == cases.Alias || kind == cases.Enum {
		judgeAlike(o, i, j)
	}
}

func judgeConversion(o *observed, i int, j *judgement) {
	if o.generated.cases[i].Kind == cases.Unit {
		judgeAlike(o, i, j)
	}
}

func judgeDecimal(o *observed, i int, j *judgement) {
	if o.generated.cases[i].Kind == cases.Decimal {
		judgeAlike(o, i, j)
	}
}

// judgeAlike compares the answer to a request with that to another that means the
// same. The inputs need not come back alike: a decimal string stays one.
func judgeAlike(o *observed, i int, j *judgement) {
	like, ok := o.generated.index[o.generated.cases[i].Like]
	if !ok {
		return
	}
	a, b := &o.generated.first[i], &o.generated.first[like]
	for _, one := range []*answer{a, b} {
		if one.kind != answered && one.kind != rejected {
			j.spoiled = true
			return
		}
	}
	found, want, differ := differ(meaning(o.spec, a), meaning(o.spec, b))
	j.check(!differ, o.subjectOf(i), found, want+", as with "+o.generated.cases[like].ID)
}

// meaning is what an answer says, whatever the spelling of the request.
func meaning(spec *sdk.Spec, a *answer) []string {
	if a.kind == rejected {
		return []string{"rejection " + a.rejection.Code + " of " + a.rejection.Field}
	}
	parts := []string{describeParts(spec, a)[0], "formula " + quote(a.outcome.Formula)}
	for _, w := range a.outcome.Warnings {
		parts = append(parts, "warning "+w.Code)
	}
	return parts
}
