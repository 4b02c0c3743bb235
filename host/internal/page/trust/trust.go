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
		"This version calculates. There is no further evidence.",
		"There is no record of a test, and no review of its formulas, code or sources.",
	},
	verification.EngineTested: {
		"The conformance suite tested exactly this program. It passed every rule and agreed with all its reference calculations.",
		"It has not been reviewed. No engineer has judged the formulas or compared them with the cited sources. The tests do not cover inputs that are unlike all reference calculations.",
	},
	verification.InternallyReviewed: {
		"It passed the conformance suite with its reference calculations. Its sources were checked, and it passed an internal review.",
		"No independent expert has verified it.",
	},
	verification.ExpertVerified: {
		"It passed the conformance suite with its reference calculations. Its sources were checked, and the expert below verified it.",
		"You must decide whether the assumptions hold for your problem.",
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
			text += "; not checked, because this server has no trust file"
		case !row.Counts:
			text += "; does not count on this server"
		}
		list = append(list, text)
	}
	if list == nil {
		return []string{"not signed"}
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
			t.Open = "It was reviewed by the reviewer below, but not compared with the cited sources."
		case verification.Candidate:
			t.Open = "It was reviewed by the reviewer below, but has no test that counts."
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
		{"Proved against the formula", proved(r.CountProofs()), r.CountProofs().Whole()},
		{"Compared with the cited sources", yesNo(v.SourceChecked, "not yet"), v.SourceChecked},
		{"Internal review", reviewer(v, v.InternallyReviewed && !v.ExpertReviewed, v.InternallyReviewed, "not yet"), v.InternallyReviewed},
		{"Expert review", reviewer(v, v.ExpertReviewed, v.ExpertReviewed, "not yet"), v.ExpertReviewed},
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
	return "partly: " + c.String()
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
