package registry

import (
	"reflect"

	"github.com/slipstick/slipstick/sdk"
)

// share lets a Spec use the memory of another one for everything that is the same in both. The
// other one is usually the Spec of the previous version. Specs never change after they were
// read.
func share(s, other *sdk.Spec) {
	for _, text := range []struct{ own, other *string }{
		{&s.Contract, &other.Contract}, {&s.Capability, &other.Capability}, {&s.Tool, &other.Tool}, {&s.Group, &other.Group},
		{&s.Title, &other.Title}, {&s.Summary, &other.Summary}, {&s.Changes, &other.Changes}, {&s.SignConvention, &other.SignConvention},
	} {
		if *text.own == *text.other {
			*text.own = *text.other
		}
	}
	shareItems(&s.Keywords, other.Keywords)
	shareItems(&s.Inputs, other.Inputs)
	shareItems(&s.Outputs, other.Outputs)
	shareItems(&s.Formulas, other.Formulas)
	shareItems(&s.Assumptions, other.Assumptions)
	shareItems(&s.References, other.References)
	shareItems(&s.Limits, other.Limits)
	shareItems(&s.Plots, other.Plots)
	shareItems(&s.Errors, other.Errors)
	shareItems(&s.Warnings, other.Warnings)
}

// shareItems replaces a list by an equal one, or its items by equal ones at the same places.
func shareItems[T any](own *[]T, other []T) {
	if reflect.DeepEqual(*own, other) {
		*own = other
		return
	}
	for i := range min(len(*own), len(other)) {
		if reflect.DeepEqual((*own)[i], other[i]) {
			(*own)[i] = other[i]
		}
	}
}
