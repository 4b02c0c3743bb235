package formula

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// blocks returns the fenced blocks of docs/reference/formula-language.md in a language.
func blocks(t *testing.T, language string) (list []string) {
	t.Helper()
	for _, part := range strings.Split(guide(t), "\n```"+language+"\n")[1:] {
		block, _, ok := strings.Cut(part, "\n```\n")
		if !ok {
			t.Fatalf("a block of %s has no end", language)
		}
		list = append(list, block)
	}
	if len(list) == 0 {
		t.Fatalf("docs/reference/formula-language.md has no blocks of %s", language)
	}
	return list
}

func guide(t *testing.T) string {
	t.Helper()
	file, err := os.ReadFile("../../docs/reference/formula-language.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

func TestExamplesOfTheGuide(t *testing.T) {
	for _, text := range blocks(t, "formula") {
		if _, err := Parse(text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	for _, block := range blocks(t, "mistake") {
		text, rest, _ := strings.Cut(block, "\n")
		_, err := Parse(text)
		if err == nil {
			t.Errorf("%s is no mistake", text)
		} else if got := err.(*Error).Excerpt() + "\n" + err.Error(); got != text+"\n"+rest {
			t.Errorf("the guide has\n%s\nand the parser has\n%s", block, got)
		}
	}
	// Statements of the table.
	for _, line := range strings.Split(guide(t), "\n") {
		if cell, ok := strings.CutPrefix(line, "| `"); ok && strings.Contains(line, "` | ") && strings.ContainsAny(cell, "=#") && strings.Contains(line, " | ") {
			statement, meaning, _ := strings.Cut(cell, "` | ")
			if strings.HasPrefix(meaning, "what ") || strings.HasPrefix(meaning, "a ") || strings.HasPrefix(meaning, "an output") {
				if _, err := Parse(statement); err != nil {
					t.Errorf("%s: %v", statement, err)
				}
			}
		}
	}
}

// The guide has every function, every word, the grammar and the limits of the package.
func TestGuideIsComplete(t *testing.T) {
	text := guide(t)
	for name := range functions {
		if !strings.Contains(text, "`"+name+"(") {
			t.Errorf("the guide does not have %s", name)
		}
	}
	grammar := blocks(t, "ebnf")[0]
	source, err := os.ReadFile("formula.go")
	if err != nil {
		t.Fatal(err)
	}
	if comment := "//\t" + strings.ReplaceAll(grammar, "\n", "\n//\t"); !strings.Contains(string(source), comment) {
		t.Error("the grammar is not that of the package's comment")
	}
	flat := strings.Join(strings.Fields(text), " ")
	for word := range words {
		if !strings.Contains(flat, " "+word+" ") && !strings.Contains(flat, "`"+word+" ") && !strings.Contains(flat, " "+word+"`") {
			t.Errorf("the guide does not have %s", word)
		}
	}
	for _, limit := range []int{MaxBytes, MaxDefinitions, MaxNodes, MaxSteps, MaxCalls, MaxDepth, MaxDigits, MaxExponent, MaxWork, maxPrecision, maxTerms, maxListItems} {
		if !strings.Contains(flat, thousands(limit)) {
			t.Errorf("the guide does not have the limit %s", thousands(limit))
		}
	}
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	if len(s) > 3 {
		return s[:len(s)-3] + "," + s[len(s)-3:]
	}
	return s
}
