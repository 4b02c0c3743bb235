package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// incomplete reports whether some vector has no definite answer.
func (o *evidence) incomplete() bool {
	return slices.ContainsFunc(o.Answers, func(a observe.Answer) bool { return a.Kind != observe.Answered && a.Kind != observe.Rejected })
}

// outcomes calls look for each vector with an outcome at the first call.
func (o *evidence) outcomes(look func(v *vector.Vector, a *observe.Answer)) {
	for i := range o.Answers {
		if o.Answers[i].Kind == observe.Answered {
			look(&o.Vectors[i], &o.Answers[i])
		}
	}
}

// judgeSchema validates each outcome against the output schema. It skips outcomes that break
// the Spec, because they cannot be rendered; outcome-valid reports them.
func judgeSchema(o *evidence, j *judgement) {
	schema, err := o.outputSchema()
	if err != nil {
		j.check(false, report.Subject{Name: "the output schema"}, err.Error(), "a JSON Schema that compiles")
		return
	}
	o.outcomes(func(v *vector.Vector, a *observe.Answer) {
		if o.Spec.CheckOutcome(a.Sent, a.Outcome) != nil {
			j.spoiled = true
			return
		}
		err := validate(schema, renderSuccess(o.Spec, a.Outcome))
		j.check(err == nil, about(v), fmt.Sprint(err), "a result that the output schema accepts")
	})
}

// judgeOutcomes checks each outcome against the Spec. It ignores numbers that are not
// finite and warnings that are not declared, which other rules report.
func judgeOutcomes(o *evidence, j *judgement) {
	o.outcomes(func(v *vector.Vector, a *observe.Answer) {
		var finite judgement
		judgeFiniteValues(about(v).At("result"), o.Spec.Outputs, a.Outcome.Result, &finite)
		if len(finite.findings) > 0 {
			j.spoiled = true
			return
		}
		outcome := a.Outcome
		outcome.Warnings = slices.DeleteFunc(slices.Clone(outcome.Warnings), func(w sdk.Warning) bool { return !o.Spec.MayWarn(w.Code) })
		err := o.Spec.CheckOutcome(a.Sent, outcome)
		j.check(err == nil, about(v), fmt.Sprint(err), "an outcome as the Spec declares it")
	})
}

func judgeFinite(o *evidence, j *judgement) {
	o.outcomes(func(v *vector.Vector, a *observe.Answer) {
		judgeFiniteValues(about(v).At("result"), o.Spec.Outputs, a.Outcome.Result, j)
	})
}

func judgeFiniteValues(of report.Subject, fields []sdk.Field, values []value.Value, j *judgement) {
	for i, v := range values {
		judgeFiniteValue(of.At(of.Path+"."+fieldAt(fields, i).Name), fieldAt(fields, i), v, j)
	}
}

func judgeFiniteValue(of report.Subject, f *sdk.Field, v value.Value, j *judgement) {
	switch v.Kind() {
	case value.Number:
		x := v.Number() // never -0: value.NumberOf converts it to 0
		j.check(!math.IsNaN(x) && !math.IsInf(x, 0), of, strconv.FormatFloat(x, 'g', -1, 64), "a finite number")
	case value.Exact:
		n, err := strictjson.ParseNumber(v.Text())
		ok := err == nil && n.Range == strictjson.InRange && !(n.Float == 0 && n.Text[0] == '-')
		j.check(ok, of, quote(v.Text()), "a decimal literal that binary64 can hold, and 0 without a sign")
	case value.List:
		for i, item := range v.Items() {
			inner := of.At(of.Path + "." + strconv.Itoa(i))
			if item.Kind() == value.Absent {
				j.check(false, inner, "null", "a value")
			}
			judgeFiniteValue(inner, itemsOf(f), item, j)
		}
	case value.Record:
		judgeFiniteValues(of, f.Fields, v.Items(), j)
	}
}

// judgeErrors checks each rejection by the engine against the Spec, and that the vectors
// test every domain error that the Spec declares.
func judgeErrors(o *evidence, j *judgement) {
	for i := range o.Answers {
		if a := &o.Answers[i]; a.Kind == observe.Rejected && !a.Early {
			err := o.Spec.CheckRejection(a.Rejection)
			j.check(err == nil, about(&o.Vectors[i]), fmt.Sprint(err), "a rejection as the Spec declares it")
		}
	}
	for _, code := range o.Spec.Errors {
		expects := func(v vector.Vector) bool { return v.Rejection != nil && v.Rejection.Code == code }
		j.check(slices.ContainsFunc(o.Vectors, expects), ofSpec.At("errors"), code+", which no vector expects", "a vector that expects it, or no such code")
	}
}

// judgeWarnings checks that the Spec declares each warning, that expected warnings are
// given, and that the vectors test every warning that the Spec declares.
func judgeWarnings(o *evidence, j *judgement) {
	o.outcomes(func(v *vector.Vector, a *observe.Answer) {
		for _, w := range a.Outcome.Warnings {
			j.check(o.Spec.MayWarn(w.Code), about(v), "the warning "+quote(w.Code), "a code that the Spec declares")
		}
	})
	eachVector(judgeExpectedWarnings)(o, j)
	for _, code := range o.Spec.Warnings {
		expects := func(v vector.Vector) bool { return slices.Contains(v.Warnings, code) }
		j.check(slices.ContainsFunc(o.Vectors, expects), ofSpec.At("warnings"), code+", which no vector expects", "a vector that expects it, or no such code")
	}
}

func judgePlots(o *evidence, j *judgement) {
	for _, d := range o.Drawings {
		j.check(d.Err == nil, about(&o.Vectors[d.Vector]).At("plot "+d.Plot), fmt.Sprint(d.Err), "a figure")
	}
}

// judgeFailures reports a failed first call, and the first failure among the repetitions
// of a vector.
func judgeFailures(o *evidence, j *judgement) {
	want := "an outcome or an *sdk.Error"
	// reported has the vectors whose repetition has already failed once.
	reported := map[int]bool{}
	for i := range o.Answers {
		a := &o.Answers[i]
		j.check(a.Kind != observe.Failed, about(&o.Vectors[i]), a.Problem, want)
	}
	for _, s := range o.Repeated {
		j.check(s.Kind != observe.Failed || reported[s.Vector], o.at(s), s.Problem, want)
		reported[s.Vector] = reported[s.Vector] || s.Kind == observe.Failed
	}
}

// at returns the subject of a finding about a sighting.
func (o *evidence) at(s observe.Sighting) report.Subject {
	return about(&o.Vectors[s.Vector]).At(s.When)
}

// judgeDeterminism compares repeated calls with the first one. It reports a vector once, even
// if its answer changed several times.
func judgeDeterminism(o *evidence, j *judgement) {
	changed := map[int]bool{}
	for _, s := range o.Repeated {
		if s.ByEngine() && !changed[s.Vector] {
			changed[s.Vector] = !judgeSame(o, s, "as at the first call", j)
		}
	}
}

// judgeConcurrency compares calls that were made at the same time with the first one. It
// excludes vectors whose answers change even when they are sent one after the other: rule
// determinism reports those. Late calls belong to rule deadline. Each vector is reported
// at most once.
func judgeConcurrency(o *evidence, j *judgement) {
	excluded := map[int]bool{}
	for _, s := range o.Repeated {
		if s.Kind == observe.Failed || s.ByEngine() && !judgeSame(o, s, "", new(judgement)) {
			excluded[s.Vector] = true
		}
	}
	for _, s := range o.Together {
		if excluded[s.Vector] || s.Kind == observe.Unasked || s.Kind == observe.Late {
			continue
		}
		if s.Kind == observe.Failed {
			j.check(false, o.at(s), s.Problem, "the answer that it gives alone")
			excluded[s.Vector] = true
			continue
		}
		excluded[s.Vector] = !judgeSame(o, s, "as when asked alone", j)
	}
}

// judgeSame compares a sighting with the first answer, part by part, and reports whether
// they are equal. It adds a finding about the first part that differs.
func judgeSame(o *evidence, s observe.Sighting, as string, j *judgement) bool {
	parts, first := describeParts(o.Spec, &s.Answer), describeParts(o.Spec, &o.Answers[s.Vector])
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

// judgeDeadline reports late calls, calls that were not made because of late ones, and
// calls that do not return although their context has ended.
func judgeDeadline(o *evidence, j *judgement) {
	want := "an answer or an error by the deadline"
	for i := range o.Answers {
		if a := &o.Answers[i]; a.Kind != observe.Unasked {
			j.check(a.Kind != observe.Late, about(&o.Vectors[i]), a.Problem, want)
		}
	}
	for _, s := range slices.Concat(o.Repeated, o.Together) {
		if s.Kind != observe.Unasked {
			j.check(s.Kind != observe.Late, o.at(s), s.Problem, want)
		}
	}
	for _, u := range o.Skipped {
		j.fail(report.Subject{Name: u.Instance}, fmt.Sprintf("%d calls that were not made, since %d earlier ones were late", u.Calls, observe.MostLate), "calls that return in time")
	}
	for _, s := range o.Ended {
		judgeEnded(o, s, j)
	}
}

// judgeEnded judges a call whose context had ended before. It may fail, but it must return,
// and an answer must be legal.
func judgeEnded(o *evidence, s observe.Sighting, j *judgement) {
	var err error
	switch s.Kind {
	case observe.Late:
		j.check(false, o.at(s), s.Problem, "a return at once")
		return
	case observe.Answered:
		err = o.Spec.CheckOutcome(s.Sent, s.Outcome)
	case observe.Rejected:
		err = o.Spec.CheckRejection(s.Rejection)
	}
	j.check(err == nil, o.at(s), fmt.Sprint(err), "an error, or a legal answer")
}
