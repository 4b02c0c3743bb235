package site

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Card is an entry for one calculator in a list.
type Card struct {
	Title, Summary string
	Path           string
	Tier, TierName string // "" for the tier that most releases have
	Words          string // further words that a search finds, in addition to the visible words
}

// Card returns the card of a release.
func (s *Site) Card(r *catalog.Release) Card {
	c := Card{
		Title: r.Spec.Title, Summary: r.Spec.Summary, Path: s.Link(catalog.PagePath(&r.Spec)),
		Words: strings.ToLower(strings.Join(slices.Concat([]string{r.Spec.Tool, r.Capability}, r.Spec.Keywords, outputNames(&r.Spec)), " ")),
	}
	// Every release that was published passed the suite, so a badge on all cards would have no meaning.
	if tier := r.Verification.Tier; tier != verification.EngineTested {
		c.Tier, c.TierName = string(tier), TierName(tier)
	}
	return c
}

// tierNames are the names of tiers on pages.
var tierNames = map[verification.Tier]string{
	verification.Candidate: "Unverified", verification.EngineTested: "Engine tested",
	verification.InternallyReviewed: "Internally reviewed", verification.ExpertVerified: "Expert verified",
}

// TierName returns the name of a tier on pages, "" if the tier is unknown.
func TierName(t verification.Tier) string { return tierNames[t] }

func outputNames(spec *sdk.Spec) []string {
	var list []string
	for i := range spec.Outputs {
		list = append(list, strings.ReplaceAll(spec.Outputs[i].Name, "_", " "))
	}
	return list
}

// cards returns a card for each calculator with an id in the list, without duplicates.
func (s *Site) cards(ids []string) []Card {
	var list []Card
	for _, id := range ids {
		e, err := s.Service.Catalog().Find(id)
		if err != nil || e.Shown() == nil {
			continue
		}
		c := s.Card(e.Shown())
		if !slices.ContainsFunc(list, func(other Card) bool { return other.Path == c.Path }) {
			list = append(list, c)
		}
	}
	return list
}
