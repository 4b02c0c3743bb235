package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/registry/sign"
)

// ErrUnnamed means that a release cannot be built again, because its source is not known.
var ErrUnnamed = errors.New("the release does not name the source that it was built from")

// BuildOf returns how a release was built, by the last statement that counts. The error is
// ErrUnnamed if there is none.
func BuildOf(list []Evidence) (*provenance.Build, error) {
	if e := source(list); e != nil {
		return provenance.Parse(e.attachment.Content)
	}
	return nil, ErrUnnamed
}

// source returns the last statement that counts, by the clock of the signer, because mirrors
// list statements in another order.
func source(list []Evidence) (last *Evidence) {
	for i := range list {
		if e := &list[i]; e.Kind == sign.Source && e.Counts && (last == nil || e.laterThan(last)) {
			last = e
		}
	}
	return last
}

// laterThan orders statements of one kind in the same way wherever they are listed. Unsigned
// statements have no time, and come first.
func (e *Evidence) laterThan(o *Evidence) bool {
	at := func(e *Evidence) time.Time {
		if e.Signature == nil {
			return time.Time{}
		}
		return e.Signature.Time
	}
	return cmp.Or(at(e).Compare(at(o)), cmp.Compare(e.Digest, o.Digest)) > 0
}

// sameSource makes rebuilds not count if they used other source than the release names.
func sameSource(list []Evidence) {
	named := source(list)
	for i := range list {
		e := &list[i]
		if named != nil && e.Kind == sign.Rebuild && e.Counts && e.Build.Source != named.Build.Source {
			e.Counts, e.Why = false, fmt.Sprintf("it was built from the source %s, and the release names %s", e.Build.Source, named.Build.Source)
		}
	}
}

// Rebuilders returns the names of all parties that built a release again and got its bytes,
// sorted. A key that took over from another is the same party. The signer of the release does
// not count.
func Rebuilders(list []Evidence) []string {
	parties := map[string]bool{}
	for _, kind := range []sign.Kind{sign.Rebuild, sign.Release} {
		for i := range list {
			if e := &list[i]; e.Kind == kind && e.Counts && e.Signature != nil && e.Signature.Key != "" {
				party := append(slices.Clone(e.Signature.Via), e.Signature.Key)[0]
				if kind == sign.Rebuild {
					parties[party] = true
				} else {
					delete(parties, party)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(parties))
}

// CheckBuild returns an error unless a build made exactly these engines.
func CheckBuild(b *provenance.Build, engines map[string]string) error {
	if !maps.Equal(b.Engines, engines) {
		return fmt.Errorf("it is about the executables %v, and the release has %v", b.Engines, engines)
	}
	return nil
}
