package conformance

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/strictjson"
)

// incomplete reports whether a vector has no definite answer.
func (o *observed) incomplete() bool {
	return slices.ContainsFunc(o.answers, func(a answer) bool { return a.kind != answered && a.kind != rejected })
}

// outcomes calls look for each outcome among the first answers.
func (o *observed) outcomes(look func(v *Vector, a *answer)) {
	for i := range o.answers {
		if o.answers[i].kind == answered {
			look(&o.vectors[i], &o.answers[i])
		}
	}
}

func judgeSchema(o *observed, j *judgement) {
	schema, err := o.outputSchema()
	if err != nil {
		j.check(false, "the output schema", err.Error(), "a JSON Schema that compiles")
		return
	}
	o.outcomes(func(v *Vector, a *answer) {
		if sdk.CheckOutcome(o.spec, a.sent, a.outcome) != nil {
			j.spoiled = true // it cannot be rendered
			return
		}
		err := validate(schema, renderSuccess(o.spec, a.outcome))
		j.check(err == nil, subject(v), fmt.Sprint(err), "a result that the output schema accepts")
	})
}

// judgeOutcomes leaves to other rules what they report: numbers that are not
// finite and warnings that are not declared.
func judgeOutcomes(o *observed, j *judgement) {
	o.outcomes(func(v *Vector, a *answer) {
		var finite judgement
		if judgeFiniteValues(subject(v), o.spec.Outputs, a.outcome.Result, &finite); len(finite.findings) > 0 {
			j.spoiled = true
			return
		}
		outcome := a.outcome
		outcome.Warnings = slices.DeleteFunc(slices.Clone(outcome.Warnings), func(w sdk.Warning) bool { return !o.spec.MayWarn(w.Code) })
		err := sdk.CheckOutcome(o.spec, a.sent, outcome)
		j.check(err == nil, subject(v), fmt.Sprint(err), "an outcome as the Spec declares it")
	})
}

func judgeFinite(o *observed, j *judgement) {
	o.outcomes(func(v *Vector, a *answer) {
		judgeFiniteValues(subject(v)+", result", o.spec.Outputs, a.outcome.Result, j)
	})
}

func judgeFiniteValues(path string, fields []sdk.Field, values []sdk.Value, j *judgement) {
	for i, v := range values {
		judgeFiniteValue(path+"."+fieldAt(fields, i).Name, fieldAt(fields, i), v, j)
	}
}

func judgeFiniteValue(path string, f *sdk.Field, v sdk.Value, j *judgement) {
	switch v.Kind() {
	case sdk.Number:
		x := v.Number() // never -0: sdk.NumberOf makes it 0
		j.check(!math.IsNaN(x) && !math.IsInf(x, 0), path, strconv.FormatFloat(x, 'g', -1, 64), "a finite number")
	case sdk.Exact:
		n, err := strictjson.ParseNumber(v.Text())
		ok := err == nil && n.Range == strictjson.InRange && !(n.Float == 0 && n.Text[0] == '-')
		j.check(ok, path, quote(v.Text()), "a decimal literal that binary64 can hold, and 0 without a sign")
	case sdk.List:
		for i, item := range v.Items() {
			inner := path + "." + strconv.Itoa(i)
			if item.Kind() == sdk.Absent {
				j.check(false, inner, "null", "a value")
			}
			judgeFiniteValue(inner, itemsOf(f), item, j)
		}
	case sdk.Record:
		judgeFiniteValues(path, f.Fields, v.Items(), j)
	}
}

func judgeErrors(o *observed, j *judgement) {
	for i := range o.answers {
		if a := &o.answers[i]; a.kind == rejected && !a.early {
			err := sdk.CheckRejection(o.spec, a.rejection)
			j.check(err == nil, subject(&o.vectors[i]), fmt.Sprint(err), "a rejection as the Spec declares it")
		}
	}
	for _, code := range o.spec.Errors {
		expects := func(v Vector) bool { return v.Rejection != nil && v.Rejection.Code == code }
		j.check(slices.ContainsFunc(o.vectors, expects), "Spec, errors", code+", which no vector expects", "a vector that expects it, or no such code")
	}
}

func judgeWarnings(o *observed, j *judgement) {
	o.outcomes(func(v *Vector, a *answer) {
		for _, w := range a.outcome.Warnings {
			j.check(o.spec.MayWarn(w.Code), subject(v), "the warning "+quote(w.Code), "a code that the Spec declares")
		}
	})
	eachVector(judgeExpectedWarnings)(o, j)
	for _, code := range o.spec.Warnings {
		expects := func(v Vector) bool { return slices.Contains(v.Warnings, code) }
		j.check(slices.ContainsFunc(o.vectors, expects), "Spec, warnings", code+", which no vector expects", "a vector that expects it, or no such code")
	}
}

func judgePlots(o *observed, j *judgement) {
	for _, d := range o.drawings {
		j.check(d.err == nil, subject(&o.vectors[d.vector])+", plot "+d.plot, fmt.Sprint(d.err), "a figure")
	}
}

// judgeFailures reports a vector once, however often it failed.
func judgeFailures(o *observed, j *judgement) {
	want := "an outcome or an *sdk.Error"
	reported := map[int]bool{}
	for i := range o.answers {
		a := &o.answers[i]
		j.check(a.kind != failed, subject(&o.vectors[i]), a.problem, want)
	}
	for _, s := range o.again {
		j.check(s.kind != failed || reported[s.vector], o.at(s), s.problem, want)
		reported[s.vector] = reported[s.vector] || s.kind == failed
	}
}

// at says where a sighting was made.
func (o *observed) at(s sighting) string { return subject(&o.vectors[s.vector]) + ", " + s.where }

// judgeDeterminism reports a vector once, however often its answer changed.
func judgeDeterminism(o *observed, j *judgement) {
	changed := map[int]bool{}
	for _, s := range o.again {
		if s.byEngine() && !changed[s.vector] {
			changed[s.vector] = !judgeSame(o, s, "as at the first call", j)
		}
	}
}

// judgeConcurrency leaves out vectors whose answers change even when they are
// asked one after the other.
func judgeConcurrency(o *observed, j *judgement) {
	spared := map[int]bool{}
	for _, s := range o.again {
		if s.kind == failed || s.byEngine() && !judgeSame(o, s, "", new(judgement)) {
			spared[s.vector] = true
		}
	}
	for _, s := range o.together {
		if spared[s.vector] || s.kind == unasked || s.kind == late {
			continue
		}
		if s.kind == failed {
			j.check(false, o.at(s), s.problem, "the answer that it gives alone")
			spared[s.vector] = true
			continue
		}
		spared[s.vector] = !judgeSame(o, s, "as when asked alone", j)
	}
}

// judgeSame compares a sighting with the first answer, part by part.
func judgeSame(o *observed, s sighting, as string, j *judgement) bool {
	parts, first := describeParts(o.spec, &s.answer), describeParts(o.spec, &o.answers[s.vector])
	for i := range min(len(parts), len(first)) {
		if parts[i] != first[i] {
			found, want := contrast(parts[i], first[i])
			j.check(false, o.at(s), found, want+", "+as)
			return false
		}
	}
	j.checks++
	return true
}

func judgeDeadline(o *observed, j *judgement) {
	want := "an answer or an error by the deadline"
	for i := range o.answers {
		if a := &o.answers[i]; a.kind != unasked {
			j.check(a.kind != late, subject(&o.vectors[i]), a.problem, want)
		}
	}
	for _, s := range slices.Concat(o.again, o.together) {
		if s.kind != unasked {
			j.check(s.kind != late, o.at(s), s.problem, want)
		}
	}
	for _, u := range o.unmade {
		j.fail(u.instance, fmt.Sprintf("%d calls that were not made, since %d earlier ones were late", u.calls, patience), "calls that return in time")
	}
	for _, s := range o.ended {
		judgeEnded(o, s, j)
	}
}

// judgeEnded judges a call that nobody waited for: it may fail, but what it
// answers must be legal, and it must come back.
func judgeEnded(o *observed, s sighting, j *judgement) {
	var err error
	switch s.kind {
	case late:
		j.check(false, o.at(s), s.problem, "a return at once")
		return
	case answered:
		err = sdk.CheckOutcome(o.spec, s.sent, s.outcome)
	case rejected:
		err = sdk.CheckRejection(o.spec, s.rejection)
	}
	j.check(err == nil, o.at(s), fmt.Sprint(err), "an error, or a legal answer")
}
