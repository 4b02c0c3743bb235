package text

import (
	"os"
	"path/filepath"
	"testing"
)

// bound binds a document of the test data.
func bound(t testing.TB, name string) (*Engine, []byte) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	e, err := Bind(name, source)
	if mistakes, ok := err.(Mistakes); ok {
		for _, m := range mistakes {
			t.Error(m.Report())
		}
		t.FailNow()
	}
	return e, source
}

// Every vector of the documents agrees.
func TestVectorsAgree(t *testing.T) {
	files, err := filepath.Glob("testdata/*.calc.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			e, source := bound(t, filepath.Base(file))
			for _, m := range e.Disagreements(file, source) {
				t.Error(m.Report())
			}
		})
	}
}
