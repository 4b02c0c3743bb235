package page_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

const good = "mode=hard&L=2&P=3&P.unit=kN"

// result returns the text of the element with the answer of the API.
func (a answer) result() string {
	n := a.id("calculatorx-result")
	if n == nil || n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

// linked returns the linked data of the page, by type.
func (a answer) linked(t *testing.T) map[string]map[string]any {
	t.Helper()
	n := a.id("calculatorx-jsonld")
	if n == nil {
		t.Fatal("the page has no linked data")
	}
	var g struct {
		Context string           `json:"@context"`
		Graph   []map[string]any `json:"@graph"`
	}
	if err := json.Unmarshal([]byte(n.FirstChild.Data), &g); err != nil || g.Context != "https://schema.org" {
		t.Fatalf("linked data %s: %v", n.FirstChild.Data, err)
	}
	types := map[string]map[string]any{}
	for _, node := range g.Graph {
		types[node["@type"].(string)] = node
	}
	return types
}

// A page with inputs contains the answer of the API, byte for byte, and linked data about one entity with the same values.
func TestResult(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct{ query, body string }{
		{good, `{"mode":"hard","L":2,"P":{"value":3,"unit":"kN"}}`},
		{"length=2.50&mode=softwood&point_load=1e+3&factor=0.1&count=7&wet=false", `{"length":2.50,"mode":"softwood","point_load":1e+3,"factor":"0.1","count":7,"wet":false}`},
		{"length=2.50&mode=softwood&point_load=1e%2B3", `{"length":2.50,"mode":"softwood","point_load":1e+3}`},
		{"length=2&length.unit=m&mode=hard", `{"length":2,"mode":"hard"}`}, // its own unit needs no conversion
		{"length=2&mode=hard&data=1%0A2%0A3%0A4&corners=0+0;1+2&layers=0.1+a;{0.2}", ""},
		{"length=2&mode=hard&data=1%0A2%0A3%0A4&corners=0+0;1+2&layers=0.1+a;0.2", `{"length":2,"mode":"hard","data":[1,2,3,4],"corners":[[0,0],[1,2]],"layers":[{"thickness":0.1,"kind":"a"},{"thickness":0.2}]}`},
		{"length=2&mode=hard&note=%3C/script%3E%E2%80%A8%26", `{"length":2,"mode":"hard","note":"</script>\u2028&"}`},
		{"L=2&length=2.0&mode=hard&unknown=5&v=3&calculation_version=1.0.0&position=", `{"L":2,"length":2.0,"mode":"hard"}`},
	} {
		a := s.get(t, shelf+"?"+tt.query)
		if tt.body == "" {
			if a.result() != "" {
				t.Errorf("%s gives a result", tt.query)
			}
			continue
		}
		want := s.ask(t, http.MethodPost, "/api/v1/calc/shelf", tt.body, "Content-Type", "application/json")
		if a.status != 200 || a.result() != strings.TrimSpace(want.text) || want.status != 200 {
			t.Errorf("%s: %d\n%s\nthe API:\n%s", tt.query, a.status, a.result(), want.text)
		}
		if got := a.header.Get("Service-Spec-Version"); got != "2.0.0" {
			t.Errorf("%s: version %q in the header", tt.query, got)
		}
	}
}

func TestLinkedData(t *testing.T) {
	s := newSite(t)
	blank, full := s.get(t, shelf).linked(t), s.get(t, shelf+"?"+good).linked(t)
	const canonical = base + shelf
	if diff := cmp.Diff(blank["WebApplication"], full["WebApplication"]); diff != "" {
		t.Errorf("the calculator is not the same entity with a result: %s", diff)
	}
	app := full["WebApplication"]
	for key, want := range map[string]any{
		"@id": canonical, "url": canonical, "name": "Shelf <beam> & more", "isAccessibleForFree": true,
		"softwareVersion": "2.0.0", "operatingSystem": "Any", "applicationCategory": "UtilitiesApplication",
	} {
		if app[key] != want {
			t.Errorf("%s = %v, want %v", key, app[key], want)
		}
	}
	if blank["Action"] != nil {
		t.Errorf("without a result there is the action %v", blank["Action"])
	}
	value := func(id, name string, v any, unit string) map[string]any {
		m := map[string]any{"@type": "PropertyValue", "propertyID": id, "name": name, "value": v}
		if unit != "" {
			m["unitText"] = unit
		}
		return m
	}
	want := map[string]any{
		"@type": "Action", "name": "Shelf <beam> & more", "actionStatus": "CompletedActionStatus",
		"instrument": map[string]any{"@id": canonical},
		"object": []any{
			value("mode", "Mode", "hard", ""), value("length", "Length", 2.0, "m"), value("point_load", "Point load", 3000.0, "N"),
			value("grade", "Grade", "c24", ""), value("wet", "Wet", false, ""), value("note", "Note", "none", ""),
		},
		"result": []any{value("delta", "Delta", 0.048, "m"), value("length", "Length", 2.0, "m"), value("kind", "Kind", "hard", "")},
	}
	if diff := cmp.Diff(want, full["Action"]); diff != "" {
		t.Errorf("action (-want +got):\n%s", diff)
	}
	if len(full["BreadcrumbList"]["itemListElement"].([]any)) != 3 {
		t.Errorf("breadcrumbs %v", full["BreadcrumbList"])
	}
}

// The sheet has everything that an engineer wants in the file.
func TestSheet(t *testing.T) {
	a := newSite(t).get(t, shelf+"?"+good+"&P=9e6&P.unit=N")
	if a.result() != "" {
		t.Error("two units and two values gave a result")
	}
	a = newSite(t).get(t, shelf+"?mode=hard&L=2&P=3e5")
	sheet := text(a.id("sheet"))
	for _, want := range []string{
		"4.8 m", "Deflection at the tip.", // result
		"Critical: It bends <far>. Use a thicker board. LARGE_DEFLECTION",
		"Rule of thumb", "delta = c*P*L^3 = {2e-6 1/(N m2)}*{300 kN}*{2 m}^3 = 4.8 m, because grade is c24 and L = 2 m < 90 m", // formula, and with numbers
		"Point load P 3e5 N", "Grade C24 default", // normalized inputs
		"The wall is rigid.", "Down is positive.", "Delta / length: at most 0.1 Small slopes.", "Shelves , p. 7",
		"Engine tested", "yes: 3 of 3 reference calculations, 1 of 1 rules", "It has not been reviewed.", "Internal review not yet Expert review not yet", // trust
		"Version 2.0.0", digest, "abc123", "2026-01-02", "6 May 2026, 07:08 UTC", "Calculated by", "Checked by",
		base + shelf + "?mode=hard&length=2&point_load=3e5",
	} {
		if !strings.Contains(sheet, want) {
			t.Errorf("the sheet does not say %q:\n%.3000s", want, sheet)
		}
	}
	for _, n := range a.elements("a") {
		if text(n) == "All evidence: rules and reference calculations" && attr(n, "href") != "/api/v1/capabilities/test.beams.shelf/evidence?calculation_version=2.0.0" {
			t.Errorf("evidence at %s", attr(n, "href"))
		}
	}
}

// A quantity in another unit is also shown as it was entered.
func TestEntered(t *testing.T) {
	s := newSite(t)
	for query, want := range map[string]string{
		good: "Point load P 3 kN", "mode=hard&L=10.0&L.unit=ft": "Length L 10.0 ft", "mode=hard&L=2&L.unit=m": "Length L 2 m",
	} {
		if sheet := text(s.get(t, shelf+"?"+query).id("sheet")); !strings.Contains(sheet, want) {
			t.Errorf("%s: the sheet does not say %q:\n%.2000s", query, want, sheet)
		}
	}
}

// The headline of a sheet is not an entered number.
func TestHeadlines(t *testing.T) {
	a := newSite(t).get(t, "/calc/convert/pressure?a=15&from=psi")
	hero := text(a.all(func(n *html.Node) bool { return attr(n, "class") == "hero first" })[0])
	if hero != "Value 30 kPa Copy" {
		t.Errorf("shown large: %q", hero)
	}
	if got := text(a.all(func(n *html.Node) bool { return attr(n, "class") == "peek" })[0]); got != "Value 30 kPa" {
		t.Errorf("in brief: %q", got)
	}
}

// A fault is shown at its field and above the form, and never looks like a result.
func TestErrors(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct {
		name, query, field, says, code string
	}{
		{"word", "mode=hard&length=abc", "length", "“abc” is not a number. Write it such as 0.35, 1200, 2.1e11 or 3/8.", "INVALID_NUMBER"},
		{"two readings", "mode=hard&length=3,500", "length", "“3,500” has two readings, 3.500 and 3500. Write 3.500, or 3500.", "INVALID_NUMBER"},
		{"division", "mode=hard&length=1/0", "length", "“1/0” divides by zero. Divide by another number.", "INVALID_NUMBER"},
		{"hexadecimal", "mode=hard&length=0x10", "length", "“0x10” is hexadecimal. Write one number.", "INVALID_NUMBER"},
		{"not a number", "mode=hard&length=NaN", "length", "“NaN” is not a value. Leave it empty, or write a number.", "INVALID_NUMBER"},
		{"underflow", "mode=hard&length=1e-400", "length", "This is too small to calculate with. Enter a larger number.", "NUMERIC_UNDERFLOW"},
		{"underflow where zero is taken", "mode=hard&length=2&point_load=1e-400", "point_load", "This is too small to calculate with, but not zero. Enter 0 if you mean zero.", "NUMERIC_UNDERFLOW"},
		{"overflow", "mode=hard&length=1e400", "length", "This is too large to calculate with. Enter a number below 1.8e308.", "NON_FINITE_RESULT"},
		{"not whole", "mode=hard&length=1&count=1.5", "count", "“1.5” is not a whole number. Write a whole number.", "INVALID_NUMBER"},
		{"missing", "mode=hard&point_load=3", "length", "Enter a value. The calculation needs it.", "MISSING_REQUIRED_INPUT"},
		{"missing choice", "length=3", "mode", "Enter a value. The calculation needs it.", "MISSING_REQUIRED_INPUT"},
		{"range", "mode=hard&length=0", "length", "Must be greater than 0 and at most 100 m.", "LENGTH_OUT_OF_RANGE"},
		{"end that is an input", "mode=hard&length=2&position=3", "position", "Must be between 0 and “Length”.", "POSITION_OUT_OF_RANGE"},
		{"choice", "mode=metal&length=2", "mode", "\"metal\" is not one of the choices.", "INVALID_MODE"},
		{"choice alone", "mode=metal", "mode", "\"metal\" is not one of the choices.", "INVALID_MODE"},
		{"boolean", "mode=hard&length=2&wet=perhaps", "wet", "", "INVALID_NUMBER"},
		{"unit", "mode=hard&length=2&length.unit=furlong", "length", "“furlong” is not a known unit. Use one of m, nm, µm, mm, cm, km, µin, mil, in, ft, yd, mi, nmi, or a bare number in m.", "UNKNOWN_UNIT"},
		{"other unit", "mode=hard&length=2&length.unit=kg", "length", "", "INCOMPATIBLE_UNIT"},
		{"two units", "mode=hard&length=2&length.unit=ft&L.unit=in", "length", "There are two units.", "CONFLICTING_INPUTS"},
		{"repeated", "mode=hard&length=2&length=2", "length", "There are two values.", "CONFLICTING_INPUTS"},
		{"repeated choice", "mode=hard&mode=hard&length=2", "mode", "There are two values.", "CONFLICTING_INPUTS"},
		{"two names", "mode=hard&length=2&span=3", "length", "", "CONFLICTING_INPUTS"},
		{"engine's own", "mode=hard&length=2&wet=true", "wet", "The “Point load” must wait.", "TOO_WET"},
		{"list", "mode=hard&length=2&data=1,x", "data", "", "INVALID_NUMBER"},
		{"row too long", "mode=hard&length=2&layers=1+a+b", "layers", "", "UNKNOWN_INPUT"},
		{"row of rows", "mode=hard&length=2&corners=1+x", "corners", "", "INVALID_NUMBER"},
		{"not text", "mode=hard&length=2&note=%ff", "note", "The value is not text.", "INVALID_NUMBER"},
		{"NUL", "mode=hard&length=2&note=%00", "note", "The value is not text.", "INVALID_NUMBER"},
		{"folded away", "mode=hard&length=2&factor=x", "factor", "“x” is not a number. Write it such as 0.35, 1200, 2.1e11 or 3/8.", "INVALID_NUMBER"},
	} {
		a := s.get(t, shelf+"?"+tt.query)
		message, control := a.id("e-"+tt.field), a.id("f-"+tt.field)
		switch {
		case a.status != 200:
			t.Errorf("%s: status %d", tt.name, a.status)
		case a.result() != "" || a.linked(t)["Action"] != nil:
			t.Errorf("%s: the page has a result", tt.name)
		case text(message) == "" || has(message, "hidden") || tt.says != "" && text(message) != tt.says:
			t.Errorf("%s: at %s stands %q, want %q", tt.name, tt.field, text(message), tt.says)
		case control.Data != "fieldset" && attr(control, "aria-invalid") != "true":
			t.Errorf("%s: %s is not marked", tt.name, tt.field)
		case !slices.Contains(strings.Fields(attr(control, "aria-describedby")), "e-"+tt.field):
			t.Errorf("%s: the message does not belong to the field", tt.name)
		}
		summary := a.all(func(n *html.Node) bool { return attr(n, "role") == "alert" })
		if len(summary) != 1 || !strings.Contains(text(summary[0]), tt.code) {
			t.Errorf("%s: above the form stands %q", tt.name, text(summary[0]))
		}
		focused := a.all(func(n *html.Node) bool { return has(n, "autofocus") })
		if len(focused) != 1 || attr(focused[0], "name") != tt.field && !strings.HasPrefix(attr(focused[0], "name"), tt.field+".") {
			t.Errorf("%s: focus on %v", tt.name, focused)
		}
	}
}

// No browser sends these queries.
func TestOddQueries(t *testing.T) {
	s := newSite(t)
	long := strings.Repeat("9", 4096)
	for _, tt := range []struct {
		name, query string
		status      int
		result      bool
		says        string
	}{
		{"nothing", "", 200, false, "The result appears here"},
		{"only separators", "&&&=&=&", 200, false, "The result appears here"},
		{"unknown keys", "a=1&b=2&__proto__=x&constructor=y", 200, false, "The result appears here"},
		{"unknown keys repeated", good + "&zzz=1&zzz=2", 200, true, ""},
		{"v repeated", good + "&v=1&v=2", 200, true, ""},
		{"version repeated", good + "&calculation_version=9&calculation_version=8", 200, true, "The URL names version 9, but a URL does not pin a version."},
		{"the version that computes", good + "&calculation_version=2.0.0", 200, true, ""},
		{"number of 400 digits", "mode=hard&length=0." + strings.Repeat("0", 390) + "1", 200, false, "too small to calculate with"},
		{"number of 401 digits", "mode=hard&length=1" + strings.Repeat("0", 400), 200, false, "too large to calculate with"},
		{"4 KiB", "mode=hard&length=2&zz=" + long[:4096-22], 200, true, ""},
		{"more than 4 KiB", "mode=hard&length=2&zz=" + long, 414, false, "The URL is too long"},
		{"bad escape", "mode=hard&length=2&position=%zz", 200, false, "two hexadecimal digits"},
		{"semicolons", "length=2;mode=hard", 200, false, "not a number"},
		{"no value", "mode=hard&length=2&position", 200, true, ""},
		{"a thousand names", "mode=hard&length=2" + strings.Repeat("&q=", 1000), 200, true, ""},
	} {
		a := s.get(t, shelf+"?"+tt.query)
		if a.status != tt.status || (a.result() != "") != tt.result || !strings.Contains(text(a.root), tt.says) {
			t.Errorf("%s: status %d, result %v\n%s", tt.name, a.status, a.result() != "", text(a.id("calculator")))
		}
	}
}

// The failure of an engine is not a fault of the inputs, and the page reports it as a failure.
func TestEngineFails(t *testing.T) {
	a := newSite(t).get(t, shelf+"?mode=hard&length=2&point_load=1e9&wet=true")
	if a.status != 500 || a.result() != "" || strings.Contains(a.text, "secret") || !strings.Contains(text(a.root), "he service failed, and the request is not the cause") {
		t.Errorf("%d %s", a.status, text(a.id("calculator")))
	}
	if a.header.Get("Cache-Control") != "no-store" {
		t.Error("a failure may be kept")
	}
}

// A note replaces a plot that fails, and the rest of the page is complete.
func TestPlotFails(t *testing.T) {
	a := newSite(t).get(t, shelf+"?mode=hard&length=60")
	if a.status != 200 || a.result() == "" {
		t.Fatalf("status %d", a.status)
	}
	if strings.Count(a.text, `<svg class="plot"`) != 1 || !strings.Contains(text(a.id("plot-shear")), "could not draw this plot") {
		t.Errorf("pictures: %s", text(a.id("plot-shear")))
	}
}

// These work without JavaScript: an example, the same form again, another version, a snapshot.
func TestWithoutScript(t *testing.T) {
	s := newSite(t)
	var example string
	for _, n := range s.get(t, shelf).elements("a") {
		if text(n) == "Try an example" {
			example = attr(n, "href")
		}
	}
	a := s.get(t, example)
	if !strings.Contains(a.result(), `"result":{"delta":0.048,`) {
		t.Fatalf("the example %s gives %s", example, a.result())
	}
	form := a.submit()
	if b := s.follow(t, shelf+"?"+form.Encode()); b.result() != a.result() {
		t.Errorf("sent again, the form gives %s", b.result())
	}
	form.Set("calculation_version", "1.0.0")
	old := s.post(t, shelf, form.Encode())
	if !strings.Contains(old.result(), `"delta":0.024,`) || !strings.Contains(text(old.id("sheet")), "Computed with version 1.0.0. The current version is 2.0.0.") ||
		!strings.Contains(text(old.id("sheet")), "VERSION_DEPRECATED") {
		t.Errorf("version 1.0.0: %d %s", old.status, text(old.id("sheet")))
	}
	if !strings.Contains(text(old.id("calculator")), "This form uses version 1.0.0.") || old.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the form of an older version does not say so: %s", text(old.id("calculator")))
	}
	created := s.post(t, shelf+"/freeze", form.Encode())
	if created.status != 303 || !strings.HasPrefix(created.header.Get("Location"), "/s/cx_e1_") {
		t.Errorf("frozen with %d to %q", created.status, created.header.Get("Location"))
	}
}

// submit returns the form as a browser sends it.
func (a answer) submit() url.Values {
	values := url.Values{}
	for _, n := range a.all(func(n *html.Node) bool {
		return slices.Contains([]string{"input", "select", "textarea"}, n.Data) && attr(n, "name") != ""
	}) {
		value := attr(n, "value")
		switch n.Data {
		case "textarea":
			value = text(n)
		case "select":
			value, _, _ = strings.Cut(options(n)[0], "=")
			for _, o := range options(n) {
				if v, ok := strings.CutSuffix(o, "*"); ok {
					value, _, _ = strings.Cut(v, "=")
				}
			}
		case "input":
			if attr(n, "type") == "radio" && !has(n, "checked") {
				continue
			}
		}
		values.Add(attr(n, "name"), value)
	}
	return values
}

func TestPosts(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct {
		name, path, form string
		status           int
		says             string
	}{
		{"unknown version", shelf, good + "&calculation_version=9.9.9", 409, "is not published"},
		{"damaged version", shelf, good + "&calculation_version=3.0.0", 503, "cannot be run"},
		{"two versions", shelf, good + "&calculation_version=1.0.0&calculation_version=2.0.0", 409, "disagree"},
		{"blank version", shelf, good + "&calculation_version=", 200, "Result"},
		{"bad value", shelf, "mode=hard&length=x&calculation_version=1.0.0", 200, "is not a number"},
		{"nothing", shelf, "", 200, "The result appears here"},
		{"too large", shelf, strings.Repeat("x", 70_000), 413, "larger than"},
		{"large", shelf, "mode=hard&length=2&data=" + strings.Repeat("1+", 20_000), 200, "20000 in all"},
		{"bad value to freeze", shelf + "/freeze", "mode=hard&length=x", 200, "is not a number"},
		{"unknown version to freeze", shelf + "/freeze", good + "&calculation_version=9.9.9", 409, "is not published"},
		{"unknown tool", "/calc/beams/shelve", good, 404, "no calculator"},
		{"unknown tool to freeze", "/calc/beams/shelve/freeze", good, 404, "no calculator"},
	} {
		a := s.post(t, tt.path, tt.form)
		if a.status != tt.status || !strings.Contains(text(a.root), tt.says) {
			t.Errorf("%s: %d %s", tt.name, a.status, text(a.root))
		}
	}
	if a := s.ask(t, "POST", shelf, "{}", "Content-Type", "application/json"); a.status != 415 {
		t.Errorf("JSON in place of a form: %d", a.status)
	}
	if a := s.post(t, "/calc/wood/shelf/freeze", good); a.status != 308 || a.header.Get("Location") != shelf+"/freeze" {
		t.Errorf("another group: %d %s", a.status, a.header.Get("Location"))
	}
}

// Nearly right URLs redirect to the calculator; others get suggestions.
func TestAddresses(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct {
		path     string
		status   int
		location string
		says     string
	}{
		{"/calc/wood/shelf?L=2&mode=hard", 308, shelf + "?L=2&mode=hard", ""},
		{"/calc/wood/test.beams.shelf", 308, shelf, ""},
		{"/calc/wood/shelf?" + strings.Repeat("x", 5000), 308, shelf, ""},
		{"/calc/beams/shelff", 404, "", "Similar calculators Shelf <beam> & more"},
		{"/calc/beams/bookcase", 404, "", "Similar calculators Shelf <beam> & more"},
		{"/calc/beams/\"><script>alert(1)", 404, "", "Calculator not found"},
		{"/calc/beams/" + strings.Repeat("y", 5000), 404, "", "Calculator not found"},
		{"/calc/beams/test.broken.layout", 503, "", "cannot be run"},
		{"/calc/beams", 200, "", "Shelf <beam> & more"},
		{"/calc/beans", 404, "", "Calculator not found"},
	} {
		a := s.get(t, tt.path)
		if a.status != tt.status || a.header.Get("Location") != tt.location || !strings.Contains(text(a.root), tt.says) {
			t.Errorf("%.60s: %d to %.80q: %s", tt.path, a.status, a.header.Get("Location"), text(a.root))
		}
	}
}

const live, formMedia = "/api/v1/calc/shelf", "application/x-www-form-urlencoded"

// askLive sends a form as the script of a page does.
func askLive(t *testing.T, s *site, form string) answer {
	t.Helper()
	return s.ask(t, http.MethodPost, live, form, "Content-Type", formMedia, "Accept", "text/html")
}

// The part of a page for scripts equals the sheet of the whole page.
func TestFragment(t *testing.T) {
	s := newSite(t)
	whole, part := s.get(t, shelf+"?"+good), askLive(t, s, good)
	if part.result() != whole.result() || part.linked(t)["Action"] == nil {
		t.Errorf("the part has the result %s", part.result())
	}
	ids := func(a answer) (list []string) {
		for _, n := range a.all(func(n *html.Node) bool { return attr(n, "id") != "" && within(n, "article") }) {
			list = append(list, attr(n, "id"))
		}
		return list
	}
	if diff := cmp.Diff(ids(whole), ids(part)); diff != "" {
		t.Errorf("other elements (-page +part):\n%s", diff)
	}
	if strings.Contains(part.text, "<html") {
		t.Error("the part is a whole page")
	}
}

// readBack is the meaning of a form in the answer for scripts.
type readBack struct {
	Query, Detail string
	Inputs        string
	Hints         map[string]string
	Split         map[string]struct{ Text, Unit string }
	Missing       bool
	Items         []struct{ Field, Label, Text string }
}

// A page and its script get the same meaning of typed texts: the same inputs, hints and URL. This URL gives the same
// result.
func TestReadings(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct{ form, query, inputs, field, hint string }{
		{"mode=hard&length=20+ft&length.unit=m", "mode=hard&length=20&length.unit=ft", `{"mode":"hard","length":{"value":20,"unit":"ft"}}`, "length", "Understood as 20 ft."},
		{"mode=hard&length=2*3+mm", "mode=hard&length=6&length.unit=mm", `{"mode":"hard","length":{"value":6,"unit":"mm"}}`, "length", "Understood as 6 mm."},
		{"mode=hard&length=1,5&length.unit=mm", "mode=hard&length=1%2C5&length.unit=mm", `{"mode":"hard","length":{"value":1.5,"unit":"mm"}}`, "length", "Understood as 1.5 mm."},
		{"mode=hard&length=1/3", "mode=hard&length=1%2F3", `{"mode":"hard","length":0.3333333333333333}`, "length", "Understood as 0.3333333333333333 m, rounded."},
		{"mode=hard&length=2&factor=1/8", "mode=hard&length=2&factor=1%2F8", `{"mode":"hard","length":2,"factor":"0.125"}`, "factor", "Understood as 0.125."},
		{"mode=hard&length=5'+3-1/2%22", "mode=hard&length=63.5&length.unit=in", `{"mode":"hard","length":{"value":63.5,"unit":"in"}}`, "length", "Understood as 63.5 in."},
		{"mode=hard&length=3-1/2+in", "mode=hard&length=3-1%2F2&length.unit=in", `{"mode":"hard","length":{"value":3.5,"unit":"in"}}`, "length", "Understood as 3.5 in."},
		{"mode=hard&length=3+-+1/2", "mode=hard&length=2.5", `{"mode":"hard","length":2.5}`, "length", "Understood as 2.5 m."},
		{"mode=hard&length=2&data=2,4,4", "mode=hard&length=2&data=2%2C4%2C4", `{"mode":"hard","length":2,"data":[2,4,4]}`, "data", "Understood as 2; 4; 4."},
		{"mode=hard&length=2&data=1,5+2*3", "mode=hard&length=2&data=1.5+6", `{"mode":"hard","length":2,"data":[1.5,6]}`, "data", "Understood as 1.5; 6."},
		{"mode=hard&length=2&data=[10,22]", "mode=hard&length=2&data=%5B10%2C22%5D", `{"mode":"hard","length":2,"data":[10,22]}`, "data", "Understood as 10; 22."},
		{"mode=hard&length=2&data=1;2;3", "mode=hard&length=2&data=1%3B2%3B3", `{"mode":"hard","length":2,"data":[1,2,3]}`, "data", ""},
		{"mode=hard&length=2", "mode=hard&length=2", `{"mode":"hard","length":2}`, "length", ""},
		{"mode=hard&length=2&layers.thickness=1,5&layers.kind=oak&layers.thickness=&layers.kind=&layers.thickness=2&layers.kind=&layers.thickness.unit=mm", "mode=hard&length=2&layers=1.5+oak%3B+2&layers.thickness.unit=mm",
			`{"mode":"hard","length":2,"layers":[{"thickness":{"value":1.5,"unit":"mm"},"kind":"oak"},{"thickness":{"value":2,"unit":"mm"}}]}`, "layers", "Understood as 1.5 oak; 2."},
		{"mode=hard&length=2&corners.1=0&corners.2=0&corners.1=1&corners.2=1/2", "mode=hard&length=2&corners=0+0%3B+1+1%2F2", `{"mode":"hard","length":2,"corners":[[0,0],[1,0.5]]}`, "corners", "Understood as 0, 0; 1, 0.5."},
		{"mode=hard&length=2&data=1+2&data.unit=MPa", "mode=hard&length=2&data=1+2&data.unit=MPa", `{"mode":"hard","length":2,"data":[{"value":1,"unit":"MPa"},{"value":2,"unit":"MPa"}]}`, "data", ""},
	} {
		for name, a := range map[string]answer{"script": askLive(t, s, tt.form), "page": s.get(t, shelf+"?"+tt.form), "address": s.get(t, shelf+"?"+tt.query)} {
			var got readBack
			if err := json.Unmarshal([]byte(text(a.id("slipstick-read"))), &got); err != nil {
				t.Errorf("%s: %s: status %d, %v", tt.form, name, a.status, err)
				continue
			}
			if got.Query != tt.query || got.Inputs != tt.inputs {
				t.Errorf("%s: %s: query %s, inputs %s", tt.form, name, got.Query, got.Inputs)
			}
			if name == "script" && got.Hints[tt.field] != tt.hint {
				t.Errorf("%s: hint %q, want %q", tt.form, got.Hints[tt.field], tt.hint)
			}
			if name == "page" && text(a.id("n-"+tt.field)) != tt.hint {
				t.Errorf("%s: hint %q on the page, want %q", tt.form, text(a.id("n-"+tt.field)), tt.hint)
			}
			api := s.ask(t, http.MethodPost, live, tt.inputs, "Content-Type", "application/json")
			if name != "api" && a.result() != strings.TrimSpace(api.text) {
				t.Errorf("%s: %s has the result %s, the API\n%s", tt.form, name, a.result(), api.text)
			}
		}
	}
}

// An input that is refused has no hint with its meaning. The other inputs keep theirs.
func TestNoHintOfRefused(t *testing.T) {
	s := newSite(t)
	for _, refused := range []string{"length=3+kg", "length=-1/3", "count=1/2"} {
		name, _, _ := strings.Cut(refused, "=")
		form := "mode=hard&data=2,4,4&" + refused
		if name != "length" {
			form += "&length=2"
		}
		var got readBack
		a := askLive(t, s, form)
		if err := json.Unmarshal([]byte(a.text), &got); err != nil || got.Hints[name] != "" || got.Hints["data"] == "" {
			t.Errorf("%s: %d %s (%v)", form, a.status, a.text, err)
		}
		page := s.get(t, shelf+"?"+form)
		if text(page.id("n-"+name)) != "" || text(page.id("e-"+name)) == "" || text(page.id("n-data")) == "" {
			t.Errorf("%s: hint %q and error %q, and hint %q of another", form, text(page.id("n-"+name)), text(page.id("e-"+name)), text(page.id("n-data")))
		}
	}
}

// The page reports all faults at once, in the same words with and without a script.
func TestAllFaultsAtOnce(t *testing.T) {
	s := newSite(t)
	const form = "length=&point_load=abc&count=1,234&layers.thickness=1,234&layers.kind=&position=1/0"
	var got readBack
	a := askLive(t, s, form)
	if err := json.Unmarshal([]byte(a.text), &got); err != nil || a.status != 400 || got.Missing {
		t.Fatalf("%d %s (%v)", a.status, a.text, err)
	}
	page := s.get(t, shelf+"?"+form)
	want := map[string]string{
		"mode": "Enter a value. The calculation needs it.", "length": "Enter a value. The calculation needs it.",
		"point_load": "“abc” is not a number. Write it such as 0.35, 1200, 2.1e11 or 3/8.",
		"count":      "“1,234” has two readings, 1.234 and 1234. Write 1.234, or 1234.", "layers": "Row 1, “Thickness”: “1,234” has two readings, 1.234 and 1234. Write 1.234, or 1234.", "position": "“1/0” divides by zero. Divide by another number.",
	}
	if len(got.Items) != len(want) {
		t.Errorf("%d items: %s", len(got.Items), a.text)
	}
	for _, item := range got.Items {
		if item.Text != want[item.Field] || text(page.id("e-"+item.Field)) != item.Text {
			t.Errorf("%s: %q with a script, %q without, want %q", item.Field, item.Text, text(page.id("e-"+item.Field)), want[item.Field])
		}
	}
	unfinished := askLive(t, s, "mode=hard")
	if err := json.Unmarshal([]byte(unfinished.text), &got); err != nil || !got.Missing {
		t.Errorf("%s (%v)", unfinished.text, err)
	}
}

func within(n *html.Node, name string) bool {
	for ; n != nil; n = n.Parent {
		if n.Data == name {
			return true
		}
	}
	return false
}
