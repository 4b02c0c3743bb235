package search

import (
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// part is a text of a capability, with the weight of its words. It also has the strength with which the length
// of the text reduces that weight.
type part struct {
	weight, dilution float64
	terms            []string
}

// Weights of the parts: names count more than descriptions.
const (
	ofTitle    = 3.0
	ofID       = 2.0
	ofKeywords = 2.0
	ofSummary  = 1.5
	ofOutputs  = 1.2
	ofInputs   = 1.0
	ofChoices  = 1.0
	ofFormula  = 1.0
	ofUnits    = 0.5
	ofDoc      = 0.4
)

const (
	someDilution = 0.3
	fullDilution = 0.75
)

// document returns the parts of the capability as the release describes it.
func (st stemmer) document(e *catalog.Entry, r *catalog.Release) []part {
	parts := []part{{ofID, someDilution, st.stems(e.ID)}}
	if r == nil {
		return parts
	}
	s := &r.Spec
	formulas := make([]string, len(s.Formulas))
	for i, f := range s.Formulas {
		formulas[i] = f.Label
	}
	return append(parts,
		part{ofTitle, someDilution, append(st.stems(s.Title), st.stems(s.Tool)...)},
		part{ofKeywords, someDilution, st.stems(strings.Join(s.Keywords, " "))},
		part{ofSummary, someDilution, st.stems(s.Summary)},
		part{ofOutputs, fullDilution, st.names(s.Outputs)},
		part{ofInputs, fullDilution, st.names(s.Inputs)},
		part{ofChoices, someDilution, append(st.choices(s.Inputs), st.choices(s.Outputs)...)},
		part{ofUnits, fullDilution, append(st.quantities(s.Inputs), st.quantities(s.Outputs)...)},
		part{ofDoc, fullDilution, append(st.docs(s.Inputs), st.docs(s.Outputs)...)},
		part{ofFormula, fullDilution, st.stems(strings.Join(formulas, " "))},
	)
}

func (st stemmer) names(fields []sdk.Field) []string {
	var out []string
	visit(fields, func(f *sdk.Field) {
		out = append(out, st.stems(f.Name+" "+f.Label+" "+strings.Join(f.Aliases, " "))...)
	})
	return out
}

func (st stemmer) docs(fields []sdk.Field) []string {
	var out []string
	visit(fields, func(f *sdk.Field) { out = append(out, st.stems(f.Doc)...) })
	return out
}

// choices are the values of enums. Some of them are units.
func (st stemmer) choices(fields []sdk.Field) []string {
	var out []string
	visit(fields, func(f *sdk.Field) {
		for _, v := range f.Enum {
			if u, ok := units.Lookup(v); ok {
				out = append(out, unitTerm(u.ID))
			} else {
				out = append(out, st.stems(v)...)
			}
		}
	})
	return out
}

// quantities returns the quantities of the numbers, by their units.
func (st stemmer) quantities(fields []sdk.Field) []string {
	var out []string
	visit(fields, func(f *sdk.Field) {
		if u, ok := units.Lookup(f.Unit); ok {
			out = append(out, st.stems(u.Quantity)...)
		}
	})
	return out
}

// visit calls f for every field, including fields within arrays and objects.
func visit(fields []sdk.Field, f func(*sdk.Field)) {
	for i := range fields {
		f(&fields[i])
		if fields[i].Items != nil {
			visit([]sdk.Field{*fields[i].Items}, f)
		}
		visit(fields[i].Fields, f)
	}
}

// unitTerm returns the term of a unit. It differs from every word.
func unitTerm(id string) string { return "unit:" + id }
