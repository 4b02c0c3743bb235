package trust

import (
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
)

// VersionState is a published version in a list to choose from.
type VersionState struct {
	Version, State string
	Reason         string // why the version is in a state other than active
	Shown          bool   // by this page
	Usable         bool
	Changes        string // since its predecessor, as its Spec describes them
	Against        string // version to compare the shown version with, "" for none
}

// VersionsOf returns the versions of a capability for a page about one of them.
func VersionsOf(e *catalog.Entry, shown *catalog.Release) []VersionState {
	list := make([]VersionState, len(e.Releases))
	passed := false // whether the loop has passed the current version
	for i, r := range e.Releases {
		list[i] = VersionState{Version: r.Version, Shown: r.Version == shown.Version, Usable: r.Available(), Reason: r.Lifecycle.Reason, Changes: r.Spec.Changes}
		if !list[i].Shown && list[i].Usable {
			list[i].Against = r.Version
			if r.Version == e.Current {
				list[i].Against = shown.Version
			}
		}
		list[i].State = stateOf(r, e.Current, passed)
		passed = passed || r.Version == e.Current
	}
	return list
}

// Active is the state of a version without statements about its lifecycle.
const Active catalog.State = "active"

// stateOf describes the state of a version.
func stateOf(r *catalog.Release, current string, earlier bool) string {
	switch state := r.State(); {
	case r.Problem != nil:
		return "temporarily unavailable"
	case r.Version == current && state == Active:
		return "current"
	case r.Version == current:
		return "current, " + string(state)
	case state != Active:
		return string(state)
	case strings.Contains(r.Version, "-"):
		return "pre-release"
	case earlier || current == "":
		return "earlier"
	}
	return "not yet current"
}
