package spelling_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/spelling"
)

var words = []string{"length", "elastic_modulus", "second_moment_of_area", "L", "E"}

func TestGuess(t *testing.T) {
	for word, want := range map[string]string{
		"lenght": "length", "LENGTH": "length", "elastic_modulu": "elastic_modulus", "second_moment_area": "second_moment_of_area",
		"temperature": "", "xyz": "", "": "", "l": "L",
		strings.Repeat("x", 1<<16): "",
	} {
		got, ok := spelling.Guess(word, words)
		if ok != (want != "") || ok && got != want {
			t.Errorf("Guess(%.20q) = %q, %v, want %q", word, got, ok, want)
		}
	}
	if _, ok := spelling.Guess("x", nil); ok {
		t.Error("a guess out of nothing")
	}
}

func TestNearest(t *testing.T) {
	if got := spelling.Nearest("lengt", words, 2); got[0] != "length" || len(got) != 2 {
		t.Errorf("Nearest = %v", got)
	}
	if got := spelling.Nearest("e", words, 99); len(got) != len(words) || !slices.Contains(got[:1], "E") {
		t.Errorf("Nearest of all = %v", got)
	}
}
