package text

import (
	"os"
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
