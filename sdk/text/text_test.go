package text

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The documents of the tests parse without a mistake.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/*.calc.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Parse(filepath.Base(file), source)
		if list, ok := errors.AsType[Mistakes](err); ok {
			for _, m := range list {
				t.Error(m.Report())
			}
		}
	}
}
