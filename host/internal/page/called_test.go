package page_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/calctest"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/sdk/response"
)

const (
	deckInputs = `{"load":500,"spacing":2,"span":30}`
	deckPage   = "/calc/beam/deck?load=500&spacing=2&span=30"

	chainPath = "/calc/beam/chain?calculation_version=1.0.0&load=1000&span=30&modulus=210000000000&inertia=0.00001"
	longBeam  = "/calc/beam/deflection?calculation_version=1.0.0&load=1000&length=30&modulus=210000000000&inertia=0.00001"
	shortBeam = "/calc/beam/deflection?calculation_version=1.0.0&load=2000&length=15&modulus=210000000000&inertia=0.00001"
)

// calledOn returns the called calculations on a page: their summaries, and the addresses of their calculators.
func calledOn(a answer) (titles, links []string) {
	for _, details := range a.all(func(n *html.Node) bool { return attr(n, "class") == "called" }) {
		for n := range details.ChildNodes() {
			switch {
			case n.Data == "summary":
				titles = append(titles, text(n))
			case n.Data == "p" && n.FirstChild.Data == "a":
				links = append(links, attr(n.FirstChild, "href"))
			}
		}
	}
	return titles, links
}

// linesOf returns the texts of steps. The steps of a called calculation are indented.
func linesOf(list []response.Step, indent string) (lines []string) {
	for i := range list {
		lines = append(lines, indent+list[i].Text)
		if c := list[i].Called; c != nil {
			lines = append(lines, linesOf(c.Steps, indent+"  ")...)
		}
	}
	return lines
}

// The steps of the API and of the page contain the called calculations with their steps, in the same words. The page
// links each to its calculator, which gives the same result.
func TestCalledSteps(t *testing.T) {
	// A page has the same lines as the API, and numbers with the units of its reader.
	sameName := func(a, b string) bool {
		x, _, _ := strings.Cut(a, " = ")
		y, _, _ := strings.Cut(b, " = ")
		return x == y
	}
	s := siteOf(t, calctest.NewService(t, &calc.Options{BaseURL: base}))
	r := s.ask(t, http.MethodPost, "/api/v1/calc/deck?steps=true", deckInputs, "Content-Type", "application/json", "Accept", "application/json")
	var body struct{ Steps []response.Step }
	if err := json.Unmarshal([]byte(r.text), &body); err != nil {
		t.Fatalf("%s (%v)", r.text, err)
	}
	a := s.get(t, deckPage)
	_, copied := stepsOf(t, a)
	if want := linesOf(body.Steps, ""); len(want) != 32 || !slices.EqualFunc(copied, want, sameName) {
		t.Errorf("%d lines: the page has\n%s\nthe API has\n%s", len(want), strings.Join(copied, "\n"), strings.Join(want, "\n"))
	}
	titles, links := calledOn(a)
	if want := []string{"Two beams, version 1.0.0", "Deflection of a beam, version 1.0.0", "Deflection of a beam, version 1.0.0"}; !slices.Equal(titles, want) {
		t.Errorf("called %q", titles)
	}
	if !slices.Equal(links, []string{chainPath, longBeam, shortBeam}) {
		t.Fatalf("links %q", links)
	}
	alone := text(s.get(t, links[1]).root)
	for _, want := range []string{"engine: delta = 5.02232 m", "A beam of 30 m is long."} {
		if !strings.Contains(alone, want) || !strings.Contains(text(a.root), want) {
			t.Errorf("the sheet or the calculator of its step lacks %q", want)
		}
	}
	for _, digest := range []string{body.Steps[3].Called.Digest, body.Steps[3].Called.Steps[4].Called.Digest} {
		if !strings.Contains(text(a.root), "Document digest: "+digest) {
			t.Errorf("the page lacks %s", digest)
		}
	}
}

// The page of a sheet lists the calculations that it calls, with and without a result.
func TestCalledList(t *testing.T) {
	s := siteOf(t, calctest.NewService(t, &calc.Options{BaseURL: base}))
	for _, address := range []string{"/calc/beam/deck", deckPage} {
		const want = `<p>It calls the calculation <a href="/calc/beam/chain?calculation_version=1.0.0">Two beams, version 1.0.0</a>.</p>`
		if got := s.get(t, address).text; strings.Count(got, want) != 1 || strings.Contains(got, "It takes rows") {
			t.Errorf("%s does not list the chain once", address)
		}
	}
}

// A snapshot of a sheet has its calls although steps were not requested, and its page shows them also without the
// engine. The rest of its result is the answer.
func TestCalledSnapshot(t *testing.T) {
	s := siteOf(t, calctest.NewService(t, &calc.Options{BaseURL: base}))
	asJSON := []string{"Content-Type", "application/json", "Accept", "application/json"}
	plain := s.ask(t, http.MethodPost, "/api/v1/calc/deck", deckInputs, asJSON...)
	r := s.ask(t, http.MethodPost, "/api/v1/share", `{"tool_id":"deck","inputs":`+deckInputs+`}`, asJSON...)
	var record struct {
		ID     string
		Result map[string]json.RawMessage
	}
	var answer map[string]json.RawMessage
	var steps []response.Step
	for from, into := range map[string]any{r.text: &record, plain.text: &answer} {
		if err := json.Unmarshal([]byte(from), into); err != nil {
			t.Fatalf("%s (%v)", from, err)
		}
	}
	if err := json.Unmarshal(record.Result["steps"], &steps); err != nil || len(steps) != 1 || len(steps[0].Called.Steps) != 2 {
		t.Fatalf("steps %s (%v)", record.Result["steps"], err)
	}
	beam := steps[0].Called.Steps[0].Called
	if string(beam.Result) != `{"deflection":5.022321428571429,"moment":112500,"grade":"S235"}` || beam.Warnings[0].Code != "LONG_BEAM" || !strings.HasPrefix(beam.Digest, "sha256:") {
		t.Errorf("the step is %+v", beam)
	}
	for name, want := range answer {
		if got := record.Result[name]; string(got) != string(want) && name != "id" && name != "tool" {
			t.Errorf("%s is %s, and %s in the answer", name, got, want)
		}
	}
	snap, err := s.store.Get(t.Context(), record.ID)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := s.pages.Snapshot(t.Context(), snap, "")
	shownHere := shown(t, s, whole, err)
	if titles, links := calledOn(shownHere); len(titles) != 3 || len(links) != 3 || !strings.Contains(text(shownHere.root), "engine: delta = 5.65011 m") {
		t.Errorf("the page of the snapshot has %q, %q", titles, links)
	}
	empty := page.New(calc.New(catalog.New(nil), inProcess{}, &calc.Options{BaseURL: base}), &page.Options{Snapshots: s.store})
	whole, err = empty.Snapshot(t.Context(), snap, "")
	elsewhere := shown(t, s, whole, err)
	if titles, links := calledOn(elsewhere); len(titles) != 3 || len(links) != 0 || !strings.Contains(text(elsewhere.root), steps[0].Text) {
		t.Errorf("without the engine, the page of the snapshot has %q, %q", titles, links)
	}
}

// If the steps take much work, the page has the calls of a sheet without a request for the steps.
func TestCalledUnasked(t *testing.T) {
	s := siteOf(t, calctest.NewService(t, &calc.Options{BaseURL: base}))
	const query = "/calc/beam/girder?load=500&spacing=2&span=30"
	a, asked := s.get(t, query), s.get(t, query+"&steps=1")
	titles, links := calledOn(a)
	all, same := calledOn(asked)
	if len(titles) != 3 || !slices.Equal(titles, all) || !slices.Equal(links, same) {
		t.Errorf("called %q unasked, and %q", titles, all)
	}
	for _, one := range []struct {
		name    string
		a       answer
		offered bool
	}{{"unasked", a, true}, {"asked", asked, false}} {
		got := text(one.a.root)
		if strings.Contains(got, "Show the steps") != one.offered || strings.Contains(got, "engine: delta") == one.offered {
			t.Errorf("%s: offered %v", one.name, !one.offered)
		}
	}
}

// The export as LaTeX has the steps of a called calculation after its line.
func TestCalledLaTeX(t *testing.T) {
	s := siteOf(t, calctest.NewService(t, &calc.Options{BaseURL: base}))
	got := s.get(t, "/calc/beam/deck/export/formula.tex?calculation_version=1.0.0&load=500&spacing=2&span=30").text
	at := 0
	for _, want := range []string{"by Two beams 1.0.0\n", "\nb = beam(load=2*q, ", `5 \cdot 2 \,`, `\delta = 5.65011`} {
		next := strings.Index(got[at:], want)
		if next < 0 {
			t.Fatalf("%q is missing after byte %d of %s", want, at, got)
		}
		at += next
	}
}
