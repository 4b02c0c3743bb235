package text

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/slipstick/slipstick/sdk/visible"
)

// replacements are characters of word processors, and what to type.
var replacements = map[rune]string{
	'−': "is a minus sign of a word processor: type -", '–': "is a dash: type -", '—': "is a dash: type -",
	'×': "is a sign of a product: write *", '·': "is a sign of a product: write *", '⋅': "is a sign of a product: write *",
	'“': `is a curly quotation mark: type "`, '”': `is a curly quotation mark: type "`, '„': `is a curly quotation mark: type "`,
	'‘': "is a curly quotation mark: leave it out", '’': "is a curly quotation mark: leave it out",
	'²': "is a power: write ^2", '³': "is a power: write ^3", '√': "is a root: write sqrt(x)", 'π': "is pi: write pi",
	'≤': "is a comparison: write <=", '≥': "is a comparison: write >=", '≠': "is a comparison: write !=", '÷': "is a sign of a quotient: write /",
	'\u00a0': "is a no-break space: type a blank", '\u202f': "is a no-break space: type a blank", '\u2009': "is a thin space: type a blank",
	'，': "is a comma of another script: type ,",
}

// checkHidden reports characters that cannot be seen.
func (r *reader) checkHidden() {
	for n, line := range r.lines {
		line = strings.TrimRight(line, " \t")
		column := 0
		for i, c := range line {
			column++
			isIndent := c == '\t' && strings.TrimSpace(line[:i]) == ""
			if !isIndent && (c == '\t' || visible.Hidden(c)) {
				r.character(Place{n + 1, column}, "U+%04X cannot be seen, and has no place here: delete it", c)
				break
			}
		}
	}
}

// checkCharacters reports the first character of a phrase that a word processor made of another one. Phrases
// of numbers, names and expressions are checked, prose is not.
func (r *reader) checkCharacters(p Phrase) {
	for i, c := range p.Text {
		if remedy, ok := replacements[c]; ok {
			r.character(p.column(i), "%s %s", shown(c), remedy)
			return
		}
	}
}

// character reports a wrong character. Other mistakes in its line, which follow from it, are not reported.
func (r *reader) character(at Place, format string, args ...any) {
	r.report(at, 1, format, args...)
	if r.unreadable == nil {
		r.unreadable = map[int]bool{}
	}
	r.unreadable[at.Line] = true
}

// shown returns a character as people can see it.
func shown(c rune) string {
	if c == '−' || unicode.IsSpace(c) {
		return fmt.Sprintf("U+%04X", c)
	}
	return string(c) + ":"
}
