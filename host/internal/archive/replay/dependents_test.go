package replay_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/archive/replay"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

const sheet = "test.a.sheet"

// documentOf is a release with a document. A sheet calls the step.
func documentOf(id, version string, step *registry.Release) *registry.Release {
	return release(version, func(r *registry.Release) {
		r.Capability, r.Spec.Capability, r.Spec.Document = id, id, id+" "+version
		if step != nil {
			r.Spec.Uses = []sdk.Use{{ID: step.Capability, Version: step.Version, Spec: &step.Spec}}
		}
	})
}

// Each release that calls another version of the step, and has stored results, is made again once. Its results have their
// own effect, and conditions include them.
func TestImpactOnDependents(t *testing.T) {
	one, two := documentOf(capability, "1.0.0", nil), documentOf(capability, "2.0.0", nil)
	through := documentOf("test.a.part", "1.0.0", one)
	sheets := []*registry.Release{
		documentOf(sheet, "1.0.0", one), documentOf(sheet, "1.1.0", through), documentOf(sheet, "1.2.0", one), documentOf(sheet, "1.3.0", two),
	}
	published := catalog.New([]registry.Capability{
		{ID: capability, Current: "1.0.0", Releases: []*registry.Release{one, two}},
		{ID: sheet, Current: "1.0.0", Releases: sheets},
	})
	l := line{"1.0.0": 1, "2.0.0": 1, "1.1.0": 1, "1.3.0": 1, "9.0.0": 2}
	var lines []string
	for version, of := range map[string][]float64{"1.0.0": {0, 1, 2}, "1.1.0": {3, 4}, "1.3.0": {5}} { // none of 1.2.0
		for _, text := range l.answers(version, of...) {
			lines = append(lines, strings.ReplaceAll(text, capability, sheet))
		}
	}
	path := file(t, append(append(lines, l.answers("1.0.0", 6)...), "no answer")...)
	var made []string
	options := &replay.Options{Replace: func(_ context.Context, r *registry.Release) (*registry.Release, error) {
		made = append(made, r.Version)
		if r.Version == "1.1.0" {
			return nil, errors.New("it has no output y")
		}
		again := *r
		again.Version, again.Spec.Version = "9.0.0", "9.0.0"
		return &again, nil
	}}
	e, err := replay.Impact(t.Context(), published, l, two, []string{path}, options)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(made)
	if !slices.Equal(made, []string{"1.0.0", "1.1.0"}) || len(e.Dependents) != 2 || e.Read != 7 || e.Others != 6 || e.Same() != 1 || e.Holes != 1 {
		t.Fatalf("made %v, %+v", made, e.Report)
	}
	for _, d := range e.Dependents {
		switch {
		case d.Why == "":
			if d.Read != 3 || d.Same() != 1 || d.Count(compare.Changed) != 2 || d.Holes != 0 || len(d.Outputs) != 1 || d.Outputs[0].Relative.Most != 1 {
				t.Errorf("%+v", d.Report)
			}
		case d.Why != "it has no output y" || d.Read != 2 || d.Blocked() != 2 || d.Groups[0].Obstacle != replay.NotMade:
			t.Errorf("%q, %+v", d.Why, d.Report)
		}
	}
	for text, want := range map[string]string{"changed": "2 results differ", "rel=0.5": "results differ by more than 0.5 of the stored ones", "rel=1": "", "refused": ""} {
		condition, err := replay.ParseCondition(text)
		if got := condition.In(e); err != nil || got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}

	// A program cannot be a step.
	made = nil
	two.Spec.Document = ""
	e, err = replay.Impact(t.Context(), published, l, two, []string{path}, options)
	if err != nil || len(made) > 0 || len(e.Dependents) > 0 {
		t.Errorf("made %v, %v", made, err)
	}
}
