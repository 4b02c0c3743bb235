// Package release describes the release of Slipstick that is packaged. See [New].
package release

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Release has the common properties of all packages of a release.
type Release struct {
	Version  string // a semantic version without v
	Revision string // the commit
	Time     time.Time
}

// Source is the URL of the source code of Slipstick.
const Source = "https://github.com/slipstick/slipstick"

// Runtime is the file name of the program of text engines. The command looks for it in its own directory.
const Runtime = "slipstick-text"

// Summary describes Slipstick in one line.
const Summary = "Self-hosted engineering calculations. Each result has its evidence, and a version that repeats it years later."

var semantic = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// New returns the release if its version is valid for every package. The time is in
// seconds since 1970, like SOURCE_DATE_EPOCH.
func New(version, revision string, seconds int64) (*Release, error) {
	if !semantic.MatchString(version) {
		return nil, fmt.Errorf("--version %q is not a semantic version such as 1.2.0 or 1.2.0-rc.1", version)
	}
	return &Release{version, revision, time.Unix(seconds, 0).UTC()}, nil
}

// Debian returns the version for dpkg: a pre-release sorts before its release. It has no
// hyphen, because dpkg treats the text after a hyphen as a Debian revision.
func (r *Release) Debian() string {
	version, pre, found := strings.Cut(r.Version, "-")
	if !found {
		return version
	}
	return version + "~" + strings.ReplaceAll(pre, "-", ".")
}
