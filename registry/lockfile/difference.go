package lockfile

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// DifferenceKind is the way in which a registry differs from a lock file. The comment of each
// kind names the fields of a [Difference] that it sets.
type DifferenceKind int

// The kinds of differences.
const (
	Missing   DifferenceKind = iota // the version cannot be served as locked: Err
	Withdrawn                       // it was yanked or revoked: Lifecycle, Current
	Promoted                        // the registry has made it current, but the lock file another
)

// Difference is one way in which a registry differs from a locked version.
type Difference struct {
	Kind       DifferenceKind
	Capability string
	Version    string
	Err        error              // why the version is missing
	Lifecycle  evidence.Lifecycle // with the state and the reason
	Current    bool               // the version is locked as current
}

// String describes the difference in one line.
func (d Difference) String() string {
	switch d.Kind {
	case Withdrawn:
		return fmt.Sprintf("%s %s was %s: %s (%s)", d.Capability, d.Version, d.Lifecycle.State, d.Lifecycle.Reason, d.consequence())
	case Promoted:
		return fmt.Sprintf("%s: the registry has made %s current, and the lock file another", d.Capability, d.Version)
	}
	return fmt.Sprintf("%s %s: %v", d.Capability, d.Version, d.Err)
}

// consequence describes the effect of a withdrawal on a server that serves the locked
// versions.
func (d Difference) consequence() string {
	switch {
	case d.Lifecycle.State == evidence.Revoked:
		return "it is not run"
	case d.Current:
		return "it is locked as current: calls without a pin are refused; lock another"
	}
	return "calls that pin it go on"
}

// Missing lists the locked versions that cannot be served as they are locked.
func (f *File) Missing(list []registry.Capability) []Difference {
	var out []Difference
	for _, r := range f.Releases {
		if err := r.missing(list); err != nil {
			out = append(out, Difference{Kind: Missing, Capability: r.Capability, Version: r.Version, Err: err})
		}
	}
	return out
}

func (r Release) missing(list []registry.Capability) error {
	rel, c := r.find(list)
	switch {
	case rel == nil && c != nil && c.Problem != nil:
		return c.Problem
	case rel == nil:
		return errors.New("it is not published")
	}
	return cmp.Or(r.differs(rel), rel.Problem)
}

// Withdrawn lists the locked versions that were yanked or revoked after they were locked.
func (f *File) Withdrawn(list []registry.Capability) []Difference {
	var out []Difference
	for _, r := range f.Releases {
		if rel, _ := r.find(list); rel != nil && !rel.Lifecycle.Serves() {
			out = append(out, Difference{
				Kind: Withdrawn, Capability: r.Capability, Version: r.Version, Lifecycle: rel.Lifecycle, Current: r.Current,
			})
		}
	}
	return out
}

// Differences lists all ways in which the registry differs from the lock file. It ignores
// versions that are published but not locked.
func (f *File) Differences(list []registry.Capability) []Difference {
	out := append(f.Missing(list), f.Withdrawn(list)...)
	for _, r := range f.Releases {
		rel, c := r.find(list)
		if rel != nil && rel.Lifecycle.Serves() && !r.Current && c.Current == r.Version {
			out = append(out, Difference{Kind: Promoted, Capability: r.Capability, Version: r.Version})
		}
	}
	return out
}
