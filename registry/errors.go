package registry

import (
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/sdk/verification"
)

// PlatformError is the problem of a release that has no engine for this platform.
type PlatformError struct {
	Platform string
	Engines  []string // platforms that the release has engines for
}

// Error names the platforms and explains what to do.
func (e *PlatformError) Error() string {
	return fmt.Sprintf("no engine for %s, only for %s: publish a version with one", e.Platform, strings.Join(e.Engines, ", "))
}

// ExistsError reports a version that is already published with other content.
type ExistsError struct {
	Capability string
	Version    string
	Published  string // digest of the manifest in the registry
	Offered    string // digest of the refused manifest
}

// Error names both digests and explains what to do.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("the version is already published as %s and never changes; this content is %s: publish it under a new version",
		e.Published, e.Offered)
}

// ClaimError reports a Spec that claims more verification than its evidence supports.
type ClaimError struct {
	Capability string
	Version    string
	Claims     []string          // such as "tier expert_verified"
	Supported  verification.Tier // the tier that the evidence supports
}

// Error lists the claims and explains what to do.
func (e *ClaimError) Error() string {
	return fmt.Sprintf("the Spec claims %s, but the evidence supports the tier %s and no more: remove the claim, or publish with the evidence for it",
		strings.Join(e.Claims, ", "), e.Supported)
}
