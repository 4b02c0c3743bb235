package evidence

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
	Reviewer string     `json:"reviewer"` // in the reviewer's words; records name the key of the trust file
	Role     string     `json:"role"`     // such as "structural engineer"
	Date     string     `json:"date"`     // such as 2027-03-31
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

// Check returns an error unless the review has all it needs, within its bounds.
func (r *Review) Check() error {
	for _, text := range []struct{ name, value string }{{"reviewer", r.Reviewer}, {"role", r.Role}} {
		if text.value == "" || len(text.value) > maxName {
			return fmt.Errorf("the %s of a review has between 1 and %d bytes", text.name, maxName)
		}
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

// zones is how far the day of a reviewer may be from the day in UTC.
const zones = 14 * time.Hour

// CheckDate returns an error unless the review was made when it can have been made: not before
// the release was published (unknown if zero), and not after it was signed.
func (r *Review) CheckDate(published, signed time.Time) error {
	day, err := time.Parse(time.DateOnly, r.Date)
	switch {
	case err != nil:
		return fmt.Errorf("the date %.40q of the review is none such as 2027-03-31", r.Date)
	case day.After(signed.Add(zones)):
		return fmt.Errorf("the review is of %s, after it was signed on %s: a review has the date of the day on which it was made", r.Date, signed.UTC().Format(time.DateOnly))
	case !published.IsZero() && day.Add(24*time.Hour+zones).Before(published):
		return fmt.Errorf("the review is of %s, and the release was published on %s: nobody can have reviewed it before", r.Date, published.UTC().Format(time.DateOnly))
	}
	return nil
}

// weightier reports whether a review lifts a release further than another: the higher tier
// first, then the kind of the reviewer, then the later day.
func (r *Review) weightier(other *Review) bool {
	if r.SourceChecked() != other.SourceChecked() {
		return r.SourceChecked()
	}
	if r.Kind != other.Kind {
		return r.Kind == ExpertReview
	}
	return r.Date >= other.Date
}

// reviewed adds the weightiest review that counts to what was tested. The whole record is
// that of this one review, so that nobody vouches for what another compared, and it names
// who signed as the trust file does. A tier is never higher than its rule allows (spec 2.1).
func reviewed(v sdk.Verification, evidence []Evidence) sdk.Verification {
	var heaviest *Evidence
	for i := range evidence {
		e := &evidence[i]
		if e.Kind == sign.Review && e.Counts && (heaviest == nil || e.Review.weightier(heaviest.Review)) {
			heaviest = e
		}
	}
	if heaviest == nil {
		return v
	}
	r := heaviest.Review
	kind := string(r.Kind) + "_review"
	v.ExpertReviewed, v.InternallyReviewed, v.SourceChecked = r.Kind == ExpertReview, r.Kind == InternalReview, r.SourceChecked()
	v.ReviewKind, v.ReviewedBy, v.ReviewerRole, v.LastReviewed = &kind, &heaviest.Signature.Key, &r.Role, &r.Date
	for _, tier := range []sdk.Tier{sdk.ExpertVerified, sdk.InternallyReviewed} {
		higher := v
		if higher.Tier = tier; higher.Check() == nil {
			return higher
		}
	}
	return v
}
