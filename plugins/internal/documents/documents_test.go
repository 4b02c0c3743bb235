// Package documents tests the calculations of this module that are documents.
package documents

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/text"
)

// current returns the paths of the current version of each document.
func current(t testing.TB) []string { return found(t, "../../*/*/*.calc.md") }

// older returns the paths of the older versions that are published.
func older(t testing.TB) []string { return found(t, "../../*/*/*/*.calc.md") }

// published returns the paths of all documents.
func published(t testing.TB) []string { return append(current(t), older(t)...) }

func found(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d documents, error %v", pattern, len(files), err)
	}
	return files
}

// read returns a document and its engine.
func read(t testing.TB, file string) ([]byte, *text.Engine) {
	t.Helper()
	source, err := text.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	e, err := text.BindWith(file, source)
	if err != nil {
		t.Fatal(err)
	}
	return source.Document, e
}

// Each document is in its canonical form, has the id that its path names, and agrees with its vectors. The path of an
// older version is ID/VERSION.
func TestDocuments(t *testing.T) {
	for _, file := range published(t) {
		source, e := read(t, file)
		canonical, err := text.Format(file, source)
		if err != nil || !bytes.Equal(canonical, source) {
			t.Errorf("%s is not in its canonical form, error %v: run slipstick fmt", file, err)
		}
		path := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "../../"), ".calc.md")
		spec := e.Spec()
		id := strings.ReplaceAll(spec.Capability, ".", "/")
		if path != id && path != id+"/"+spec.Version {
			t.Errorf("%s has the id %s and the version %s, which are not those of its path", file, spec.Capability, spec.Version)
		}
		for _, m := range e.Disagreements(file, source) {
			t.Error(m)
		}
	}
}
