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
	WarnFormulaDiffers    = "FORMULA_DIFFERS"
)

// cautions holds the cause and the remedy of warnings that engines do not declare.
var cautions = map[string][2]string{
	sdk.WarnResultUnderflow: {"A result is not zero, but smaller than any binary64 number. It was rounded to zero.", "Use inputs of larger magnitude if the value matters."},
	sdk.WarnResultSubnormal: {"A result is below the normal range of binary64 numbers, so it has fewer significant digits.", "Use inputs of larger magnitude if the digits matter."},
	WarnVersionDeprecated:   {"The version is deprecated. detail has the reason, and the date after which it can be withdrawn.", "Move to the version that the suggestion names, or send no pin for the current version."},
	WarnStepsUnavailable:    {"The request asks for worked steps, and this version has no formula for them, because its contract is older.", "Use a newer version, or do without steps. The result is not affected."},
	WarnFormulaDiffers:      {"The request asks for worked steps, and the published formula gives another number than the engine.", "Do not use the result. Report the inputs to the operator of the service, who can withdraw the version."},
	WarnVersionYanked:       {"The version was withdrawn. It answers only requests that pin it, and detail has the reason.", "Move to the version that the suggestion names, or send no pin for the current version."},
	warnPowerFactorIgnored:  {"The inputs have a power factor and direct current, which has none. The engine ignored it.", "Leave the power factor out, or choose an alternating-current circuit."},
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
			"The result is valid with a reservation: " + strings.ToLower(d.Title) + ". The detail of the warning describes it.",
			"Decide whether the result can be used. The suggestion of the warning has a remedy.",
		}
	}
	d.Cause, d.Remedy = texts[0], texts[1]
	return d
}
