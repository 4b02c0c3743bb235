// Package verification has the record of how far a release has been checked, and by whom. A
// [Record] has a [Tier], from [Candidate] to [ExpertVerified], and the facts that support it. Use
// [Record.Check] to find out whether the facts are enough for the tier. Package evidence of the
// registry derives records from the statements about a release. The record in a Spec is only the
// claim of its author.
package verification

import "fmt"

// Tier is how far a release has been checked.
type Tier string

// The tiers of the interface, weakest first.
const (
	Candidate          Tier = "candidate"
	EngineTested       Tier = "engine_tested"
	InternallyReviewed Tier = "internally_reviewed"
	ExpertVerified     Tier = "expert_verified"
)

// Tiers lists the tiers, weakest first.
var Tiers = []Tier{Candidate, EngineTested, InternallyReviewed, ExpertVerified}

// Record is the verification record of a release (spec 2.1). In a Spec it is
// the author's claim; in an answer it comes from the published evidence.
type Record struct {
	Tier               Tier    `json:"tier"`
	EngineTested       bool    `json:"engine_tested"`
	ExpertReviewed     bool    `json:"expert_reviewed"`
	InternallyReviewed bool    `json:"internally_reviewed"`
	ReviewKind         *string `json:"review_kind"`
	SourceChecked      bool    `json:"source_checked"`
	ReviewedBy         *string `json:"reviewed_by"`
	ReviewerRole       *string `json:"reviewer_role"`
	LastReviewed       *string `json:"last_reviewed"`
}

// Rule is a condition on the records of one tier.
type Rule struct {
	Tier  Tier
	Rule  string // one sentence
	Holds func(Record) bool
}

// Rules are the consistency rules of spec 2.1, one per tier.
var Rules = []Rule{
	{Candidate, "a candidate needs no evidence", func(Record) bool { return true }},
	{EngineTested, "an engine_tested record has engine_tested true", func(v Record) bool {
		return v.EngineTested
	}},
	{InternallyReviewed, "an internally_reviewed record has engine_tested, internally_reviewed and source_checked true", func(v Record) bool {
		return v.EngineTested && v.InternallyReviewed && v.SourceChecked
	}},
	{ExpertVerified, "an expert_verified record has engine_tested, expert_reviewed and source_checked true and names reviewer, role and date", func(v Record) bool {
		return v.EngineTested && v.ExpertReviewed && v.SourceChecked &&
			nonempty(v.ReviewedBy) && nonempty(v.ReviewerRole) && nonempty(v.LastReviewed)
	}},
}

// Check returns an error unless the tier is known and its rule holds.
func (v Record) Check() error {
	for _, r := range Rules {
		if r.Tier != v.Tier {
			continue
		}
		if !r.Holds(v) {
			return fmt.Errorf("verification: %s", r.Rule)
		}
		return nil
	}
	return fmt.Errorf("verification: unknown tier %q", v.Tier)
}

func nonempty(s *string) bool { return s != nil && *s != "" }
