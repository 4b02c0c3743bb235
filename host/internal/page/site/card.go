package site

import (
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Card is one calculator in a list.
type Card struct {
	Title, Summary string
	Path           string
	Tier, TierName string
	Words          string // further words that find it, besides the visible ones
}

// Card returns the card of a release.
func (s *Site) Card(r *catalog.Release) Card {
	tier := r.Verification.Tier
	return Card{
		Title: r.Spec.Title, Summary: r.Spec.Summary, Path: s.Link(catalog.PagePath(&r.Spec)), Tier: string(tier), TierName: TierName(tier),
		Words: strings.ToLower(strings.Join(slices.Concat([]string{r.Spec.Tool, r.Capability}, r.Spec.Keywords, outputNames(&r.Spec)), " ")),
	}
}

// tierNames are the tiers as people read them.
var tierNames = map[verification.Tier]string{
	verification.Candidate: "Candidate", verification.EngineTested: "Engine tested",
	verification.InternallyReviewed: "Internally reviewed", verification.ExpertVerified: "Expert verified",
}

// TierName returns a tier as people read it, "" if it is unknown.
func TierName(t verification.Tier) string { return tierNames[t] }

func outputNames(spec *sdk.Spec) []string {
	var list []string
	for i := range spec.Outputs {
		list = append(list, strings.ReplaceAll(spec.Outputs[i].Name, "_", " "))
	}
	return list
}

// cards returns the calculators with the ids, each once.
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
