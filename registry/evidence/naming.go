package evidence

import (
	"fmt"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

// Naming says whether a release may name its tool id, and how much that weighs. The zero
// Naming is that of a release that names nothing.
type Naming struct {
	May    bool
	Why    error // it may not, though it is genuine; nil if it is not
	Kept   bool  // the trust file lists the tool id at the key that signed
	Signed bool
	At     time.Time // of the signature, or of the publication; zero if not known
}

// NamingOf says whether a release that was created then may name the tool id.
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
