package search

import (
	"testing"

	"github.com/slipstick/slipstick/sdk/units"
)

// The tables contain only existing units, phrases that can match, and words that the search reads.
func TestTables(t *testing.T) {
	for phrase, ids := range unitNames() {
		checkPhrase(t, phrase)
		for _, id := range ids {
			if _, ok := units.Lookup(id); !ok {
				t.Errorf("%q is the unit %q, which there is not", phrase, id)
			}
		}
	}
	for phrase, c := range synonyms() {
		checkPhrase(t, phrase)
		for _, r := range c {
			if len(r.terms) == 0 {
				t.Errorf("%q leads to nothing", phrase)
			}
		}
	}
	if len(synonyms()) < 200 || len(unitNames()) < 80 {
		t.Errorf("%d senses, %d names of units", len(synonyms()), len(unitNames()))
	}
}

func checkPhrase(t *testing.T, phrase string) {
	t.Helper()
	words := split(phrase)
	if len(words) == 0 || len(words) > longestPhrase {
		t.Errorf("%q has %d words", phrase, len(words))
	}
}
