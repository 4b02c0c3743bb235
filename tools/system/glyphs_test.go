package system

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// glyphs returns the characters of the font for formulas. A test next to the list compares it with the font file.
var glyphs = sync.OnceValues(func() (map[rune]bool, error) {
	listed, err := os.ReadFile(filepath.Join(root, "host", "internal", "page", "formula", "font", "code-points.txt"))
	list := map[rune]bool{}
	for line := range strings.Lines(string(listed)) {
		line, _, _ = strings.Cut(line, "#")
		for word := range strings.FieldsSeq(line) {
			var first, last rune
			if n, _ := fmt.Sscanf(word, "%x-%x", &first, &last); n == 1 {
				last = first
			}
			for ; first <= last; first++ {
				list[first] = true
			}
		}
	}
	return list, err
})

// checkGlyphs makes sure that the included font contains every character of every formula on a page. The machine
// of a reader may lack other fonts.
func checkGlyphs(t *testing.T, where, page string) {
	t.Helper()
	list, err := glyphs()
	if err != nil || len(list) == 0 {
		t.Fatal("no list of characters", err)
	}
	math, letter := 0, false
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken:
			token := z.Token()
			if token.Data == "math" {
				math++
			}
			letter = token.Data == "mi" && len(token.Attr) == 0
		case html.EndTagToken:
			letter = false
			if name, _ := z.TagName(); string(name) == "math" {
				math--
			}
		case html.TextToken:
			text := string(z.Text())
			if math == 0 {
				continue
			}
			text = html.UnescapeString(text)
			for _, r := range text {
				if letter && utf8.RuneCountInString(text) == 1 {
					r = italic(r)
				}
				if !list[r] && r != '\n' {
					t.Errorf("%s: %q (%U) of a formula is not in the font", where, r, r)
				}
			}
		}
	}
}

// italic returns the character that a browser shows for a single letter in an mi element.
func italic(r rune) rune {
	switch {
	case r == 'h':
		return 0x210E
	case r >= 'A' && r <= 'Z':
		return r - 'A' + 0x1D434
	case r >= 'a' && r <= 'z':
		return r - 'a' + 0x1D44E
	case r >= 'Α' && r <= 'Ω':
		return r - 'Α' + 0x1D6E2
	case r >= 'α' && r <= 'ω':
		return r - 'α' + 0x1D6FC
	}
	if at := strings.IndexRune("∂ϵϑϰϕϱϖ", r); at >= 0 {
		return 0x1D715 + rune(utf8.RuneCountInString("∂ϵϑϰϕϱϖ"[:at])) //nolint:gosec // below 8
	}
	return r
}
