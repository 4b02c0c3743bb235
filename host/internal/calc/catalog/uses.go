package catalog

import (
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
)

// withUses returns the capabilities in which releases follow the tables that they use. A release of a revoked table is
// revoked. A release of a deprecated or yanked table is deprecated, so that its answers warn.
func withUses(capabilities []registry.Capability) []registry.Capability {
	tables := map[string]*Release{}
	for i := range capabilities {
		if preset.IsTable(capabilities[i].ID) {
			for _, r := range capabilities[i].Releases {
				tables[r.Capability+"@"+r.Version] = r
			}
		}
	}
	all := slices.Clone(capabilities)
	for i := range all {
		own := &all[i]
		for k, r := range own.Releases {
			state, follows := stateOfUses(r, tables)
			if !follows {
				continue
			}
			follower := *r
			follower.Lifecycle = state
			own.Releases = slices.Clone(own.Releases)
			own.Releases[k] = &follower
		}
	}
	return all
}

// stateOfUses returns the state that a release has from the tables that it uses, if that is a worse one than its own.
func stateOfUses(r *Release, tables map[string]*Release) (state Lifecycle, follows bool) {
	state = r.Lifecycle
	for _, u := range r.Spec.Uses {
		table := tables[u.ID+"@"+u.Version]
		if table == nil {
			continue // the release has its rows
		}
		next := evidence.Deprecated
		switch table.State() {
		case Active:
			continue
		case Revoked:
			next = Revoked
		}
		if state.State == Revoked || next == Deprecated && r.State() != Active {
			continue
		}
		of := table.Lifecycle
		state, follows = Lifecycle{State: next, Reason: fmt.Sprintf("its table %s %s is %s: %s", u.ID, u.Version, of.State, of.Reason), Since: of.Since}, true
	}
	return state, follows
}

// Using returns the catalog of the releases that use a version of a table; any version if it is "".
func (c *Catalog) Using(table, version string) *Catalog {
	var list []registry.Capability
	for _, e := range c.entries {
		own := e.Capability
		own.Releases = slices.DeleteFunc(slices.Clone(own.Releases), func(r *Release) bool {
			return !slices.ContainsFunc(r.Spec.Uses, func(u sdk.Use) bool { return u.ID == table && (version == "" || u.Version == version) })
		})
		if len(own.Releases) > 0 {
			list = append(list, own)
		}
	}
	return New(list)
}
