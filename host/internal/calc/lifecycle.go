package calc

import (
	"fmt"

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

// Deprecated releases are served, with headers that announce it.
const Deprecated = evidence.Deprecated

// Codes of warnings about a release itself.
const (
	warnDeprecated = "VERSION_DEPRECATED"
	warnYanked     = "VERSION_YANKED"
)

// lifecycleWarnings returns the warnings that answers of a deprecated or yanked release
// carry.
func lifecycleWarnings(r *Release) []sdk.Warning {
	s := r.Lifecycle
	suggestion := "Move to the current version: send no pin, or another one."
	if s.Successor != "" {
		suggestion = fmt.Sprintf("Move to version %s.", s.Successor)
	}
	switch s.State {
	case evidence.Deprecated:
		detail := endSentence(fmt.Sprintf("Version %s is deprecated: %s", r.Version, s.Reason))
		if s.Sunset != "" {
			detail += fmt.Sprintf(" It may be withdrawn after %s.", s.Sunset)
		}
		return []sdk.Warning{{Code: warnDeprecated, Severity: sdk.Caution, Detail: detail, Suggestion: suggestion}}
	case evidence.Yanked:
		return []sdk.Warning{{
			Code: warnYanked, Severity: sdk.Caution, Suggestion: suggestion,
			Detail: endSentence(fmt.Sprintf("Version %s was withdrawn, and answers only who pins it: %s", r.Version, s.Reason)),
		}}
	}
	return nil
}
