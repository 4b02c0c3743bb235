package source

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/source/agree"
	"github.com/slipstick/slipstick/registry"
)

// Agreement decides together with other servers which versions are current. [agree.Agreement] implements
// it.
type Agreement interface {
	Settle([]agree.Opinion) map[string]agree.Decision
}

// Digests compares releases with the digests that other servers saw first. [agree.Agreement] implements
// it.
type Digests interface {
	// Vet returns the releases, and sets Problem for each release with different bytes.
	Vet(context.Context, []registry.Capability) []registry.Capability
	// Fresh reports whether Vet can return another result now.
	Fresh() bool
}

// ReadAt returns the time at which the oldest part of the registry's data was read. It returns zero
// while the registry cannot be read. It is safe for concurrent use.
func (f *Following) ReadAt() time.Time {
	f.state.mu.Lock()
	defer f.state.mu.Unlock()
	if f.state.down {
		return time.Time{}
	}
	return f.state.oldest
}

// Reconsider serves the versions on which the servers have agreed since the last look. It is safe for
// concurrent use.
func (f *Following) Reconsider() {
	if f.options.Agreed == nil {
		return
	}
	f.serving.Lock()
	defer f.serving.Unlock()
	f.serve()
}

// serve publishes a catalog of the list. The caller must hold f.serving.
func (f *Following) serve() {
	was := byID(f.service.Catalog())
	settled := f.settle()
	if f.same(was, settled) {
		return
	}
	catalog := catalog.New(settled)
	f.service.Publish(catalog)
	logged := f.logAdded(was, catalog)
	for i, now := range catalog.All() {
		if !logged || was[now.ID] != nil || now.Problem != nil {
			f.log(now.ID, f.list[i].Current, was[now.ID], now)
		}
		f.endRevoked(now)
	}
}

// same reports whether the catalog has the list already. Without other servers it returns false,
// because serve is called only after a change then.
func (f *Following) same(was map[string]*catalog.Entry, list []registry.Capability) bool {
	if f.options.Agreed == nil || len(was) != len(list) {
		return false
	}
	return !slices.ContainsFunc(list, func(c registry.Capability) bool {
		e := was[c.ID]
		return e == nil || e.Current != c.Current || e.Sequence != c.Sequence || !slices.Equal(e.Releases, c.Releases) || !slices.Equal(e.Tools, c.Tools) || !sameProblem(e.Problem, c.Problem)
	})
}

func sameProblem(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
}

// settle returns the list with the versions that are current now for this server.
func (f *Following) settle() []registry.Capability {
	list := slices.Clone(f.list)
	if f.options.Agreed == nil {
		for i := range list {
			if version, unused := f.fallbacks[list[i].ID]; unused {
				list[i].Current = version
			}
		}
		return list
	}
	opinions := make([]agree.Opinion, len(list))
	for i := range list {
		_, unused := f.fallbacks[list[i].ID]
		opinions[i] = agree.Opinion{
			Capability: list[i].ID, Version: list[i].Current, Order: list[i].Led(), Prepared: !unused,
			Serves: func(version string) (known, serves bool) {
				r := releaseOf(list[i].Releases, version)
				return r != nil, r != nil && r.Lifecycle.Serves()
			},
		}
	}
	decided := f.options.Agreed.Settle(opinions)
	for i := range list {
		c := &list[i]
		d := decided[c.ID]
		c.Current = d.Version
		if d.OutOfDate {
			c.Problem = errors.Join(c.Problem, catalog.ErrOutOfDate)
		}
	}
	return list
}

// refusals returns the number of releases with a problem.
func refusals(list []registry.Capability) (n int) {
	for i := range list {
		for _, r := range list[i].Releases {
			if r.Problem != nil {
				n++
			}
		}
	}
	return n
}
