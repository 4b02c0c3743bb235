package sdk

import (
	"fmt"
	"strings"
)

// An engine that is built from unreleased source gets its version when it is linked. So it
// cannot be mistaken for a release. For example,
//
//	-ldflags="-X github.com/slipstick/slipstick/sdk.development=3 -X github.com/slipstick/slipstick/sdk.released=1.0.0"
//
// makes 1.0.1-dev.3 of an engine with 1.0.0 in its Spec, and 1.1.0-dev.3 of one with 1.1.0.
var (
	development string // end of the version, "" if the build is a release
	released    string // newest released version of the engine, "" if there is none
)

// versionOf returns the version of a build from the version that the author wrote. A
// development build precedes the next release, and follows the last one.
func versionOf(written, released, development string) string {
	if development == "" {
		return written
	}
	var major, minor, patch int
	if released != "" && !strings.Contains(released, "-") && compareVersions(written, released) <= 0 {
		_, _ = fmt.Sscanf(released, "%d.%d.%d", &major, &minor, &patch)
		written = fmt.Sprintf("%d.%d.%d", major, minor, patch+1)
	}
	if strings.Contains(written, "-") {
		return written + ".dev." + development
	}
	return written + "-dev." + development
}
