package typed

import (
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/units"
)

// splitUnit cuts a text where its unit starts. This is the first letter that is not the exponent of a
// number, or the slash before it.
func splitUnit(text string) (number, unit string) {
	at := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.,' +-−*/()eE", r) })
	for i := range text {
		if (text[i] == 'e' || text[i] == 'E') && !isExponent(text, i) && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 {
		return text, ""
	}
	number, unit = text[:at], text[at:]
	if before, ok := strings.CutSuffix(number, " 1/"); ok { // 5 1/K
		number, unit = before, "1/"+unit
	} else if before, ok := strings.CutSuffix(number, "/"); ok { // 5/K
		number, unit = before, "/"+unit
	}
	return strings.TrimSpace(number), strings.TrimSpace(unit)
}

// isExponent reports whether the letter at i follows a digit and precedes a digit or a signed digit.
func isExponent(text string, i int) bool {
	after := strings.TrimLeft(text[i+1:], "+-")
	return i > 0 && isDigitOrPoint(text[i-1]) && len(after) >= len(text)-i-2 && after != "" && after[0] >= '0' && after[0] <= '9'
}

func isDigitOrPoint(c byte) bool { return c >= '0' && c <= '9' || c == '.' || c == ',' }

// unitID returns the id of a unit that is written as in the table or as on pages. A text that is not a
// unit of the field stays unchanged, and package request refuses it.
func unitID(f *sdk.Field, text string) string {
	own, _ := units.Lookup(f.Unit)
	if u, ok := formula.ReadUnit(text, own.Quantity); ok {
		return u.ID
	}
	return text
}

// unitWord writes a unit without blanks, so that it can follow a number directly: /K for 1/K.
func unitWord(id string) string {
	if strings.HasPrefix(id, "1/") {
		id = id[1:]
	}
	return strings.ReplaceAll(id, " ", "·")
}
