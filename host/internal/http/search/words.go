package search

import (
	_ "embed"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"

	"github.com/slipstick/slipstick/sdk/units"
)

// word is one word of a text: as written, and its stem for comparison.
type word struct {
	written string // its case matters to units: mW is not MW
	stem    string
	number  bool
}

// symbols are letters that people write in place of words.
var symbols = strings.NewReplacer("°C", " degC ", "°F", " degF ", "Ω", " ohm ", "Ω", " ohm ", "µ", "u", "μ", "u", "²", "2", "³", "3", "⁴", "4", "'s", "", "’s", "")

// split returns the words of a text. A number and the letters after it are separate words (3kW). Letters and
// the digits after them are one word (in4, m2).
func split(text string) []word { return stemmer(nil).split(text) }

func (s stemmer) split(text string) []word {
	var words []word
	runes := []rune(symbols.Replace(text))
	for i := 0; i < len(runes); {
		start := i
		switch r := runes[i]; {
		case unicode.IsDigit(r):
			for i < len(runes) && (unicode.IsDigit(runes[i]) || runes[i] == '.' && i+1 < len(runes) && unicode.IsDigit(runes[i+1])) {
				i++
			}
			words = append(words, word{written: string(runes[start:i]), number: true})
		case unicode.IsLetter(r):
			for i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i])) {
				i++
			}
			if end := unitEnd(runes, start, i); end > i {
				i = end
			}
			written := string(runes[start:i])
			words = append(words, word{written: written, stem: s.stem(written)})
		default:
			i++
		}
	}
	return words
}

// unitEnd returns the end of a unit with a solidus, such as kN/m. The letters from start to end are its first
// part. If there is no such unit, it returns end.
func unitEnd(runes []rune, start, end int) int {
	if end == len(runes) || runes[end] != '/' {
		return end
	}
	last := end + 1
	for last < len(runes) && (unicode.IsLetter(runes[last]) || unicode.IsDigit(runes[last])) {
		last++
	}
	if _, ok := units.Lookup(string(runes[start:last])); ok {
		return last
	}
	return end
}

// stem returns the common stem of the forms of a word: bend for bend, bends and bending.
//
// The agent of an action is a word of its own: an exchanger is not an exchange.
func stem(word string) string {
	stem := english.Stem(word, false)
	if base, ok := strings.CutSuffix(strings.TrimSuffix(strings.ToLower(word), "s"), "er"); ok && strings.HasPrefix(base, stem) {
		return stem + "er"
	}
	return stem
}

// stemmer caches stems. A library has few words, and each occurs very often. A nil stemmer caches nothing.
type stemmer map[string]string

func (s stemmer) stem(word string) string {
	if known, ok := s[word]; ok {
		return known
	}
	stem := stem(word)
	if s != nil {
		s[word] = stem
	}
	return stem
}

// stems returns the stems of the words of a text, without stop words.
func stems(text string) []string { return stemmer(nil).stems(text) }

func (s stemmer) stems(text string) []string {
	var out []string
	for _, w := range s.split(text) {
		if !w.number && !w.isStopWord() {
			out = append(out, w.stem)
		}
	}
	return out
}

// isStopWord reports whether the word has no meaning for the search. Single letters count as stop words,
// because they mean something else in every capability.
func (w word) isStopWord() bool { return len(w.stem) < 2 || stopWords[w.stem] && !topics[w.stem] }

// topics are words of questions about other fields, such as "stress at work". They count against a capability.
var topics = set("up work")

// stopWordList has words that occur in every question.
//
//go:embed stopwords.list
var stopWordList string

var stopWords = set("before between", stopWordList)

func set(lists ...string) map[string]bool {
	m := map[string]bool{}
	for _, list := range lists {
		for _, w := range strings.Fields(list) {
			m[stem(w)] = true
		}
	}
	return m
}
