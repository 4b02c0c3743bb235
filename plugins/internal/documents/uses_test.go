package documents

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/text"
)

// The files of what documents use have the tables and the documents of the library.
func TestUses(t *testing.T) {
	tables := map[string]string{}
	dirs, err := filepath.Glob("../../tables/*/table.json")
	if err != nil || len(dirs) == 0 {
		t.Fatal(dirs, err)
	}
	for _, file := range dirs {
		table, err := preset.Parse(mustRead(t, file), mustRead(t, filepath.Join(filepath.Dir(file), "rows.csv")))
		if err != nil {
			t.Fatal(err)
		}
		tables[table.ID+"@"+table.Version] = table.Digest()
	}
	documents := map[string]string{}
	for _, file := range published(t) {
		source := mustRead(t, file)
		d, err := text.Parse(file, source)
		if err != nil {
			t.Fatal(err)
		}
		documents[d.ID.Text+"@"+d.Version.Text] = string(source)
	}
	n := 0
	for _, file := range published(t) {
		source, err := os.ReadFile(text.UsesFile(file))
		if err != nil {
			continue
		}
		n++
		closure, err := text.ReadClosure(source)
		if err != nil {
			t.Fatal(file, err)
		}
		for _, used := range closure.Tables {
			if tables[used.ID+"@"+used.Version] != used.Digest() {
				t.Errorf("%s: %s %s is another one in the library: run slipstick fmt", file, used.ID, used.Version)
			}
		}
		for i := range closure.Documents {
			used := &closure.Documents[i]
			if documents[used.ID+"@"+used.Version] != used.Text {
				t.Errorf("%s: %s %s is another one in the library: run slipstick fmt", file, used.ID, used.Version)
			}
		}
	}
	if n < 5 {
		t.Errorf("%d files of what documents use", n)
	}
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
