// Package visible finds invisible characters in texts for people. Such a character can make a text
// look like another one, hide a part of it, control a terminal or end a line. Use [Check] to refuse
// a text before it is published, and [Text] to show a text from another party. [CheckEach] and
// [Each] do the same for all texts in a value. [Cell] makes a text safe for a cell of a
// spreadsheet.
//
// Hidden are control characters, format characters, line and paragraph separators, and all other
// characters that Unicode calls default ignorable. Three uses are visible to readers, and are
// allowed. They are a joiner between letters of scripts that join their letters, a joiner between
// emoji, and a variation selector after an emoji.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// replacement is shown in place of a hidden character.
const replacement = "\ufffd"

const (
	nonJoiner = 0x200c
	joiner    = 0x200d
	asText    = 0xfe0e // variation selectors: shown as text, or as a picture
	asPicture = 0xfe0f
)

// Hidden reports whether a character is invisible, independent of its neighbours. Tabs and
// line ends are hidden.
func Hidden(r rune) bool {
	if r < 0xa0 {
		return r < 0x20 || r >= 0x7f
	}
	if Joins(r) || r <= unicode.MaxLatin1 && r != 0xad {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Joins reports whether a character is invisible, but changes the look of its neighbours.
func Joins(r rune) bool { return r == nonJoiner || r == joiner || r == asText || r == asPicture }

// hiddenIn calls do with the place of each hidden character. The characters in kept do not
// count as hidden. It ends if do returns false.
func hiddenIn(text, kept string, do func(at int, r rune) bool) {
	before := rune(-1)
	for i, r := range text {
		hides := Hidden(r) && !strings.ContainsRune(kept, r)
		if Joins(r) {
			next := rune(-1)
			if rest := text[i+utf8.RuneLen(r):]; rest != "" {
				next, _ = utf8.DecodeRuneInString(rest)
			}
			hides = !joined(r, before, next)
		}
		if hides && !do(i, r) {
			return
		}
		before = r
	}
}

// plain reports whether a text has only printable ASCII characters.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}

// joined reports whether a character that joins has neighbours that it joins.
func joined(r, before, next rune) bool {
	switch {
	case r == asText || r == asPicture:
		return picture(before)
	case r == joiner && (picture(before) || unicode.Is(unicode.Sk, before) || before == asPicture) && picture(next):
		return true
	}
	return joining(before) && joining(next)
}

// picture reports whether a character is shown as a picture or a symbol.
func picture(r rune) bool {
	return r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm)
}

// joining reports whether a character is in a script with letters of several shapes, depending
// on their neighbours.
func joining(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && !Hidden(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common, unicode.Inherited, unicode.Han)
}

// Check returns an error that names the first hidden character of a text in one line.
func Check(text string) error { return check(text, "") }

// CheckLines is Check for a text that can have several lines.
func CheckLines(text string) error { return check(text, "\n\r\t") }

func check(text, kept string) (err error) {
	if plain(text) {
		return nil
	}
	if !utf8.ValidString(text) {
		return fmt.Errorf("%q is not UTF-8", clip(text))
	}
	hiddenIn(text, kept, func(_ int, r rune) bool {
		err = fmt.Errorf("%q has the character %U, which readers cannot see: remove it", clip(text), r)
		if r == '\n' || r == '\r' {
			err = fmt.Errorf("%q has a line end: write it in one line", clip(text))
		}
		return false
	})
	return err
}

// clip shortens a text for an error.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// Text returns the text with U+FFFD instead of each hidden character. It keeps tabs and line
// ends.
func Text(text string) string {
	if plain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, replacement)
	var shown strings.Builder
	from := 0
	hiddenIn(text, "\n\t", func(at int, r rune) bool {
		shown.WriteString(text[from:at] + replacement)
		from = at + utf8.RuneLen(r)
		return true
	})
	return shown.String() + text[from:]
}

// Cell returns a text that a spreadsheet does not read as a formula from CSV. A formula can
// also start with the full-width forms of the signs.
func Cell(text string) string {
	if r, _ := utf8.DecodeRuneInString(text); text != "-" && text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", r) {
		return "'" + text
	}
	return text
}
