package document_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipstick/slipstick/host/internal/release/document"
)

// Scripts are looked for from the root of the repository, or next to a document without a repository.
func TestHasScript(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"alone/tool.py", "repository/.git/HEAD", "repository/tools/beam.py", "repository/beams/own.py"} {
		file := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		document, script string
		want             bool
	}{
		{"alone/a.calc.md", "tool.py", true},
		{"alone/a.calc.md", "other.py", false},
		{"alone/a.calc.md", "../alone/tool.py", false},
		{"repository/beams/a.calc.md", "tools/beam.py", true},
		{"repository/beams/a.calc.md", "beams/own.py", true},
		{"repository/beams/a.calc.md", "own.py", false},
		{"repository/beams/a.calc.md", "tools", false},
	} {
		got := document.HasScript(filepath.Join(dir, c.document), c.script)
		if got != c.want {
			t.Errorf("%s for %s: %t", c.script, c.document, got)
		}
	}
}
