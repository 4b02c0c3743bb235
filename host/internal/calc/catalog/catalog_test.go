package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// release is a published version of a capability.
func release(version string, problem error) *registry.Release {
	return &registry.Release{Capability: "test.a.b", Version: version, Problem: problem, Spec: sdk.Spec{Tool: "tool-" + version[:1]}}
}

func pin(v string) []versions.Pin {
	return []versions.Pin{{Place: versions.InCommand, Name: "test", Value: v}}
}

// Which release is served when parts of a capability are damaged.
func TestRelease(t *testing.T) {
	damaged := errors.New("damaged")
	good := registry.Capability{ID: "test.a.b", Current: "1.0.0", Releases: []*registry.Release{release("2.0.0", damaged), release("1.0.0", nil)}}
	noCurrent, unreadable, stray := good, registry.Capability{ID: "test.a.b", Problem: damaged}, good
	noCurrent.Current = ""
	dangling := noCurrent
	dangling.Problem, stray.Problem = damaged, damaged
	for _, tt := range []struct {
		name       string
		capability registry.Capability
		pins       []versions.Pin
		want       string // version, or code
	}{
		{"current", good, nil, "1.0.0"},
		{"pin", good, pin("1.0.0"), "1.0.0"},
		{"pin of a damaged release", good, pin("2.0.0"), problem.CodeEngineUnavailable},
		{"unpublished", good, pin("3.0.0"), problem.CodeVersionMismatch},
		{"no current", noCurrent, nil, problem.CodeVersionMismatch},
		{"no current, pin", noCurrent, pin("1.0.0"), "1.0.0"},
		{"dangling current", dangling, nil, problem.CodeEngineUnavailable},
		{"dangling current, pin", dangling, pin("1.0.0"), "1.0.0"},
		{"something stray", stray, nil, "1.0.0"},
		{"unreadable", unreadable, nil, problem.CodeEngineUnavailable},
		{"unreadable, pin", unreadable, pin("1.0.0"), problem.CodeEngineUnavailable},
		{"unreadable, bad pin", unreadable, pin(""), problem.CodeInvalidVersionPin},
	} {
		catalog := catalog.New([]registry.Capability{tt.capability})
		entry, err := catalog.Find("test.a.b")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r, err := entry.Release(tt.pins); err != nil {
			got = problem.Of(err).Code
		} else {
			got = r.Version
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestFindByAnyTool(t *testing.T) {
	catalog := catalog.New([]registry.Capability{
		{ID: "test.a.b", Current: "1.0.0", Releases: []*registry.Release{release("2.0.0", nil), release("1.0.0", nil)}},
	})
	for _, id := range []string{"test.a.b", "tool-1", "tool-2"} {
		if e, err := catalog.Find(id); err != nil || e.Tool != "tool-2" {
			t.Errorf("Find(%s) = %v, %v", id, e, err)
		}
	}
	if capabilities, releases, out := catalog.Summary(nil); capabilities != 1 || releases != 2 || out != nil {
		t.Errorf("Summary = %d, %d, %v", capabilities, releases, out)
	}
}

// A tool id belongs to one capability, also while nothing of that can be read.
func TestFindByOwnedTool(t *testing.T) {
	other := release("1.0.0", nil) // which names tool-1
	catalog := catalog.New([]registry.Capability{
		{ID: "test.a.b", Tools: []string{"tool-1"}, Problem: errors.New("unreadable")},
		{ID: "test.c.d", Current: "1.0.0", Releases: []*registry.Release{other}},
	})
	e, err := catalog.Find("tool-1")
	if err != nil || e.ID != "test.a.b" {
		t.Fatalf("Find = %v, %v", e, err)
	}
	if _, err := e.Release(nil); problem.Of(err).Status() != 503 {
		t.Errorf("Release = %v", err)
	}
}

// shelf is a catalog of ids that are alike and ids that are not.
func shelf() *catalog.Catalog {
	var list []registry.Capability
	for _, names := range [][2]string{
		{"electrical.basic.ohms_law", "ohms-law"}, {"geometry.plane.angle", "angle"}, {"thermo.heat_exchanger.lmtd", "lmtd"},
		{"mechanical.statics.cantilever_point_load_at_deflection", "cantilever-point-load"},
	} {
		r := &registry.Release{Capability: names[0], Version: "1.0.0", Spec: sdk.Spec{Tool: names[1]}}
		list = append(list, registry.Capability{ID: names[0], Current: "1.0.0", Releases: []*registry.Release{r}})
	}
	return catalog.New(list)
}

// The nearest ids have words in common with an id, and short ids are not near to everything.
func TestNearest(t *testing.T) {
	for id, want := range map[string]string{
		"ohmslaw": "ohms-law", "cantilever": "cantilever-point-load", "point load": "cantilever-point-load",
		"exchanger": "lmtd", "cable-angle": "angle",
	} {
		if got := shelf().Nearest(id, 2); len(got) != 2 || got[0] != want {
			t.Errorf("Nearest(%q) = %v, want %s first", id, got, want)
		}
	}
}

// An unknown id is answered with one id for each capability, the nearest first, and with a
// guess only where it is likely.
func TestFindUnknown(t *testing.T) {
	for id, guess := range map[string]string{
		"ohm-law": "ohms-law", "Ohms-Law": "ohms-law", "angel": "angle", "lmdt": "lmtd",
		"electrical.basic.ohmslaw":                              "electrical.basic.ohms_law",
		"mechanical.statics.cantilever_pointload_at_deflection": "mechanical.statics.cantilever_point_load_at_deflection",
		"zzz": "", "nope": "", "": "", "ab": "", "cantilever": "", "electrical": "",
		strings.Repeat("x", 3000): "", "lmtd" + strings.Repeat("d", 3000): "", strings.Repeat("electrical.basic.ohms_law", 6): "",
	} {
		published := shelf()
		_, err := published.Find(id)
		p := problem.Of(err)
		if p.Code != problem.CodeEngineNotFound || strings.Contains(p.Suggestion, "Did you mean") != (guess != "") || !strings.HasPrefix(p.Suggestion, "Did you mean "+guess) && guess != "" {
			t.Errorf("%.40q: %q, want the guess %q", id, p.Suggestion, guess)
		}
		if guess != "" && p.AcceptableIDs[0] != guess {
			t.Errorf("%.40q: the nearest is %s, want %s", id, p.AcceptableIDs[0], guess)
		}
		seen := map[*catalog.Entry]bool{}
		for _, acceptable := range p.AcceptableIDs {
			e, err := published.Find(acceptable)
			if err != nil || seen[e] {
				t.Errorf("%.40q: %s: %v", id, acceptable, err)
			}
			seen[e] = true
		}
		if len(p.AcceptableIDs) != 4 {
			t.Errorf("%.40q: %d ids of 4 capabilities: %q", id, len(p.AcceptableIDs), p.AcceptableIDs)
		}
	}
	_, err := catalog.New(nil).Find("x")
	if p := problem.Of(err); len(p.AcceptableIDs) != 0 || strings.Contains(p.Suggestion, "acceptable_ids") {
		t.Errorf("nothing is published: %q, %q", p.Suggestion, p.AcceptableIDs)
	}
}
