package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// judgeCaseInside is judgeCaseRange for fields inside lists and objects. The first contract
// left their ranges to the engine.
func judgeCaseInside(o *evidence, i int, j *judgement) {
	a := &o.Generated.First[i]
	if !o.Spec.Follows("1.1.0") || !a.ByEngine() || len(a.Sent) != len(o.Spec.Inputs) || len(outsideRanges(o.Spec, a.Sent, a.Sent)) > 0 {
		return
	}
	rejectedFor := func(input *sdk.Field, code string) bool {
		return a.Kind == observe.Rejected && a.Rejection.Code == code && a.Rejection.Field == input.Name
	}
	left := o.Spec.Strays(a.Sent)
	if len(left) > 0 {
		s := left[0]
		ok := slices.ContainsFunc(left, func(s sdk.Stray) bool { return rejectedFor(s.Input, s.Field.Range.Code) })
		j.check(ok, o.subjectOf(i), answeredWith(o, a), fmt.Sprintf("the rejection %s of %s.%s, which must lie in %s",
			s.Field.Range.Code, s.Input.Name, strings.Join(s.Path, "."), s.Within))
		return
	}
	for n := range o.Spec.Inputs {
		f := &o.Spec.Inputs[n]
		if a.Sent[n].Kind() == value.Absent || f.Range != nil {
			continue // its own range may have the same code
		}
		for _, r := range fixedRanges(f) {
			if !slices.Contains(o.Spec.Errors, r.Code) {
				j.check(!rejectedFor(f, r.Code), o.subjectOf(i), answeredWith(o, a), fmt.Sprintf("no %s, since everything in %s lies in %s", r.Code, f.Name, r))
			}
		}
	}
}

// fixedRanges returns the ranges inside f. It leaves out the codes of ranges that end at
// another field, which may be absent.
func fixedRanges(f *sdk.Field) []*sdk.Range {
	var list []*sdk.Range
	var bound []string
	var walk func(f *sdk.Field)
	walk = func(f *sdk.Field) {
		inner := f.Fields
		if f.Items != nil {
			inner = []sdk.Field{*f.Items}
		}
		for i := range inner {
			if r := inner[i].Range; r != nil {
				list = append(list, r)
				if r.MinInput != "" || r.MaxInput != "" {
					bound = append(bound, r.Code)
				}
			}
			walk(&inner[i])
		}
	}
	walk(f)
	return slices.DeleteFunc(list, func(r *sdk.Range) bool { return slices.Contains(bound, r.Code) })
}
