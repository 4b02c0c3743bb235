package calc

import (
	"net/http"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// warnPowerFactorIgnored is the only warning of engines that the interface names (spec 7.3).
// Several engines give it.
const warnPowerFactorIgnored = "POWER_FACTOR_IGNORED"

// cautions holds the cause and the remedy of warnings that engines do not declare.
var cautions = map[string][2]string{
	sdk.WarnResultUnderflow: {"A result is not zero but smaller than any binary64 number, and was rounded to zero.", "Use inputs of larger magnitude if the value matters."},
	sdk.WarnResultSubnormal: {"A result is below the normal range of binary64 numbers, and has fewer significant digits.", "Use inputs of larger magnitude if the digits matter."},
	warnDeprecated:          {"The version that answered is served, and should not be built on any more. detail has the reason, and the date after which it may be withdrawn.", "Move to the version that the suggestion names, or send no pin for the current one."},
	warnNoSteps:             {"Worked steps were asked for, and this version has no formula that they could be made of: it was written for an older contract.", "Ask for a newer version, or do without steps. The result is not affected."},
	warnYanked:              {"The version that answered was withdrawn. It answers only who pins it; detail has the reason.", "Move to the version that the suggestion names, or send no pin for the current one."},
	warnPowerFactorIgnored:  {"A power factor was sent with direct current, which has none. It was ignored.", "Leave the power factor out, or choose an alternating-current circuit."},
}

// Warnings explains every code that the warnings of a success can carry now, in
// alphabetical order.
func (c *Catalog) Warnings() []CodeDoc {
	declared := map[string]*CodeDoc{}
	of := func(code string) *CodeDoc {
		if declared[code] == nil {
			d := caution(code)
			declared[code] = &d
		}
		return declared[code]
	}
	for code := range cautions {
		of(code)
	}
	for _, e := range c.entries {
		for _, r := range e.Releases {
			for _, code := range r.Spec.Warnings {
				if d := of(code); len(d.DeclaredBy) == 0 || d.DeclaredBy[len(d.DeclaredBy)-1] != e.ID {
					d.DeclaredBy = append(d.DeclaredBy, e.ID)
				}
			}
		}
	}
	docs := make([]CodeDoc, 0, len(declared))
	for _, d := range declared {
		docs = append(docs, *d)
	}
	slices.SortFunc(docs, func(a, b CodeDoc) int { return strings.Compare(a.Code, b.Code) })
	return docs
}

// caution explains a warning code.
func caution(code string) CodeDoc {
	d := CodeDoc{Code: code, Kind: KindWarning, Title: titleOf(code), HTTPStatus: http.StatusOK, Recoverable: true}
	texts, shared := cautions[code]
	if !shared {
		texts = [2]string{
			"The result stands, with a reservation: " + strings.ToLower(d.Title) + ". The detail of the warning says what it is in this calculation.",
			"Decide whether the result can be used; the suggestion of the warning says what would help.",
		}
	}
	d.Cause, d.Remedy = texts[0], texts[1]
	return d
}
