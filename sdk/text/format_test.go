package text

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The canonical form has one spelling, whatever the editor and the order of sections.
func TestFormat(t *testing.T) {
	files, err := filepath.Glob("testdata/*.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Format(file, source)
		if err != nil {
			t.Error(err)
			continue
		}
		for name, other := range map[string][]byte{
			"again":         want,
			"compact":       compact(source),
			"CRLF and BOM":  []byte("\ufeff" + strings.ReplaceAll(string(source), "\n", "\r\n")),
			"trailing":      []byte(strings.ReplaceAll(string(source), "\n", " \t\n")),
			"empty lines":   []byte(strings.ReplaceAll(string(source), "\n## ", "\n\n\n## ")),
			"no final line": bytes.TrimSuffix(source, []byte("\n")),
		} {
			got, err := Format(file, other)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %s: %v\n%s", file, name, err, got)
			}
		}
	}
}

// No bytes make Parse or Format panic, and a canonical form stays as it is.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.calc.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		first, err := Format("f", source)
		if err != nil {
			for _, m := range err.(Mistakes) {
				_ = m.Report()
			}
			return
		}
		second, err := Format("f", first)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("the canonical form changes: %v\n%s\n%s", err, first, second)
		}
	})
}
