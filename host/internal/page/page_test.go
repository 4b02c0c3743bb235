package page_test

import (
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/slipstick/slipstick/docs"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/sdk/verification"
)

var update = flag.Bool("update", false, "write the golden files anew")

// beam has every kind of input that a form can have.
type beam struct {
	Mode     string       `name:"mode" enum:"hard,soft_wood=softwood" doc:"Kind of wood."`
	Phase    *string      `name:"phase" enum:"new,old" doc:"Age."`
	Length   float64      `name:"length" alias:"L,span" unit:"m" range:"(0,100]" symbol:"L" doc:"Length; see point_load."`
	Load     float64      `name:"point_load" alias:"P" unit:"N" default:"0" symbol:"P" doc:"Load at the tip."`
	Position *float64     `name:"position" alias:"x" unit:"m" range:"[0,length]" label:"Where to look" doc:"From the wall."`
	Grade    string       `name:"grade" enum:"c24,gl_28" default:"c24" doc:"Strength class."`
	Wet      bool         `name:"wet" default:"false" doc:"In the rain."`
	Count    *int         `name:"count" symbol:"n_b" range:"[1,)" doc:"How many beams."`
	Rise     *float64     `name:"temperature_rise" unit:"K" doc:"Warming."`
	Note     string       `name:"note" default:"none" advanced:"true" doc:"Anything."`
	Factor   *sdk.Decimal `name:"factor" symbol:"k" advanced:"true" doc:"Exact factor."`
	Data     *[]float64   `name:"data" unit:"Pa" doc:"Measured stresses."`
	Layers   *[]layer     `name:"layers" doc:"From top to bottom."`
	Corners  *[][]float64 `name:"corners" doc:"Of the section."`
}

type layer struct {
	Thickness float64 `name:"thickness" unit:"m"`
	Kind      string  `name:"kind" default:"board"`
}

type bend struct {
	Delta  float64 `name:"delta" unit:"m" symbol:"\\delta" doc:"Deflection at the tip."`
	Length float64 `name:"length" unit:"m" doc:"As it was given."`
	Kind   string  `name:"kind" enum:"hard,soft_wood" doc:"Kind of wood."`
}

// Draw draws the load, and fails for long beams.
func (in *beam) Draw(_ context.Context, plot string) (*sdk.Figure, error) {
	if plot == "shear" && in.Length > 50 {
		return nil, errors.New("no pencil")
	}
	return &sdk.Figure{Curves: []sdk.Curve{{Label: "load", X: []float64{0, in.Length}, Y: []float64{0, in.Load}}}}, nil
}

// definition is the formula of the current version. Earlier versions send LaTeX.
const definition = `c := 2e-6 1/(N m2)  # rule of <thumb>
delta = c*P*L^3 if grade == "c24" and L < {90 m}  @shelf_v1
delta = P*L^3*c*sum(i in 1..1000: sqrt(i)/sqrt(i))/1000 otherwise  @other_v1
length = L`

func engine(version string, factor float64) sdk.Engine {
	spec := shelfSpec(version)
	if version == "2.0.0" {
		spec.Changes = "Shelves <bend> twice as much as stated."
		spec.Definition = definition
		spec.Formulas = []sdk.Formula{{ID: "shelf_v1", Label: "Rule of thumb"}, {ID: "other_v1"}}
	}
	return sdk.New(spec, func(ctx context.Context, in beam) (bend, error) {
		switch {
		case in.Wet && in.Load > 1e6:
			return bend{}, errors.New("secret cause")
		case in.Wet:
			return bend{}, sdk.Reject("TOO_WET", "wet", "the point_load must wait").Suggest("Dry it.")
		case in.Load == 13:
			return bend{}, sdk.Reject("TOO_WET", "point_load", "13 brings bad luck")
		}
		delta := factor * in.Load * in.Length * in.Length * in.Length * 1e-6
		if delta > in.Length/10 {
			sdk.Warn(ctx, sdk.Warning{Code: "LARGE_DEFLECTION", Severity: sdk.Critical, Detail: "It bends <far>.", Suggestion: "Use a thicker board."})
		}
		return bend{delta, in.Length, in.Mode}, nil
	})
}

func shelfSpec(version string) sdk.Spec {
	return sdk.Spec{
		Capability: "test.beams.shelf", Version: version, Tool: "shelf", Group: "beams",
		Title: "Shelf <beam> & more", Summary: `How much a "shelf" bends.`, Keywords: []string{"bookcase"},
		Formulas: []sdk.Formula{
			{ID: "shelf_v1", Expression: "delta = P L^3", Label: "Rule of thumb", LaTeX: `\delta=PL^3`},
			{ID: "other_v1", Expression: "delta = P"},
		},
		Assumptions: []string{"The wall is rigid."}, SignConvention: "Down is positive.",
		References: []sdk.Reference{{Title: "Shelves", Where: "p. 7"}},
		Limits:     []sdk.Limit{{Quantity: "delta/length", Max: new(0.1), Warning: "LARGE_DEFLECTION", Doc: "Small slopes."}},
		Plots: []sdk.Plot{
			{ID: "load", Title: "Load", X: sdk.Axis{Label: "Place", Unit: "m"}, Y: sdk.Axis{Label: "Load", Unit: "N"}},
			{ID: "shear", Title: "Shear", X: sdk.Axis{Label: "Place", Unit: "m"}, Y: sdk.Axis{Label: "Shear", Unit: "N"}},
		},
		Errors: []string{"TOO_WET"}, Warnings: []string{"LARGE_DEFLECTION"},
	}
}

// tiny has one input, a number that can be a decimal string, and a unit as output.
type tiny struct {
	A    sdk.Decimal `name:"a"`
	From string      `name:"from" enum:"psi,kPa"`
}

type converted struct {
	Value float64 `name:"value"`
	Unit  string  `name:"unit"`
}

func converter() sdk.Engine {
	return sdk.New(sdk.Spec{
		Capability: "units.convert.pressure", Version: "1.0.0", Tool: "pressure", Group: "convert",
		Title: "Pressure", Summary: "Pressure in other units.",
	}, func(_ context.Context, in tiny) (converted, error) {
		return converted{in.A.Float * 2, "kPa"}, nil
	})
}

// inProcess runs the engines of the tests without processes.
type inProcess map[string]sdk.Engine

func (p inProcess) of(r *registry.Release) sdk.Engine { return p[r.Spec.Tool+"@"+r.Version] }

func (p inProcess) Calculate(ctx context.Context, _ time.Duration, r *registry.Release, in value.Values) (sdk.Outcome, error) {
	return p.of(r).Calculate(ctx, in)
}

func (p inProcess) CalculateBatch(ctx context.Context, limit time.Duration, r *registry.Release, rows []value.Values) ([]response.Result, error) {
	results := make([]response.Result, len(rows))
	for i, row := range rows {
		results[i].Outcome, results[i].Err = p.Calculate(ctx, limit, r, row)
	}
	return results, nil
}

func (p inProcess) Draw(ctx context.Context, _ time.Duration, r *registry.Release, plot string, in value.Values) (*sdk.Figure, error) {
	return p.of(r).(sdk.Plotter).Draw(ctx, plot, in)
}

const (
	base   = "https://calc.example.org"
	digest = "sha256:1111111111111111111111111111111111111111111111111111111111111111"

	vectors = `[
		{"id": "E1", "inputs": {"length": 0, "mode": "hard"}, "expected": {"code": "LENGTH_OUT_OF_RANGE", "field": "length"}, "source": "range"},
		{"id": "V1", "inputs": {"L": 2.0, "mode": "soft_wood", "P": {"value": 3, "unit": "kN"}}, "expected": {"delta": 0.024}, "rtol": 1e-13, "source": "a <book>"},
		{"id": "V2", "inputs_raw": "{", "expected": {"code": "INVALID_JSON"}, "source": "syntax"}]`
	report = `{"suite": "1.2.3", "passed": true, "vectors": {"total": 3, "passed": 3},
		"rules": [{"id": "starts", "rule": "an engine must start", "passed": true, "checks": 2, "findings": []},
			{"id": "plots", "rule": "an engine must draw", "passed": true, "outcome": "not_applicable", "reason": "it declares no plots", "checks": 0, "findings": []}]}`
)

// newService publishes three versions of a shelf, the newest damaged, and a converter.
func newService(t testing.TB) *calc.Service {
	t.Helper()
	engines := inProcess{"shelf@1.0.0": engine("1.0.0", 1), "shelf@2.0.0": engine("2.0.0", 2), "shelf@3.0.0": engine("3.0.0", 3), "pressure@1.0.0": converter()}
	tested := verification.Record{Tier: verification.EngineTested, EngineTested: true}
	var shelves []*registry.Release
	for _, v := range []string{"3.0.0", "2.0.0", "1.0.0"} {
		shelves = append(shelves, &registry.Release{
			Capability: "test.beams.shelf", Version: v, EngineDigest: digest, Digest: digest, Spec: engines["shelf@"+v].Spec(),
			Verification: tested, Vectors: []byte(vectors), Report: []byte(report), Revision: "abc123",
			Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		})
	}
	shelves[0].Problem = errors.New("blob is corrupt")
	shelves[2].Lifecycle = evidence.Lifecycle{State: evidence.Deprecated, Reason: "it was too stiff"}
	catalog := catalog.New([]registry.Capability{
		{ID: "test.beams.shelf", Current: "2.0.0", Releases: shelves},
		{ID: "test.broken.layout", Problem: errors.New("no index.json")},
		{ID: "units.convert.pressure", Current: "1.0.0", Releases: []*registry.Release{{
			Capability: "units.convert.pressure", Version: "1.0.0", EngineDigest: digest, Spec: engines["pressure@1.0.0"].Spec(),
			Verification: verification.Record{Tier: verification.Candidate},
		}}},
	})
	return calc.New(catalog, engines, &calc.Options{BaseURL: base})
}

func newStore(t testing.TB) *snapshot.Store {
	t.Helper()
	store, err := snapshot.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// site serves the pages and the API of one service.
type site struct {
	http.Handler
	service *calc.Service
	pages   *page.Pages
	store   *snapshot.Store
	shadow  shadow.Report // report of the page about candidates
}

func newSite(t testing.TB) *site {
	t.Helper()
	return siteOf(t, newService(t))
}

func siteOf(t testing.TB, service *calc.Service) *site {
	t.Helper()
	s := &site{service: service, store: newStore(t)}
	s.pages = page.New(s.service, &page.Options{
		Snapshots: s.store,
		Shadow:    func() shadow.Report { return s.shadow },
		Docs:      docs.Files,
		Version:   "1.2.3",
		Now:       func() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC) },
	})
	routes := slices.Concat(s.pages.Routes(), api.Routes(s.service, &api.Options{Snapshots: s.store}))
	s.Handler = web.New(base, routes, &web.Options{FailurePage: s.pages.Failure})
	return s
}

// answer is a response, parsed as a browser does.
type answer struct {
	status int
	header http.Header
	text   string
	root   *html.Node
}

func (s *site) get(t testing.TB, address string, headers ...string) answer {
	t.Helper()
	return s.ask(t, http.MethodGet, address, "", headers...)
}

func (s *site) post(t testing.TB, address, form string) answer {
	t.Helper()
	return s.ask(t, http.MethodPost, address, form, "Content-Type", "application/x-www-form-urlencoded")
}

func (s *site) ask(t testing.TB, method, address, body string, headers ...string) answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body))
	path, query, _ := strings.Cut(address, "?")
	r.URL.Path, r.URL.RawQuery = path, query // any text that a client can send
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return read(t, w)
}

// follow gets a page, and follows one redirect as a browser does.
func (s *site) follow(t testing.TB, address string, headers ...string) answer {
	t.Helper()
	a := s.get(t, address, headers...)
	if a.status != http.StatusSeeOther {
		return a
	}
	return s.get(t, a.header.Get("Location"), headers...)
}

func read(t testing.TB, w *httptest.ResponseRecorder) answer {
	t.Helper()
	a := answer{status: w.Code, header: w.Header(), text: w.Body.String()}
	if w.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		a.text = string(text)
	}
	root, err := html.Parse(strings.NewReader(a.text))
	if err != nil {
		t.Fatal(err)
	}
	a.root = root
	return a
}

// all returns the elements that the function accepts, in the order of the page. It ignores the content of template
// elements, because browsers do not show it.
func (a answer) all(takes func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	var visit func(*html.Node)
	visit = func(n *html.Node) {
		if n.Type == html.ElementNode && takes(n) {
			found = append(found, n)
		}
		for c := range n.ChildNodes() {
			if n.Data != "template" {
				visit(c)
			}
		}
	}
	visit(a.root)
	return found
}

func (a answer) id(id string) *html.Node {
	found := a.all(func(n *html.Node) bool { return attr(n, "id") == id })
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

func (a answer) elements(name string) []*html.Node {
	return a.all(func(n *html.Node) bool { return n.Data == name })
}

func (a answer) named(name string) *html.Node {
	found := a.all(func(n *html.Node) bool { return attr(n, "name") == name })
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

func attr(n *html.Node, name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	return n != nil && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// text returns the text within the element, with single spaces.
func text(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

const shelf = "/calc/beams/shelf"

// Parts of a page that change with other files: hashes of assets, and pictures.
var (
	hashed  = regexp.MustCompile(`-[0-9a-f]{16}\.`)
	picture = regexp.MustCompile(`(?s)<svg.*?</svg>`)
)

// The golden file has a whole page with a result.
func TestGolden(t *testing.T) {
	a := newSite(t).get(t, shelf+"?mode=hard&L=2&P=3&P.unit=kN&layers=0.1+board;0.2")
	golden(t, "calculator.html", picture.ReplaceAllString(hashed.ReplaceAllString(a.text, "-0."), "<svg></svg>"))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs; go test -update writes it anew (-want +got):\n%s", file, diff)
	}
}
