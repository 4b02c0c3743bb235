package text

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// guide reads the guide of the format.
func guide(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/documents.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The example of the guide binds, agrees with its vectors, and is in canonical form.
func TestGuideExample(t *testing.T) {
	const open, end = "````markdown\n", "\n````\n"
	_, rest, found := strings.Cut(guide(t), open)
	source, _, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("the guide has no example document")
	}
	source += "\n"
	e, err := Bind("plate_tension.calc.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range e.Disagreements("plate_tension.calc.md", []byte(source)) {
		t.Error(m.Report())
	}
	canonical, err := Format("plate_tension.calc.md", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if string(canonical) != source {
		t.Errorf("the canonical form is:\n%s", canonical)
	}
}

// The guide names every part of the format, and every limit.
func TestGuideNamesEverything(t *testing.T) {
	_, reference, found := strings.Cut(guide(t), "\n## Format reference\n")
	if !found {
		t.Fatal("the guide has no reference")
	}
	row := func(name string) {
		if !strings.Contains(reference, "\n| `"+name+"` |") {
			t.Errorf("the guide has no row for %s", name)
		}
	}
	for _, key := range headKeys {
		row(key)
	}
	for _, name := range slices.Concat(inputColumns, outputColumns) {
		row(name)
	}
	for _, name := range sectionNames {
		row("## " + name)
	}
	for name, limit := range map[string]int{
		"Document, in bytes": MaxBytes, "Formula, in bytes": MaxFormula, "Mistakes in one report": MaxMistakes,
		"Rows of a table": MaxRows, "Plots": MaxPlots, "Curves of a plot": MaxCurves, "Vectors in a chain of `like`": MaxLike, "Digits of an expected number without `==`, at least": leastDigits,
		"File of vectors, in bytes": MaxVectorBytes, "Rows of a file of vectors": MaxVectorRows,
	} {
		if line := fmt.Sprintf("\n| %s | %d |", name, limit); !strings.Contains(reference, line) {
			t.Errorf("the guide has no row %q", strings.TrimSpace(line))
		}
	}
}
