package registry

import (
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk"
)

// ReviewKind says who reviewed.
type ReviewKind string

// The kinds of reviews.
const (
	InternalReview ReviewKind = "internal" // somebody of the house
	ExpertReview   ReviewKind = "expert"   // an independent expert
)

// Review is what a named person says of exactly one release.
type Review struct {
	Reviewer string     `json:"reviewer"`
	Role     string     `json:"role"` // such as "structural engineer"
	Date     string     `json:"date"` // such as 2027-03-31
	Kind     ReviewKind `json:"kind"`

	// Sources are what the formulas were compared with, word by word and number by
	// number. Without them the sources count as not checked.
	Sources []Source `json:"sources,omitempty"`
	Notes   string   `json:"notes,omitempty"`
}

// Source is a place in the literature.
type Source struct {
	Reference string `json:"reference"`         // author and title, or a standard
	Edition   string `json:"edition,omitempty"` // edition or year
	Where     string `json:"where"`             // table, case, page or equation
}

// SourceChecked reports whether the release was compared with a source.
func (r *Review) SourceChecked() bool { return len(r.Sources) > 0 }

// Bounds of a review.
const (
	maxName    = 200
	maxNotes   = 10_000
	maxSources = 50
)

func (r *Review) check() error {
	for _, text := range []struct{ name, value string }{{"reviewer", r.Reviewer}, {"role", r.Role}} {
		if text.value == "" || len(text.value) > maxName {
			return fmt.Errorf("the %s of a review has between 1 and %d bytes", text.name, maxName)
		}
	}
	if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
		return fmt.Errorf("the date %.40q of the review is none such as 2027-03-31", r.Date)
	}
	if r.Kind != InternalReview && r.Kind != ExpertReview {
		return fmt.Errorf("the kind %.40q of the review is neither %s nor %s", r.Kind, InternalReview, ExpertReview)
	}
	if len(r.Notes) > maxNotes || len(r.Sources) > maxSources {
		return fmt.Errorf("a review has notes of at most %d bytes, and at most %d sources", maxNotes, maxSources)
	}
	for _, s := range r.Sources {
		if s.Reference == "" || s.Where == "" || len(s.Reference)+len(s.Edition)+len(s.Where) > 5*maxName {
			return errors.New("a source needs a reference, and where in it: table, case, page or equation")
		}
	}
	return nil
}

// reviewed adds the reviews that count to what was tested. The record names the review
// that its tier rests on, or else the last one of the weightiest kind. A tier is never
// higher than its rule allows (spec 2.1).
func reviewed(v sdk.Verification, evidence []Evidence) sdk.Verification {
	var named *Review
	for _, e := range evidence {
		if e.Kind != sign.Review || !e.Counts {
			continue
		}
		r := e.Review
		v.ExpertReviewed = v.ExpertReviewed || r.Kind == ExpertReview
		v.InternallyReviewed = v.InternallyReviewed || r.Kind == InternalReview
		v.SourceChecked = v.SourceChecked || r.SourceChecked()
		if named == nil || r.Kind == named.Kind && r.Date >= named.Date || r.Kind == ExpertReview && named.Kind == InternalReview {
			named = r
		}
	}
	if named == nil {
		return v
	}
	kind := string(named.Kind) + "_review"
	v.ReviewKind, v.ReviewedBy, v.ReviewerRole, v.LastReviewed = &kind, &named.Reviewer, &named.Role, &named.Date
	for _, tier := range []sdk.Tier{sdk.ExpertVerified, sdk.InternallyReviewed} {
		higher := v
		if higher.Tier = tier; higher.Check() == nil {
			return higher
		}
	}
	return v
}
