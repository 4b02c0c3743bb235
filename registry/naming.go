package registry

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
)

// sound reports whether the claim of a release to its tool id is final. A release for other
// platforms is not damaged.
func (rel *Release) sound() bool {
	var elsewhere *PlatformError
	return rel.naming.May && (rel.Problem == nil || errors.As(rel.Problem, &elsewhere))
}

// damaged reports whether a release is damaged. Its claim counts only if no sound release
// claims the tool id; then callers learn what is wrong.
func (rel *Release) damaged() bool { return rel.naming.May && !rel.sound() }

// untrusted reports whether a release is not trusted. Its claim counts only after the claims
// of damaged releases.
func (rel *Release) untrusted() bool {
	return errors.Is(rel.Problem, evidence.ErrUntrusted) && rel.naming.Why == nil
}

// claim is the claim of a capability to a tool id.
type claim struct {
	capability string
	evidence.Naming
	sound bool // the owner is remembered
}

// compare puts the better claim first.
func (c claim) compare(other claim) int {
	return cmp.Or(
		first(c.Kept, other.Kept), first(c.Signed, other.Signed),
		first(!c.At.IsZero(), !other.At.IsZero()), c.At.Compare(other.At),
		strings.Compare(c.capability, other.capability),
	)
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// over explains why the claim is better than another.
func (c claim) over(other claim) string {
	switch {
	case c.Kept != other.Kept:
		return "the trust file lists the tool id at its key"
	case c.Signed != other.Signed:
		return "a trusted key has signed it"
	case c.At.IsZero() || c.At.Equal(other.At):
		return "the first of them is not known, so the order of the ids decides"
	}
	return "it was the first, on " + c.At.UTC().Format(time.RFC3339)
}

// claims returns the claims of the capabilities to each tool id, the best first. It uses only
// releases that match.
func claims(list []Capability, matches func(*Release) bool) map[string][]claim {
	all := map[string][]claim{}
	for _, c := range list {
		for _, rel := range c.Releases {
			if tool := rel.published().Tool; matches(rel) {
				all[tool] = append(all[tool], claim{c.ID, rel.naming, rel.sound()})
			}
		}
	}
	for _, these := range all {
		slices.SortFunc(these, claim.compare)
	}
	return all
}

// published returns the Spec as it was published.
func (rel *Release) published() *sdk.Spec {
	if rel.renamed != nil {
		return rel.renamed
	}
	return &rel.Spec
}

// EngineSpec returns the Spec that the engine has. Spec differs from it if the tool id belongs
// to another capability: then it has the capability id.
func (rel *Release) EngineSpec() *sdk.Spec { return rel.published() }

// called returns a copy of the release with another tool id.
func (rel *Release) called(tool string) *Release {
	other := *rel
	other.renamed = rel.published()
	other.Spec.Tool = tool
	return &other
}
