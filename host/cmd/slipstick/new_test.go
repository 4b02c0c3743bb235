package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/command"
)

// The guide shows what the import of a workbook prints, and no file is overwritten.
func TestNewFromWorkbook(t *testing.T) {
	book, err := filepath.Abs(filepath.Join(root, "host", "internal", "release", "spreadsheet", "testdata", "beam.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	guide := string(mustRead(t, filepath.Join(root, "docs", "guides", "workbooks.md")))
	t.Chdir(t.TempDir())
	args := []string{"new", "--from", book, "structural.beams.workbook_beam"}
	r := slipstick(t.Context(), args...)
	shown := "```text\n$ slipstick new --from beam.xlsx structural.beams.workbook_beam\n" + r.out + r.err + "```\n"
	if r.code != command.ExitOK || !strings.Contains(guide, shown) {
		t.Errorf("exit code %d; docs/guides/workbooks.md does not show\n%s", r.code, shown)
	}
	draft := string(mustRead(t, "workbook_beam.calc.md"))
	if !strings.HasPrefix(draft, "# Workbook beam\n") || !strings.Contains(draft, "- id: structural.beams.workbook_beam\n") {
		t.Error(draft)
	}
	r = slipstick(t.Context(), args...)
	if r.code != command.ExitMisuse || !strings.Contains(r.err, "file exists") || string(mustRead(t, "workbook_beam.calc.md")) != draft {
		t.Errorf("again: %d, %s", r.code, r.err)
	}
	for file, want := range map[string]struct {
		code int
		text string
	}{"none.xlsx": {command.ExitMisuse, "none.xlsx"}, "other.xlsx": {command.ExitFailed, "other.xlsx is not imported:\nthe file is not a workbook"}} {
		err := os.WriteFile("other.xlsx", []byte("text"), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		r := slipstick(t.Context(), "new", "--from", file, "structural.beams.workbook_other")
		if r.code != want.code || !strings.Contains(r.err, want.text) {
			t.Errorf("%s: %d, %s", file, r.code, r.err)
		}
		_, err = os.Stat("workbook_other.calc.md")
		if err == nil {
			t.Errorf("%s: there is a draft", file)
		}
	}
}
