package search_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// lines returns the lines of a file in testdata, without comments.
func lines(t testing.TB, name string) []string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// catalogue returns every planned capability, as its Spec could describe it.
func catalogue(t testing.TB) *catalog.Catalog {
	t.Helper()
	var published []registry.Capability
	for _, line := range lines(t, "catalogue.jsonl") {
		spec := sdk.Spec{Version: "1.0.0"}
		if err := json.Unmarshal([]byte(line), &spec); err != nil {
			t.Fatal(err)
		}
		published = append(published, registry.Capability{ID: spec.Capability, Current: "1.0.0", Releases: []*registry.Release{
			{Capability: spec.Capability, Version: "1.0.0", Spec: spec},
		}})
	}
	if len(published) != 66 {
		t.Fatalf("the catalogue has %d capabilities", len(published))
	}
	return catalog.New(published)
}

func ids(hits []search.Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.Entry.ID
	}
	return out
}

// Related capabilities are in the same domain. A capability that is alone in its domain has no related
// capabilities.
func TestRelated(t *testing.T) {
	catalog := catalogue(t)
	index := search.New(catalog)
	for id, first := range map[string]string{
		"finance.loan.payment": "", "electrical.circuits.rc_transient": "electrical.circuits.rl_transient",
		"thermo.conduction.plane_wall": "thermo.conduction.cylinder", "fluids.dimensionless.reynolds": "fluids.pipe.friction_factor",
		"electrical.power.power_factor_correction": "electrical.power.power_triangle",
	} {
		e, err := catalog.Find(id)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // first computed, then cached
			got := ""
			related := index.Related(e)
			if len(related) > 0 {
				got = related[0].ID
			}
			if got != first || len(related) > 4 {
				t.Errorf("%s: %d are related, %q first, want %q", id, len(related), got, first)
			}
		}
	}
}

// Questions in plain words find the capability that answers them among the first three. This holds for all
// questions that the tables were made with, and for nine of ten later questions.
func TestQuestions(t *testing.T) {
	index := search.New(catalogue(t))
	for file, needed := range map[string]float64{"questions.txt": 1, "heldout.txt": 0.9} {
		t.Run(file, func(t *testing.T) {
			var first, three int
			questions := lines(t, file)
			for _, line := range questions {
				question, answers, _ := strings.Cut(line, " | ")
				wanted := strings.Split(answers, " | ")
				got := ids(index.Search(question, ""))
				switch at := slices.IndexFunc(got, func(id string) bool { return slices.Contains(wanted, id) }); {
				case at == 0:
					first++
					three++
				case at > 0 && at < 3:
					three++
				default:
					t.Logf("%q finds %v before %s", question, got[:min(3, len(got))], wanted[0])
				}
			}
			t.Logf("of %d questions %d find it among the first three, %d first", len(questions), three, first)
			if len(questions) < 40 || float64(three) < needed*float64(len(questions)) {
				t.Errorf("of %d questions only %d find it among the first three", len(questions), three)
			}
		})
	}
}

func TestSearch(t *testing.T) {
	index := search.New(catalogue(t))
	for _, tt := range []struct {
		question, domain string
		first            string // "" if nothing is found
		count            int    // 0: any
	}{
		{"deflection", "mechanical.sections", "", 0},
		{"deflection", "mechanical.springs", "mechanical.springs.helical_compression", 1},
		{"deflection", "mechanical.spring", "", 0}, // a domain is whole words
		{"", "thermo", "thermo.atmosphere.standard_1976", 7},
		{" \t", "", "electrical.basic.ohms_law", 66},
		{"ohms-law", "", "electrical.basic.ohms_law", 0},
		{"electrical.basic.ohms_law", "", "electrical.basic.ohms_law", 0},
		{"OHM'S LAW?!", "", "electrical.basic.ohms_law", 0},
		{"reynlods", "", "fluids.dimensionless.reynolds", 0},
		{"psi", "", "units.convert.pressure", 0},
		{"qwertz uiop", "", "", 0},
		{"12 3 4.5", "", "", 0},
		{"\xff\xfe\x00", "", "", 0},
	} {
		got := ids(index.Search(tt.question, tt.domain))
		if tt.first == "" && len(got) > 0 || tt.first != "" && (len(got) == 0 || got[0] != tt.first) || tt.count > 0 && len(got) != tt.count {
			t.Errorf("%q in %q finds %d: %v, want %s first of %d", tt.question, tt.domain, len(got), got[:min(3, len(got))], tt.first, tt.count)
		}
	}
}

// The intended id for an unknown id: a misspelling, or words that describe it.
func TestNearest(t *testing.T) {
	index := search.New(catalogue(t))
	for id, want := range map[string]string{
		"ohmslaw":                     "ohms-law",
		"electrical.basic.ohm_law":    "electrical.basic.ohms_law",
		"beam_bending_shelf_bracket":  "mechanical.statics.cantilever_point_load_at_deflection",
		"convert_fahrenheit":          "units.convert.temperature",
		"electrical.amps_from_watts":  "electrical.convert.watts_amps",
		"cantilever-deflections":      "cantilever-deflection",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxx": "",
		"":                            "",
	} {
		got := index.Nearest(id, 5)
		if len(got) != 5 || want != "" && !slices.Contains(got, want) {
			t.Errorf("Nearest(%q) = %v, want %s among them", id, got, want)
		}
		if misspelt := strings.HasPrefix(id, "ohm") || strings.HasPrefix(id, "cant"); misspelt && got[0] != want {
			t.Errorf("Nearest(%q) = %v, want %s first", id, got, want)
		}
	}
}

// Live returns the Index of the given catalog, and builds it once.
func TestLive(t *testing.T) {
	var live search.Live
	all, none := catalogue(t), catalog.New(nil)
	for range 2 {
		if n := len(live.Of(all).Search("deflection", "")); n == 0 {
			t.Error("nothing is found in the catalogue")
		}
		if n := len(live.Of(none).Search("deflection", "")); n != 0 {
			t.Errorf("%d found in an empty catalog", n)
		}
		if got := live.Of(none).Nearest("deflection", 5); len(got) != 0 {
			t.Errorf("nearest in an empty catalog: %v", got)
		}
	}
	if once, again := live.Of(all), live.Of(all); once != again {
		t.Error("the index of one catalog is built twice")
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			live.Of(none)
			live.Of(all).Search("amps", "")
		})
	}
	wg.Wait()
}

// A release that cannot be read is found by its id.
func TestUnreadable(t *testing.T) {
	index := search.New(catalog.New([]registry.Capability{{ID: "test.broken.layout"}, {ID: "test.other.thing"}}))
	if got := ids(index.Search("broken", "")); len(got) != 1 || got[0] != "test.broken.layout" {
		t.Errorf("found %v", got)
	}
}

// For any question, hits are distinct, in order and within the domain, and the suggested ids exist.
func FuzzSearch(f *testing.F) {
	for _, line := range append(lines(f, "questions.txt"), lines(f, "heldout.txt")...) {
		question, _, _ := strings.Cut(line, " | ")
		f.Add(question, "")
	}
	f.Add("3kW", "electrical")
	catalog := catalogue(f)
	index := search.New(catalog)
	f.Fuzz(func(t *testing.T, question, domain string) {
		hits := index.Search(question, domain)
		seen := map[string]bool{}
		for i, h := range hits {
			if seen[h.Entry.ID] || i > 0 && h.Score > hits[i-1].Score || !strings.HasPrefix(h.Entry.ID, domain) {
				t.Fatalf("%q in %q: hit %d is %s, %g", question, domain, i, h.Entry.ID, h.Score)
			}
			seen[h.Entry.ID] = true
		}
		if !utf8.ValidString(question) {
			return
		}
		for _, id := range index.Nearest(question, 5) {
			if _, err := catalog.Find(id); err != nil {
				t.Fatalf("%q: %s is suggested: %v", question, id, err)
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	index := search.New(catalogue(b))
	for b.Loop() {
		index.Search("how much does a shelf bracket bend under 20 kg", "")
	}
}
