package page_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk/verification"
	"github.com/slipstick/slipstick/versions"
)

// shown parses a page that a method returned.
func shown(t *testing.T, s *site, html []byte, err error) answer {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	web.WritePage(w, httptest.NewRequest(http.MethodGet, "/", nil), 200, html)
	a := read(t, w)
	checkSelfContained(t, s, "a page", a)
	return a
}

func (a answer) links() []string {
	var list []string
	for _, n := range a.elements("a") {
		list = append(list, text(n)+" -> "+attr(n, "href"))
	}
	return list
}

// The index lists all available calculators, by domain and group.
func TestIndex(t *testing.T) {
	s := newSite(t)
	a := s.get(t, "/")
	if a.status != 200 || attr(a.all(func(n *html.Node) bool { return attr(n, "rel") == "canonical" })[0], "href") != base+"/" {
		t.Fatalf("status %d", a.status)
	}
	all := text(a.id("all"))
	const want = `Test Beams Shelf <beam> & more How much a "shelf" bends. Units Convert Pressure Pressure in other units. Unverified`
	if all != want {
		t.Errorf("index:\n%s\nwant:\n%s", all, want)
	}
	if links := a.links(); !slices.Contains(links, "Shelf <beam> & more -> "+shelf) || !slices.Contains(links, "Beams -> /calc/beams") {
		t.Errorf("links %v", links)
	}
}

// Without JavaScript the server searches and ranks.
func TestSearch(t *testing.T) {
	s := newSite(t)
	a := s.get(t, "/?q=bookcase")
	if got := text(a.id("hits")); !strings.HasPrefix(got, "Shelf <beam> & more") || text(a.id("found")) != "1 result for “bookcase”, best match first." || !has(a.id("all"), "hidden") {
		t.Errorf("found %q: %s", text(a.id("found")), got)
	}
	if attr(a.id("q"), "value") != "bookcase" {
		t.Error("the question is gone")
	}
	a = s.get(t, "/?q=qqqqqqqqqq")
	if text(a.id("hits")) != "" || !strings.HasPrefix(text(a.id("found")), "No calculator matches") || has(a.id("all"), "hidden") {
		t.Errorf("found %q", text(a.id("found")))
	}
	for query, status := range map[string]int{"q=": 200, "q=%ff": 200, "q=%zz": 200, "q=a&q=b": 200, "x=1": 200, "q=" + strings.Repeat("long ", 800): 200, "q=" + strings.Repeat("x", 5000): 400} {
		if a := s.get(t, "/?"+query); a.status != status {
			t.Errorf("?%.20s: status %d", query, a.status)
		}
	}
}

func TestGroup(t *testing.T) {
	s := newSite(t)
	a := s.get(t, "/calc/convert")
	if a.status != 200 || text(a.elements("h1")[0]) != "Convert" || strings.Contains(text(a.id("all")), "Shelf") || !strings.Contains(text(a.id("all")), "Pressure") {
		t.Errorf("%d %s", a.status, text(a.id("all")))
	}
}

func answerOf(t *testing.T, s *site, body, version string) *calc.Answer {
	t.Helper()
	req := requestOf(t, "shelf", body)
	req.Pins = []versions.Pin{{Place: versions.InCommand, Name: "test", Value: version}}
	a, err := s.service.Calculate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func newSnapshot(t *testing.T, s *site, body, version string) snapshot.Snapshot {
	t.Helper()
	snap, err := share.Create(t.Context(), s.store, answerOf(t, s, body, version))
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// A snapshot is a sheet with instructions to verify it.
func TestSnapshot(t *testing.T) {
	s := newSite(t)
	snap := newSnapshot(t, s, `{"mode":"hard","L":2,"P":{"value":3,"unit":"kN"}}`, "1.0.0")
	whole, err := s.pages.Snapshot(t.Context(), snap, "")
	a := shown(t, s, whole, err)
	var record struct{ Result json.RawMessage }
	if err := json.Unmarshal(snap.Body, &record); err != nil || a.result() != string(record.Result) {
		t.Errorf("the page holds %s (%v)", a.result(), err)
	}
	got := text(a.root)
	for _, want := range []string{
		"with version 1.0.0. It never changes.", "0.024 m", "Point load P 3 kN", "delta = P L^3",
		"VERSION_DEPRECATED", "The engine computed this result again for this page. The new result is bit-identical.",
		"curl -s '" + base + "/api/v1/share/" + snap.ID + "' | sha256sum", "Service-Spec-Version: 1.0.0", digest,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(got, "which is not the current one") {
		t.Error("a snapshot excuses itself for its version")
	}
	if !slices.Contains(a.links(), "Open in the calculator -> "+shelf+"?mode=hard&length=2&point_load=3&point_load.unit=kN") {
		t.Errorf("links %v", a.links())
	}
	if len(a.elements("svg")) != 2 || a.linked(t)["Action"] == nil || a.id("calculator") != nil {
		t.Errorf("pictures %d", len(a.elements("svg")))
	}
}

// A snapshot shows the recorded result, also if its engine now answers differently or is missing.
func TestSnapshotOutlivesItsEngine(t *testing.T) {
	s := newSite(t)
	snap := newSnapshot(t, s, `{"mode":"hard","L":2,"P":3000,"layers":[{"thickness":0.1}],"data":[1,2],"wet":false}`, "1.0.0")
	other := inProcess{"shelf@1.0.0": engine("1.0.0", 7)}
	spec := other["shelf@1.0.0"].Spec()
	for name, tt := range map[string]struct {
		published []registry.Capability
		says      string
		layers    string // one row, with units if the Spec is known
	}{
		"answers otherwise": {
			[]registry.Capability{{ID: "test.beams.shelf", Current: "1.0.0", Releases: []*registry.Release{{Capability: "test.beams.shelf", Version: "1.0.0", EngineDigest: digest, Spec: spec}}}},
			"This server still publishes the version.", "Thickness mm Kind 100 board",
		},
		"revoked": {
			[]registry.Capability{{ID: "test.beams.shelf", Current: "", Releases: []*registry.Release{{Capability: "test.beams.shelf", Version: "1.0.0", EngineDigest: digest, Spec: spec,
				Lifecycle: evidence.Lifecycle{State: evidence.Revoked, Reason: "The exponent of L was wrong."}}}}},
			"was revoked: The exponent of L was wrong.", "Thickness mm Kind 100 board",
		},
		"other engine": {
			[]registry.Capability{{ID: "test.beams.shelf", Current: "1.0.0", Releases: []*registry.Release{{Capability: "test.beams.shelf", Version: "1.0.0", EngineDigest: "sha256:2", Spec: spec}}}},
			"This server does not have the engine that computed this result.", "Thickness Kind 0.1 board",
		},
		"not there": {nil, "This server does not have the engine that computed this result.", "Thickness Kind 0.1 board"},
	} {
		pages := page.New(calc.New(catalog.New(tt.published), other, nil), nil)
		whole, err := pages.Snapshot(t.Context(), snap, "")
		a := shown(t, s, whole, err)
		for _, want := range []string{"0.024", "0.024 m", "delta = P L^3", tt.layers, tt.says} {
			if !strings.Contains(text(a.root), want) {
				t.Errorf("%s: the page does not say %q: %s", name, want, text(a.root))
			}
		}
		if len(a.elements("svg")) > 0 {
			t.Errorf("%s: pictures of another result", name)
		}
	}
}

// An attacker with write access to the store can write any record of a snapshot.
func TestSnapshotOfNothing(t *testing.T) {
	s := newSite(t)
	for _, body := range []string{``, `{}`, `{"result":7}`, `{"result":{"inputs":[],"result":null}}`} {
		if _, err := s.pages.Snapshot(context.Background(), snapshot.Snapshot{Body: []byte(body)}, ""); err == nil && body == "" {
			t.Error("an empty record has a page")
		}
	}
}

// The evidence names every rule and vector, and the limits of the checks.
func TestEvidence(t *testing.T) {
	s := newSite(t)
	e, err := s.service.Catalog().Find("shelf")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := s.pages.Evidence(e.Releases[1])
	a := shown(t, s, whole, err)
	got := text(a.root)
	for _, want := range []string{
		"Evidence", "version 2.0.0", "1 of 1 rules passed in version 1.2.3 of the suite", "starts an engine must start 2 yes", "plots an engine must draw it declares no plots 0 does not apply",
		"E1 length 0, mode \"hard\" code \"LENGTH_OUT_OF_RANGE\", field \"length\" range yes",
		"V1 L 2.0, mode \"soft_wood\", P {\"value\": 3, \"unit\": \"kN\"} delta 0.024 relative 1e-13 a <book> yes",
		"V2 { code \"INVALID_JSON\" syntax yes", "It has not been reviewed.", digest,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q:\n%.4000s", want, got)
		}
	}
	if !slices.Contains(a.links(), "V1 -> "+shelf+"?mode=soft_wood&length=2&point_load=3&point_load.unit=kN") {
		t.Errorf("links %v", a.links())
	}
}

// The evidence names failed vectors, and a release without evidence.
func TestEvidenceAgainst(t *testing.T) {
	s := newSite(t)
	spec := engine("1.0.0", 1).Spec()
	failed := strings.Replace(report, `"passed": true, "checks": 2, "findings": []`, `"passed": false, "checks": 2, "findings": [{"subject": "vector V1, result.delta", "found": "1", "want": "2"}]`, 1)
	whole, err := s.pages.Evidence(&registry.Release{Capability: "test.beams.shelf", Version: "1.0.0", Spec: spec, Vectors: []byte(vectors), Report: []byte(failed)})
	got := text(shown(t, s, whole, err).root)
	for _, want := range []string{"0 of 1 rules passed", "vector V1, result.delta: found 1, wanted 2", "relative 1e-13 a <book> no", "and 1 of them did not agree"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	whole, err = s.pages.Evidence(&registry.Release{Capability: "test.beams.shelf", Version: "1.0.0", Spec: spec})
	got = text(shown(t, s, whole, err).root)
	for _, want := range []string{"There is no conformance report for this version.", "This version has no reference calculations."} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// The evidence names the author of each statement, and whether it counts.
func TestEvidenceStatements(t *testing.T) {
	s := newSite(t)
	day := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	rel := &registry.Release{
		Capability: "test.beams.shelf", Version: "1.0.0", Spec: engine("1.0.0", 1).Spec(),
		Platforms: []string{"linux/amd64", "linux/arm64"}, Engines: map[string]string{"linux/amd64": "sha256:1", "linux/arm64": "sha256:2"},
		Lifecycle: evidence.Lifecycle{State: evidence.Deprecated, Reason: "older wood"},
		Vectors:   []byte(vectors), Report: []byte(strings.Replace(report, `"rules"`, `"vector_results": [{"id": "V1", "passed": false}], "rules"`, 1)),
		Evidence: []evidence.Evidence{
			{Kind: sign.Release, Counts: true, Signature: &sign.Signature{Key: "desk", KeyID: "A1", Time: day, Via: []string{"old desk"}, Holds: true}},
			{Kind: sign.Review, Counts: false, Why: "the key <b> was revoked", Signature: &sign.Signature{KeyID: "B2", Time: day}, Review: &evidence.Review{
				Reviewer: "Anna <Meier>", Role: "engineer", Date: "2026-04-30", Kind: evidence.ExpertReview, Sources: []evidence.Source{{Reference: "Roark", Where: "table 8.1"}}, Notes: "Not the plots.",
			}},
			{Kind: sign.Lifecycle, Counts: true, Lifecycle: &evidence.Lifecycle{State: evidence.Deprecated, Reason: "older wood", Since: day}, Why: "it is not signed"},
		},
	}
	whole, err := s.pages.Evidence(rel)
	got := text(shown(t, s, whole, err).root)
	for _, want := range []string{
		"Publisher signature exactly this release desk, which replaced old desk 2026-05-01 yes",
		"Expert review Anna <Meier>, engineer, 2026-04-30; compared with Roark, table 8.1. Not the plots. the key <b> was revoked key B2 2026-05-01 no",
		"Status deprecated: older wood it is not signed not signed 2026-05-01 yes",
		"Status: deprecated: older wood.", "linux/amd64 sha256:1 linux/arm64 sha256:2", "and 1 of them did not agree",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q:\n%.3000s", want, got)
		}
	}
}

// The page names the reviewer of a reviewed release, and does not call an internal reviewer an expert.
func TestTrustNamesTheReviewer(t *testing.T) {
	s := newSite(t)
	name, role, date := "Anna Meier", "engineer", "2026-04-30"
	rel := &registry.Release{Capability: "test.beams.shelf", Version: "1.0.0", Spec: engine("1.0.0", 1).Spec(), Verification: verification.Record{
		Tier: verification.EngineTested, EngineTested: true, InternallyReviewed: true, ReviewedBy: &name, ReviewerRole: &role, LastReviewed: &date,
	}}
	whole, err := s.pages.Evidence(rel)
	got := text(shown(t, s, whole, err).root)
	for _, want := range []string{"not compared with the cited sources", "Internal review Anna Meier, engineer, 2026-04-30", "Expert review not yet"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q:\n%.2000s", want, got)
		}
	}
	if strings.Contains(got, "It has not been reviewed.") {
		t.Error("the page shows no review")
	}
}

// Every code has a page.
func TestProblem(t *testing.T) {
	s := newSite(t)
	for _, doc := range append(s.service.Catalog().Codes(), s.service.Catalog().Warnings()...) {
		whole, err := s.pages.Problem(doc)
		a := shown(t, s, whole, err)
		if got := text(a.id("main")); !strings.Contains(got, doc.Code) || !strings.Contains(got, doc.Remedy) || text(a.elements("h1")[0]) != doc.Title {
			t.Errorf("%s: %s", doc.Code, got)
		}
		if got := text(a.id("main")); strings.Contains(got, "a warning. The calculation has a result.") != (doc.Kind == problem.KindWarning) {
			t.Errorf("%s: %s", doc.Code, got)
		}
		if doc.Code == "TOO_WET" && !slices.Contains(a.links(), "Shelf <beam> & more -> "+shelf) {
			t.Errorf("TOO_WET leads to %v", a.links())
		}
	}
}

func TestFailure(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct {
		failure       *problem.Problem
		heading, wait string
	}{
		{problem.RateLimited(120, 17), "429 Too many requests", "17 s"},
		{problem.TooManyBatches(2), "429 Too many requests", "wait until one has ended"},
		{problem.Unavailable("test.beams.shelf", "1.0.0", nil), "503 Calculator temporarily unavailable", "ry again in 5 s"},
		{problem.StoreUnavailable(nil), "503 Snapshot store unavailable", "ry again in 5 s"},
		{problem.Overloaded("Try again when other batches have ended.", "too many batches are running"), "503 Overloaded", "ry again"},
	} {
		whole, err := s.pages.Failure(tt.failure)
		got := text(shown(t, s, whole, err).id("main"))
		if !strings.Contains(got, tt.heading) || strings.Count(got, tt.wait) != 1 || strings.Count(strings.ToLower(got), "try again")+strings.Count(strings.ToLower(got), "wait") != 1 {
			t.Errorf("the page does not state the wait once: %s", got)
		}
	}
	_, unknown := s.service.Catalog().Find("shelv")
	whole, err := s.pages.Failure(problem.Of(unknown))
	if a := shown(t, s, whole, err); !slices.Contains(a.links(), "Shelf <beam> & more -> "+shelf) {
		t.Errorf("links %v", a.links())
	}
}

// The numbers of a plot are a file, for the inputs and the version of the URL.
func TestPlotFile(t *testing.T) {
	s := newSite(t)
	const address = "/api/v1/capabilities/shelf/plots/load?"
	a := s.get(t, address+good)
	if a.status != 200 || a.header.Get("Content-Type") != "text/csv; charset=utf-8" || a.header.Get("Service-Spec-Version") != "2.0.0" ||
		!strings.Contains(a.header.Get("Content-Disposition"), `filename="shelf-load.csv"`) || !strings.HasSuffix(strings.ReplaceAll(a.text, "\r", ""), "\n0,0\n2,3000\n") {
		t.Errorf("%d %v\n%s", a.status, a.header, a.text)
	}
	for _, tt := range []struct {
		name, address, header string
		status                int
		says                  string
	}{
		{"pin", address + good + "&calculation_version=1.0.0", "", 200, "2,3000"},
		{"pins that differ", address + good + "&calculation_version=1.0.0", "2.0.0", 409, "VERSION_PIN_CONFLICT"},
		{"unknown version", address + good + "&calculation_version=7", "", 409, "VERSION_MISMATCH"},
		{"blank version", address + good, " ", 400, "INVALID_VERSION_PIN"},
		{"damaged version", address + good, "3.0.0", 503, "ENGINE_UNAVAILABLE"},
		{"bad value", address + "mode=hard&length=x", "", 400, "INVALID_NUMBER"},
		{"repeated", address + "mode=hard&length=1&length=1", "", 400, "CONFLICTING_INPUTS"},
		{"nothing", address, "", 400, "MISSING_REQUIRED_INPUT"},
		{"bad escape", address + "length=%", "", 400, "INVALID_QUERY"},
		{"unknown plot", "/api/v1/capabilities/shelf/plots/colour?" + good, "", 404, "NOT_FOUND"},
		{"unknown capability", "/api/v1/capabilities/shelv/plots/load?" + good, "", 404, "ENGINE_NOT_FOUND"},
		{"plot that fails", "/api/v1/capabilities/shelf/plots/shear?mode=hard&length=60", "", 500, "INTERNAL_ERROR"},
	} {
		var headers []string
		if tt.header != "" {
			headers = []string{"Service-Spec-Version", tt.header}
		}
		if a := s.get(t, tt.address, headers...); a.status != tt.status || !strings.Contains(a.text, tt.says) {
			t.Errorf("%s: %d %.300s", tt.name, a.status, a.text)
		}
	}
}

func TestAssets(t *testing.T) {
	s := newSite(t)
	if a := s.get(t, "/assets/nothing.css"); a.status != 404 || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("an asset that is not there: %d %v", a.status, a.header)
	}
	for _, n := range s.get(t, shelf).all(func(n *html.Node) bool { return attr(n, "rel") == "stylesheet" }) {
		plain, zipped := s.get(t, attr(n, "href")), s.get(t, attr(n, "href"), "Accept-Encoding", "gzip")
		if plain.text != zipped.text || zipped.header.Get("Content-Encoding") != "gzip" || plain.header.Get("Content-Type") != "text/css; charset=utf-8" {
			t.Errorf("the stylesheet is answered as %v", plain.header)
		}
		if strings.Contains(plain.text, "url(rule.svg)") || strings.Contains(plain.text, "://") {
			t.Error("the stylesheet loads what is not there, or from elsewhere")
		}
	}
}
