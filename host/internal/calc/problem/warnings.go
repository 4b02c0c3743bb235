package problem

import (
	"net/http"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// warnPowerFactorIgnored is the only warning of engines that the interface names (spec 7.3).
// Several engines use it.
const warnPowerFactorIgnored = "POWER_FACTOR_IGNORED"

// Codes of warnings of the service itself.
const (
	WarnVersionDeprecated = "VERSION_DEPRECATED"
	WarnVersionYanked     = "VERSION_YANKED"
	WarnStepsUnavailable  = "STEPS_UNAVAILABLE"
)

// cautions holds the cause and the remedy of warnings that engines do not declare.
var cautions = map[string][2]string{
	sdk.WarnResultUnderflow: {"A result is not zero but smaller than any binary64 number, and was rounded to zero.", "Use inputs of larger magnitude if the value matters."},
	sdk.WarnResultSubnormal: {"A result is below the normal range of binary64 numbers, and has fewer significant digits.", "Use inputs of larger magnitude if the digits matter."},
	WarnVersionDeprecated:   {"The version that answered is served, and should not be built on any more. detail has the reason, and the date after which it may be withdrawn.", "Move to the version that the suggestion names, or send no pin for the current one."},
	WarnStepsUnavailable:    {"Worked steps were asked for, and this version has no formula that they could be made of: it was written for an older contract.", "Ask for a newer version, or do without steps. The result is not affected."},
	WarnVersionYanked:       {"The version that answered was withdrawn. It answers only who pins it; detail has the reason.", "Move to the version that the suggestion names, or send no pin for the current one."},
	warnPowerFactorIgnored:  {"A power factor was sent with direct current, which has none. It was ignored.", "Leave the power factor out, or choose an alternating-current circuit."},
}

// ExplainWarnings explains every code that the warnings of a success can contain, in alphabetical
// order. declared lists the capabilities with engines that declare a code.
func ExplainWarnings(declared map[string][]string) []Doc {
	var docs []Doc
	for code := range cautions {
		docs = append(docs, caution(code, declared[code]))
	}
	for code, by := range declared {
		if _, shared := cautions[code]; !shared {
			docs = append(docs, caution(code, by))
		}
	}
	sortByCode(docs)
	return docs
}

// caution explains a warning code.
func caution(code string, declaredBy []string) Doc {
	d := Doc{Code: code, Kind: KindWarning, Title: titleOf(code), HTTPStatus: http.StatusOK, Recoverable: true, DeclaredBy: declaredBy}
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
