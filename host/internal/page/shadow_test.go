package page_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
)

// The page of a calculator's candidates has the results of the comparison, and links to a page that computes both versions.
func TestShadowPage(t *testing.T) {
	s := newSite(t)
	if a := s.get(t, shelf+"/shadow"); a.status != http.StatusOK || !strings.Contains(text(a.id("main")), "This calculator has no shadow candidate") {
		t.Fatalf("%d %s", a.status, text(a.root))
	}
	entry, current, err := s.service.Catalog().Release("shelf", nil)
	if err != nil {
		t.Fatal(err)
	}
	relative := 0.25
	distance := shadow.Distance{Relative: &relative, Ulps: 7}
	one := shadow.Comparison{
		Capability: entry.ID, Candidate: shadow.Release{Version: "1.0.0"}, Current: shadow.Release{Version: current.Version, Digest: current.Digest},
		Sample: 0.1, Running: true, Began: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Examples: true,
		Counts: shadow.Counts{Same: 90, Changed: 5, Refused: 3, Incomparable: 2, Dropped: shadow.Dropped{Busy: 4}},
		Outputs: []shadow.Output{{Name: "delta", Differs: 5, Largest: distance, Worst: []shadow.Example{{
			Distance: distance, Path: "delta", Inputs: []byte(`{"mode":"hard","length":2,"point_load":3.3}`), Old: []byte("4"), New: []byte("5"),
		}}}},
		Refusals:  []shadow.Refusals{{Refusal: shadow.Refusal{Code: "TOO_LONG", Field: "length"}, Count: 3}},
		Obstacles: []shadow.Obstacle{{Obstacle: compare.Obstacle{Field: "mode", Reason: compare.Choice}, Count: 2}},
		Failure:   "it <fell> over",
	}
	other := one
	other.Capability = "test.beams.other"
	s.shadow.Comparisons = []shadow.Comparison{other, one}
	a := s.get(t, shelf+"/shadow")
	checkSelfContained(t, s, "the page about candidates", a)
	got := strings.Join(strings.Fields(text(a.id("main"))), " ")
	for _, want := range []string{
		"Version 1.0.0, compared with " + current.Version, "10 % of the inputs since 2026-03-01T00:00:00Z. Status: running. 98 results were compared.",
		"Same 90", "Changed 5", "Refused now 3", "Cannot compare 2", "Dropped 4", "relative 0.25, 7 units in the last place", "delta is 5, was 4",
		"TOO_LONG length 3", "mode The newer version does not know the choice. 2", "it <fell> over",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q:\n%s", want, got)
		}
	}
	if strings.Count(got, "compared with "+current.Version) != 1 {
		t.Error("the page shows another calculator")
	}
	for _, link := range a.links() {
		if _, to, ok := strings.Cut(link, "Compare both versions -> "); ok {
			address, _, _ := strings.Cut(to, "#")
			if b := s.get(t, address); b.status != http.StatusOK || b.id("compare-versions") == nil || !strings.Contains(text(b.id("compare-versions")), "1.0.0") {
				t.Errorf("%s: %d", to, b.status)
			}
			return
		}
	}
	t.Errorf("no link compares the versions: %q", a.links())
}
