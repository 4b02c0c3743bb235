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

// judgeVector applies all rules about single vectors to the first answer to vector i.
func judgeVector(o *evidence, i int, j *judgement) {
	j.guard(func() {
		judgeNamed(o, i, j)
		judgeResult(o, i, j)
		judgeRejection(o, i, j)
		judgeExpectedWarnings(o, i, j)
	})
}

// Vectors returns the number of vectors with a result or a rejection, and the differences from
// their expectations.
func Vectors(seen *observe.Seen) (answered int, findings []report.Finding) {
	o, j := &evidence{Seen: seen}, new(judgement)
	for i := range o.Answers {
		if kind := o.Answers[i].Kind; kind == observe.Answered || kind == observe.Rejected {
			answered++
			judgeVector(o, i, j)
		}
	}
	return answered, j.findings
}

// eachVector makes a rule of a function that judges one vector, by its index.
func eachVector(judge func(*evidence, int, *judgement)) func(*evidence, *judgement) {
	return func(o *evidence, j *judgement) {
		for i := range o.Vectors {
			judge(o, i, j)
		}
	}
}

// judgeResult compares the answer with the result that a vector expects. Other rules report
// failed and late calls.
func judgeResult(o *evidence, i int, j *judgement) {
	v, a := &o.Vectors[i], &o.Answers[i]
	switch {
	case v.Rejection != nil:
	case a.Kind == observe.Rejected:
		j.check(false, about(v), "rejected with "+a.Rejection.Error(), "a result")
	case a.Kind == observe.Answered:
		j.checks++
		c := comparison{vector: v, judgement: j}
		c.record("result", v.Result, o.Spec.Outputs, a.Outcome.Result)
		c.absent(o.Spec.Outputs, a.Outcome.Result)
		if n := len(a.Outcome.Assumptions); (v.Complete || v.Assumptions > 0) && n != v.Assumptions {
			c.fail("assumptions", strconv.Itoa(n), strconv.Itoa(v.Assumptions))
		}
		used := o.Spec.Formula(a.Outcome.Formula)
		if v.Formula != "" && (used < 0 || o.Spec.Formulas[used].ID != v.Formula) {
			c.fail("formula", quote(a.Outcome.Formula), quote(v.Formula))
		}
	}
}

// judgeRejection compares the answer with the rejection that a vector expects. The field is
// compared only if the vector names one and the code is right.
func judgeRejection(o *evidence, i int, j *judgement) {
	v, a := &o.Vectors[i], &o.Answers[i]
	switch want := v.Rejection; {
	case want == nil:
	case a.Kind == observe.Answered:
		j.check(false, about(v), "the "+describeParts(o.Spec, a)[0], "a rejection with "+want.Code)
	case a.Kind == observe.Rejected:
		got := a.Rejection
		j.check(got.Code == want.Code, about(v).At("code"), got.Error(), want.Code)
		if want.Field != "" && got.Code == want.Code {
			j.check(got.Field == want.Field, about(v).At("field"), quote(got.Field), quote(want.Field))
		}
	}
}

func judgeExpectedWarnings(o *evidence, i int, j *judgement) {
	v, a := &o.Vectors[i], &o.Answers[i]
	if a.Kind != observe.Answered {
		return
	}
	for _, code := range v.Warnings {
		at := slices.IndexFunc(a.Outcome.Warnings, func(w sdk.Warning) bool { return w.Code == code })
		j.check(at >= 0, about(v), describeCodes(a.Outcome.Warnings), "the warning "+code)
		severity := v.Severities[code]
		if at >= 0 && severity != "" {
			got := a.Outcome.Warnings[at].Severity
			j.check(got == severity, about(v), "the warning "+code+" of severity "+quote(string(got)), quote(string(severity)))
		}
	}
	if !v.Complete {
		return
	}
	left := slices.Clone(v.Warnings)
	for _, w := range a.Outcome.Warnings {
		at := slices.Index(left, w.Code)
		j.check(at >= 0, about(v), "the warning "+quote(w.Code), "no such warning, or only one")
		if at >= 0 && slices.Contains(o.Spec.Warnings, w.Code) { // other warnings are given for each output
			left = slices.Delete(left, at, at+1)
		}
	}
}

// comparison compares an outcome with the result that a vector expects. The expected result
// may be a part of the outcome; members that it does not mention are not compared.
type comparison struct {
	vector *vector.Vector
	*judgement
	output string // that is being compared
}

func (c *comparison) fail(path, found, want string) {
	c.judgement.fail(about(c.vector).At(path), found, want)
}

// absent fails for each output that the vector expects to be absent.
func (c *comparison) absent(fields []sdk.Field, got []value.Value) {
	for _, name := range c.vector.Absent {
		i := slices.IndexFunc(fields, func(f sdk.Field) bool { return f.Name == name })
		if i < 0 {
			c.fail("result."+name, "no such output in the Spec", "absent")
		} else if i < len(got) && got[i].Kind() != value.Absent {
			c.fail("result."+name, describeValue(&fields[i], got[i]), "absent")
		}
	}
}

func (c *comparison) record(path string, want strictjson.Value, fields []sdk.Field, got []value.Value) {
	for _, m := range want.Members {
		i := slices.IndexFunc(fields, func(f sdk.Field) bool { return f.Name == m.Name })
		if path == "result" {
			c.output = m.Name
		}
		switch inner := path + "." + m.Name; {
		case i < 0:
			c.fail(inner, "no such output in the Spec", describeExpected(m.Value))
		case i >= len(got):
			c.fail(inner, "absent", describeExpected(m.Value))
		default:
			c.value(inner, m.Value, &fields[i], got[i])
		}
	}
}

func (c *comparison) value(path string, want strictjson.Value, f *sdk.Field, got value.Value) {
	switch {
	case want.Kind == strictjson.Number && (got.Kind() == value.Number || got.Kind() == value.Exact):
		c.number(path, want, got)
	case want.Kind == strictjson.Array && got.Kind() == value.List && len(want.Items) == len(got.Items()):
		for i, item := range want.Items {
			c.value(path+"."+strconv.Itoa(i), item, itemsOf(f), got.Items()[i])
		}
	case want.Kind == strictjson.Object && got.Kind() == value.Record:
		c.record(path, want, f.Fields, got.Items())
	case want.Kind == strictjson.String && (got.Kind() == value.Text || got.Kind() == value.Exact) && got.Text() == want.Text:
	case want.Kind == strictjson.Bool && got.Kind() == value.Bool && got.Bool() == want.Bool:
	default:
		c.fail(path, describeValue(f, got), describeExpected(want))
	}
}

// number compares two numbers. They agree if they differ by at most the larger of
// RTol * |want|, ATol, and the tolerance of the output.
func (c *comparison) number(path string, want strictjson.Value, got value.Value) {
	x := got.Number()
	if got.Kind() == value.Exact {
		x = math.NaN() // a literal that cannot be read equals no number
		if literal, err := strictjson.ParseNumber(got.Text()); err == nil {
			x = literal.Float
		}
	}
	allowed := max(c.vector.RTol*math.Abs(want.Float), c.vector.ATol, c.vector.Tolerances[c.output])
	if off := math.Abs(x - want.Float); !(off <= allowed) { // true if off is NaN
		c.fail(path, fmt.Sprintf("%s, off by %.3g", describeValue(nil, got), off),
			fmt.Sprintf("%s within %.3g", want.Text, allowed))
	}
}
