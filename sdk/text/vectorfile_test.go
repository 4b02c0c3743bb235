package text

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk/enginefile"
)

// tensionRows are vectors of testdata/tension.calc.md: V2 and V1 of the document in other units, and a bare output.
const tensionRows = `id,axial_force [N],b [cm],t [mm],n,d_0 [mm],f_y [MPa],f_u [MPa],N_Rd [kN],eta,governs,source
F1,250000,15,10,0,22,235,360,== 352.5,0.709220,yielding,hand: 1500*235
,250000,15,10,,22,235,360,== 274.752,,rupture,"hand: 1060*0.9*360/1.25, which is less"
`

// withRows binds testdata/tension.calc.md with a file of vectors, and returns its engine and the document.
func withRows(t *testing.T, rows string) (*Engine, []byte, error) {
	t.Helper()
	source, err := os.ReadFile("testdata/tension.calc.md")
	if err != nil {
		t.Fatal(err)
	}
	changed := []byte(strings.Replace(string(source), "- version: 1.0.0", "- version: 1.0.0\n- vectors: tension.csv", 1))
	e, err := BindWith("dir/t.calc.md", &enginefile.Text{Document: changed, Vectors: []byte(rows)})
	return e, changed, err
}

// The vectors of a file have inputs, results and tolerances as the vectors of a document.
func TestVectorFile(t *testing.T) {
	e, source, err := withRows(t, tensionRows)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range e.Disagreements("dir/t.calc.md", source) {
		t.Error(m.Report())
	}
	published := string(e.Vectors())
	for _, want := range []string{
		`"id":"F1"`, `"id":"line_3"`, `"source":"hand: 1060*0.9*360/1.25, which is less"`, `"width":0.15`, `"resistance":352500`, `"tolerances":{"utilization":`,
	} {
		if !strings.Contains(published, want) {
			t.Errorf("the vectors have no %s:\n%s", want, published)
		}
	}
	wrong := strings.Replace(tensionRows, "== 352.5", "== 352.6", 1)
	e, source, err = withRows(t, wrong)
	if err != nil {
		t.Fatal(err)
	}
	list := e.Disagreements("dir/t.calc.md", source)
	if len(list) != 1 || !strings.HasPrefix(list[0].Error(), "dir/tension.csv:2:33: F1: resistance: the source has 352.6, the document gives 352.5 kN") {
		t.Errorf("%v", list)
	}
}

// Each mistake in a file of vectors has its line and column in the file.
func TestVectorFileMistakes(t *testing.T) {
	for _, test := range []struct{ name, from, to, want string }{
		{"unknown field", "b [cm]", "breadth [cm]", "1:20: breadth is not an input or output"},
		{"no unit", "b [cm]", "b", "1:20: b has a unit: write b [mm], or another unit of it"},
		{"unknown unit", "b [cm]", "b [centi]", `1:23: unit "centi" is not known`},
		{"another quantity", "b [cm]", "b [kg]", "2:11: the field is in mm, and kg is a unit of another quantity"},
		{"unit of words", "governs", "governs [mm]", "1:88: this field has no unit: write governs"},
		{"heading", "b [cm]", "b in cm", "1:20: a heading is the name of a field, such as width [mm]"},
		{"column twice", "f_u [MPa]", "f_y [MPa]", "1:55: the column f_y [MPa] is there twice"},
		{"no source", ",source", ",A_net [mm2]", "1:1: the column source is missing"},
		{"semicolons", "id,axial_force [N],b [cm],t [mm],n,d_0 [mm],f_y [MPa],f_u [MPa],N_Rd [kN],eta,governs,source", "id;b [cm]", "1:1: write commas between cells, not semicolons"},
		{"unit in a cell", "15,10,0", "15 cm,10,0", "2:11: the unit is in the heading: write 15"},
		{"decimal comma", "15,10,0", `"15,5",10,0`, "2:12: 15,5: a decimal point is a point"},
		{"word", "yielding", "yeilding", `"yeilding" is not a value of this field: is it yielding?`},
		{"minus", "F1,250000", "F1,−250000", "2:4: U+2212 is a minus sign of a word processor: type -"},
		{"digits", "0.709220", "0.71", "2:39: utilization: 0.71 has 2 digits; write 4 or more, or == if it is exact"},
		{"cells", ",yielding", "", "2:1: this row has 11 cells, and the heading 12"},
		{"id twice", "F1,", "V1,", "2:1: the vector V1 is there twice"},
		{"id", "F1,", "1 F,", "2:1: an id starts with a letter"},
		{"source", "hand: 1500*235", "", "2:1: the source of the vector is missing"},
		{"results", "== 352.5,0.709220,yielding", ",,", "2:1: the vector has no expectation"},
		{"quotes", "F1,", `F"1,`, `2:2: write a cell with commas or quotation marks as "..."`},
		{"hidden", "F1,", "F\u200b1,", "2:2: U+200B cannot be seen"},
		{"always there", "== 352.5", "is absent", "resistance is always there"},
		{"integer", "15,10,0", "15,10,0.5", "write an integer, without a unit"},
		{"not UTF-8", "F1,", "F\xff,", "2:2: this is not UTF-8"},
		{"rows", "F1,", strings.Repeat(",1,,,,,,,,,,a\n", MaxVectorRows) + "F1,", "the file has more than 5000 vectors: leave out rows"},
		{"size", "F1,", strings.Repeat(" ", MaxVectorBytes) + "F1,", "1:1: the file of vectors has"},
		{"nothing", tensionRows, "id,source\n", "1:1: the file has no vectors"},
		{"empty", tensionRows, "", "dir/t.calc.md:7:12: the file of vectors is empty or missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(tensionRows, test.from) {
				t.Fatalf("the file has no %q", test.from)
			}
			_, _, err := withRows(t, strings.Replace(tensionRows, test.from, test.to, 1))
			list, ok := errors.AsType[Mistakes](err)
			if !ok || !strings.Contains(list[0].Error(), test.want) || len(list) > 2 {
				t.Errorf("want %s, got %d:\n%.500v", test.want, len(list), err)
			}
			for _, m := range list {
				_ = m.Report()
			}
		})
	}
}

// A file of vectors has one canonical form, whatever the program that exports it.
func TestFormatVectors(t *testing.T) {
	for name, other := range map[string]string{
		"again": tensionRows, "CRLF and BOM": "\ufeff" + strings.ReplaceAll(tensionRows, "\n", "\r\n"),
		"quotes": strings.ReplaceAll(tensionRows, "F1,", `"F1",`), "empty rows": tensionRows + ",,,,,,,,,,,\n\n",
		"blanks": strings.ReplaceAll(tensionRows, "15,10", " 15 ,10"), "no final line": strings.TrimSuffix(tensionRows, "\n"),
	} {
		got, err := FormatVectors("t.csv", []byte(other))
		if err != nil || string(got) != tensionRows {
			t.Errorf("%s: %v\n%s", name, err, cmp.Diff(tensionRows, string(got)))
		}
	}
}

// No bytes make the reader of a file of vectors panic, and a canonical form stays as it is.
func FuzzVectorFile(f *testing.F) {
	source, err := os.ReadFile("testdata/tension.calc.md")
	if err != nil {
		f.Fatal(err)
	}
	document := []byte(strings.Replace(string(source), "- version: 1.0.0", "- version: 1.0.0\n- vectors: tension.csv", 1))
	d, err := Parse("t.calc.md", document)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(tensionRows))
	f.Add([]byte("v [mm],source\n\"[[0, 0], [1\",hand: 1\n"))
	f.Add([]byte("  "))
	f.Add([]byte("a,\"b\nc\"\r\n"))
	f.Fuzz(func(t *testing.T, rows []byte) {
		r := &reader{file: "t.csv"}
		r.readVectorFile(d, rows)
		for _, m := range r.mistakes {
			_ = m.Report()
		}
		first, err := FormatVectors("t.csv", rows)
		if err != nil {
			return
		}
		second, err := FormatVectors("t.csv", first)
		if err != nil || string(first) != string(second) {
			t.Errorf("the canonical form changes: %v\n%q\n%q", err, first, second)
		}
	})
}
