package search

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/sdk/units"
)

// concept is a word or phrase of a question with all its readings. The best reading counts. A word that no
// capability has is a concept without readings.
type concept []reading

// guessed reports whether the concept is a correction of an unknown word.
func (c concept) guessed() bool { return len(c) == 1 && c[0].weight == asSpelling }

// reading is a set of terms that together mean a concept, with a weight.
type reading struct {
	terms  []string
	weight float64
}

// Weights of readings.
const (
	asWritten  = 1.0
	asSynonym  = 0.8  // the technical words for it
	asSpelling = 0.7  // the word that was probably meant
	asUnit     = 1.2  // a unit without a number: the question is about it
	asQuantity = 0.75 // the quantity of a unit
	ofAmount   = 0.4  // the quantity of a unit after a number: a known value
)

// certainty returns how surely the reading is meant, from 0 to 1. A known value is, although its quantity has
// little weight.
func (r reading) certainty() float64 {
	if r.weight == ofAmount {
		return 1
	}
	return min(r.weight, 1)
}

// Questions come from outside. These limits bound how much of a question is read, and how many of its words are
// compared with all known words.
const (
	maxQuestion = 1000 // bytes
	maxGuesses  = 8
)

// read returns the concepts of the question.
func (x *Index) read(question string) []concept {
	words := split(question[:min(len(question), maxQuestion)])
	guesses := maxGuesses
	var concepts []concept
	for i := 0; i < len(words); {
		c, n := x.readNext(words, i)
		if u, ok := conversionAt(words, i); ok {
			c, n = u, 3
		}
		if c == nil && guesses > 0 && len(words[i].stem) > shortest {
			guesses--
			c = x.guess(words[i])
		}
		if c != nil || !words[i].number && !words[i].isStopWord() {
			concepts = append(concepts, c)
		}
		i += n
	}
	return concepts
}

// conversionAt reads two units of one quantity with "to" or "in" between them: here bar is a unit and not a
// rod.
func conversionAt(words []word, i int) (concept, bool) {
	if i+2 >= len(words) || !toWords[words[i+1].written] {
		return nil, false
	}
	from, _ := unitAtStart(words[i].written)
	to, _ := unitAtStart(words[i+2].written)
	for _, a := range from {
		for _, b := range to {
			if a.Quantity == b.Quantity {
				return concept{{[]string{unitTerm(a.ID), unitTerm(b.ID)}, asUnit}, {stems(a.Quantity), asQuantity}}, true
			}
		}
	}
	return nil, false
}

var toWords = map[string]bool{"to": true, "in": true, "into": true, "as": true}

// shortest is the minimum length of words that are corrected.
const shortest = 4

// guess reads an unknown word as the known word that was probably meant.
func (x *Index) guess(w word) concept {
	if guess, ok := spelling.Guess(w.stem, x.words); ok && !w.isStopWord() {
		return concept{{[]string{guess}, asSpelling}}
	}
	return nil
}

// readNext reads the concept at i and returns its number of words: the longest known phrase, or one word. The
// concept is nil if the word is unknown.
func (x *Index) readNext(words []word, i int) (concept, int) {
	counted := i > 0 && words[i-1].number
	for n := min(longestPhrase, len(words)-i); n > 0; n-- {
		phrase := key(words[i : i+n])
		var c concept
		for _, id := range unitNames()[phrase] {
			c = append(c, ofUnit(id, counted)...)
		}
		c = append(c, synonyms()[phrase]...)
		if len(c) == 0 {
			continue
		}
		if n == 1 || !slices.ContainsFunc(words[i:i+n], func(w word) bool { return !x.known(w) }) {
			c = append(c, reading{terms(words[i : i+n]), asWritten})
		}
		return c, n
	}
	w := words[i]
	if u, ok := units.Lookup(w.written); ok && (counted || !everyday[w.written]) {
		return append(ofUnit(u.ID, counted), reading{[]string{w.stem}, asWritten}), 1
	}
	if x.known(w) {
		return concept{{[]string{w.stem}, asWritten}}, 1
	}
	return nil, 1
}

func (x *Index) known(w word) bool {
	_, known := x.postings[w.stem]
	return known && !w.isStopWord()
}

// ofUnit reads a unit, after a number or without one.
func ofUnit(id string, counted bool) concept {
	u, _ := units.Lookup(id)
	quantity := stems(u.Quantity)
	if counted {
		return concept{{quantity, ofAmount}}
	}
	return concept{{[]string{unitTerm(id)}, asUnit}, {quantity, asQuantity}}
}

// key returns a phrase in the form of the tables: its stems, including stop words.
func key(words []word) string {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = w.stem
	}
	return strings.Join(stems, " ")
}

func terms(words []word) []string {
	var out []string
	for _, w := range words {
		if !w.number && !w.isStopWord() {
			out = append(out, w.stem)
		}
	}
	return out
}
