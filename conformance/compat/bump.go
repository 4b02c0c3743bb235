// Package compat answers one question: may this engine carry this version, after the
// one that was published before it?
//
// Within a major version the same inputs give the same numbers. So the bump that a
// change needs follows from two things: what the Specs say, compared entry by entry
// ([Specs]), and what both engines answer when they are asked the same ([Diff]).
package compat

import (
	"fmt"

	"github.com/slipstick/slipstick/versions"
)

// Bump is what two versions differ in, or must differ in.
type Bump int

// The bumps, from the smallest on.
const (
	Patch Bump = iota // every answer is the same
	Minor             // something is new; what was legal gives the same numbers
	Major             // something that was there is gone or is otherwise
)

var bumpNames = [...]string{"patch", "minor", "major"}

// String names the bump as in "a minor bump".
func (b Bump) String() string { return bumpNames[b] }

// MarshalText implements [encoding.TextMarshaler].
func (b Bump) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Step is the step from one version to a later one.
type Step struct{ from, to versions.Version }

// OrderError is a step that does not lead upwards.
type OrderError struct{ From, To string }

func (e *OrderError) Error() string {
	return fmt.Sprintf("%s is not above %s", e.To, e.From)
}

// NewStep returns the step between two versions. The error says which of them is no
// version; an *OrderError comes with the step.
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

// Free reports whether the older version has promised nothing to the newer one: it is a
// pre-release, or of an earlier major version (of an earlier minor one before 1.0.0).
func (s Step) Free() bool { return s.from.Prerelease() != "" || s.Declared() == Major }

// Declared is the bump that the versions say. Before 1.0.0 the promise holds within a
// minor version, so there a minor bump counts as a major one.
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

// Allows reports whether the step may be taken by a change that needs the bump.
func (s Step) Allows(needed Bump) bool { return s.Free() || s.Declared() >= needed }

// Smallest returns the least version that a change that needs the bump may have.
func (s Step) Smallest(needed Bump) string {
	major, minor, patch := s.from.Major(), s.from.Minor(), s.from.Patch()
	switch {
	case s.from.Prerelease() != "":
		return fmt.Sprintf("%d.%d.%d", major, minor, patch) // what it was the pre-release of
	case needed == Patch:
		patch++
	case needed == Minor || major == 0:
		minor, patch = minor+1, 0
	default:
		major, minor, patch = major+1, 0, 0
	}
	return fmt.Sprintf("%d.%d.%d", major, minor, patch)
}
