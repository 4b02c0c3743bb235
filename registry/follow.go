package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/versions"
)

// Follower reads a registry again and again. What has been published is never taken
// back, so what it has once seen stays: a capability or version that is gone, or has
// other bytes, is damage, which becomes a Problem beside what was there. It is not safe
// for concurrent use.
type Follower struct {
	registry *Registry
	seen     map[string]*followed
	mayGo    func(*Release) bool
}

// followed is a capability and the index.json that it was read from.
type followed struct {
	index []byte
	Capability
}

// Follow returns a Follower that has seen nothing.
func (r *Registry) Follow() *Follower {
	return &Follower{registry: r, seen: map[string]*followed{}, mayGo: func(*Release) bool { return false }}
}

// LetGo makes releases for which mayGo is true no damage when they are gone, nor
// directories in which there is nothing else.
func (f *Follower) LetGo(mayGo func(*Release) bool) { f.mayGo = mayGo }

// forgets reports whether a capability leaves nothing behind. Of a directory in which
// nothing was ever listed there is nothing to be restored.
func (f *Follower) forgets(c *followed) bool {
	return !slices.ContainsFunc(c.Releases, func(r *Release) bool { return !f.mayGo(r) })
}

// Look returns everything, as [Registry.Capabilities] does, and whether it is other than
// at the last look. Releases that did not change are the same pointers. The error is
// about the registry directory or the context; then everything stays as it was.
func (f *Follower) Look(ctx context.Context) (list []Capability, changed bool, err error) {
	found := map[string]bool{}
	err = f.registry.each(ctx, func(root *os.Root, id string) error {
		found[id] = true
		differs, err := f.look(ctx, root, id)
		changed = changed || differs
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("read registry %s: %w", f.registry.dir, err)
	}
	for id, c := range f.seen {
		if !found[id] && f.forgets(c) {
			delete(f.seen, id)
			changed = true
			continue
		}
		if !found[id] && c.index != nil {
			*c = followed{Capability: c.damaged(errors.New("its directory is gone from the registry: restore it from a backup"))}
			changed = true
		}
		list = append(list, c.Capability)
	}
	slices.SortFunc(list, func(a, b Capability) int { return strings.Compare(a.ID, b.ID) })
	return list, changed, nil
}

// look reads one capability, if its index has changed.
func (f *Follower) look(ctx context.Context, root *os.Root, id string) (changed bool, err error) {
	old := f.seen[id]
	raw, problem := readIndex(root, id)
	switch {
	case problem != nil && old != nil:
		if old.index == nil && old.Problem != nil && old.Problem.Error() == problem.Error() {
			return false, nil
		}
		*old = followed{Capability: old.damaged(problem)}
		return true, nil
	case old != nil && bytes.Equal(raw, old.index):
		return false, nil
	}
	c, err := f.registry.capability(ctx, root, id)
	if err != nil {
		return false, err
	}
	if old != nil {
		c = old.succeededBy(c, f.mayGo)
	}
	f.seen[id] = &followed{raw, c}
	return true, nil
}

func readIndex(root *os.Root, id string) ([]byte, error) {
	l, err := openLayout(root, id)
	if err != nil {
		return nil, err
	}
	defer l.close()
	x, err := l.index()
	if err != nil {
		return nil, err
	}
	return x.raw, nil
}

// damaged is the capability as it was, with the problem.
func (c *followed) damaged(problem error) Capability {
	still := c.Capability
	still.Problem = problem
	return still
}

// succeededBy is what c has become. Versions that did not change are the same Release.
func (c *followed) succeededBy(next Capability, mayGo func(*Release) bool) Capability {
	var damage []error
	for _, was := range c.Releases {
		i := slices.IndexFunc(next.Releases, func(r *Release) bool { return r.Version == was.Version })
		switch {
		case was.Digest == "": // nothing is known of what it was
		case i < 0 && mayGo(was):
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
	if len(damage) > 0 && slices.ContainsFunc(next.Releases, func(r *Release) bool { return r.Version == c.Current && r.Standing.Serves() }) {
		next.Current = c.Current // an index that has lost versions has no say in this
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
