package page_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// postTable sends the form of many rows.
func (s *site) postTable(t *testing.T, file string, fields ...string) answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write([]byte(file))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return s.ask(t, http.MethodPost, "/calc/beams/shelf/rows", body.String(), "Content-Type", w.FormDataContentType())
}

// cellsOf returns the texts of the rows in the first table of a page.
func cellsOf(a answer) (rows []string) {
	in := a.all(func(n *html.Node) bool { return n.Data == "table" })[0]
	for n := range in.Descendants() {
		if n.Data == "tr" {
			var cells []string
			for c := range n.ChildNodes() {
				cells = append(cells, text(c))
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	return rows
}

// The table of a blank form is the example of the calculator, which computes.
func TestManyRowsOfExample(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct{ query, table string }{
		{"", "mode,length [m],point_load [kN]\nsoft_wood,2,3\n"},
		{"?units=us", "mode,length [in],point_load [kip]\nsoft_wood,78.74,0.6744\n"},
	} {
		a := s.get(t, "/calc/beams/shelf/rows"+tt.query)
		table := ""
		for _, n := range a.elements("textarea") {
			table = n.FirstChild.Data
		}
		if table != tt.table {
			t.Errorf("%s: %q, want %q", tt.query, table, tt.table)
		}
		if page := s.postTable(t, "", "table", table); page.status != 200 || !strings.Contains(page.text, ">1 row<") {
			t.Errorf("%s: %d %s", tt.query, page.status, page.text)
		}
	}
}

// A pasted or uploaded table comes back with its results, as a page or as a file.
func TestManyRows(t *testing.T) {
	s := newSite(t)
	empty := s.get(t, "/calc/beams/shelf/rows")
	if empty.status != 200 || !strings.Contains(empty.text, "mode,length [m],point_load [kN]") || !empty.variesByLanguage() {
		t.Errorf("%d %s", empty.status, empty.text)
	}
	american := s.get(t, "/calc/beams/shelf/rows", "Accept-Language", american)
	chosen := s.get(t, "/calc/beams/shelf/rows?units=us")
	for _, a := range []answer{american, chosen} {
		if !strings.Contains(a.text, "mode,length [in],point_load [kip]") || attr(a.named("delta.unit"), "name") == "" || !slices.Contains(options(a.named("delta.unit")), "in=in*") {
			t.Errorf("in US units: %s", a.text)
		}
	}
	if got := options(american.named("decimal")); !slices.Contains(got, "point=Point: 1.5*") || chosen.variesByLanguage() {
		t.Errorf("decimals in en-US: %v", got)
	}
	if page := s.get(t, "/calc/beams/shelf?units=us"); !strings.Contains(page.text, `href="/calc/beams/shelf/rows?units=us"`) {
		t.Error("the link to the rows loses the units")
	}
	if page := s.get(t, "/calc/beams/shelf"); !strings.Contains(page.text, `href="/calc/beams/shelf/rows"`) {
		t.Error("the calculator has no link to its rows")
	}
	const rows = "beam;mode;L [ft]\nA;hard;3,5\nB;hard;-1\n"
	fields := []string{"table", rows, "decimal", "comma", "delta.unit", "mm"}
	pasted := s.postTable(t, "", fields...)
	got := cellsOf(pasted)
	if pasted.status != 200 || len(got) != 3 || got[0] != "beam|mode|L [ft]|delta [mm]|length [m]|kind|error_code|error_field|error_detail" ||
		!strings.HasPrefix(got[1], "A|hard|3,5|") || !strings.Contains(got[1], "|1,0668|hard|||") || !strings.Contains(got[2], "|LENGTH_OUT_OF_RANGE|length|") {
		t.Errorf("%d\n%s", pasted.status, strings.Join(got, "\n"))
	}
	for _, say := range []string{"2 rows, 1 without a result", "passed through: beam", "version 2.0.0"} {
		if !strings.Contains(pasted.text, say) {
			t.Errorf("the page does not say %q", say)
		}
	}
	if uploaded := s.postTable(t, rows, fields[2:]...); strings.Join(cellsOf(uploaded), "\n") != strings.Join(got, "\n") || !strings.Contains(uploaded.text, "A;hard;3,5") {
		t.Errorf("a file is answered by\n%s", uploaded.text)
	}
	file := s.postTable(t, "", append(fields, "as", "csv", "calculation_version", "1.0.0")...)
	if file.status != 200 || file.header.Get("Content-Disposition") != `attachment; filename="shelf-rows.csv"` || file.header.Get("Service-Spec-Version") != "1.0.0" ||
		!strings.HasPrefix(file.text, "beam;mode;L [ft];delta [mm];length [m];kind;warnings;error_code;error_field;error_detail\nA;hard;3,5;") {
		t.Errorf("%d %v\n%s", file.status, file.header, file.text)
	}
}

// The problem of a table is above the form, which keeps the table.
func TestManyRowsProblems(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct {
		name   string
		fields []string
		status int
		says   string
	}{
		{"nothing", nil, 400, "The table is empty"},
		{"a misspelt input", []string{"table", "mode,length,pointload\nhard,1,<b>\n"}, 400, "Did you mean point_load?"},
		{"another unit", []string{"table", "mode,length\nhard,1\n", "delta.unit", "kg"}, 400, "cannot be converted to kg"},
		{"other decimals", []string{"table", "mode,length\nhard,1\n", "decimal", "dot"}, 400, "The decimal separator is not point or comma"},
		{"another version", []string{"table", "mode,length\nhard,1\n", "calculation_version", "9.0.0"}, 409, "9.0.0"},
		{"too many rows", []string{"table", "mode,length\n" + strings.Repeat("hard,1\n", 10_100)}, 413, "more than 10,000 rows"},
		{"too large", []string{"table", strings.Repeat("mode,length\n", 1<<17)}, 413, "more than 1 MiB"},
	} {
		a := s.postTable(t, "", tt.fields...)
		if a.status != tt.status || !strings.Contains(a.text, tt.says) || strings.Contains(a.text, "<b>") {
			t.Errorf("%s: %d %.2000s", tt.name, a.status, a.text)
		}
		if tt.status == 400 && len(tt.fields) > 0 && !strings.Contains(a.text, "mode,length") {
			t.Errorf("%s: the form has lost its table", tt.name)
		}
	}
	if a := s.post(t, "/calc/beams/shelf/rows", "table=x"); a.status != 415 {
		t.Errorf("another form: %d", a.status)
	}
}
