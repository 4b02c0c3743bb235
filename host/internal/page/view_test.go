package page_test

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const calcPath = "/api/v1/calc/shelf"

// If the view has a fault, no URL with its keys shows a result.
func TestInvalidView(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct{ query, says string }{
		{"units=imperial", `"imperial" is not a system of units. Choose us, metric, si or entered.`},
		{"units=si&units=us", "The system of units appears more than once."},
		{"units=us&units=us", "The system of units appears more than once."},
		{"delta.unit=furlong", `"furlong" is not a unit. Choose a unit for “Delta”, such as m, `},
		{"delta.unit=kN", "“Delta” cannot be shown in kN. Choose a unit such as m, "},
		{"delta.unit=mm&delta.unit=in", "There are two units for “Delta”. Give one."},
		{"kind.unit=mm", "“Kind” does not have other units."},
		{"sigma.unit=MPa", `There is no result "sigma", so it cannot have a unit.`},
		{"units=%3Cb%3E", `"<b>" is not a system of units.`},
	} {
		for _, inputs := range []string{good + "&", ""} {
			a := s.get(t, shelf+"?"+inputs+tt.query)
			if a.status != http.StatusBadRequest || !strings.Contains(text(a.id("unclear")), tt.says) || a.id("result") != nil {
				t.Errorf("%s: %d %s", inputs+tt.query, a.status, text(a.id("sheet")))
			}
		}
		if a := s.get(t, "/api/v1/capabilities/shelf/plots/load?"+good+"&"+tt.query); a.status != 400 || !strings.Contains(a.text, "INVALID_QUERY") {
			t.Errorf("CSV with %s: %d %s", tt.query, a.status, a.text)
		}
		a := s.ask(t, "POST", calcPath+"?"+tt.query, `{"mode":"hard","L":2}`, "Content-Type", "application/json", "Accept", "text/html")
		if a.status != 400 || !strings.Contains(a.text, "INVALID_QUERY") {
			t.Errorf("fragment with %s: %d %s", tt.query, a.status, a.text)
		}
	}
}

// Every link of a page with a result leads to the same view, and so does its form.
func TestViewIsKept(t *testing.T) {
	s := newSite(t)
	const asked = "units=us&delta.unit=mm"
	a := s.get(t, shelf+"?"+good+"&"+asked)
	if a.status != 200 {
		t.Fatalf("status %d", a.status)
	}
	for _, n := range a.all(func(n *html.Node) bool { return has(n, "data-csv") }) {
		if !strings.HasSuffix(attr(n, "href"), "&"+asked) {
			t.Errorf("the numbers of a plot are at %s", attr(n, "href"))
		}
	}
	if share := text(a.all(func(n *html.Node) bool { return attr(n, "class") == "address" })[0]); !strings.HasSuffix(share, "&"+asked) {
		t.Errorf("the link to share is %s", share)
	}
	if sent := a.submit(); sent.Get("units") != "us" || sent.Get("delta.unit") != "mm" {
		t.Errorf("the form sends %s", sent.Encode())
	}
	part := s.ask(t, "POST", calcPath+"?"+asked, `{"mode":"hard","L":2,"P":{"value":3,"unit":"kN"}}`, "Content-Type", "application/json", "Accept", "text/html")
	if got, want := text(part.id("result")), text(a.id("result")); got == "" || got != want {
		t.Errorf("a script gets\n%s\nthe page has\n%s", got, want)
	}
}

// The API refuses the keys of the view that it does not have.
func TestViewIsNotForTheAPI(t *testing.T) {
	s := newSite(t)
	for query, field := range map[string]string{"units=imperial": "units", "delta.unit=mm": "delta.unit"} {
		a := s.ask(t, "POST", calcPath+"?"+query, `{"mode":"hard","L":2}`, "Content-Type", "application/json")
		if a.status != 400 || !strings.Contains(a.text, `"code":"INVALID_QUERY"`) || !strings.Contains(a.text, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", query, a.status, a.text)
		}
	}
}

// The page of a snapshot can show any units.
func TestViewOfSnapshot(t *testing.T) {
	s := newSite(t)
	snap := newSnapshot(t, s, `{"mode":"hard","L":2,"P":3000}`, "2.0.0")
	a := s.get(t, "/s/"+snap.ID+"?units=us", "Accept", "text/html")
	if a.status != 200 || a.bigNumber() != "1.88976 in" || a.system() != "us" {
		t.Fatalf("status %d: %s", a.status, a.text)
	}
	if a := s.get(t, "/s/"+snap.ID+"?units=x", "Accept", "text/html"); a.status != 400 {
		t.Errorf("status %d", a.status)
	}
}

// bigNumber returns the largest headline of a sheet, with its unit.
func (a answer) bigNumber() string {
	values := a.all(func(n *html.Node) bool { return attr(n, "class") == "value" })
	if len(values) == 0 {
		return ""
	}
	return strings.TrimSuffix(text(values[0]), " Copy")
}

func (a answer) system() string {
	for _, n := range a.all(func(n *html.Node) bool { return attr(n, "name") == "units" && has(n, "checked") }) {
		return attr(n, "value")
	}
	return "none"
}

// A result is in its chosen unit, otherwise in a unit of the system, otherwise in a unit that follows from the inputs.
func TestUnitOfResult(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct{ query, want, system string }{
		{"mode=hard&L=2&P=3000", "48 mm", "metric"},
		{"mode=hard&L=6&L.unit=ft&P=675&P.unit=lbf", "1.44606 in", "entered"},
		{"mode=hard&L=2000&L.unit=mm&P=3000", "48 mm", "entered"},
		{"mode=hard&L=200&L.unit=cm&P=3000", "4.8 cm", "entered"},
		{"mode=hard&L=2&P=3000&units=us", "1.88976 in", "us"},
		{"mode=hard&L=6&L.unit=ft&P=675&P.unit=lbf&units=metric", "36.7298 mm", "metric"},
		{"mode=hard&L=6&L.unit=ft&P=675&P.unit=lbf&units=si&delta.unit=cm", "3.67298 cm", "si"},
		{"mode=hard&L=2&P=3000&delta.unit=um", "48000 µm", "metric"},
		{"mode=hard&L=2&P=-3000&units=us", "−1.88976 in", "us"},
	} {
		a := s.get(t, shelf+"?"+tt.query)
		if got := a.bigNumber(); got != tt.want || a.system() != tt.system {
			t.Errorf("%s: %s in %q, want %s in %q", tt.query, got, a.system(), tt.want, tt.system)
		}
		if peek := text(a.all(func(n *html.Node) bool { return attr(n, "class") == "peek" })[0]); peek != "Delta "+tt.want {
			t.Errorf("%s: the bar says %s", tt.query, peek)
		}
	}
}

// The unit at an empty field is also the unit of the result with its name. A form without scripts always sends this unit, so
// the unit that the form itself proposes has no effect.
func TestUnitOfEmptyField(t *testing.T) {
	s := newSite(t)
	const query = "mode=hard&P=3000&units=us&length.unit="
	for unit, chosen := range map[string]string{"in": "", "cm": "length.unit=cm"} {
		a := s.get(t, shelf+"?"+query+unit)
		sent := a.submit()
		if got := sent["length.unit"]; len(got) != 1 || got[0] != unit {
			t.Errorf("with %s the form sends %q", unit, got)
		}
		example := ""
		for _, n := range a.elements("a") {
			if text(n) == "Clear" {
				example = attr(n, "href")
			}
		}
		if want := strings.TrimSuffix(shelf+"?units=us&"+chosen, "&"); example != want {
			t.Errorf("with %s the blank form is at %s, want %s", unit, example, want)
		}
	}
}

// The numbers of a plot are the same in the picture, in its table and in its file.
func TestUnitsOfPlots(t *testing.T) {
	s := newSite(t)
	a := s.get(t, shelf+"?mode=hard&L=6&L.unit=ft&P=2000&P.unit=lbf&units=us")
	if got := text(a.id("plot-load")); !strings.Contains(got, "Load (kip)") || !strings.Contains(got, "Place (ft) Load (kip) 0 0 6 2") {
		t.Errorf("the picture says %s", got)
	}
	link := ""
	for _, n := range a.all(func(n *html.Node) bool { return has(n, "data-csv") }) {
		link = attr(n, "href")
	}
	file := s.get(t, link)
	if got := strings.ReplaceAll(file.text, "\r", ""); got != "Place [ft],load [kip]\n0,0\n6,2\n" {
		t.Errorf("%s is %q", link, got)
	}
	for _, bad := range []string{"x_unit=kip", "y_unit=furlong", "x_unit=ft&x_unit=in"} {
		if a := s.get(t, "/api/v1/capabilities/shelf/plots/load?"+good+"&"+bad); a.status != 400 || !strings.Contains(a.text, "INVALID_QUERY") {
			t.Errorf("%s: %d %s", bad, a.status, a.text)
		}
	}
}

// The page shows a conversion at its input, and not as an assumption.
func TestConversionsAreNoAssumptions(t *testing.T) {
	s := newSite(t)
	const inputs = `{"mode":"hard","L":{"value":10.0,"unit":"ft"},"P":{"value":3,"unit":"kN"}}`
	snap := newSnapshot(t, s, inputs, "2.0.0")
	live := s.ask(t, "POST", calcPath, inputs, "Content-Type", "application/json", "Accept", "text/html")
	for name, a := range map[string]answer{"sheet": live, "snapshot": s.get(t, "/s/"+snap.ID, "Accept", "text/html")} {
		for _, n := range a.all(func(n *html.Node) bool { return strings.HasSuffix(attr(n, "class"), "assumed") }) {
			if got := text(n); got != "Assumptions The wall is rigid." {
				t.Errorf("%s: %s", name, got)
			}
		}
		given := text(a.all(func(n *html.Node) bool { return strings.HasSuffix(attr(n, "class"), "given") })[0])
		if !strings.Contains(given, "Length L 10.0 ft") || !strings.Contains(given, "Length 3.048 m") || !strings.Contains(given, "Point load P 3 kN") {
			t.Errorf("%s: %s", name, given)
		}
		if !strings.Contains(a.result(), `"length: 10.0 ft = 3.048 m"`) {
			t.Errorf("%s: the API does not state the conversion: %s", name, a.result())
		}
	}
}
