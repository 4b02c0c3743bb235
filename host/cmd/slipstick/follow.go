package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/telemetry"
	"github.com/slipstick/slipstick/registry"
)

// startFollowing makes what changes in the registry effective until the returned
// function is called.
func startFollowing(ctx context.Context, f *face, from *source, down error, every time.Duration) (stop func()) {
	if every == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		(&following{face: f, source: from, failed: down != nil}).run(ctx, every)
	}()
	return func() {
		cancel()
		<-done
	}
}

// following takes over what is published.
type following struct {
	face   *face
	source *source
	failed bool // the last look
	held   bool // a version that should be current does not start
}

// rest is how many times longer than a look the pause after it is: what takes long is not
// asked all the time.
const rest = 3

func (f *following) run(ctx context.Context, every time.Duration) {
	next := time.NewTimer(every)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			began := time.Now()
			f.look(ctx)
			next.Reset(max(every, rest*time.Since(began)))
		case <-ctx.Done():
			return
		}
	}
}

func (f *following) look(ctx context.Context) {
	published, changed, err := f.source.look(ctx)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		if !f.failed {
			f.face.log.Error("the registry cannot be read; what was published before is served", "error", err)
		}
		f.failed = true
		f.face.registry.set(err, nil)
		f.face.metrics.Followed("failed")
		return
	case f.failed:
		f.face.log.Info("the registry can be read again")
		f.failed = false
	}
	f.face.registry.set(nil, published)
	if changed || f.held {
		f.adopt(ctx, published)
	}
}

// adopt serves what is published now. A version that becomes current runs before calls
// without a pin are answered by it; one that does not start has to wait.
func (f *following) adopt(ctx context.Context, published []registry.Capability) {
	was := byID(f.face.service.Catalog())
	published = slices.Clone(published)
	f.held = false
	for i := range published {
		if c := &published[i]; was[c.ID] != nil && was[c.ID].Current != c.Current {
			f.ready(ctx, was[c.ID], c)
		}
	}
	catalog := calc.NewCatalog(published)
	f.face.service.Publish(catalog)
	if err := f.face.describe(); err != nil {
		f.face.log.Error("the OpenAPI document cannot be made", "error", err)
	}
	for id, now := range byID(catalog) {
		f.tell(id, was[id], now)
		f.endWithdrawn(now)
	}
	f.face.metrics.Followed("changed")
}

// ready starts the engine that becomes current, if the one before is in use. If it does
// not start the capability keeps its current version.
func (f *following) ready(ctx context.Context, was *calc.Entry, c *registry.Capability) {
	before, next := releaseOf(was.Releases, was.Current), releaseOf(c.Releases, c.Current)
	if before == nil || next == nil || !f.face.engines.pool.Used(program(before)) {
		return
	}
	err := f.face.engines.pool.Start(ctx, program(next), false)
	if kept := releaseOf(c.Releases, was.Current); err == nil || kept == nil || !kept.Standing.Serves() {
		return
	}
	f.face.log.Error("the version that should become current does not start; the one before is kept", "capability", c.ID, "version", c.Current, "current", was.Current, "error", err)
	c.Current, f.held = was.Current, true
}

// endWithdrawn ends the engines of what may never be executed again.
func (f *following) endWithdrawn(e *calc.Entry) {
	for _, r := range e.Releases {
		if r.State() == registry.Revoked && r.EngineDigest != "" {
			f.face.engines.pool.End(program(r))
		}
	}
}

// tell logs what has become of a capability.
func (f *following) tell(id string, was, now *calc.Entry) {
	log := f.face.log.With("capability", id)
	current, known := "", map[string]*calc.Release{}
	if was != nil {
		current = was.Current
		for _, r := range was.Releases {
			known[r.Version] = r
		}
	}
	for _, r := range now.Releases {
		switch before := known[r.Version]; {
		case before == nil:
			log.Info("version published", "version", r.Version, "digest", r.EngineDigest)
		case before.State() != r.State():
			log.Info("version changed state", "version", r.Version, "state", r.State(), "reason", r.Standing.Reason)
		}
	}
	if now.Current != current {
		log.Info("current version changed", "from", current, "to", now.Current)
	}
	if now.Problem != nil && (was == nil || was.Problem == nil || was.Problem.Error() != now.Problem.Error()) {
		log.Error("registry damaged; what was published before is served", "error", now.Problem)
	}
}

func byID(c *calc.Catalog) map[string]*calc.Entry {
	return maps.Collect(func(yield func(string, *calc.Entry) bool) {
		for _, e := range c.Entries() {
			if !yield(e.ID, e) {
				return
			}
		}
	})
}

func releaseOf(releases []*registry.Release, version string) *registry.Release {
	i := slices.IndexFunc(releases, func(r *registry.Release) bool { return r.Version == version })
	if i < 0 {
		return nil
	}
	return releases[i]
}

// registryState is how the registry was at the last look.
type registryState struct {
	down    atomic.Bool
	damaged atomic.Int64 // capabilities and versions, when it could last be read
}

// set takes down what a look has seen; one that failed may have seen the mirror.
func (r *registryState) set(err error, list []registry.Capability) {
	r.down.Store(err != nil)
	if err == nil || len(list) > 0 {
		r.damaged.Store(int64(damaged(list)))
	}
}

// String is ok, or what is wrong.
func (r *registryState) String() string {
	switch n := r.damaged.Load(); {
	case r.down.Load():
		return "cannot be read; what was published before is served"
	case n > 0:
		return fmt.Sprintf("damaged in %s; the log says which", places(n))
	}
	return "ok"
}

// places is how many capabilities and versions are damaged, in words.
func places(n int64) string {
	if n == 1 {
		return "1 capability or version"
	}
	return fmt.Sprintf("%d capabilities or versions", n)
}

// count shows the state in the metrics.
func (r *registryState) count(m *telemetry.Metrics) {
	m.Gauge("slipstick_registry_up", "1 while the registry can be read, 0 while what was published before is served because it cannot.", func() float64 {
		if r.down.Load() {
			return 0
		}
		return 1
	})
	m.Gauge("slipstick_registry_damaged", "Capabilities and versions in which the registry is not what it was or should be.", func() float64 { return float64(r.damaged.Load()) })
}
