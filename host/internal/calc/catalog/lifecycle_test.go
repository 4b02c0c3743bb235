package catalog_test

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
)

// Warnings that recommend another version describe its changes.
func TestWarningsSayWhatChanged(t *testing.T) {
	release := func(version, changes string, s evidence.Lifecycle) *registry.Release {
		return &registry.Release{
			Capability: "geometry.areas.disc", Version: version, Lifecycle: s,
			Spec: sdk.Spec{Capability: "geometry.areas.disc", Version: version, Tool: "disc", Changes: changes},
		}
	}
	old := evidence.Lifecycle{State: evidence.Deprecated, Reason: "a digit of pi was wrong", Successor: "2.0.0"}
	for _, tt := range []struct {
		name, changes string
		state         evidence.Lifecycle
		want          string
	}{
		{"stated", "The seventh digit of pi is right", old, "Move to version 2.0.0. It changes: The seventh digit of pi is right."},
		{"not stated", "", old, "Move to version 2.0.0."},
		{"not published", "Anything.", evidence.Lifecycle{State: evidence.Yanked, Reason: "x", Successor: "9.0.0"}, "Move to the current version: send no pin, or another one."},
		{"no successor", "Anything.", evidence.Lifecycle{State: evidence.Yanked, Reason: "x"}, "Move to the current version: send no pin, or another one."},
	} {
		first := release("1.0.0", "", tt.state)
		catalog := catalog.New([]registry.Capability{{
			ID: "geometry.areas.disc", Releases: []*registry.Release{release("2.0.0", tt.changes, evidence.Lifecycle{State: evidence.Active}), first},
		}})
		if got := catalog.LifecycleWarnings(first); len(got) != 1 || got[0].Suggestion != tt.want {
			t.Errorf("%s: %+v, want %q", tt.name, got, tt.want)
		}
	}
}
