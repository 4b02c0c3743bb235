package setting

import (
	"fmt"
	"strings"
)

// Release is the argument of a published release, CAPABILITY@VERSION.
type Release struct{ ID, Version string }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Release) UnmarshalText(text []byte) error {
	var found bool
	r.ID, r.Version, found = strings.Cut(string(text), "@")
	if !found || r.ID == "" || r.Version == "" {
		return fmt.Errorf("%q is not CAPABILITY@VERSION, such as ohms-law@1.0.1", text)
	}
	return nil
}
