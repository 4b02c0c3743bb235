package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The manual has a page of every command with all its flags, and groff finds no fault with it.
func TestMan(t *testing.T) {
	dir := t.TempDir()
	pages := strings.Fields(slipstick(t.Context(), "man", "--out", dir).out)
	line := &commandLine{ctx: t.Context()}
	parser, err := line.parser(new(cli))
	if err != nil {
		t.Fatal(err)
	}
	commands := parser.Model.Leaves(true)
	if len(pages) != len(commands)+1 {
		t.Errorf("%d pages of %d commands", len(pages), len(commands))
	}
	for _, command := range commands {
		text, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(command.FullPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
		}
		for _, f := range command.Flags {
			if !f.Hidden && !strings.Contains(string(text), `\-\-`+strings.ReplaceAll(f.Name, "-", `\-`)+`\fR`) {
				t.Errorf("%s has no --%s", command.Path(), f.Name)
			}
		}
	}
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip(err)
	}
	if said, err := exec.Command("groff", append([]string{"-man", "-ww", "-z", "-Kutf8", "-Tutf8"}, pages...)...).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("%v\n%s", err, said)
	}
}
