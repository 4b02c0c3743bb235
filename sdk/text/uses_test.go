package text

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/value"
)

const sections = `{"table_format": 1, "table_id": "data.sections.some", "table_version": "1.0.0", "title": "Some sections",
 "summary": "Three sections.", "noun": "section",
 "columns": [{"name": "second_moment", "label": "Second moment", "unit": "cm4", "source": "s"},
  {"name": "area", "label": "Area", "unit": "cm2", "source": "s"}, {"name": "angle", "label": "Angle", "unit": "deg", "source": "s"}],
 "sources": [{"id": "s", "title": "A handbook", "where": "page 3"}]}`

const sectionRows = "key,name,second_moment,area,angle\nS10,S 10,100,20,1\nS20,S 20,1000,15,1\nS30,S 30,5000,30,1\nS40,S 40,,40,1\n"

const sheet = `# Section of a beam

The smallest section for a second moment of area.

- id: test.steel.section
- version: 1.0.0
- keywords: beam
- from sections: data.sections.some@1.0.0 DIGEST

## Inputs

| symbol | name     | unit | range | doc                             |
| ------ | -------- | ---- | ----- | ------------------------------- |
| I      | required | cm4  | (0,)  | The second moment that is needed. |

## Formula

` + "```formula" + `
s = first(row in sections if row.second_moment >= I)
k = argmin(row in sections if row.second_moment >= I: row.area)
profile = s.name
lightest = sections[k].name
eta = I/s.second_moment
` + "```" + `

## Outputs

| symbol   | name     | unit | doc                     | headline |
| -------- | -------- | ---- | ----------------------- | -------- |
| profile  | profile  | text | The smallest section.   |          |
| lightest | lightest | text | The lightest section.   |          |
| eta      | ratio    |      | How much of it is used. | yes      |

## Assumptions

- The beam bends about its strong axis.

## References

- Handbook: page 4

## Vectors

` + "```vectors" + `
V1: hand: 99/100
  I = 99 cm4
  => profile = "S 10", lightest = "S 20", eta == 0.99
` + "```" + `
`

func someSections(t *testing.T, rows string) *preset.Table {
	t.Helper()
	table, err := preset.Parse([]byte(sections), []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// withSections returns a document with the digest of the table, and with the file of the table.
func withSections(t *testing.T, document, rows string) *enginefile.Text {
	t.Helper()
	table := someSections(t, rows)
	closure, err := (&Closure{Tables: []*preset.Table{table}}).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return &enginefile.Text{Document: []byte(strings.ReplaceAll(document, "DIGEST", table.Digest())), Closure: closure}
}

// A document takes rows of a published table. It has only the columns that it uses, and the sources.
func TestUses(t *testing.T) {
	source := withSections(t, sheet, sectionRows)
	e, err := BindWith("t.calc.md", source)
	if err != nil {
		t.Fatal(err)
	}
	if list := e.Disagreements("t.calc.md", source.Document); len(list) > 0 {
		t.Error(list)
	}
	spec := e.Spec()
	if len(spec.Uses) != 1 || spec.Uses[0].ID != "data.sections.some" || spec.Uses[0].Title != "Some sections" || len(spec.Tables[0].Columns) != 3 {
		t.Errorf("uses %+v, tables %+v", spec.Uses, spec.Tables)
	}
	if last := spec.References[len(spec.References)-1]; last.Title != "Table Some sections, version 1.0.0" || last.Where != "A handbook, page 3" {
		t.Errorf("reference %+v", last)
	}
	for _, c := range []struct {
		inCm4    float64
		smallest string
		lightest string
	}{{100, "S 10", "S 20"}, {101, "S 20", "S 20"}, {4999, "S 30", "S 30"}} {
		in := value.Values{value.NumberOf(c.inCm4 * 1e-8)}
		o, err := e.Calculate(t.Context(), in)
		if err != nil || o.Result[0].Text() != c.smallest || o.Result[1].Text() != c.lightest || !e.Fast(in) {
			t.Errorf("%v: %v, %v, fast: %v", c.inCm4, o.Result, err, e.Fast(in))
		}
	}
	_, err = e.Calculate(t.Context(), value.Values{value.NumberOf(1)})
	rejection, ok := err.(*sdk.Error)
	if !ok || rejection.Code != CodeNoRow || rejection.Field != "required" {
		t.Errorf("%v, want %s", err, CodeNoRow)
	}
	published, err := BindPublished(&spec)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := published.Calculate(t.Context(), value.Values{value.NumberOf(1e-6)}); err != nil || o.Result[0].Text() != "S 10" {
		t.Errorf("%v, %v", o, err)
	}
	if canonical, err := Format("t.calc.md", source.Document); err != nil || !strings.Contains(string(canonical), "\n- from sections: data.sections.some@1.0.0 sha256:") {
		t.Errorf("%s, %v", canonical, err)
	}
}

// Each mistake has its place, and its message a remedy.
func TestUsesRefused(t *testing.T) {
	other := strings.Replace(sectionRows, "5000", "5001", 1)
	for _, c := range []struct{ name, old, new, rows, want string }{
		{"no version", "@1.0.0 DIGEST", "", "", ":8:18: write the id and the version of a published table"},
		{"wrong version", "@1.0.0 DIGEST", "@1.0 DIGEST", "", ":8:37: a version has three numbers"},
		{"version that the file lacks", "@1.0.0 DIGEST", "@1.0.1 DIGEST", "", ":8:18: the file of what the document uses has no data.sections.some 1.0.1: run slipstick fmt"},
		{"no table", "data.sections.some@", "test.sections.some@", "", ":8:18: the id of a table is data. and two more parts"},
		{"no digest", " DIGEST", "", "", ":8:37: the digest of data.sections.some 1.0.0 is missing: run slipstick fmt"},
		{"short digest", "DIGEST", "sha256:12", "", ":8:43: a digest is sha256: and 64 hexadecimal digits"},
		{"wrong digest", "DIGEST", "sha256:" + strings.Repeat("0", 64), "", "next to the document has another digest, sha256:"},
		{"other rows", "DIGEST", someSections(t, sectionRows).Digest(), other, "has another digest"},
		{"reserved name", "from sections", "from sum", "", ":8:3: a table is named by a name that the formula can have"},
		{"no name", "from sections", "from", "", ":8:3: there is no key from in the head"},
		{"name with blank", "from sections", "from my sections", "", ":8:3: a table is named by a name"},
		{"twice", "DIGEST\n", "DIGEST\n- from sections: data.sections.some@1.0.0 DIGEST\n", "", ":9:3: the key from sections is there twice"},
		{"two names", "DIGEST\n", "DIGEST\n- from others: data.sections.some@1.0.0 DIGEST\n", "", ":9:16: data.sections.some is used as sections already: use one name"},
		{"two versions", "DIGEST\n", "DIGEST\n- from others: data.sections.some@2.0.0 DIGEST\n", "", ":9:35: data.sections.some is used as 1.0.0 and as 2.0.0: use one version"},
		{"absent column", "row.second_moment >= I)\nk", "row.modulus >= I)\nk", "", "modulus"},
		{"wrong dimension", "row.second_moment >= I)\nk", "row.area >= I)\nk", "", "m2"},
		{"wrong dimension of a result", "eta = I/s.second_moment", "eta = I/s.area", "", "m2"},
		{"word for a number", "row.second_moment >= I)\nk", "row.name >= I)\nk", "", "word"},
		{"no name of a table", "first(row in sections", "first(row in section", "", "section"},
		{"not in order", "row.second_moment >= I)\nk", "row.second_moment >= I and row.area > {1 cm2})\nk", "", "the rows of sections are not in the order of area"},
		{"angle", "eta = I/s.second_moment", "eta = I/s.second_moment + 0*s.angle", "", "is in deg, which a formula cannot take from a table"},
		{"table with the name of an input", "from sections", "from I", "", "which are not one quantity"},
		{"table with the name of a definition", "from sections", "from eta", "", "which are not one quantity"},
		{"no use", "- from sections: data.sections.some@1.0.0 DIGEST\n", "", "", "the document uses no table and no calculation, and has a file of them"},
	} {
		rows := c.rows
		if rows == "" {
			rows = sectionRows
		}
		changed := strings.Replace(sheet, c.old, c.new, 1)
		if changed == sheet {
			t.Fatalf("%s: nothing is changed", c.name)
		}
		_, err := BindWith("t.calc.md", withSections(t, changed, rows))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "t.calc.md:") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for _, closure := range []string{"", "{", `{"tables": [{"description": {}, "rows": []}]}`} {
		source := withSections(t, sheet, sectionRows)
		source.Closure = []byte(closure)
		if _, err := BindWith("t.calc.md", source); err == nil || !strings.Contains(err.Error(), "t.calc.md:8:18: the file of what the document uses") {
			t.Errorf("%q: %v", closure, err)
		}
	}
}

// Missing digests are added. A table that the registry lacks, or has with other values, is refused.
func TestPin(t *testing.T) {
	table := someSections(t, sectionRows)
	for _, source := range []string{strings.Replace(sheet, " DIGEST", "", 1), strings.Replace(sheet, "DIGEST", table.Digest(), 1)} {
		pinned, closure, err := Pin("t.calc.md", []byte(source), &Closure{Tables: []*preset.Table{table}})
		if err != nil || string(pinned) != strings.Replace(sheet, "DIGEST", table.Digest(), 1) {
			t.Fatalf("%s, %v", pinned, err)
		}
		if _, err := BindWith("t.calc.md", &enginefile.Text{Document: pinned, Closure: closure}); err != nil {
			t.Error(err)
		}
	}
	for want, tables := range map[string][]*preset.Table{
		"t.calc.md:8:18: data.sections.some 1.0.0 is not published in this registry": nil,
		"t.calc.md:8:43: data.sections.some 1.0.0 has the digest sha256:":            {someSections(t, strings.Replace(sectionRows, "5000", "5001", 1))},
	} {
		_, _, err := Pin("t.calc.md", []byte(strings.Replace(sheet, "DIGEST", table.Digest(), 1)), &Closure{Tables: tables})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
