package spelling_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/spelling"
)

var words = []string{"length", "elastic_modulus", "second_moment_of_area", "lmtd", "angle", "L", "E"}

func TestGuess(t *testing.T) {
	for word, want := range map[string]string{
		"lenght": "length", "LENGTH": "length", "elastic_modulu": "elastic_modulus", "second_moment_area": "second_moment_of_area",
		"temperature": "", "xyz": "", "": "", "l": "L", "x": "", "lengthy": "length", "legnth": "length", "lenxyz": "",
		"lmdt": "lmtd", "zzz": "", "nope": "", "lmxx": "", "angel": "angle", "anger": "",
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

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "ABC", 0}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1},
		{"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "badc", 2}, {strings.Repeat("a", 1000), strings.Repeat("a", 2000), 0},
	} {
		if got, back := spelling.Distance(tt.a, tt.b), spelling.Distance(tt.b, tt.a); got != tt.want || back != tt.want {
			t.Errorf("Distance(%.10q, %.10q) = %d, %d, want %d", tt.a, tt.b, got, back, tt.want)
		}
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
