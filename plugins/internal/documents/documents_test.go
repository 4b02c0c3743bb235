// Package documents tests the calculations of this module that are documents.
package documents

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/text"
)

// Each document is in its canonical form, has the id that its path names, and agrees with its vectors.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("../../*/*/*.calc.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents, error %v", len(files), err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e, err := text.Bind(file, source)
		if err != nil {
			t.Error(err)
			continue
		}
		canonical, err := text.Format(file, source)
		if err != nil || !bytes.Equal(canonical, source) {
			t.Errorf("%s is not in its canonical form, error %v: run slipstick fmt", file, err)
		}
		path := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "../../"), ".calc.md")
		id := strings.ReplaceAll(path, "/", ".")
		if got := e.Spec().Capability; got != id {
			t.Errorf("%s has the id %s, want %s", file, got, id)
		}
		for _, m := range e.Disagreements(file, source) {
			t.Error(m)
		}
	}
}
