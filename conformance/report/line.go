package report

import (
	"strings"
	"unicode"
)

// longest is the largest length of an engine's text in a finding, in bytes.
const longest = 400

// OneLine makes a text safe for one line of a terminal: it cuts long texts and replaces
// characters that are not printable by spaces.
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
