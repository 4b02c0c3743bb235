package evidence

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk/verification"
)

// ReviewKind is the position of the reviewer.
type ReviewKind string

// The kinds of reviews.
const (
	InternalReview ReviewKind = "internal" // by a member of the publisher's organization
	ExpertReview   ReviewKind = "expert"   // by an independent expert
)

// Review is the statement of a named person about exactly one release.
type Review struct {
	Reviewer string     `json:"reviewer" validate:"required,maxbytes=200"` // in the reviewer's words; records have the name of the key in the trust file
	Role     string     `json:"role" validate:"required,maxbytes=200"`     // such as "structural engineer"
	Date     string     `json:"date"`                                      // such as 2027-03-31, see [Review.CheckDate]
	Kind     ReviewKind `json:"kind" validate:"oneof=internal expert"`

	// Sources are the texts with which the formulas were compared, word by word and number by
	// number. Without any source, the sources count as not checked.
	Sources []Source `json:"sources,omitempty" validate:"max=50,dive"`
	Notes   string   `json:"notes,omitempty" validate:"maxbytes=10000"`
}

// Source is a place in the literature.
type Source struct {
	Reference string `json:"reference" validate:"required"` // author and title, or a standard
	Edition   string `json:"edition,omitempty"`             // edition or year
	Where     string `json:"where" validate:"required"`     // table, case, page or equation
}

// SourceChecked reports whether the release was compared with a source.
func (r *Review) SourceChecked() bool { return len(r.Sources) > 0 }

// ParseSource reads a source: reference, edition and where, separated by semicolons. The
// edition may be empty.
func ParseSource(text string) (Source, error) {
	parts := strings.Split(text, ";")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
		return Source{}, errors.New(`not "reference; edition; table, case or page"`)
	}
	return Source{Reference: parts[0], Edition: parts[1], Where: parts[2]}, nil
}

// maxSource bounds a source, in bytes.
const maxSource = 1000

var errSource = errors.New("a source needs a reference, and where in it: table, case, page or equation")

// Check returns an error unless the review is complete and within its bounds.
func (r *Review) Check() error {
	if err := form.Check(r, r.word); err != nil {
		return err
	}
	for _, s := range r.Sources {
		if len(s.Reference)+len(s.Edition)+len(s.Where) > maxSource {
			return errSource
		}
	}
	return nil
}

// word turns a finding of the validator into an error.
func (r *Review) word(f documents.Finding) error {
	switch f.Field {
	case "reviewer", "role":
		return fmt.Errorf("the %s of a review has between 1 and 200 bytes", f.Field)
	case "kind":
		return fmt.Errorf("the kind %.40q of the review is neither %s nor %s", r.Kind, InternalReview, ExpertReview)
	case "notes", "sources":
		return errors.New("a review has notes of at most 10000 bytes, and at most 50 sources")
	case "reference", "where":
		return errSource
	}
	return nil
}

// zones is the largest difference between local time and UTC.
const zones = 14 * time.Hour

// CheckDate returns an error unless the date of the review is possible. It must not be before
// the release was published, nor after the review was signed. A zero published is not checked.
func (r *Review) CheckDate(published, signed time.Time) error {
	day, err := time.Parse(time.DateOnly, r.Date)
	switch {
	case err != nil:
		return fmt.Errorf("the date %.40q of the review is none such as 2027-03-31", r.Date)
	case day.After(signed.Add(zones)):
		return fmt.Errorf("the review is of %s, after it was signed on %s: a review has the date of the day on which it was made", r.Date, signed.UTC().Format(time.DateOnly))
	case !published.IsZero() && day.Add(24*time.Hour+zones).Before(published):
		return fmt.Errorf("the review is of %s, before the release was published on %s", r.Date, published.UTC().Format(time.DateOnly))
	}
	return nil
}

// outranks reports whether r is preferred to the other review. A review that checked sources
// comes first, then a review by an expert, then the later review.
func (r *Review) outranks(other *Review) bool {
	if r.SourceChecked() != other.SourceChecked() {
		return r.SourceChecked()
	}
	if r.Kind != other.Kind {
		return r.Kind == ExpertReview
	}
	return r.Date >= other.Date
}

// reviewed adds the highest-ranking review that counts to a verification record. All review
// fields come from this one review, so that no reviewer is credited with the work of another.
// The reviewer has the name that the trust file gives to the key. The tier is the highest
// one whose rule the record satisfies (spec 2.1).
func reviewed(v verification.Record, evidence []Evidence) verification.Record {
	var strongest *Evidence
	for i := range evidence {
		e := &evidence[i]
		if e.Kind == sign.Review && e.Counts && (strongest == nil || e.Review.outranks(strongest.Review)) {
			strongest = e
		}
	}
	if strongest == nil {
		return v
	}
	r := strongest.Review
	kind := string(r.Kind) + "_review"
	v.ExpertReviewed, v.InternallyReviewed, v.SourceChecked = r.Kind == ExpertReview, r.Kind == InternalReview, r.SourceChecked()
	v.ReviewKind, v.ReviewedBy, v.ReviewerRole, v.LastReviewed = &kind, &strongest.Signature.Key, &r.Role, &r.Date
	for _, tier := range []verification.Tier{verification.ExpertVerified, verification.InternallyReviewed} {
		higher := v
		higher.Tier = tier
		if higher.Check() == nil {
			return higher
		}
	}
	return v
}
