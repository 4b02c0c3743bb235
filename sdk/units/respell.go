package units

import (
	"strings"
	"sync"
	"unicode"
)

// Respelled returns the unit in the list that a text spells in another way. A spelling can
// have other capitals, dots, hyphens or marks of powers, or be in the plural. A unit of
// another size is not a spelling. So a capital that makes another prefix does not count: mPa
// is not MPa.
func Respelled(text string, of []Unit) (Unit, bool) {
	text = lettersOf(text)
	for _, u := range of {
		id := lettersOf(u.ID)
		singular, isPlural := strings.CutSuffix(text, "s")
		if isSameSpelling(text, u.ID, id) || isPlural && hasPlural(id) && isSameSpelling(singular, u.ID, id) {
			return u, true
		}
	}
	return Unit{}, false
}

var likeDigits = strings.NewReplacer("²", "2", "³", "3", "⁴", "4", "µ", "u", "μ", "u", "Ω", "ohm", "\u2126", "ohm")

// lettersOf returns the letters and digits of a unit, and the slashes between them.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '/' || r == '%' {
			return r
		}
		return -1
	}, likeDigits.Replace(text))
}

// hasPlural reports whether the unit has a plural. Ws and mPas are products with a second.
func hasPlural(id string) bool {
	return id == "lb" || id == "yd" || len(id) >= 3 && strings.Trim(id[1:], "abcdefghijklmnopqrstuvwxyz") == ""
}

func isSameSpelling(text, id, letters string) bool {
	if !strings.EqualFold(text, letters) {
		return false
	}
	at := 0
	for _, word := range wordsOf(id) {
		at += strings.Index(letters[at:], word)
		if text[at] != letters[at] && isPrefixed(word) {
			return false
		}
		at += len(word)
	}
	return true
}

// wordsOf returns the names of units in a product.
func wordsOf(id string) []string {
	return strings.FieldsFunc(id, func(r rune) bool { return !unicode.IsLetter(r) })
}

// words returns the words of the table, and the letters before a text in these words: kM before VA.
var words = sync.OnceValues(func() (names map[string]bool, prefixed map[string]string) {
	names, prefixed = map[string]bool{}, map[string]string{}
	for i := range table {
		for _, e := range table[i].entries {
			for _, word := range wordsOf(e.id) {
				names[word] = true
				prefixed[word[1:]] += word[:1]
			}
		}
	}
	return names, prefixed
})

// isPrefixed reports whether a word of the table starts with a prefix that also exists in the
// other case. Examples are milli and mega, or pico and peta.
func isPrefixed(word string) bool {
	rest := word[1:]
	names, prefixed := words()
	switch word[0] {
	case 'm', 'M':
		return rest != "" && (names[rest] || strings.Trim(prefixed[rest], word[:1]) != "") // kVA shows that the M of MVA is a prefix
	case 'p', 'P':
		return names[rest]
	}
	return false
}

// Gauge reports whether a text is a unit of pressure with a mark of its reference, such as
// psig, bar(g) or psia. The unit is the unit without the mark.
func Gauge(text string) (u Unit, absolute, ok bool) {
	letters := lettersOf(text)
	for _, mark := range []string{"gauge", "absolute", "abs", "g", "a"} {
		unit := letters[:max(0, len(letters)-len(mark))]
		u, ok = Respelled(unit, unitsOf("pressure"))
		if ok && strings.EqualFold(letters[len(unit):], mark) {
			return u, mark[0] == 'a', true
		}
	}
	return Unit{}, false, false
}
