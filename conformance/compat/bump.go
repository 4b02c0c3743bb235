// Package compat determines which version number a changed engine needs. Within a major version the
// same inputs give the same numbers. Use [Diff] before a release to compare two engines by their
// Specs and by their answers to the same requests. The [Report] has the needed [Bump], the smallest
// legal version, and each difference. [Specs] compares only the Specs, and needs no engine. A
// [Step] states which bumps a step between two versions allows.
package compat

import (
	"fmt"

	"github.com/slipstick/slipstick/versions"
)

// Bump is the part in which two version numbers differ, or must differ.
type Bump int

// The bumps, from the smallest on.
const (
	Patch Bump = iota // every answer is the same
	Minor             // something is new; requests that were legal give the same numbers
	Major             // something was removed or changed
)

var bumpNames = [...]string{"patch", "minor", "major"}

// String names the bump as in "a minor bump".
func (b Bump) String() string { return bumpNames[b] }

// MarshalText implements [encoding.TextMarshaler].
func (b Bump) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Step is the step from one version to a later one.
type Step struct{ from, to versions.Version }

// OrderError reports a step to a version that is not higher.
type OrderError struct{ From, To string }

// Error names both versions.
func (e *OrderError) Error() string {
	return fmt.Sprintf("%s is not above %s", e.To, e.From)
}

// NewStep returns the step between two versions. The error names the version that cannot be
// parsed. If the error is an *OrderError, the step is still valid.
func NewStep(from, to string) (Step, error) {
	older, err := versions.Parse(from)
	if err != nil {
		return Step{}, err
	}
	newer, err := versions.Parse(to)
	if err != nil {
		return Step{}, err
	}
	if newer.Compare(older) <= 0 {
		return Step{older, newer}, &OrderError{from, to}
	}
	return Step{older, newer}, nil
}

// Free reports whether the older version promises nothing about the newer one. That is so
// if the older one is a pre-release, or if the step is a major one (see [Step.Declared]).
func (s Step) Free() bool { return s.from.Prerelease() != "" || s.Declared() == Major }

// Declared returns the bump between the two version numbers. Before 1.0.0 the promise
// holds within a minor version, so a minor bump counts as a major one there.
func (s Step) Declared() Bump {
	switch {
	case s.to.Major() != s.from.Major():
		return Major
	case s.to.Minor() == s.from.Minor():
		return Patch
	case s.from.Major() == 0:
		return Major
	}
	return Minor
}

// Allows reports whether a change that needs the bump may take this step.
func (s Step) Allows(needed Bump) bool { return s.Free() || s.Declared() >= needed }

// NeedsChanges reports whether the Spec of the newer version must describe the changes in
// Changes. That holds for all but a patch, because callers then have to decide whether to
// move. A pre-release does not need it.
func (s Step) NeedsChanges() bool { return s.to.Prerelease() == "" && s.Declared() > Patch }

// Smallest returns the smallest version for a change that needs the bump.
func (s Step) Smallest(needed Bump) string {
	major, minor, patch := s.from.Major(), s.from.Minor(), s.from.Patch()
	switch {
	case s.from.Prerelease() != "":
		return fmt.Sprintf("%d.%d.%d", major, minor, patch) // the release that the pre-release precedes
	case needed == Patch:
		patch++
	case needed == Minor || major == 0:
		minor, patch = minor+1, 0
	default:
		major, minor, patch = major+1, 0, 0
	}
	return fmt.Sprintf("%d.%d.%d", major, minor, patch)
}
