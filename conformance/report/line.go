package report

import (
	"strings"
	"unicode"
)

// longest is how much of an engine's text is repeated, in bytes.
const longest = 400

// OneLine makes any text fit for one line of a terminal: printable, and not long.
func OneLine(s string) string { return fit(s, longest) }

func fit(s string, most int) string {
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "?"))
}
