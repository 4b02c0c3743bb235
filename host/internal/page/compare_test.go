package page_test

import (
	"math/big"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
)

// rowsOf lists the cells of the first table in an element with a caption of the given start.
func (a answer) rowsOf(id, caption string) map[string][]string {
	rows := map[string][]string{}
	for _, table := range a.elements("table") {
		if !inside(table, id) || !strings.HasPrefix(strings.TrimSpace(text(table)), caption) {
			continue
		}
		for tr := range table.Descendants() {
			if tr.Data != "tr" {
				continue
			}
			var cells []string
			for c := range tr.ChildNodes() {
				if c.Type == html.ElementNode {
					cells = append(cells, strings.Join(strings.Fields(text(c)), " "))
				}
			}
			rows[cells[0]] = cells[1:]
		}
	}
	return rows
}

func inside(n *html.Node, id string) bool {
	for ; n != nil; n = n.Parent {
		if attr(n, "id") == id {
			return true
		}
	}
	return false
}

// The comparison of two versions has their numbers from the API, the exact differences, and the changes that the newer
// version declares.
func TestCompareVersions(t *testing.T) {
	s := newSite(t)
	a := s.get(t, shelf+"?mode=hard&length=2&point_load=3.3&delta.unit=m&compare=1.0.0")
	if a.status != http.StatusOK || a.header.Get("Service-Spec-Version") != "2.0.0" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	results := a.rowsOf("compare-versions", "Results")
	var numbers []float64
	for i, version := range []string{"1.0.0", "2.0.0"} {
		alone := s.ask(t, http.MethodPost, "/api/v1/calc/shelf", `{"mode":"hard","length":2,"point_load":3.3}`, "Content-Type", "application/json", "Service-Spec-Version", version)
		want := member(alone.text, "delta")
		number, _ := new(big.Float).SetString(want)
		x, _ := number.Float64()
		numbers = append(numbers, x)
		if got := results["Delta δ"]; len(got) < 4 || !strings.Contains(strings.ReplaceAll(got[i], " ", ""), strings.TrimLeft(want, "0.")) && !strings.HasPrefix(got[i], want) {
			t.Errorf("version %s: %q, the API answers %s", version, got, want)
		}
	}
	difference, _ := show.DifferenceOf(numbers[0], numbers[1], show.Unit{}, 0)
	full, shown := difference.Relative.Full, difference.Relative.Number.Mantissa
	if got := results["Delta δ"]; !strings.Contains(got[2], shown) || !strings.Contains(got[2], full) {
		t.Errorf("relative difference %q, want %s and %s", got[2], shown, full)
	}
	if got := results["Length"]; len(got) != 3 || got[2] != "equal" {
		t.Errorf("the length: %q", got)
	}
	for _, want := range []string{
		"2.0.0 : Shelves <bend> twice as much as stated.", "Formula, version 1.0.0", "Version 1.0.0 is deprecated: it was too stiff.",
		"Both versions use the same inputs and defaults.", digest, "Version 2.0.0 (this page)",
	} {
		if !strings.Contains(a.words("compare-versions"), want) {
			t.Errorf("the comparison does not say %q: %s", want, a.words("compare-versions"))
		}
	}
	form := s.post(t, shelf, "mode=hard&length=2&point_load=3.3&calculation_version=1.0.0&delta.unit=m&compare=2.0.0")
	if got := form.rowsOf("compare-versions", "Results")["Delta δ"]; strings.Join(got, "|") != strings.Join(results["Delta δ"], "|") {
		t.Errorf("seen from version 1.0.0: %q", got)
	}
	if !strings.Contains(form.words("compare-versions"), "Version 1.0.0 (this page)") {
		t.Error("the page of 1.0.0 does not say that it is 1.0.0")
	}
}

// A second set differs from the first set only in the keys of the URL.
func TestCompareInputs(t *testing.T) {
	s := newSite(t)
	for with, body := range map[string]string{
		"with.length=3":                         `{"mode":"hard","length":{"value":3,"unit":"ft"},"point_load":3,"position":0.1}`,
		"with.L=3&with.length.unit=m":           `{"mode":"hard","length":3,"point_load":3,"position":0.1}`,
		"with.length.unit=m":                    `{"mode":"hard","length":2,"point_load":3,"position":0.1}`,
		"with.position=&with.point_load=1e%2B1": `{"mode":"hard","length":{"value":2,"unit":"ft"},"point_load":1e+1}`,
		"with.mode=softwood":                    `{"mode":"softwood","length":{"value":2,"unit":"ft"},"point_load":3,"position":0.1}`,
	} {
		a := s.get(t, shelf+"?mode=hard&length=2&length.unit=ft&point_load=3&position=0.1&delta.unit=m&"+with)
		results := a.rowsOf("compare-inputs", "Results")
		for i, sent := range []string{`{"mode":"hard","length":{"value":2,"unit":"ft"},"point_load":3,"position":0.1}`, body} {
			alone := s.ask(t, http.MethodPost, "/api/v1/calc/shelf", sent, "Content-Type", "application/json")
			if want := member(alone.text, "delta"); a.status != http.StatusOK || len(results) == 0 || !sameNumber(results["Delta δ"][i], want) {
				t.Errorf("%s, set %d: %q, the API answers %s", with, i, results["Delta δ"], want)
			}
		}
		posted := s.ask(t, http.MethodPost, "/api/v1/calc/shelf?delta.unit=m&"+with, `{"mode":"hard","length":{"value":2,"unit":"ft"},"point_load":3,"position":0.1}`, "Content-Type", "application/json", "Accept", "text/html")
		if got, want := posted.words("compare-inputs"), a.words("compare-inputs"); got != want || got == "" {
			t.Errorf("%s for scripts:\n%s\nwant\n%s", with, got, want)
		}
	}
	a := s.get(t, shelf+"?mode=hard&length=2&with.length=3&with.length.unit=ft")
	if got := attr(a.named("with.to.length"), "value"); got != "3" {
		t.Errorf("the control of the second set has %q", got)
	}
	if !strings.Contains(a.words("compare-inputs"), "Load A B") && !strings.Contains(a.text, `id="both-load-title"`) {
		t.Error("the load is not drawn for both")
	}
	bad := s.get(t, shelf+"?mode=hard&length=2&with.length=-3")
	if n := bad.named("with.to.length"); attr(n, "aria-invalid") != "true" || !strings.Contains(bad.words("compare-inputs"), "Must be greater than 0 and at most 100") {
		t.Errorf("a wrong length is not marked: %s", bad.words("compare-inputs"))
	}
}

// sameNumber reports whether a cell shows the number, with six digits or in full.
func sameNumber(cell, want string) bool {
	number, _, err := big.ParseFloat(want, 10, 53, big.ToNearestEven)
	if err != nil {
		return false
	}
	x, _ := number.Float64()
	n := wording.FormatNumber(x)
	shown := n.Mantissa
	if n.Exponent != "" {
		shown += "×10" + n.Exponent
	}
	return strings.HasSuffix(cell, want) || strings.HasPrefix(strings.NewReplacer(" ", "", "\u202f", "").Replace(cell), shown)
}

// The list of versions and the buttons below a result link to studies.
func TestWaysToStudies(t *testing.T) {
	s := newSite(t)
	a := s.get(t, shelf+"?"+good)
	var links []string
	for _, n := range a.elements("a") {
		if href := attr(n, "href"); strings.Contains(href, "#vary") || strings.Contains(href, "#compare-inputs") {
			links = append(links, href)
		}
	}
	if len(links) != 2 {
		t.Fatalf("links %q", links)
	}
	for _, link := range links {
		path, id, _ := strings.Cut(link, "#")
		if b := s.get(t, path); b.status != http.StatusOK || b.id(id) == nil || b.result() != a.result() {
			t.Errorf("%s: %d", link, b.status)
		}
	}
	if n := a.named("compare.with"); n == nil || attr(n, "value") != "1.0.0" {
		t.Error("the panel of versions does not compare with 1.0.0")
	}
	old := s.post(t, shelf, good+"&calculation_version=1.0.0")
	if n := old.named("compare.with"); n == nil || attr(n, "value") != "1.0.0" {
		t.Error("from version 1.0.0 there is no way to compare it with the current one")
	}
	if text := a.text; strings.Contains(text, "study-") || strings.Contains(text, "vary-") && strings.Contains(text, ".js") && strings.Contains(text, "/assets/vary-") {
		t.Error("a page without a study loads what only studies need")
	}
}
