package catalog_test

import (
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
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
