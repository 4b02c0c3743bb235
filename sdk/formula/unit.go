package formula

import (
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/sdk/units"
)

// ReadUnit returns the unit that a text means where one of a quantity is expected, such as force. It
// may be spelled as the table of units does, or as people write it: °C, N/mm², µm, N·m.
func ReadUnit(text, quantity string) (units.Unit, bool) {
	if u, ok := units.Lookup(text); ok {
		return u, true
	}
	written := withoutMarks(text)
	for _, u := range units.Of(quantity) {
		if withoutMarks(u.ID) == written || withoutMarks(FormatUnit(u.ID)) == written {
			return u, true
		}
	}
	return units.Unit{}, false
}

var likeLetters = strings.NewReplacer("μ", "µ", "\u2126", "Ω", "²", "2", "³", "3", "⁴", "4")

// withoutMarks leaves out what stands between the factors of a unit, and the marks of powers.
func withoutMarks(unit string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune(".·⋅*^", r) {
			return -1
		}
		return r
	}, likeLetters.Replace(unit))
}
