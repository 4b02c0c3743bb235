package trust

import (
	"cmp"
	"fmt"
	"net/url"
	"time"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Summary describes the verification of a result for people.
type Summary struct {
	Tier     verification.Tier
	Name     string
	Shown    string // checks that were made
	Open     string // checks that are missing
	Claims   []claim
	Version  string
	Engine   string // digest
	Release  string // digest
	Revision string
	Created  string
	Evidence string   // path
	Signed   []string // statements about the release with their signers
}

// claim is one property, and whether it was checked.
type claim struct {
	What  string
	State string
	Holds bool
}

// tierText is the meaning of a tier for people.
type tierText struct{ shown, open string }

var tierTexts = map[verification.Tier]tierText{
	verification.Candidate: {
		"It is published and it answers. Nothing more has been shown.",
		"No test of it is on record. Nobody has reviewed its formulas, its code or its sources.",
	},
	verification.EngineTested: {
		"Before it was published, exactly this program was run by the conformance suite. It kept every rule, and agreed with every reference calculation that came with it.",
		"Nobody has reviewed it yet: no engineer has judged the formulas, and nobody has compared them with the cited sources. Inputs unlike all reference calculations are not covered by them.",
	},
	verification.InternallyReviewed: {
		"It passed the conformance suite with its reference calculations, its sources were checked, and somebody of the house reviewed it.",
		"No independent expert has verified it.",
	},
	verification.ExpertVerified: {
		"It passed the conformance suite with its reference calculations, its sources were checked, and the expert named here verified it.",
		"That it fits your problem: whether the assumptions hold is for you to judge.",
	},
}

// Of describes the verification of a release's results.
func (p *Pages) Of(r *catalog.Release) Summary {
	t := OfRecord(r.Verification, &p.about.Described(r).Report)
	t.Version, t.Engine, t.Release, t.Revision = r.Version, r.EngineDigest, r.Digest, r.Revision
	if !r.Created.IsZero() {
		t.Created = r.Created.UTC().Format(time.DateOnly)
	}
	t.Evidence = p.Link(evidencePath(r.Capability, r.Version))
	t.Signed = signed(r.Evidence)
	return t
}

// signed returns a text about each signed statement of a release: statement, signer and date.
func signed(evidence []catalog.Evidence) []string {
	var list []string
	for i := range evidence {
		if evidence[i].Signature == nil {
			continue
		}
		row := rowOfEvidence(&evidence[i])
		text := row.What + " by " + row.By
		if row.When != "" {
			text += ", " + row.When
		}
		switch {
		case evidence[i].Unchecked:
			text += "; this host knows no signers"
		case !row.Counts:
			text += "; does not count here"
		}
		list = append(list, text)
	}
	if list == nil {
		return []string{"nobody"}
	}
	return list
}

func evidencePath(capability, version string) string {
	return "/api/v1/capabilities/" + url.PathEscape(capability) + "/evidence?calculation_version=" + url.QueryEscape(version)
}

// OfRecord describes a verification record. The report can be empty.
func OfRecord(v verification.Record, r *report.Report) Summary {
	words := tierTexts[v.Tier]
	t := Summary{Tier: v.Tier, Name: cmp.Or(site.TierName(v.Tier), string(v.Tier)), Shown: words.shown, Open: words.open}
	if v.InternallyReviewed || v.ExpertReviewed {
		switch v.Tier {
		case verification.EngineTested:
			t.Open = "It was reviewed, by who is named here, but nobody has compared it with the cited sources."
		case verification.Candidate:
			t.Open = "It was reviewed, by who is named here, but no test of it counts."
		}
	}
	tested := "no"
	if v.EngineTested {
		tested = "yes"
		if n := r.Vectors.Total; n > 0 {
			tested = fmt.Sprintf("yes: %d of %d reference calculations, %d of %d rules", r.Vectors.Passed, n, r.RulesPassed(), r.RulesApplied())
		}
	}
	t.Claims = []claim{
		{"Tested against reference calculations", tested, v.EngineTested},
		{"Computes the formula that it shows", proved(r.CountProofs()), r.CountProofs().Whole()},
		{"Compared with the cited sources", yesNo(v.SourceChecked, "not yet"), v.SourceChecked},
		{"Reviewed in the house", reviewer(v, v.InternallyReviewed && !v.ExpertReviewed, v.InternallyReviewed, "not yet"), v.InternallyReviewed},
		{"Reviewed by an expert", reviewer(v, v.ExpertReviewed, v.ExpertReviewed, "nobody yet"), v.ExpertReviewed},
	}
	return t
}

// proved returns how many results are proved to follow from the formula.
func proved(c *report.ProofCount) string {
	switch {
	case c == nil:
		return "not compared"
	case c.Whole():
		return "yes: " + c.String()
	}
	return "in part: " + c.String()
}

func yesNo(holds bool, no string) string {
	if holds {
		return "yes"
	}
	return no
}

// reviewer returns the reviewer, if the record names a reviewer of this kind.
func reviewer(v verification.Record, named, holds bool, no string) string {
	if !named || v.ReviewedBy == nil || *v.ReviewedBy == "" {
		return yesNo(holds, no)
	}
	text := *v.ReviewedBy
	for _, more := range []*string{v.ReviewerRole, v.LastReviewed} {
		if more != nil && *more != "" {
			text += ", " + *more
		}
	}
	return text
}
