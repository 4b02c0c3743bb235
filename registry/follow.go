package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slipstick/slipstick/registry/internal/rounds"
	"github.com/slipstick/slipstick/versions"
)

// Follower reads a registry again and again. What has been published is never taken
// back, so what it has once seen stays: a capability or version that is gone, or has
// other bytes, is damage, which becomes a Problem beside what was there.
//
// Each capability is read by itself: one whose files hang costs itself only, is not read
// twice at a time, and is damage after a while. A Follower is not safe for concurrent use.
type Follower struct {
	registry  *Registry
	seen      map[string]*followed
	late      map[string]bool // by capability: that reading it hangs
	names     []string        // at the last listing that ended
	listed    time.Time       // when that began
	mayRemove func(*Release) bool

	listings *rounds.Rounds[listing]
	readings *rounds.Rounds[reading]
	read     func(ctx context.Context, id string, was *followed) reading
}

// followed is a capability and the index.json that it was read from.
type followed struct {
	index []byte
	Capability
}

// Follow returns a Follower that has seen nothing.
func (r *Registry) Follow() *Follower {
	return &Follower{
		registry: r, seen: map[string]*followed{}, late: map[string]bool{}, mayRemove: func(*Release) bool { return false }, read: r.readFor,
		listings: rounds.New[listing](rounds.Options{Parallel: 1, Slow: time.Hour, Most: 1}),
		readings: rounds.New[reading](rounds.Options{Parallel: 8, Slow: 200 * time.Millisecond, Most: 512}),
	}
}

// AllowRemoval makes releases for which mayRemove is true no damage when they are gone, nor
// directories in which there is nothing else.
func (f *Follower) AllowRemoval(mayRemove func(*Release) bool) { f.mayRemove = mayRemove }

// forgets reports whether a capability leaves nothing behind. Of a directory in which
// nothing was ever listed there is nothing to be restored.
func (f *Follower) forgets(c *followed) bool {
	return !slices.ContainsFunc(c.Releases, func(r *Release) bool { return !f.mayRemove(r) })
}

// damaged is the capability as it was, with the problem.
func (c *followed) damaged(problem error) Capability {
	still := c.Capability
	still.Problem = problem
	return still
}

// succeededBy is what c has become. Versions that did not change are the same Release.
func (c *followed) succeededBy(next Capability, mayRemove func(*Release) bool) Capability {
	var damage []error
	for _, was := range c.Releases {
		i := slices.IndexFunc(next.Releases, func(r *Release) bool { return r.Version == was.Version })
		switch {
		case was.Digest == "": // nothing is known of what it was
		case i < 0 && mayRemove(was):
		case i < 0:
			damage = append(damage, fmt.Errorf("version %s is gone from index.json: restore it from a backup", was.Version))
			next.Releases = append(next.Releases, was)
		case next.Releases[i].Digest != was.Digest:
			damage = append(damage, fmt.Errorf("version %s was published as %s, and index.json now says %s: restore it from a backup", was.Version, was.Digest, next.Releases[i].Digest))
			next.Releases[i] = was
		case was.Problem == nil && next.Releases[i].Problem == nil && was.says(next.Releases[i]):
			next.Releases[i] = was
		}
	}
	next.Releases = sorted(next.Releases)
	if len(damage) > 0 && slices.ContainsFunc(next.Releases, func(r *Release) bool { return r.Version == c.Current && r.Lifecycle.Serves() }) {
		// An index that has lost versions has no say in this.
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
