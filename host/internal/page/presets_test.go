package page_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
)

type strut struct {
	Length  float64 `name:"length" unit:"m"`
	Area    float64 `name:"area" unit:"m2" presets:"data.test.sections#area"`
	Moment  float64 `name:"moment" label:"Second moment" unit:"m4" presets:"data.test.sections#moment"`
	Density float64 `name:"density" unit:"kg/m3" presets:"data.test.fluid#density,data.test.sections#density"`
}

type strength struct {
	Sum float64 `name:"sum"`
}

func publishedTable(t testing.TB, spec, rows string) *registry.Release {
	t.Helper()
	table, err := preset.Parse([]byte(spec), []byte(rows))
	if err != nil {
		t.Fatal(err)
	}
	return &registry.Release{Capability: table.ID, Version: table.Version, Digest: digest, Table: table, Lifecycle: evidence.Lifecycle{State: evidence.Active}}
}

// newStrutSite publishes an engine that takes values of two tables.
func newStrutSite(t testing.TB) *site {
	return newTableSite(t, sdk.New(sdk.Spec{Capability: "test.beams.strut", Version: "1.0.0", Tool: "strut", Group: "beams", Title: "Strut", Summary: "A sum."},
		func(_ context.Context, in strut) (strength, error) {
			return strength{in.Length + in.Area + in.Moment + in.Density}, nil
		}))
}

// newTableSite publishes an engine and two tables.
func newTableSite(t testing.TB, engine sdk.Engine) *site {
	t.Helper()
	spec := engine.Spec()
	sections := publishedTable(t, `{"table_format":1,"table_id":"data.test.sections","table_version":"1.0.0","title":"Sections","summary":"Sections & more.","noun":"section","picture":"i_section",
"columns":[{"name":"height","label":"Height","unit":"mm","source":"a"},{"name":"width","label":"Width","unit":"mm","source":"a"},{"name":"web_thickness","label":"Web","unit":"mm","source":"a"},
{"name":"flange_thickness","label":"Flange","unit":"mm","source":"a"},{"name":"root_radius","label":"Radius","unit":"mm","source":"a"},
{"name":"area","label":"Area","unit":"cm2","source":"a"},{"name":"moment","label":"Moment","unit":"cm4","source":"a"},{"name":"density","label":"Density","unit":"kg/m3","source":"a"}],
"sources":[{"id":"a","title":"Book <A>","where":"page 1"}]}`, "key,name,height,width,web_thickness,flange_thickness,root_radius,area,moment,density\nIPE200,IPE 200,200,100,5.6,8.5,12,28.5,1943,\nIPE300,IPE 300,300,150,7.1,10.7,15,53.8,8356,7850\n")
	fluid := publishedTable(t, `{"table_format":1,"table_id":"data.test.fluid","table_version":"1.0.0","title":"Fluid","summary":"Fluid.","noun":"point",
"columns":[{"name":"temperature","label":"Temperature","unit":"degC","source":"a"},{"name":"density","label":"Density","unit":"kg/m3","source":"a"}],
"interpolation":{"argument":"temperature","kind":"linear"},"sources":[{"id":"a","title":"Book A"}]}`, "temperature,density\n0,1000\n100,900\n")
	catalog := catalog.New([]registry.Capability{
		{ID: "data.test.fluid", Current: "1.0.0", Releases: []*registry.Release{fluid}},
		{ID: "data.test.sections", Current: "1.0.0", Releases: []*registry.Release{sections}},
		{ID: spec.Capability, Current: "1.0.0", Releases: []*registry.Release{{Capability: spec.Capability, Version: "1.0.0", EngineDigest: digest, Spec: spec}}},
	})
	s := &site{service: calc.New(catalog, inProcess{spec.Tool + "@1.0.0": engine}, &calc.Options{BaseURL: base}), store: newStore(t)}
	s.pages = page.New(s.service, &page.Options{Snapshots: s.store})
	s.Handler = web.New(base, slices.Concat(s.pages.Routes(), api.Routes(s.service, &api.Options{Snapshots: s.store})), &web.Options{FailurePage: s.pages.Failure})
	return s
}

const strutPath = "/calc/beams/strut?"

// shared returns the query of the URL that the sheet gives for its inputs.
func shared(t *testing.T, a answer, path string) url.Values {
	t.Helper()
	_, rest, found := strings.Cut(a.text, `<p class="address">`+base+path)
	if !found {
		t.Fatalf("there is no address to share in %s", a.text)
	}
	query, _, _ := strings.Cut(rest, "<")
	values, err := url.ParseQuery(html.UnescapeString(query))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// One choice fills several fields, and the URL has each row with its version.
func TestRowsAreChosenByName(t *testing.T) {
	s := newStrutSite(t)
	for _, query := range []string{
		"length=1&fill=ipe200&density.preset=Fluid+at+25+%C2%B0C",
		"length=1&area=IPE+200&area.unit=in2&moment=ipe200&density.preset=Fluid+at+25+%C2%B0C",
		"length=1&area.preset=IPE+200&moment.preset=data.test.sections/IPE200&density.preset=data.test.fluid/25 degC@1.0.0",
	} {
		a := s.get(t, strutPath+query)
		want := map[string]string{
			"length": "1", "area.preset": "data.test.sections/IPE200@1.0.0", "moment.preset": "data.test.sections/IPE200@1.0.0", "density.preset": "data.test.fluid/25 degC@1.0.0",
		}
		got := shared(t, a, strutPath)
		for key, value := range want {
			if got.Get(key) != value {
				t.Errorf("%s: the address keeps %s=%q, want %q", query, key, got.Get(key), value)
			}
		}
		for _, says := range []string{"1943 cm⁴ is the value of IPE 200 in the table Sections 1.0.0, from Book &lt;A&gt;, page 1", "975 kg/m³ is the value of Fluid at 25 °C in the table Fluid 1.0.0"} {
			if !strings.Contains(a.text, says) {
				t.Errorf("%s: the page does not say %q", query, says)
			}
		}
		if repeated := s.get(t, strutPath+got.Encode()); !strings.Contains(repeated.text, `"sum":976.0028694`) || repeated.status != http.StatusOK {
			t.Errorf("%s: the address that is shared gives %d", query, repeated.status)
		}
		if n := a.named("moment.preset"); attr(n, "value") != "IPE 200" || attr(n, "list") == "" {
			t.Errorf("the form shows the row as %q", attr(n, "value"))
		}
	}
}

func TestRowsThatCannotBeChosen(t *testing.T) {
	s := newStrutSite(t)
	for _, tt := range []struct{ query, says string }{
		{"length=1&area.preset=IPE250&moment=1&density=1", "“IPE250” is not in a table for this field; the nearest are IPE200, IPE300"},
		{"length=1&area.preset=IPE200&area=2&moment=1&density=1", "clear one of them"},
		{"length=1&area.preset=IPE200&area.preset=IPE300&moment=1&density=1", "this field has two rows of tables"},
		{"length=1&area.preset=data.test.sections/IPE200@2.0.0&moment=1&density=1", "version 2.0.0 of the table Sections is not available"},
		{"length=1&area.preset=data.test.nothing/IPE200&moment=1&density=1", "this server does not publish that table"},
		{"length=1&area=1&moment=1&density.preset=Fluid+at+125+%C2%B0C", "the table Fluid has no values at 125 °C"},
		{"length=1&area=1&moment=1&density.preset=IPE200", "is not in a table for this field"},
		{"length.preset=IPE200&area=1&moment=1&density=1", "this field has no table"},
		{"length=1&area.preset=%00&moment=1&density=1", "the name of the row is not text"},
		{"length=1&area.preset=%3Cscript%3E&moment=1&density=1", "“&lt;script&gt;” is not in a table"},
	} {
		a := s.get(t, strutPath+tt.query)
		if !strings.Contains(strings.ToLower(a.text), strings.ToLower(tt.says)) || strings.Contains(a.text, "calculatorx-result") {
			t.Errorf("%s: %d, the page does not say %q, or shows a result", tt.query, a.status, tt.says)
		}
	}
}

// The part of a page for scripts has the same sentences as the page.
func TestPresetsOfScripts(t *testing.T) {
	s := newStrutSite(t)
	a := s.ask(t, http.MethodPost, "/api/v1/calc/strut", `{"length":1,"area":{"preset":"data.test.sections/IPE200","version":"1.0.0"},"moment":1,"density":1}`, "Content-Type", "application/json", "Accept", "text/html")
	if a.status != http.StatusOK || !strings.Contains(a.text, "Area: 28.5 cm² is the value of IPE 200 in the table Sections 1.0.0") {
		t.Errorf("%d: %s", a.status, a.text)
	}
}

func TestPagesOfTables(t *testing.T) {
	s := newStrutSite(t)
	for _, tt := range []struct {
		path   string
		status int
		says   []string
	}{
		{"/tables", 200, []string{"Sections &amp; more.", "2 rows, version 1.0.0"}},
		{"/tables?q=ipe+3", 200, []string{"Rows that match", "/tables/data.test.sections?row=IPE300"}},
		{"/tables?q=%3Cb%3E", 200, []string{"No row matches “&lt;b&gt;”"}},
		{"/tables/data.test.sections", 200, []string{"IPE 200", "8356", "Book &lt;A&gt;", "rows.csv"}},
		{"/tables/data.test.sections?q=300", 200, []string{"1 rows match"}},
		{"/tables/data.test.sections?row=ipe%20200&calculation_version=1.0.0", 200, []string{"<svg class=\"section\"", "h = 200 mm", "1943 cm⁴"}},
		{"/tables/data.test.fluid", 200, []string{"straight lines over temperature"}},
		{"/tables/data.test.sections?row=IPE999", 404, []string{"does not have this row"}},
		{"/tables/data.test.fluid?row=1", 404, nil},
		{"/tables/data.test.nothing", 404, nil},
		{"/tables/data.test.sections?calculation_version=3.0.0", 409, nil},
		{"/api/v1/tables/data.test.sections?calculation_version=3.0.0", 409, []string{"VERSION_MISMATCH"}},
		{"/api/v1/tables/data.test.sections", 200, []string{`"moment":{"value":"1943","source":"a"}`, `"current_version":"1.0.0"`}},
		{"/api/v1/tables", 200, []string{`"count":2`}},
		{"/api/v1/tables/data.test.sections/rows.csv", 200, []string{"IPE200,IPE 200,200,100,5.6"}},
	} {
		a := s.get(t, tt.path)
		if a.status != tt.status {
			t.Errorf("%s: %d, want %d", tt.path, a.status, tt.status)
		}
		for _, text := range tt.says {
			if !strings.Contains(a.text, text) {
				t.Errorf("%s does not say %q", tt.path, text)
			}
		}
	}
	a := s.get(t, "/api/v1/tables/data.test.sections/rows.csv")
	if repeated := s.get(t, "/api/v1/tables/data.test.sections/rows.csv", "If-None-Match", a.header.Get("ETag")); repeated.status != http.StatusNotModified {
		t.Errorf("the same rows again: %d", repeated.status)
	}
}
