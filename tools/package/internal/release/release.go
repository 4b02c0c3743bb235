// Package release answers one question: which release of Slipstick is packaged?
package release

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Release is what all packages of one release say of themselves.
type Release struct {
	Version  string // a semantic version without v
	Revision string // the commit
	Time     time.Time
}

// Source is where the sources of Slipstick are.
const Source = "https://github.com/slipstick/slipstick"

// Summary says in one line what Slipstick is.
const Summary = "Calculations that can be trusted years later: versioned engines, pinned, checked and answered with their evidence."

var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// New returns the release if its version can be that of every package. The time is in
// seconds since 1970, as SOURCE_DATE_EPOCH has it.
func New(version, revision string, seconds int64) (*Release, error) {
	if !semantic.MatchString(version) {
		return nil, fmt.Errorf("--version %q is not a semantic version such as 1.2.0 or 1.2.0-rc.1", version)
	}
	return &Release{version, revision, time.Unix(seconds, 0).UTC()}, nil
}

// Debian is the version as dpkg compares it: a pre-release comes before its release. It has no
// hyphen, for behind one dpkg looks for the revision of a packager.
func (r *Release) Debian() string {
	version, pre, found := strings.Cut(r.Version, "-")
	if !found {
		return version
	}
	return version + "~" + strings.ReplaceAll(pre, "-", ".")
}
