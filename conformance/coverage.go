package conformance

import (
	"slices"

	"github.com/slipstick/slipstick/sdk"
)

// Reach says how often the vectors and the generated requests reached one thing that
// the Spec declares.
type Reach struct {
	What      string `json:"what"` // input, enum value, output, error or warning
	Name      string `json:"name"` // an enum value is input=value
	Vectors   int    `json:"vectors"`
	Generated int    `json:"generated"`
	By        string `json:"by"` // the first that reached it, "" if none did
}

// reaches counts in the order in which things were declared.
type reaches struct {
	list  []Reach
	index map[[2]string]int
}

func (o *observed) coverage() []Reach {
	r := &reaches{list: []Reach{}, index: map[[2]string]int{}}
	if o.spec == nil {
		return r.list
	}
	r.declare(o.spec)
	for i := range o.answers {
		r.count(o.spec, &o.answers[i], subject(&o.vectors[i]), func(one *Reach) *int { return &one.Vectors })
	}
	for i := range o.generated.cases {
		r.count(o.spec, &o.generated.first[i], o.subjectOf(i), func(one *Reach) *int { return &one.Generated })
	}
	return r.list
}

func (r *reaches) declare(spec *sdk.Spec) {
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		r.add("input", f.Name)
		for _, value := range f.Enum {
			r.add("enum value", f.Name+"="+value)
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
		r.list = append(r.list, Reach{What: what, Name: name})
	}
}

// count counts what one answer reached: inputs that a result was computed from, and
// the codes of what was rejected.
func (r *reaches) count(spec *sdk.Spec, a *answer, by string, of func(*Reach) *int) {
	reach := func(what, name string) {
		if i, ok := r.index[[2]string{what, name}]; ok {
			*of(&r.list[i])++
			if r.list[i].By == "" {
				r.list[i].By = by
			}
		}
	}
	if a.kind == rejected && a.rejection != nil {
		reach("error", a.rejection.Code)
	}
	if a.kind != answered {
		return
	}
	for i := range min(len(a.sent), len(spec.Inputs)) {
		f, v := &spec.Inputs[i], a.sent[i]
		if v.Kind() == sdk.Absent {
			continue
		}
		reach("input", f.Name)
		if slices.Contains(f.Enum, v.Text()) {
			reach("enum value", f.Name+"="+v.Text())
		}
	}
	for i := range min(len(a.outcome.Result), len(spec.Outputs)) {
		if a.outcome.Result[i].Kind() != sdk.Absent {
			reach("output", spec.Outputs[i].Name)
		}
	}
	for _, w := range a.outcome.Warnings {
		reach("warning", w.Code)
	}
}

// Reached counts what the vectors and the generated requests reached.
func (r *Report) Reached() (reached, all int) {
	for _, one := range r.Coverage {
		if one.By != "" {
			reached++
		}
	}
	return reached, len(r.Coverage)
}
