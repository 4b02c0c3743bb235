package evidence

import (
	"fmt"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

// Naming is whether a release may claim its tool id, and how strong the claim is. The zero
// Naming claims nothing.
type Naming struct {
	May    bool      // the release may claim its tool id
	Why    error     // why a genuine release may not claim it; nil if it may, or is not genuine
	Kept   bool      // the trust file lists the tool id for the key that signed the release
	Signed bool      // a trusted key has signed the release
	At     time.Time // of the signature, or of the publication; zero if not known
}

// NamingOf returns the claim of a release to a tool id. Created is when the release was
// published.
func (p Policy) NamingOf(tool string, created time.Time, list []Evidence) Naming {
	n := Naming{May: !p.Required, At: created}
	var other []string // keys that may name other tools
	for _, e := range list {
		if e.Kind != sign.Release || !e.Counts || e.Signature == nil || e.Unchecked {
			continue
		}
		kept := e.Signature.Lists(tool)
		if e.Signature.Tools != nil && !kept {
			other = append(other, e.Signature.Key)
			continue
		}
		if !n.Signed || e.Signature.Time.Before(n.At) {
			n.At = e.Signature.Time
		}
		n.May, n.Signed, n.Kept = true, true, n.Kept || kept
	}
	switch owners := p.keptFor(tool); {
	case len(owners) > 0 && !n.Kept && (n.May || len(other) > 0):
		return Naming{Why: fmt.Errorf("the trust file keeps it for %s", strings.Join(owners, ", "))}
	case len(other) > 0 && !n.Signed:
		return Naming{Why: fmt.Errorf("the trust file lists other tools at the key %q", other[0])}
	}
	return n
}

func (p Policy) keptFor(tool string) []string {
	if p.Trust == nil {
		return nil
	}
	return p.Trust.KeptFor(tool)
}
