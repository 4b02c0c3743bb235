package catalog

import (
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
)

// State and Lifecycle of a release. They belong to package evidence; the aliases let the
// servers of the interface name them.
type (
	State     = evidence.State
	Lifecycle = evidence.Lifecycle
)

// ExpertReview marks a review by an independent expert.
const ExpertReview = evidence.ExpertReview

// The states of a release. The responses of a Deprecated release have headers that announce it.
const (
	Active     = evidence.Active
	Deprecated = evidence.Deprecated
	Yanked     = evidence.Yanked
	Revoked    = evidence.Revoked
)

// IsLifecycleWarning reports whether a code is for the deprecation or the yanking of a version of a
// capability or of a table. Such warnings can change after a calculation; all others cannot.
func IsLifecycleWarning(code string) bool {
	return code == problem.WarnVersionDeprecated || code == problem.WarnVersionYanked
}

// LifecycleWarnings returns the warnings in answers of a deprecated or yanked release. They contain the
// changes of the successor, unless the successor was withdrawn too.
func (c *Catalog) LifecycleWarnings(r *Release) []sdk.Warning {
	s := r.Lifecycle
	code := map[State]string{Deprecated: problem.WarnVersionDeprecated, Yanked: problem.WarnVersionYanked}[s.State]
	if code == "" {
		return nil
	}
	suggestion := "Move to the current version: send no pin, or another one."
	if c.serves(r.Capability, s.Successor) {
		suggestion = fmt.Sprintf("Move to version %s.", s.Successor)
		if changes := c.changesOf(r.Capability, s.Successor); changes != "" {
			suggestion += " It changes: " + problem.EndSentence(changes)
		}
	}
	return []sdk.Warning{{Code: code, Severity: sdk.Caution, Detail: StateText(r.Version, s), Suggestion: suggestion}}
}

// StateText describes the state of a version and its reason. It returns "" if the version is active.
func StateText(version string, s Lifecycle) string {
	switch s.State {
	case Deprecated:
		text := problem.EndSentence(fmt.Sprintf("Version %s is deprecated: %s", version, s.Reason))
		if s.Sunset != "" {
			text += fmt.Sprintf(" It may be withdrawn after %s.", s.Sunset)
		}
		return text
	case Yanked:
		return problem.EndSentence(fmt.Sprintf("Version %s was withdrawn, and answers only who pins it: %s", version, s.Reason))
	case Revoked:
		return problem.EndSentence(fmt.Sprintf("Version %s was revoked and is never computed with again: %s", version, s.Reason))
	}
	return ""
}

// changesOf returns the changes of a version of a capability, or "" if they are unknown.
func (c *Catalog) changesOf(capability, version string) string {
	if e := c.byID[capability]; e != nil {
		for _, r := range e.Releases {
			if r.Version == version {
				return r.Spec.Changes
			}
		}
	}
	return ""
}

// serves reports whether a version of a capability exists and is neither yanked nor revoked.
func (c *Catalog) serves(capability, version string) bool {
	e, err := c.Published(capability)
	return err == nil && slices.ContainsFunc(e.Releases, func(r *Release) bool { return r.Version == version && r.Lifecycle.Serves() })
}
