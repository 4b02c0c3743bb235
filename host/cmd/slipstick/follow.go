package main

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// startFollowing makes what changes in the registry effective until the returned
// function is called.
func startFollowing(ctx context.Context, f *face, from *source, down error, every time.Duration, again *reloading) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		(&following{face: f, source: from, failed: down != nil, again: again}).run(ctx, every)
	}()
	return func() {
		cancel()
		select {
		case <-done:
		case <-time.After(time.Second): // a disk that hangs keeps nobody from ending
		}
	}
}

// following takes over what is published.
type following struct {
	face   *face
	source *source
	failed bool // the last look
	held   bool // a version that should be current does not start
	again  *reloading

	starting map[string]*start // by capability: of the version that should be current
}

// start is the start of an engine that nobody waits for.
type start struct {
	version string
	done    chan struct{}
	err     error // when done
}

// rest is how many times longer than a look the pause after it is: what takes long is not
// asked all the time.
const rest = 3

func (f *following) run(ctx context.Context, every time.Duration) {
	next := time.NewTimer(every)
	defer next.Stop()
	if every == 0 {
		next.Stop()
	}
	for {
		select {
		case <-f.again.hangUps:
			f.again.reload(ctx, f)
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
	published, changed, err := f.source.look(ctx, glance)
	if ctx.Err() != nil {
		return
	}
	f.face.registry.set(err, published)
	f.face.registry.saw(f.source.looked())
	switch {
	case err != nil:
		if !f.failed {
			f.face.log.Error("the registry cannot be read; what was published before is served", "error", err)
		}
		f.face.metrics.Followed("failed")
	case f.failed:
		f.face.log.Info("the registry can be read again")
	}
	f.failed = err != nil
	if published != nil && (changed || f.held) {
		f.adopt(ctx, published)
	}
}

// adopt serves what is published now. A version that becomes current runs before calls
// without a pin are answered by it; one that does not start has to wait.
func (f *following) adopt(ctx context.Context, published []registry.Capability) {
	was := byID(f.face.service.Catalog())
	published = slices.Clone(published)
	f.held = false
	wait, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	for i := range published {
		if c := &published[i]; was[c.ID] != nil && was[c.ID].Current != c.Current {
			f.ready(ctx, wait, was[c.ID], c)
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

// ready starts the engine that becomes current, if the one before is in use. Until it has
// started, and if it does not, the capability keeps its current version; other
// capabilities do not wait for that longer than for wait.
func (f *following) ready(ctx, wait context.Context, was *calc.Entry, c *registry.Capability) {
	before, next := releaseOf(was.Releases, was.Current), releaseOf(c.Releases, c.Current)
	if before == nil || next == nil || !f.face.engines.pool.Used(program(before)) {
		return
	}
	s := f.starting[c.ID]
	if s == nil || s.version != c.Current {
		s = f.start(ctx, c.ID, next)
	}
	started := false
	select {
	case <-s.done:
		delete(f.starting, c.ID)
		started = s.err == nil
	case <-wait.Done():
	}
	kept := releaseOf(c.Releases, was.Current)
	if started || kept == nil || !kept.Lifecycle.Serves() {
		return
	}
	if f.starting[c.ID] == nil {
		f.face.log.Error("the version that should become current does not start; the one before is kept", "capability", c.ID, "version", c.Current, "current", was.Current, "error", s.err)
	}
	c.Current, f.held = was.Current, true
}

func (f *following) start(ctx context.Context, id string, r *registry.Release) *start {
	s := &start{version: r.Version, done: make(chan struct{})}
	if f.starting == nil {
		f.starting = map[string]*start{}
	}
	f.starting[id] = s
	go func() {
		defer close(s.done)
		s.err = f.face.engines.pool.Start(ctx, program(r), false)
	}()
	return s
}

// endWithdrawn ends the engines of what may never be executed again.
func (f *following) endWithdrawn(e *calc.Entry) {
	for _, r := range e.Releases {
		if r.State() == evidence.Revoked && r.EngineDigest != "" {
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
			log.Info("version changed state", "version", r.Version, "state", r.State(), "reason", r.Lifecycle.Reason)
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
