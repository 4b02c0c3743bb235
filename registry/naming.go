package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk"
)

// naming says whether a release may name its tool id, and how much that weighs. The zero
// naming is that of a release that names nothing.
type naming struct {
	may    bool
	why    error // it may not, though it is genuine; nil if it is not
	kept   bool  // the trust file lists the tool id at the key that signed
	signed bool
	at     time.Time // of the signature, or of the publication; zero if not known
}

// naming judges a release whose Spec was read.
func (p policy) naming(rel *Release) naming {
	n := naming{may: !p.required, at: rel.Created}
	var other []string // keys that may name other tools
	for _, e := range rel.Evidence {
		if e.Kind != sign.Release || !e.Counts || e.Signature == nil || e.Unchecked {
			continue
		}
		kept := e.Signature.Lists(rel.Spec.Tool)
		if e.Signature.Tools != nil && !kept {
			other = append(other, e.Signature.Key)
			continue
		}
		if !n.signed || e.Signature.Time.Before(n.at) {
			n.at = e.Signature.Time
		}
		n.may, n.signed, n.kept = true, true, n.kept || kept
	}
	switch owners := p.keptFor(rel.Spec.Tool); {
	case len(owners) > 0 && !n.kept && (n.may || len(other) > 0):
		return naming{why: fmt.Errorf("the trust file keeps it for %s", strings.Join(owners, ", "))}
	case len(other) > 0 && !n.signed:
		return naming{why: fmt.Errorf("the trust file lists other tools at the key %q", other[0])}
	}
	return n
}

func (p policy) keptFor(tool string) []string {
	if p.trust == nil {
		return nil
	}
	return p.trust.KeptFor(tool)
}

// sound reports whether what a release names is its capability's for ever. A release for
// other platforms is not damaged.
func (rel *Release) sound() bool {
	var elsewhere *PlatformError
	return rel.naming.may && (rel.Problem == nil || errors.As(rel.Problem, &elsewhere))
}

// damaged reports whether a release names its tool id only where no sound one does: calls of
// it are told what is wrong.
func (rel *Release) damaged() bool { return rel.naming.may && !rel.sound() }

// untrusted is the same of a release that is not trusted; it comes after those.
func (rel *Release) untrusted() bool {
	return errors.Is(rel.Problem, ErrUntrusted) && rel.naming.why == nil
}

// claim is what a capability can say for having a tool id.
type claim struct {
	capability string
	naming
	sound bool // it is remembered from now on
}

// compare puts the better claim first.
func (c claim) compare(other claim) int {
	return cmp.Or(
		first(c.kept, other.kept), first(c.signed, other.signed),
		first(!c.at.IsZero(), !other.at.IsZero()), c.at.Compare(other.at),
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

// over says why the claim is better than another.
func (c claim) over(other claim) string {
	switch {
	case c.kept != other.kept:
		return "the trust file lists the tool id at its key"
	case c.signed != other.signed:
		return "a trusted key has signed it"
	case c.at.IsZero() || c.at.Equal(other.at):
		return "nothing tells which was first, so the order of the ids decides"
	}
	return "it was the first, on " + c.at.UTC().Format(time.RFC3339)
}

// claims are those of the capabilities to each tool id, the best first, by releases that
// stand so.
func claims(list []Capability, stands func(*Release) bool) map[string][]claim {
	all := map[string][]claim{}
	for _, c := range list {
		for _, rel := range c.Releases {
			if tool := rel.published().Tool; stands(rel) {
				all[tool] = append(all[tool], claim{c.ID, rel.naming, rel.sound()})
			}
		}
	}
	for _, these := range all {
		slices.SortFunc(these, claim.compare)
	}
	return all
}

// published is the Spec as it was published.
func (rel *Release) published() *sdk.Spec {
	if rel.renamed != nil {
		return rel.renamed
	}
	return &rel.Spec
}

// EngineSpec returns the Spec as the engine has it. Spec has the capability id for its tool
// id where that belongs to another capability.
func (rel *Release) EngineSpec() *sdk.Spec { return rel.published() }

// called is the release under another tool id.
func (rel *Release) called(tool string) *Release {
	other := *rel
	other.renamed = rel.published()
	other.Spec.Tool = tool
	return &other
}
