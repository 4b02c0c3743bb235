package page_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
)

const shelfQuery = "mode=hard&length=7&length.unit=ft&point_load=3000&delta.unit=in"

// exported returns a file of the shelf.
func exported(t *testing.T, s *site, file string) answer {
	t.Helper()
	a := s.get(t, "/calc/beams/shelf/export/"+file+"?calculation_version=2.0.0&"+shelfQuery)
	if a.status != http.StatusOK || a.header.Get("Service-Spec-Version") != "2.0.0" || !strings.HasPrefix(a.header.Get("Slipstick-Engine-Digest"), "sha256:") || !strings.Contains(a.header.Get("Content-Disposition"), `filename="shelf-`+file+`"`) {
		t.Fatalf("%s: %d %v %s", file, a.status, a.header, a.text)
	}
	if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("%s: policy %q", file, policy)
	}
	return a
}

// answeredShelf returns the answer of the API to the same inputs.
func answeredShelf(t *testing.T, s *site) (text string, delta float64) {
	t.Helper()
	text = s.ask(t, "POST", "/api/v1/calc/shelf", `{"mode":"hard","length":{"value":7,"unit":"ft"},"point_load":3000}`, "Content-Type", "application/json").text
	var doc struct{ Result struct{ Delta float64 } }
	if err := json.Unmarshal([]byte(text), &doc); err != nil || doc.Result.Delta == 0 {
		t.Fatal(text, err)
	}
	return text, doc.Result.Delta
}

// Every link of the menu leads to a file, on the page, in its part for scripts, and on the snapshot.
func TestTakeAlong(t *testing.T) {
	s := newSite(t)
	result := s.ask(t, "POST", "/api/v1/calc/shelf?delta.unit=in", `{"mode":"hard","length":{"value":7,"unit":"ft"},"point_load":3000}`, "Content-Type", "application/json", "Accept", "text/html")
	snap := newSnapshot(t, s, `{"mode":"hard","length":{"value":7,"unit":"ft"},"point_load":3000}`, "2.0.0")
	whole, err := s.pages.Snapshot(t.Context(), snap, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]answer{"page": s.get(t, "/calc/beams/shelf?"+shelfQuery), "result": result, "snapshot": parsed(t, string(whole))} {
		links := a.all(func(n *html.Node) bool {
			return n.Data == "a" && strings.Contains(attr(n, "href"), "/export/")
		})
		if len(links) != 11+2 {
			t.Errorf("%s: %d links to files", name, len(links))
		}
		for _, link := range links {
			if got := s.get(t, attr(link, "href")); got.status != http.StatusOK || len(got.text) < 50 {
				t.Errorf("%s: %s: %d %s", name, attr(link, "href"), got.status, got.text)
			}
		}
	}
}

func parsed(t *testing.T, text string) answer {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return answer{text: text, root: root}
}

// The CSV has results in the reader's unit, and exactly as in the API.
func TestTakeCSV(t *testing.T) {
	s := newSite(t)
	_, delta := answeredShelf(t, s)
	rows, err := csv.NewReader(strings.NewReader(exported(t, s, "results.csv").text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(what, label string) []string {
		for _, row := range rows {
			if row[0] == what && (label == "" || row[1] == label) {
				return row
			}
		}
		t.Fatalf("no %s %s in %q", what, label, rows)
		return nil
	}
	row := at("Result", "Delta")
	inches, err := strconv.ParseFloat(row[2], 64)
	if si, _ := strconv.ParseFloat(row[4], 64); err != nil || si != delta || row[5] != "m" || row[3] != "in" || inches*0.0254 < delta*(1-1e-12) || inches*0.0254 > delta*(1+1e-12) {
		t.Errorf("delta is %g, the row says %q", delta, row)
	}
	if row := at("Input", "Length"); !slices.Equal(row[2:], []string{"7", "ft", "2.1336", "m"}) {
		t.Errorf("length: %q", row)
	}
	if row := at("Computed by", ""); row[1] != "shelf@2.0.0" {
		t.Errorf("computed by %q", row)
	}
	if row := at("Address", ""); !strings.HasPrefix(row[1], base+"/calc/beams/shelf?") || !strings.Contains(row[1], "delta.unit=in") {
		t.Errorf("address %q", row)
	}
}

// sheetReader prints a workbook with the standard library of Python.
const sheetReader = `
import json, sys, zipfile, xml.etree.ElementTree as tree
m = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
book = zipfile.ZipFile(sys.argv[1])
assert book.testzip() is None
relation = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
targets = {r.get("Id"): r.get("Target") for r in tree.fromstring(book.read("xl/_rels/workbook.xml.rels"))}
sheets = {}
for sheet in tree.fromstring(book.read("xl/workbook.xml")).find("m:sheets", m):
    rows = []
    for row in tree.fromstring(book.read("xl/" + targets[sheet.get(relation)].removeprefix("/xl/"))).iter("{%s}row" % m["m"]):
        cells = []
        for cell in row:
            assert cell.find("m:f", m) is None, "a formula"
            value = cell.find("m:v", m)
            if cell.get("t") == "inlineStr":
                cells.append(cell.findtext("m:is/m:t", "", m))
            elif value is not None:
                cells.append(float(value.text))
        rows.append(cells)
    sheets[sheet.get("name")] = rows
print(json.dumps(sheets))
`

// Another program can read the workbook, and its numbers are exact to the last bit.
func TestTakeXLSX(t *testing.T) {
	s := newSite(t)
	_, delta := answeredShelf(t, s)
	file := filepath.Join(t.TempDir(), "results.xlsx")
	if err := os.WriteFile(file, []byte(exported(t, s, "results.xlsx").text), 0o600); err != nil {
		t.Fatal(err)
	}
	reader := exec.CommandContext(t.Context(), "python3", "-c", sheetReader, file)
	reader.Stderr = os.Stderr
	out, err := reader.Output()
	if err != nil {
		t.Fatal(err)
	}
	var sheets map[string][][]any
	if err := json.Unmarshal(out, &sheets); err != nil {
		t.Fatal(err)
	}
	has := func(sheet string, cells ...any) {
		t.Helper()
		for _, row := range sheets[sheet] {
			if len(row) >= len(cells) && slices.Equal(row[:len(cells)], cells) {
				return
			}
		}
		t.Errorf("%s has no row %v: %v", sheet, cells, sheets[sheet])
	}
	has("Calculation", "Input", "Length", 7.0, "ft", 2.1336, "m")
	has("Where it comes from", "Computed by", "shelf@2.0.0")
	has("Where it comes from", "Assumption", "The wall is rigid.")
	has("Shear", "Place [ft]", "load [lbf]", "Place [m]", "load [N]")
	found := false
	for _, row := range sheets["Calculation"] {
		found = found || len(row) == 6 && row[1] == "Delta" && row[3] == "in" && row[4] == delta
	}
	if !found {
		t.Errorf("no result %v in %v", delta, sheets["Calculation"])
	}
	if rows := sheets["Load"]; len(rows) != 3 || rows[2][2] != 2.1336 || rows[2][3] != 3000.0 {
		t.Errorf("the numbers of the picture: %v", rows)
	}
}

// The LaTeX is a complete document. A browser test checks with KaTeX that its formulas are readable.
func TestTakeLaTeX(t *testing.T) {
	s := newSite(t)
	text := exported(t, s, "formula.tex").text
	for _, want := range []string{"% Computed by: shelf@2.0.0\n", `\section*{Shelf <beam> \& more}`, `\begin{document}`, `\end{document}`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	n := 0
	for part := range strings.SplitSeq(text, "\n\\[\n") {
		math, _, found := strings.Cut(part, "\n\\]\n")
		if !found {
			continue
		}
		n++
		if strings.Contains(math, "\n") {
			t.Errorf("more than one line: %s", math)
		}
		if strings.Count(math, "{") != strings.Count(math, "}") || strings.Count(math, `\left`) != strings.Count(math, `\right`) {
			t.Errorf("unbalanced: %s", math)
		}
	}
	if n < 5 {
		t.Errorf("%d formulas in\n%s", n, text)
	}
}

// A picture is a document of its own, and names its origin.
func TestTakeSVG(t *testing.T) {
	s := newSite(t)
	a := exported(t, s, "load.svg")
	if err := xml.Unmarshal([]byte(a.text), new(struct{})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`xmlns="http://www.w3.org/2000/svg"`, "shelf@2.0.0, engine sha256:", ">shelf@2.0.0</text>", `fill="#565c66"`, "(ft)"} {
		if !strings.Contains(a.text, want) {
			t.Errorf("no %s in\n%s", want, a.text)
		}
	}
	if a.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("it is %s", a.header.Get("Content-Type"))
	}
}

// An invalid URL gets a problem, and no file.
func TestTakeRefuses(t *testing.T) {
	s := newSite(t)
	for address, want := range map[string]int{
		"results.csv?" + shelfQuery + "&units=furlongs":                    http.StatusBadRequest,
		"results.csv?" + shelfQuery + "&delta.unit=ft":                     http.StatusBadRequest,
		"results.csv?mode=hard":                                            http.StatusBadRequest,
		"results.csv?length=x&mode=hard":                                   http.StatusBadRequest,
		"results.csv?" + shelfQuery + "&calculation_version=7.0.0":         http.StatusConflict,
		"results.doc?" + shelfQuery:                                        http.StatusNotFound,
		"call.tex?" + shelfQuery:                                           http.StatusNotFound,
		"nothing.svg?" + shelfQuery:                                        http.StatusNotFound,
		".svg?" + shelfQuery:                                               http.StatusNotFound,
		"results.csv?" + shelfQuery + "&note=" + strings.Repeat("x", 5000): http.StatusBadRequest,
	} {
		if a := s.get(t, "/calc/beams/shelf/export/"+address); a.status != want || a.header.Get("Content-Disposition") != "" {
			t.Errorf("%.80s: %d, want %d: %s", address, a.status, want, a.text)
		}
	}
	if a := s.get(t, "/calc/wood/shelf/export/results.csv?"+shelfQuery); a.status != http.StatusPermanentRedirect || a.header.Get("Location") != "/calc/beams/shelf/export/results.csv?"+shelfQuery {
		t.Errorf("in another group: %d %v", a.status, a.header)
	}
}

// A calculator in a frame has the result and its warnings, no scripts, and a policy that only allows the configured sites.
// Without such sites the page does not exist.
func TestEmbed(t *testing.T) {
	s := newSite(t)
	if a := s.get(t, "/embed/beams/shelf?"+shelfQuery); a.status != http.StatusNotFound {
		t.Errorf("not allowed: %d", a.status)
	}
	pages := page.New(s.service, &page.Options{Embed: []string{"https://wiki.example.org", "https://b.example:8443"}})
	framed := &site{Handler: web.New(base, pages.Routes(), nil)}
	for address, want := range map[string]struct {
		status int
		texts  []string
	}{
		"/embed/beams/shelf":                                      {200, []string{"Calculate", "/calc/beams/shelf\" target"}},
		"/embed/beams/shelf?" + shelfQuery:                        {200, []string{"Delta", "<svg", "shelf@2.0.0", base + "/calc/beams/shelf?mode=hard&amp;length=7"}},
		"/embed/beams/shelf?mode=hard&length=7&point_load=900000": {200, []string{"It bends &lt;far&gt;."}},
		"/embed/beams/shelf?mode=hard&length=-7":                  {200, []string{`role="alert"`}},
		"/embed/beams/shelf?units=furlongs&length=1":              {400, []string{"furlongs"}},
		"/embed/beams/nothing":                                    {404, []string{"nothing"}},
	} {
		a := framed.get(t, address)
		if a.status != want.status || !strings.HasSuffix(a.header.Get("Content-Security-Policy"), "; frame-ancestors https://wiki.example.org https://b.example:8443") {
			t.Errorf("%s: %d %s", address, a.status, a.header.Get("Content-Security-Policy"))
		}
		for _, text := range want.texts {
			if !strings.Contains(a.text, text) {
				t.Errorf("%s: no %s in\n%s", address, text, a.text)
			}
		}
		if strings.Contains(a.text, "<script") {
			t.Errorf("%s has a script", address)
		}
	}
	if a := framed.get(t, "/calc/beams/shelf?"+shelfQuery); !strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("other pages: %s", a.header.Get("Content-Security-Policy"))
	}
	if _, err := url.ParseQuery(shelfQuery); err != nil {
		t.Error(err)
	}
}
