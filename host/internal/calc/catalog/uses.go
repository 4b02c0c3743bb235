package catalog

import (
	"fmt"
	"iter"
	"slices"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// withUses returns the capabilities in which releases follow the tables and calculations that they use, also through
// others. A release of a revoked one is revoked. A release of a deprecated or yanked one is deprecated, so that its answers
// warn. No release has a higher tier than a calculation that it calls.
func withUses(capabilities []registry.Capability) []registry.Capability {
	published := map[string]*Release{}
	for i := range capabilities {
		for _, r := range capabilities[i].Releases {
			published[r.Capability+"@"+r.Version] = r
		}
	}
	all := slices.Clone(capabilities)
	for i := range all {
		own := &all[i]
		for k, r := range own.Releases {
			if follower := following(r, published); follower != r {
				own.Releases = slices.Clone(own.Releases)
				own.Releases[k] = follower
			}
		}
	}
	return all
}

// following returns the release with the state and the tier that follow from the releases that it uses. It returns r
// itself if these do not change them.
func following(r *Release, published map[string]*Release) *Release {
	of, follows := *r, false
	for u := range AllUses(r) {
		used := published[u.ID+"@"+u.Version]
		if used == nil {
			continue // the release has a copy
		}
		if slices.Index(verification.Tiers, used.Verification.Tier) < slices.Index(verification.Tiers, of.Verification.Tier) && u.Spec != nil {
			of.Verification, follows = used.Verification, true
		}
		next := evidence.Deprecated
		switch used.State() {
		case Active:
			continue
		case Revoked:
			next = Revoked
		}
		if of.State() == Revoked || next == Deprecated && of.State() != Active {
			continue
		}
		what := "table"
		if u.Spec != nil {
			what = "step"
		}
		reason := fmt.Sprintf("its %s %s %s is %s: %s", what, u.ID, u.Version, used.Lifecycle.State, used.Lifecycle.Reason)
		of.Lifecycle, follows = Lifecycle{State: next, Reason: reason, Since: used.Lifecycle.Since}, true
	}
	if !follows {
		return r
	}
	return &of
}

// AllUses returns the tables and calculations that a release uses, also through the calculations
// that it calls.
func AllUses(r *Release) iter.Seq[*sdk.Use] { return allUses(r.Spec.Uses) }

// allUses returns what a release uses, also through the calculations that it calls.
func allUses(uses []sdk.Use) iter.Seq[*sdk.Use] {
	return func(yield func(*sdk.Use) bool) {
		for i := range uses {
			u := &uses[i]
			if !yield(u) {
				return
			}
			if u.Spec == nil {
				continue
			}
			for inner := range allUses(u.Spec.Uses) {
				if !yield(inner) {
					return
				}
			}
		}
	}
}

// uses reports whether a release uses a version of a table or calculation; any version if it is "".
func uses(r *Release, id, version string) bool {
	for u := range AllUses(r) {
		if u.ID == id && (version == "" || u.Version == version) {
			return true
		}
	}
	return false
}

// Using returns the catalog of the releases that use a version of a table or calculation, also through others; any
// version if it is "".
func (c *Catalog) Using(id, version string) *Catalog {
	var list []registry.Capability
	for _, e := range c.entries {
		own := e.Capability
		own.Releases = slices.DeleteFunc(slices.Clone(own.Releases), func(r *Release) bool {
			return !uses(r, id, version)
		})
		if len(own.Releases) > 0 {
			list = append(list, own)
		}
	}
	return New(list)
}
