package take_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/slipstick/slipstick/host/internal/page/take"
)

// hostile has texts that a capability can have, and that must not become a formula.
var hostile = &take.Calculation{
	Title: "=HYPERLINK(\"http://a\")\n\\input{/etc/passwd} & 100 % of a_b^c", Tool: "x", Version: "1.0.0", Engine: "sha256:0", Address: "https://a/?a=1&b=2",
	Inputs:  []take.Quantity{{Label: "+1", Value: take.Words("@SUM(A1)"), Unit: "m", SI: take.Read("0.1"), Of: "m"}},
	Results: []take.Quantity{{Label: " _x0041_ <\x01>&\"\n'", Value: take.Read("-3.0000000000000004"), Unit: "-", SI: take.Read("1e300"), Of: ""}},
	Plots: []take.Table{
		{Title: "a/b:c*?[x] and a name that is much too long for a sheet", Header: []string{"=1"}, Rows: [][]string{{"1"}, {"=2"}}},
		{Title: "a/b:c*?[x] and a name that is much too long as well", Header: []string{"h"}},
		{Title: "''", Header: []string{"h"}}, {Title: "History", Header: []string{"h"}},
	},
	Formula: "a\n\nb", Steps: []take.Step{{Math: `c`, Note: `50 % of \x`}},
}

func TestCSVHasNoFormulas(t *testing.T) {
	var b bytes.Buffer
	if err := take.CSV(&b, hostile); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && cell != "-" && strings.ContainsRune("=+@", rune(cell[0])) {
				t.Errorf("a spreadsheet computes %q", cell)
			}
		}
	}
	if got := rows[2][2]; got != "-3.0000000000000004" {
		t.Errorf("a negative number is %q", got)
	}
}

func TestXLSXOfAnything(t *testing.T) {
	var b bytes.Buffer
	if err := take.XLSX(&b, hostile); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := f.GetSheetList()
	if len(names) != 6 || names[0] != "Calculation" || names[5] != "Where it comes from" {
		t.Errorf("sheets %q", names)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if seen[strings.ToLower(name)] || len(name) > 31 || strings.ContainsAny(name, `:\/?*[]'`) {
			t.Errorf("sheet %q", name)
		}
		seen[strings.ToLower(name)] = true
		rows, err := f.GetRows(name, excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			for k := range row {
				at, _ := excelize.CoordinatesToCellName(k+1, i+1)
				if formula, _ := f.GetCellFormula(name, at); formula != "" {
					t.Errorf("%s %s computes %s", name, at, formula)
				}
			}
		}
	}
	if got, _ := f.GetCellValue("Calculation", "B3"); got != " _x0041_ <\uFFFD>&\"\n'" {
		t.Errorf("the label is %q", got)
	}
	if got, _ := f.GetCellValue("Calculation", "C3", excelize.Options{RawCellValue: true}); got != "-3.0000000000000004" {
		t.Errorf("the number is %s", got)
	}
}

func TestLaTeXOfAnything(t *testing.T) {
	var b strings.Builder
	if err := take.LaTeX(&b, hostile); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), `\begin{document}`)
	for _, bad := range []string{`\input`, "a\n\nb", " & 100", " % of", "a_b"} {
		if strings.Contains(body, bad) {
			t.Errorf("the document contains %q:\n%s", bad, body)
		}
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "HYPERLINK") && !strings.HasPrefix(line, "% ") && !strings.HasPrefix(line, `\section*{`) {
			t.Errorf("a comment ends early: %s", line)
		}
	}
}

// A program sends exactly its inputs, with any characters.
func TestProgramOfAnything(t *testing.T) {
	call := &take.Call{Tool: "x", Version: "1.0.0", Engine: "sha256:0", URL: "https://a/'", Inputs: `{"note":"it's \"<\\ \u0007 ü😀"}`}
	for language, want := range map[take.Language]string{
		take.Shell:  `'{"note":"it'\''s \"<\\ \u0007 \u00fc\ud83d\ude00"}'`,
		take.Python: `"{\"note\":\"it's \\\"<\\\\ \\u0007 \\u00fc\\ud83d\\ude00\"}"`,
	} {
		var b strings.Builder
		if err := take.Program(&b, language, call); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, no %s in\n%s", language, err, want, b.String())
		}
	}
}
