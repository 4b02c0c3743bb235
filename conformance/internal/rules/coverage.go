package rules

import (
	"slices"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// reaches counts how often each declared entry was reached, in the order of declaration.
type reaches struct {
	list  []report.Reach
	index map[[2]string]int // position in list, by kind and name
}

func (o *evidence) coverage() []report.Reach {
	r := &reaches{list: []report.Reach{}, index: map[[2]string]int{}}
	if o.Spec == nil {
		return r.list
	}
	r.declare(o.Spec)
	for i := range o.Answers {
		r.count(o.Spec, &o.Answers[i], about(&o.Vectors[i]), func(one *report.Reach) *int { return &one.Vectors })
	}
	for i := range o.Generated.Cases {
		r.count(o.Spec, &o.Generated.First[i], o.subjectOf(i), func(one *report.Reach) *int { return &one.Generated })
	}
	return r.list
}

// declare adds everything in the Spec that requests can reach.
func (r *reaches) declare(spec *sdk.Spec) {
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		r.add("input", f.Name)
		for _, choice := range f.Enum {
			r.add("enum value", f.Name+"="+choice)
		}
	}
	for i := range spec.Outputs {
		r.add("output", spec.Outputs[i].Name)
	}
	for _, code := range spec.Codes() {
		r.add("error", code)
	}
	for _, code := range spec.Warnings {
		r.add("warning", code)
	}
}

func (r *reaches) add(what, name string) {
	if _, ok := r.index[[2]string{what, name}]; !ok {
		r.index[[2]string{what, name}] = len(r.list)
		r.list = append(r.list, report.Reach{What: what, Name: name})
	}
}

// count counts the entries that one answer reached: the inputs, outputs and warnings of a
// result, or the code of a rejection. Of selects the counter of vectors or of generated
// requests.
func (r *reaches) count(spec *sdk.Spec, a *observe.Answer, by report.Subject, of func(*report.Reach) *int) {
	reach := func(what, name string) {
		if i, ok := r.index[[2]string{what, name}]; ok {
			*of(&r.list[i])++
			if r.list[i].By == (report.Subject{}) {
				r.list[i].By = by
			}
		}
	}
	if a.Kind == observe.Rejected && a.Rejection != nil {
		reach("error", a.Rejection.Code)
	}
	if a.Kind != observe.Answered {
		return
	}
	for i := range min(len(a.Sent), len(spec.Inputs)) {
		f, v := &spec.Inputs[i], a.Sent[i]
		if v.Kind() == value.Absent {
			continue
		}
		reach("input", f.Name)
		if slices.Contains(f.Enum, v.Text()) {
			reach("enum value", f.Name+"="+v.Text())
		}
	}
	for i := range min(len(a.Outcome.Result), len(spec.Outputs)) {
		if a.Outcome.Result[i].Kind() != value.Absent {
			reach("output", spec.Outputs[i].Name)
		}
	}
	for _, w := range a.Outcome.Warnings {
		reach("warning", w.Code)
	}
}
