package spreadsheet

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk/text"
)

// book makes a workbook with one sheet from its cells and names. The tests of refusals need files that spreadsheet
// programs do not write.
func book(t *testing.T, cells, names string) map[string]string {
	t.Helper()
	return map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="r1" Target="xl/workbook.xml"/></Relationships>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets><definedNames>` + names + `</definedNames></workbook>`,
		"xl/worksheets/sheet1.xml":   `<worksheet><sheetData><row>` + cells + `</row></sheetData></worksheet>`,
	}
}

func zipped(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range parts {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const names = `<definedName name="a">S!$A$1</definedName><definedName name="b">S!$B$1</definedName>` +
	`<definedName name="two">S!$A$1,S!$B$1</definedName><definedName name="gone">#REF!</definedName><definedName name="twice">S!$A$1*2</definedName>` +
	`<definedName name="c">S!$C$1</definedName><definedName name="tab">S!$D$1:$E$3</definedName>`

// cellOf returns the cell B1 with a formula, next to A1 with 2, D1:E3 with a table, and F1 with a text.
func cellOf(formula string) string {
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(formula)
	return `<c r="A1"><v>2</v></c><c r="B1"><f>` + escaped + `</f><v>2</v></c>` +
		`<c r="D1"><v>3</v></c><c r="E1"><v>1</v></c><c r="D2"><v>2</v></c><c r="E2"><v>2</v></c><c r="D3"><v>1</v></c><c r="F1" t="str"><v>text</v></c>`
}

// Each formula is refused with the cell, the part that has no translation, and one thing to do.
func TestRefusedFormulas(t *testing.T) {
	for formula, want := range map[string]string{
		"NOW()+a":                              "S!B1: the volatile function NOW: refer to the cells, or write the value into a cell",
		"RAND()*a":                             "the volatile function RAND",
		"SUM(OFFSET(A1,0,0))":                  "the volatile function OFFSET",
		`INDIRECT("A1")`:                       "the volatile function INDIRECT",
		"[1]Other!$A$1*a":                      "a reference to another workbook: copy the values into this workbook",
		"'[prices.xlsx]Other'!A1*a":            "a reference to another workbook",
		"B1+a":                                 "a circular reference: state the result without itself",
		"XLOOKUP(a,D1:D3,E1:E3)":               "the function XLOOKUP",
		"IFERROR(a,0)":                         "the function IFERROR",
		"_xlfn.CONCAT(a)":                      "the function CONCAT",
		`a&" mm"`:                              "the operator &: put the parts into cells of their own",
		"SUM(A:A)":                             "a whole column or row A:A: refer to the cells that are needed",
		"SUM(1:1)":                             "a whole column or row 1:1",
		"#REF!+a":                              "the error value #REF!: repair the reference",
		"Gone!A1+a":                            "the sheet Gone, which the workbook lacks",
		"two+a":                                "the name two with several areas in one reference",
		"gone+a":                               "the name gone with the error value #REF!",
		"twice+a":                              "the name twice of a formula: put the formula into a cell",
		"other+a":                              "the name other: define the name for one cell or range",
		"tab+a":                                "the range tab as one number: refer to one cell",
		"A1:B1*a":                              "the range A1:B1 as one number",
		"F1+a":                                 "a text in arithmetic",
		"a+(a>1)":                              "a condition in arithmetic",
		"IF(a>1,2)":                            "IF with 2 arguments: write the value for both cases",
		`IF(a>1,2,"none")`:                     "IF with values of different kinds",
		`IF(F1="",1,2)`:                        `a comparison with ""`,
		`IF(F1>"a",1,2)`:                       "an order of texts",
		`IF(F1=1,1,2)`:                         "a comparison of different kinds of values",
		"ROUND(a,a)":                           "ROUND to a number of digits that is not a constant",
		"VLOOKUP(a,D1:E3,1)":                   "a lookup in 'S'!D1:E3: the key S!D2 is out of order: correct the table",
		"VLOOKUP(a,tab,2,FALSE)":               "the cell S!E3 is empty",
		"VLOOKUP(a,tab,a,FALSE)":               "VLOOKUP with a column that is not a constant of the table",
		`VLOOKUP("x",D1:D3,1,FALSE)`:           "a lookup of another kind of value than the keys have",
		"INDEX(D1:D3,a)":                       "INDEX without MATCH",
		"INDEX(D1:D3,MATCH(a,E2:E3,0))":        "MATCH in other rows than INDEX",
		"SUMPRODUCT(D1:D3,D1:D2)":              "SUMPRODUCT of ranges of different sizes",
		"SUMPRODUCT((D1:D3>1)*D1:D3)":          "SUMPRODUCT of an expression",
		"SUM(Table1[Load])":                    "a reference to a table, Table1[",
		"MAX(c,a)":                             "the empty input S!C1 in MAX: write a number into the cell",
		"AND(H1,a>1)":                          "an empty cell in AND: write TRUE or FALSE into the cell",
		"MAX(IF(a>1,H1,a),-5)":                 "IF with an empty cell in MAX",
		"SUM({1,2})":                           "a constant array",
		"@A1":                                  "an implicit intersection with @",
		"SUM(First:Last!A1)":                   "a range between names",
		"a b":                                  "the word b where an operator is expected",
		"(a":                                   "a bracket that is not closed",
		"a+":                                   "an end where an operand is expected",
		strings.Repeat("(", 99) + "a":          "too many expressions within one another",
		strings.Repeat("a+", MaxFormula) + "a": "a formula of 16385 bytes, and at most 8192 are allowed",
	} {
		_, err := Import(zipped(t, book(t, cellOf(formula), names)), Options{Capability: "a.b.c", Title: "C", File: "c.xlsx"})
		refused, ok := errors.AsType[*Error](err)
		if !ok || !strings.HasPrefix(err.Error(), "S!B1: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", formula, err, want)
			continue
		}
		for _, r := range refused.Refused {
			if r.Cell == "" || r.Part == "" || r.Remedy == "" {
				t.Errorf("%.60s: %+v", formula, r)
			}
		}
	}
}

// A column with other formulas than the named cells is not a scenario, and an unknown unit is reported.
func TestDoubtful(t *testing.T) {
	cells := `<c r="B1" t="str"><v>base</v></c><c r="D1" t="str"><v>good</v></c><c r="E1" t="str"><v>bad</v></c>` +
		`<c r="B2"><v>2</v></c><c r="C2" t="str"><v>kN mm</v></c><c r="D2"><v>3</v></c><c r="E2"><v>4</v></c><c r="F2"><v>5</v></c>` +
		`<c r="B3"><f>B2*2</f><v>4</v></c><c r="D3"><f>D2*2</f><v>6</v></c><c r="E3"><f>E2*3</f><v>12</v></c><c r="F3"><f>F2*2</f><v>10</v></c>`
	draft, err := Import(zipped(t, book(t, cells, `<definedName name="x">S!$B$2</definedName><definedName name="y">S!$B$3</definedName>`)), Options{Capability: "a.b.c", Title: "C", File: "c.xlsx"})
	if err != nil {
		t.Fatal(err)
	}
	for got, want := range map[string]string{
		strings.Join(draft.Vectors, "\n"):      "the named cells\ncolumn S!D good",
		(&Error{draft.Refused}).Error():        "S!E: a scenario that the draft does not confirm (W3: y: the source has 12.000000, the document gives 8): copy the formulas of the named cells, or delete the heading",
		strings.Join(draft.Notes, "\n") + "\n": "S!B2: the unit \"kN mm\" is not known: the number has no unit in the draft\nS!B2: x has no unit\ncolumn S!F has no heading above row 2: it is not a scenario\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// A long chain of formulas is refused before it takes much memory.
func TestRefusedChain(t *testing.T) {
	var cells strings.Builder
	cells.WriteString(`<c r="A1"><v>1</v></c><c r="B1"><f>A2</f><v>1</v></c>`)
	for row := 2; row < 15_000; row++ {
		fmt.Fprintf(&cells, `<c r="A%d"><f>A%d+0*A%d</f><v>1</v></c>`, row, row+1, row+1)
	}
	_, err := Import(zipped(t, book(t, cells.String(), names)), Options{Capability: "a.b.c", Title: "C", File: "c.xlsx"})
	if err == nil || !strings.Contains(err.Error(), "a calculation of more than 256 definitions") {
		t.Error(err)
	}
}

// All refusals of a workbook are reported at once. Results without a refusal are in the draft.
func TestRefusedTogether(t *testing.T) {
	cells := `<c r="A1"><v>2</v></c><c r="B1"><f>A1*CHOOSE(1,OFFSET(A1,0,0))</f><v>4</v></c><c r="B2"><f>B1+1</f><v>5</v></c><c r="B3"><f>A1*3+A5</f><v>7</v></c><c r="A5"><v>1</v></c>` +
		`<c r="B4"><f t="array" ref="B4">SUM(A1:A3*2)</f><v>4</v></c><c r="B5" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="B6"><f>A1</f></c><c r="B7"><f>A6+RAND()</f><v>1</v></c><c r="A6"><v>1</v></c>`
	list := ""
	for i := 1; i <= 7; i++ {
		list += fmt.Sprintf(`<definedName name="r_%d">S!$B$%d</definedName>`, i, i)
	}
	draft, err := Import(zipped(t, book(t, cells, list+`<definedName name="x">S!$A$1</definedName>`)), Options{Capability: "a.b.c", Title: "C", File: "c.xlsx"})
	if err != nil {
		t.Fatal(err)
	}
	want := `S!B1: the function CHOOSE: write it with functions that have a translation, or delete the name of the cell
S!B2: a refused cell in its formula: correct the cells that are refused
S!B4: an array formula: write a formula for each cell, or SUMPRODUCT
S!B5: the error value #DIV/0!: correct the formula, or the inputs of the workbook
S!B6: a formula without a saved value: compute the workbook in a spreadsheet program, and save it
S!B7: the volatile function RAND: refer to the cells, or write the value into a cell`
	if got := (&Error{draft.Refused}).Error(); got != want {
		t.Errorf("refused\n%s\nwant\n%s", got, want)
	}
	engine, err := text.Bind("c.calc.md", draft.Source)
	if err != nil || len(engine.Spec().Outputs) != 1 || strings.Contains(string(draft.Source), "a6") {
		t.Errorf("%v\n%s", err, draft.Source)
	}
}

// A file that is not a workbook, and a workbook that is too large or has more than cells, are refused as a whole.
func TestRefusedFiles(t *testing.T) {
	with := func(part, content string) []byte {
		parts := book(t, cellOf("a*2"), names)
		parts[part] = content
		return zipped(t, parts)
	}
	var many strings.Builder
	for row := 1; row <= MaxCells+1; row++ {
		fmt.Fprintf(&many, `<c r="A%d"><v>1</v></c>`, row)
	}
	encrypted := zipped(t, book(t, cellOf("a*2"), names))
	for i := range len(encrypted) - 10 { // the flag of encryption in each entry of the directory
		if bytes.HasPrefix(encrypted[i:], []byte("PK\x01\x02")) {
			encrypted[i+8] |= 1
		}
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":         {nil, "the file is not a workbook"},
		"text":          {[]byte("a;b\n1;2\n"), "the file is not a workbook: save it as .xlsx"},
		"old or locked": {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "the workbook is encrypted, or has the old format .xls"},
		"encrypted":     {encrypted, "the workbook is encrypted"},
		"another zip":   {zipped(t, map[string]string{"a.txt": "a"}), "it has no part _rels/.rels"},
		"macros":        {with("xl/vbaProject.bin", "x"), "the workbook has macros, which are never executed"},
		"bomb":          {with("xl/worksheets/sheet1.xml", strings.Repeat(" ", MaxParts)), "the workbook unzips to more than 32 MiB"},
		"large":         {make([]byte, MaxFile+1), "the workbook has 8388609 bytes"},
		"cells":         {zipped(t, book(t, many.String(), names)), "the workbook has more than 20000 cells"},
		"entities":      {with("xl/worksheets/sheet1.xml", `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet>&e;</worksheet>`), "defines entities, which are never read"},
		"broken":        {with("xl/worksheets/sheet1.xml", `<worksheet><c r="A1">`), "the part xl/worksheets/sheet1.xml of the workbook"},
		"no name":       {zipped(t, book(t, cellOf("A1*2"), "")), "no cell with a formula has a name"},
		"no number":     {zipped(t, book(t, strings.Replace(cellOf("IF(a>1,\"x\",\"y\")"), `<c r="B1"><f>`, `<c r="B1" t="str"><f>`, 1), names)), "no result is a number"},
		"displayed":     {with("xl/workbook.xml", `<workbook><calcPr fullPrecision="0"/></workbook>`), "the precision as displayed"},
		"stale":         {zipped(t, book(t, cellOf("a*3"), names)), "S!B1: the draft gives 6, the saved value is 2.0000000: compute the workbook again"},
		"no cell":       {zipped(t, book(t, `<c r="ZZZZ1"><v>1</v></c>`, names)), `"ZZZZ1" is not the place of a cell`},
		"no text":       {zipped(t, book(t, `<c r="A1" t="s"><v>7</v></c>`, names)), `the text "7" of the cell A1 is missing`},
		"seven":         {zipped(t, book(t, `<c r="A1"><v>seven</v></c>`, names)), `the value "seven" of the cell A1 is not a number`},
	} {
		_, err := Import(c.file, Options{Capability: "a.b.c", Title: "C", File: "c.xlsx"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
