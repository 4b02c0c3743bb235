package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/registry/internal/rounds"
	"github.com/slipstick/slipstick/registry/store"
)

// Overdue is how long reading a capability, or the list of capabilities, may take before it
// counts as damage.
const Overdue = 10 * time.Second

// listing is the result of a look at the registry directory.
type listing struct {
	names []string
	began time.Time
	err   error
}

// reading is the result of a look at one capability.
type reading struct {
	index      digest.Digest
	stamp      store.Stamp
	capability Capability
	unchanged  bool  // since the last look
	problem    error // why the index cannot be read
	err        error // of the context; then nothing else is set
}

// Look returns all capabilities, as [Registry.Capabilities] does, and whether anything has
// changed since the last look. Releases that did not change are the same pointers. It waits
// until everything is read, or nothing more arrives for [Overdue]. The error is about the
// registry directory or the context; then the Follower keeps its state.
func (f *Follower) Look(ctx context.Context) (list []Capability, changed bool, err error) {
	return f.look(ctx, rounds.Timeout{Idle: Overdue})
}

// LookFor is Look that waits at most for the given time. Capabilities that take longer stay as
// they were; a later look adopts the result of their read.
func (f *Follower) LookFor(ctx context.Context, wait time.Duration) (list []Capability, changed bool, err error) {
	return f.look(ctx, rounds.Timeout{Total: wait})
}

// Listed returns the start of the last look that could read the registry directory.
func (f *Follower) Listed() time.Time { return f.listed }

// ReadingSince returns the start of the longest reading under way, or zero if none is.
func (f *Follower) ReadingSince() (since time.Time) {
	for _, id := range f.names {
		if began, running := f.readings.Since(id); running && (since.IsZero() || began.Before(since)) {
			since = began
		}
	}
	return since
}

func (f *Follower) look(ctx context.Context, p rounds.Timeout) (list []Capability, changed bool, err error) {
	if err := f.list(ctx, p); err != nil {
		return nil, false, fmt.Errorf("read registry %s: %w", f.registry.store.Dir(), err)
	}
	was := f.before()
	err = f.readings.Run(ctx, f.names, p, func(ctx context.Context, id string) reading {
		return f.read(ctx, id, was[id])
	}, func(id string, found reading) {
		changed = f.take(id, found) || changed
	})
	if err != nil {
		return nil, false, fmt.Errorf("read registry %s: %w", f.registry.store.Dir(), err)
	}
	missing := f.markUnlisted()
	list, late := f.result()
	return list, changed || missing || late, nil
}

// fullLooks is the number of looks within which the files of every capability are read again,
// even if nothing shows that they have changed.
const fullLooks = 32

// before returns the known state of the listed capabilities, as a copy for readings that run
// while the original changes. A state without a stamp is always read.
func (f *Follower) before() map[string]followed {
	f.looks++
	was := make(map[string]followed, len(f.names))
	for i, id := range f.names {
		if c := f.seen[id]; c != nil {
			known := *c
			if (f.looks+uint32(i))%fullLooks == 0 {
				known.stamp = store.Stamp{}
			}
			was[id] = known
		}
	}
	return was
}

// list updates the names. If the directory does not respond in time, the names stay as they
// were, and that is an error once it is overdue.
func (f *Follower) list(ctx context.Context, p rounds.Timeout) error {
	var failed error
	err := f.listings.Run(ctx, []string{"."}, p, func(ctx context.Context, _ string) listing {
		began := time.Now()
		names, err := f.registry.Names(ctx)
		return listing{names, began, err}
	}, func(_ string, l listing) {
		failed = l.err
		if l.err == nil {
			f.names, f.listed = l.names, l.began
		}
	})
	if began, running := f.listings.Since("."); running && err == nil && (f.listed.IsZero() || time.Since(began) >= Overdue) {
		return errors.New("its directory does not answer: look whether the disk, or what it is mounted from, hangs")
	}
	return errors.Join(err, failed)
}

// take adopts the result of reading a capability and reports whether that is a change.
func (f *Follower) take(id string, found reading) (changed bool) {
	old := f.seen[id]
	switch {
	case found.err != nil:
		return false
	case found.unchanged:
		old.stamp = found.stamp
		return false
	case found.problem != nil && old != nil:
		if old.index == "" && old.Problem != nil && old.Problem.Error() == found.problem.Error() {
			return false
		}
		f.seen[id] = &followed{Capability: old.damaged(found.problem)}
		return true
	}
	c := found.capability
	f.shed(c.Releases, old)
	if old != nil {
		c = old.succeededBy(c, f.mayRemove)
	}
	f.seen[id] = &followed{index: found.index, stamp: found.stamp, Capability: c}
	return true
}

// keepContent is the number of releases that a Follower reads before it leaves the content of
// further ones in the registry. A library of usual size stays below it, and needs its disk for
// engines only.
const keepContent = 250

// shed counts the releases that were read. If there are many, it drops their content.
func (f *Follower) shed(releases []*Release, old *followed) {
	f.releases += len(releases)
	if old != nil {
		f.releases -= len(old.Releases)
	}
	if f.releases > keepContent {
		for _, rel := range releases {
			rel.shed()
		}
	}
}

// markUnlisted marks capabilities as damaged that are no longer listed. It drops those
// capabilities that may disappear.
func (f *Follower) markUnlisted() (changed bool) {
	for id, c := range f.seen {
		_, listed := slices.BinarySearch(f.names, id)
		if !listed && f.forgets(c) {
			delete(f.seen, id)
			changed = true
			continue
		}
		if !listed && c.index != "" {
			f.seen[id] = &followed{Capability: c.damaged(errors.New("its directory is gone from the registry: restore it from a backup"))}
			changed = true
		}
	}
	return changed
}

// result returns all capabilities that were seen or are listed, including capabilities that
// hang or were not read yet. It reports whether the set of hanging ones has changed.
func (f *Follower) result() (list []Capability, changed bool) {
	late := map[string]bool{}
	for id, c := range f.seen {
		now := c.Capability
		if f.hangs(id) {
			late[id] = true
			now.Problem = errors.Join(now.Problem, errHangs)
		}
		list = append(list, now)
	}
	for _, id := range f.names {
		if f.seen[id] == nil {
			c := Capability{ID: id, Problem: errors.New("it has not been read yet: wait")}
			if f.hangs(id) {
				late[id] = true
				c.Problem = errHangs
			}
			list = append(list, c)
		}
	}
	for id := range late {
		changed = changed || !f.late[id]
	}
	changed = changed || len(late) != len(f.late)
	f.late = late
	slices.SortFunc(list, func(a, b Capability) int { return strings.Compare(a.ID, b.ID) })
	return list, changed
}

var errHangs = fmt.Errorf("reading it has not ended after %s: look whether its files, or the disk, hang", Overdue)

func (f *Follower) hangs(id string) bool {
	began, running := f.readings.Since(id)
	return running && time.Since(began) >= Overdue
}

// readFor reads one capability, unless its index is the same as before.
func (r *Registry) readFor(ctx context.Context, id string, was followed) reading {
	stamp := r.store.Stamp(id)
	if was.index != "" && stamp.Settled() && stamp == was.stamp {
		return reading{stamp: stamp, unchanged: true}
	}
	l, x, err := r.open(id)
	if err != nil {
		return reading{problem: err, capability: Capability{ID: id, Problem: err}}
	}
	defer l.Close()
	index := digest.FromBytes(x.Bytes())
	if index == was.index {
		return reading{stamp: stamp, unchanged: true}
	}
	c, err := r.read(ctx, l, x)
	return reading{index: index, stamp: stamp, capability: c, err: err}
}
