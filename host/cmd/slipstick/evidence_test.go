package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/registry/sign"
)

// Everything that the guide to evidence tells to type works, in its order.
func TestEvidenceGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join(root, "docs", "evidence.md"))
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(built.slipstick, filepath.Join(bin, "slipstick")); err != nil {
		t.Fatal(err)
	}
	a := &author{dir: t.TempDir(), path: bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	if err := os.Symlink(filepath.Join(built.engines, "ohms_law"), filepath.Join(a.dir, "ohms_law")); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks(string(guide)) {
		switch b.language {
		case "console":
			a.types(t, b.lines)
		case "json":
			text := strings.Join(b.lines, "\n")
			for _, name := range []string{"desk", "anna"} {
				var entry sign.Key
				if err := json.Unmarshal(mustRead(t, filepath.Join(a.dir, name+".json")), &entry); err != nil {
					t.Fatal(err)
				}
				text = strings.Replace(text, `"`+strings.ToUpper(name)+`"`, `"`+entry.PublicKey+`"`, 1)
			}
			a.write(t, "trust.json", text)
		}
	}
	if a.typed < 8 {
		t.Errorf("the guide has only %d commands", a.typed)
	}
}
