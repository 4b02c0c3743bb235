package versions

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// MaxLength is the length of the longest version that Parse accepts.
const MaxLength = 128

// Version is a semantic version in its canonical spelling.
type Version struct {
	v semver.Version
}

// Parse reads a version that may be published. It accepts semantic versions (2.0.0) that are
// complete and canonical. They have at most MaxLength bytes, no build metadata and no number
// beyond 64 bits. The last rule also holds for numbers in the prerelease, because larger ones
// would break the order of versions.
func Parse(s string) (Version, error) {
	switch {
	case len(s) > MaxLength:
		return Version{}, fmt.Errorf("version %s is longer than %d bytes; shorten its prerelease", quote(s), MaxLength)
	case strings.Contains(s, "+"):
		return Version{}, fmt.Errorf("version %s has build metadata; drop everything from the \"+\" on", quote(s))
	}
	v, err := semver.StrictNewVersion(s)
	if err != nil {
		return Version{}, fmt.Errorf("version %s is not of the form 1.0.0 or 1.0.0-rc.1: %w", quote(s), err)
	}
	if v.String() != s {
		return Version{}, fmt.Errorf("version %s is not canonical; write %s", quote(s), v)
	}
	if id := oversized(v.Prerelease()); id != "" {
		return Version{}, fmt.Errorf("version %s: prerelease number %s does not fit 64 bits; use a smaller one", quote(s), id)
	}
	return Version{*v}, nil
}

// oversized returns the first numeric identifier that does not fit 64 bits, or
// "" if all fit. The semver library would order such an identifier as text.
func oversized(prerelease string) string {
	for id := range strings.SplitSeq(prerelease, ".") {
		if strings.Trim(id, "0123456789") != "" || id == "" {
			continue
		}
		if _, err := strconv.ParseUint(id, 10, 64); err != nil {
			return id
		}
	}
	return ""
}

// String returns the version exactly as it was parsed.
func (v Version) String() string { return v.v.String() }

// Major returns the first number.
func (v Version) Major() uint64 { return v.v.Major() }

// Minor returns the second number.
func (v Version) Minor() uint64 { return v.v.Minor() }

// Patch returns the third number.
func (v Version) Patch() uint64 { return v.v.Patch() }

// Prerelease returns the part after the hyphen, or "" for a release.
func (v Version) Prerelease() string { return v.v.Prerelease() }

// Compare returns -1, 0 or +1 by semantic version precedence. It is 0 only for
// versions with the same spelling.
func (v Version) Compare(other Version) int { return v.v.Compare(&other.v) }

// Newest returns the versions of a list, newest first. Entries that Parse refuses come last,
// sorted by their bytes.
func Newest(list []string) []string {
	type entry struct {
		text    string
		version Version
		ok      bool
	}
	entries := make([]entry, len(list))
	for i, s := range list {
		v, err := Parse(s)
		entries[i] = entry{s, v, err == nil}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		switch {
		case a.ok && b.ok:
			return b.version.Compare(a.version)
		case a.ok:
			return -1
		case b.ok:
			return 1
		}
		return cmp.Compare(a.text, b.text)
	})
	sorted := make([]string, len(entries))
	for i, e := range entries {
		sorted[i] = e.text
	}
	return sorted
}

// Compatible reports whether a caller of older can get newer instead. Within a major version
// the same inputs give the same numbers. So the major version must be the same, and newer must
// not be lower.
//
// Within 0.x this holds per minor version. A prerelease is compatible only with itself.
// Versions that Parse refuses are never compatible.
func Compatible(older, newer string) bool {
	from, errFrom := Parse(older)
	to, errTo := Parse(newer)
	switch {
	case errFrom != nil || errTo != nil:
		return false
	case from.Prerelease() != "" || to.Prerelease() != "":
		return older == newer
	case from.Major() != to.Major() || to.Compare(from) < 0:
		return false
	}
	return from.Major() > 0 || from.Minor() == to.Minor()
}
