package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/registry/internal/rounds"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/versions"
)

// Follower reads a registry repeatedly. A published version is never withdrawn from a
// registry, so a Follower keeps everything that it has seen. A capability or version that
// disappears, or changes its bytes, is damaged. The Follower then keeps the earlier state and
// adds a Problem.
//
// In a large library the vectors and reports of releases stay in the registry, see
// [Release.Content].
//
// A Follower reads capabilities independently of each other. If the files of one hang, the
// others are not delayed. The Follower does not start a second read of that capability, and
// counts it as damaged after [Overdue].
//
// A Follower is not safe for concurrent use.
type Follower struct {
	registry  *Registry
	seen      map[string]*followed // by capability
	late      map[string]bool      // capabilities whose reading hangs
	names     []string             // in the last listing that succeeded
	listed    time.Time            // start of that listing
	mayRemove func(*Release) bool

	looks    uint32 // number of looks
	releases int    // approximate number of releases in seen
	listings *rounds.Rounds[listing]
	readings *rounds.Rounds[reading]
	read     func(ctx context.Context, id string, was followed) reading
}

// followed is a capability, and the index.json from which it was read.
type followed struct {
	index digest.Digest // "" if it is damaged
	stamp store.Stamp   // of the layout, taken before index.json was read
	Capability
}

// Follow returns a Follower that has not read anything yet.
func (r *Registry) Follow() *Follower {
	return &Follower{
		registry: r, seen: map[string]*followed{}, late: map[string]bool{}, mayRemove: func(*Release) bool { return false }, read: r.readFor,
		listings: rounds.New[listing](rounds.Options{Parallel: 1, Slow: time.Hour, Most: 1}),
		readings: rounds.New[reading](rounds.Options{Parallel: 8, Slow: 200 * time.Millisecond, Most: 512}),
	}
}

// AllowRemoval lets releases disappear for which mayRemove is true. Their absence is not
// damage then. The same holds for the removal of a directory with only such releases.
func (f *Follower) AllowRemoval(mayRemove func(*Release) bool) { f.mayRemove = mayRemove }

// forgets reports whether a capability may disappear: all its releases may be removed, or it
// has never had any.
func (f *Follower) forgets(c *followed) bool {
	return !slices.ContainsFunc(c.Releases, func(r *Release) bool { return !f.mayRemove(r) })
}

// damaged returns the capability in its last known state, with the problem.
func (c *followed) damaged(problem error) Capability {
	still := c.Capability
	still.Problem = problem
	return still
}

// succeededBy returns the new state of a capability; next is the result of the latest read.
// Missing or changed versions are damage, and keep their earlier state. Versions that did not
// change keep their *Release.
func (c *followed) succeededBy(next Capability, mayRemove func(*Release) bool) Capability {
	var damage []error
	for _, was := range c.Releases {
		i := slices.IndexFunc(next.Releases, func(r *Release) bool { return r.Version == was.Version })
		switch {
		case was.Digest == "": // it was never readable, so there is nothing to compare
		case i < 0 && mayRemove(was):
		case i < 0:
			damage = append(damage, fmt.Errorf("version %s is gone from index.json: restore it from a backup", was.Version))
			next.Releases = append(next.Releases, was)
		case next.Releases[i].Digest != was.Digest:
			damage = append(damage, fmt.Errorf("version %s was published as %s, and index.json now has %s: restore it from a backup", was.Version, was.Digest, next.Releases[i].Digest))
			next.Releases[i] = was
		case was.Problem == nil && next.Releases[i].Problem == nil && was.hasStatementsOf(next.Releases[i]):
			next.Releases[i] = was
		}
	}
	next.Releases = sorted(next.Releases)
	if len(damage) > 0 && slices.ContainsFunc(next.Releases, func(r *Release) bool { return r.Version == c.Current && r.Lifecycle.Serves() }) {
		// An index that has lost versions does not decide which version is current.
		next.Current, next.Sequence, next.led, next.unread = c.Current, c.Sequence, c.led, c.unread
	}
	next.Problem = errors.Join(append([]error{next.Problem}, damage...)...)
	return next
}

// sorted returns the releases, newest first.
func sorted(releases []*Release) []*Release {
	byVersion, list := map[string]*Release{}, []string{}
	for _, r := range releases {
		byVersion[r.Version] = r
		list = append(list, r.Version)
	}
	out := releases[:0]
	for _, v := range versions.Newest(list) {
		out = append(out, byVersion[v])
	}
	return out
}
