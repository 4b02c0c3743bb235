package catalog_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
	"github.com/slipstick/slipstick/versions"
)

// A release follows the state of the table that it uses. A better state of the table changes nothing.
func TestReleasesFollowTables(t *testing.T) {
	const table = "data.sections.some"
	for _, tt := range []struct{ table, own, want evidence.State }{
		{evidence.Active, evidence.Active, evidence.Active},
		{evidence.Deprecated, evidence.Active, evidence.Deprecated},
		{evidence.Yanked, evidence.Active, evidence.Deprecated},
		{evidence.Revoked, evidence.Active, evidence.Revoked},
		{evidence.Deprecated, evidence.Yanked, evidence.Yanked},
		{evidence.Revoked, evidence.Yanked, evidence.Revoked},
		{evidence.Deprecated, evidence.Revoked, evidence.Revoked},
	} {
		released := &registry.Release{
			Capability: "structural.steel.beam", Version: "1.0.0", Lifecycle: evidence.Lifecycle{State: tt.own, Reason: "its own"},
			Spec: sdk.Spec{Capability: "structural.steel.beam", Version: "1.0.0", Tool: "beam", Uses: []sdk.Use{{Name: "sections", ID: table, Version: "1.0.0"}}},
		}
		c := catalog.New([]registry.Capability{
			{ID: table, Current: "2.0.0", Releases: []*registry.Release{
				{Capability: table, Version: "2.0.0"}, {Capability: table, Version: "1.0.0", Lifecycle: evidence.Lifecycle{State: tt.table, Reason: "a cell was wrong"}},
			}},
			{ID: "structural.steel.beam", Current: "1.0.0", Releases: []*registry.Release{released}},
		})
		e, err := c.Find("beam")
		if err != nil {
			t.Fatal(err)
		}
		got := e.Version("1.0.0").Lifecycle
		if got.State != tt.want || released.Lifecycle.State != tt.own {
			t.Errorf("table %s, own %s: %+v, and the release itself is %s", tt.table, tt.own, got, released.Lifecycle.State)
		}
		if tt.want != tt.own && !strings.HasPrefix(got.Reason, "its table data.sections.some 1.0.0 is ") {
			t.Errorf("the reason is %s", got.Reason)
		}
		_, err = e.Release([]versions.Pin{{Value: "1.0.0"}})
		if (err != nil) != (tt.want == evidence.Revoked) {
			t.Errorf("%s: %v", tt.want, err)
		}
		for version, want := range map[string]int{"": 1, "1.0.0": 1, "2.0.0": 0} {
			if n := len(c.Using(table, version).Entries()); n != want {
				t.Errorf("%d capabilities use %s %s, want %d", n, table, version, want)
			}
		}
	}
}

// A release follows the state of a step, also of a step within a step, and has at most its tier.
func TestReleasesFollowSteps(t *testing.T) {
	const step, middle, outer = "test.beam.step", "test.beam.middle", "test.beam.outer"
	tested, reviewed := verification.Record{Tier: verification.EngineTested}, verification.Record{Tier: verification.InternallyReviewed}
	spec := func(id string, uses ...sdk.Use) sdk.Spec {
		return sdk.Spec{Capability: id, Version: "1.0.0", Tool: strings.ReplaceAll(id, ".", "-"), Uses: uses}
	}
	stepSpec := spec(step)
	middleSpec := spec(middle, sdk.Use{Name: "step", ID: step, Version: "1.0.0", Spec: &stepSpec})
	outerSpec := spec(outer, sdk.Use{Name: "middle", ID: middle, Version: "1.0.0", Spec: &middleSpec})
	for _, tt := range []struct{ step, want evidence.State }{
		{evidence.Active, evidence.Active}, {evidence.Deprecated, evidence.Deprecated}, {evidence.Yanked, evidence.Deprecated}, {evidence.Revoked, evidence.Revoked},
	} {
		one := func(s sdk.Spec, v verification.Record, state evidence.State) registry.Capability {
			r := &registry.Release{Capability: s.Capability, Version: "1.0.0", Spec: s, Verification: v, Lifecycle: evidence.Lifecycle{State: state, Reason: "a sign"}}
			return registry.Capability{ID: s.Capability, Current: "1.0.0", Releases: []*registry.Release{r}}
		}
		c := catalog.New([]registry.Capability{one(stepSpec, tested, tt.step), one(middleSpec, reviewed, evidence.Active), one(outerSpec, reviewed, evidence.Active)})
		for _, id := range []string{middle, outer} {
			e, err := c.Find(id)
			if err != nil {
				t.Fatal(err)
			}
			r := e.Version("1.0.0")
			if r.State() != tt.want || r.Verification.Tier != verification.EngineTested {
				t.Errorf("step %s: %s is %s and %s", tt.step, id, r.State(), r.Verification.Tier)
			}
			if tt.want != evidence.Active && r.Lifecycle.Reason != "its step "+step+" 1.0.0 is "+string(tt.step)+": a sign" {
				t.Errorf("the reason is %s", r.Lifecycle.Reason)
			}
		}
		if n := len(c.Using(step, "1.0.0").Entries()); n != 2 {
			t.Errorf("%d capabilities use the step", n)
		}
	}
}
