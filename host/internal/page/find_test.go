package page_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/api"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

type gauge struct {
	A    sdk.Decimal `name:"a"`
	From string      `name:"from" enum:"psi,kPa,bar"`
	To   string      `name:"to" enum:"psi,kPa,bar"`
}

type plank struct {
	Width float64 `name:"width" unit:"m"`
	Depth float64 `name:"depth" unit:"m"`
}

type moments struct {
	Moment float64 `name:"second_moment_x" label:"Second moment" unit:"m4"`
	Width  float64 `name:"width" unit:"m"`
}

type joist struct {
	SecondMoment float64 `name:"second_moment_of_area" alias:"second_moment" label:"Second moment of area" unit:"m4"`
	Span         float64 `name:"span" label:"Span" unit:"m"`
	Width        float64 `name:"width" label:"Width of the bearing" unit:"m" default:"0.1"`
}

type sag struct {
	Sag float64 `name:"sag" label:"Sag" unit:"m"`
}

// newLibrary serves pages of a gauge, a plank and a joist.
func newLibrary(t testing.TB) *site {
	t.Helper()
	engines := inProcess{
		"gauge@1.0.0": sdk.New(sdk.Spec{
			Capability: "units.convert.gauge", Version: "1.0.0", Tool: "gauge", Group: "convert", Title: "Pressure converter", Summary: "Pressure in other units.",
		}, func(_ context.Context, in gauge) (converted, error) { return converted{in.A.Float * 2, in.To}, nil }),
		"plank@1.0.0": sdk.New(sdk.Spec{
			Capability: "test.sections.plank", Version: "1.0.0", Tool: "plank", Group: "sections", Title: "Section of a plank", Summary: "Properties of a plank.",
		}, func(_ context.Context, in plank) (moments, error) {
			return moments{in.Width * in.Depth * 1.1, in.Width}, nil
		}),
		"joist@1.0.0": sdk.New(sdk.Spec{
			Capability: "test.beams.joist", Version: "1.0.0", Tool: "joist", Group: "beams", Title: "Sag of a joist", Summary: "How far a plank sags.", Keywords: []string{"plank"},
		}, func(_ context.Context, in joist) (sag, error) { return sag{in.Span * in.SecondMoment}, nil }),
	}
	var published []registry.Capability
	for _, e := range engines {
		spec := e.Spec()
		published = append(published, registry.Capability{ID: spec.Capability, Current: "1.0.0", Releases: []*registry.Release{{
			Capability: spec.Capability, Version: "1.0.0", EngineDigest: digest, Spec: spec,
		}}})
	}
	s := &site{service: calc.New(catalog.New(published), engines, &calc.Options{BaseURL: base})}
	s.pages = page.New(s.service, nil)
	s.Handler = web.New(base, append(s.pages.Routes(), api.Routes(s.service, nil)...), nil)
	return s
}

// The search box answers complete questions with the engines. For other questions it links to a calculator with the inputs of
// the question.
func TestReplies(t *testing.T) {
	s := newLibrary(t)
	for question, want := range map[string]struct{ says, link string }{
		"30 psi in bar":                       {"30 psi = 60 bar Pressure converter, version 1.0.0", "/calc/convert/gauge?a=30&from=psi&to=bar"},
		"how many kPa in 1.5 bar?":            {"1.5 bar = 3 kPa Pressure converter", "/calc/convert/gauge?a=1.5&from=bar&to=kPa"},
		"sag of a joist 6 m":                  {"Span 6 m. Still needed: Second moment of area.", "/calc/beams/joist?span=6"},
		"sag of a joist of 600 cm and 500cm4": {"Sag 0.03 mm Second moment of area 500 cm⁴, Span 600 cm.", "/calc/beams/joist?second_moment_of_area=500&second_moment_of_area.unit=cm4&span=600&span.unit=cm"},
		"sag of a joist 6 m 20 kg":            {"", ""}, // it takes no mass
		"sag of a joist":                      {"", ""},
		"30 psi in furlongs":                  {"", ""},
		"5 m in km":                           {"5 m = 0.005 km", "/api/v1/units?quantity=length"}, // no engine converts lengths
		"40 gpm in l/s":                       {"40 gal/min = 2.52361 L/s 1 gal/min is 0.003785411784/60 m³/s.", "/api/v1/units?quantity=volumetric_flow"},
		"20 gpm to l/min":                     {"20 gal/min = 75.7082 L/min", ""},
		"5 cfm in m3/h":                       {"5 ft³/min = 8.49505 m³/h", ""},
		"70 F in C":                           {"70 °F = 21.1111 °C", "/api/v1/units?quantity=temperature"},
		"1 1/2 in in mm":                      {"1.5 in = 38.1 mm", ""},
		`20'-6" in m`:                         {"246 in = 6.2484 m", ""},
	} {
		a := s.get(t, "/?q="+url.QueryEscape(question))
		answer := a.id("answer")
		if got := text(answer); (want.says == "") != (got == "") || !strings.Contains(got, want.says) {
			t.Errorf("%q: %q, want %q", question, got, want.says)
		}
		if want.link != "" && !strings.Contains(a.text, strings.ReplaceAll(want.link, "&", "&amp;")) {
			t.Errorf("%q does not lead to %s: %s", question, want.link, text(answer))
		}
	}
	if got := text(s.get(t, "/?q=bolt+torque").id("found")); got != "No calculator matches “bolt torque”. The list has all calculators." {
		t.Error(got)
	}
}

// A result links to calculators that take it, with all its digits. An output that repeats an input does not.
func TestUses(t *testing.T) {
	s := newLibrary(t)
	a := s.get(t, "/calc/sections/plank?width=0.3&depth=0.1")
	if want := "/calc/beams/joist?second_moment_of_area=0.033"; !strings.Contains(a.text, want) {
		t.Errorf("no link to %s", want)
	}
	if strings.Contains(a.text, "joist?width=") {
		t.Error("an input is taken for a result")
	}
	if !strings.Contains(a.text, `<a href="/calc/beams/joist">Sag of a joist</a>`) {
		t.Error("a joist is not related to a plank")
	}
	b := s.get(t, "/calc/beams/joist?second_moment_of_area=0.033&span=2")
	if strings.Contains(b.text, "Use a result in another calculator") {
		t.Error("a sag is used somewhere")
	}
}
