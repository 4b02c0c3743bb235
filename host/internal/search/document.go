package search

import (
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/units"
)

// part is a text of a capability, with the weight of its words, and with how strongly its
// length reduces that weight.
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
	ofFormula  = 0.5
	ofUnits    = 0.5
	ofDoc      = 0.4
)

const (
	someDilution = 0.3
	fullDilution = 0.75
)

// document returns the parts of the capability as the release describes it.
func document(e *calc.Entry, r *calc.Release) []part {
	parts := []part{{ofID, someDilution, stems(e.ID)}}
	if r == nil {
		return parts
	}
	s := &r.Spec
	formulas := make([]string, len(s.Formulas))
	for i, f := range s.Formulas {
		formulas[i] = f.Label
	}
	return append(parts,
		part{ofTitle, someDilution, append(stems(s.Title), stems(s.Tool)...)},
		part{ofKeywords, someDilution, stems(strings.Join(s.Keywords, " "))},
		part{ofSummary, someDilution, stems(s.Summary)},
		part{ofOutputs, fullDilution, names(s.Outputs)},
		part{ofInputs, fullDilution, names(s.Inputs)},
		part{ofChoices, someDilution, append(choices(s.Inputs), choices(s.Outputs)...)},
		part{ofUnits, fullDilution, append(quantities(s.Inputs), quantities(s.Outputs)...)},
		part{ofDoc, fullDilution, append(docs(s.Inputs), docs(s.Outputs)...)},
		part{ofFormula, fullDilution, stems(strings.Join(formulas, " "))},
	)
}

func names(fields []sdk.Field) []string {
	var out []string
	visit(fields, func(f *sdk.Field) {
		out = append(out, stems(f.Name+" "+f.Label+" "+strings.Join(f.Aliases, " "))...)
	})
	return out
}

func docs(fields []sdk.Field) []string {
	var out []string
	visit(fields, func(f *sdk.Field) { out = append(out, stems(f.Doc)...) })
	return out
}

// choices are the values of enums, of which some are units.
func choices(fields []sdk.Field) []string {
	var out []string
	visit(fields, func(f *sdk.Field) {
		for _, v := range f.Enum {
			if u, ok := units.Lookup(v); ok {
				out = append(out, unitTerm(u.ID))
			} else {
				out = append(out, stems(v)...)
			}
		}
	})
	return out
}

// quantities returns what the numbers measure, by their units.
func quantities(fields []sdk.Field) []string {
	var out []string
	visit(fields, func(f *sdk.Field) {
		if u, ok := units.Lookup(f.Unit); ok {
			out = append(out, stems(u.Quantity)...)
		}
	})
	return out
}

// visit calls f for every field, those within arrays and objects included.
func visit(fields []sdk.Field, f func(*sdk.Field)) {
	for i := range fields {
		f(&fields[i])
		if fields[i].Items != nil {
			visit([]sdk.Field{*fields[i].Items}, f)
		}
		visit(fields[i].Fields, f)
	}
}

// unitTerm returns the term of a unit. No word can be equal to it.
func unitTerm(id string) string { return "unit:" + id }
