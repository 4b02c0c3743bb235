package source

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
)

// Service answers calls with a catalog.
type Service interface {
	Catalog() *catalog.Catalog
	Publish(*catalog.Catalog)
}

// Engines runs the engine processes of published releases.
type Engines interface {
	Used(*registry.Release) bool
	NeverStarts(*registry.Release) error
	Start(ctx context.Context, r *registry.Release, keep bool) error
	End(*registry.Release)
}

// FollowOptions are options of [Follow].
type FollowOptions struct {
	Every   time.Duration // interval between looks; 0 for no looks
	Agreed  Agreement     // agreement with other servers; nil without other servers
	Log     *slog.Logger
	Metrics *telemetry.Metrics
}

// Following applies changes of a registry to a running server. One goroutine at a time can call its
// methods. Only State, ReadAt and Reconsider are safe for concurrent use.
type Following struct {
	source  *Source
	service Service
	engines Engines
	options FollowOptions
	state   state
	failed  bool // the last look failed

	starting  map[string]*start // by capability: the start of the version that becomes current next
	fallbacks map[string]string // by capability: the version that is served while the current version of the registry does not run

	serving sync.Mutex            // is locked while the catalog changes
	list    []registry.Capability // the published capabilities that were adopted last
}

// start is a start of an engine in the background.
type start struct {
	version string
	done    chan struct{}
	err     error // valid after done is closed
}

// Follow returns a [Following] of the source. The list is the result of [Source.First]. If the list comes
// from the mirror, down is the reason, otherwise nil.
func Follow(from *Source, list []registry.Capability, down error, service Service, engines Engines, o *FollowOptions) *Following {
	f := &Following{source: from, service: service, engines: engines, options: *o}
	f.state.start(o.Every)
	f.record(list, down)
	f.state.observe(o.Metrics)
	f.serving.Lock()
	f.list = list
	f.serving.Unlock()
	f.Reconsider()
	if f.broken(list) {
		f.adopt(context.Background(), list)
	}
	return f
}

// record stores the result of a look.
func (f *Following) record(list []registry.Capability, down error) {
	f.state.setResult(down, list)
	f.state.setTimes(f.source.lastRead())
	f.failed = down != nil
}

// State returns "ok", or describes the problem of the registry.
func (f *Following) State() string { return f.state.String() }

// Reload reads the source again with other options; see [Source.Reload].
func (f *Following) Reload(ctx context.Context, o *Options) (next *Source, list []registry.Capability, down error, err error) {
	return f.source.Reload(ctx, o)
}

// Replace switches to another source, and serves its list.
func (f *Following) Replace(ctx context.Context, next *Source, list []registry.Capability, down error) {
	f.source = next
	f.record(list, down)
	f.adopt(ctx, list)
}

// Look reads the registry, and applies the changes since the last look.
func (f *Following) Look(ctx context.Context) {
	published, changed, err := f.source.look(ctx, lookWait)
	if ctx.Err() != nil {
		return
	}
	failed := f.failed
	f.record(published, err)
	switch {
	case err != nil:
		if !failed {
			f.options.Log.Error("the server cannot read the registry; it serves the known versions", "error", err)
		}
		f.options.Metrics.Followed("failed")
	case failed:
		f.options.Log.Info("the server can read the registry again")
	}
	if published != nil && (changed || len(f.fallbacks) > 0 || f.broken(published)) {
		f.adopt(ctx, published)
	}
}

// adopt serves the published capabilities. A version that becomes current must run before it answers
// calls without a pin. Until its engine has started, the earlier version stays current. If this server
// has never started the current version, and it does not start, adopt serves an older version.
func (f *Following) adopt(ctx context.Context, published []registry.Capability) {
	was := byID(f.service.Catalog())
	fallbacks := map[string]string{}
	wait, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	for i := range published {
		c := &published[i]
		switch before := was[c.ID]; {
		case before == nil:
		case before.Current == c.Current:
			if older := f.fallback(wait, c); older != "" {
				fallbacks[c.ID] = older
			}
		case !f.ready(ctx, wait, before, c):
			fallbacks[c.ID] = before.Current
		}
	}
	f.serving.Lock()
	defer f.serving.Unlock()
	f.list, f.fallbacks = published, fallbacks
	f.serve()
	f.options.Metrics.Followed("changed")
}

// ready starts the engine of the version that becomes current, if the earlier engine is in use. It
// reports whether the new version can become current. The context wait limits how long other
// capabilities wait for the start.
func (f *Following) ready(ctx, wait context.Context, was *catalog.Entry, c *registry.Capability) bool {
	before, next := releaseOf(was.Releases, was.Current), releaseOf(c.Releases, c.Current)
	s := f.starting[c.ID]
	if _, unused := f.fallbacks[c.ID]; next == nil || !unused && (before == nil || !f.engines.Used(before)) {
		return true
	}
	if s == nil || s.version != c.Current {
		s = f.start(ctx, c.ID, next)
	}
	select {
	case <-s.done:
		delete(f.starting, c.ID)
		if s.err == nil {
			return true
		}
	case <-wait.Done():
	}
	before = releaseOf(c.Releases, was.Current)
	if f.options.Agreed == nil && (before == nil || !before.Lifecycle.Serves()) {
		return true
	}
	if f.starting[c.ID] == nil {
		f.options.Log.Error("the new current version does not start; the previous version stays current", "capability", c.ID, "version", c.Current, "current", was.Current, "error", s.err)
	}
	return false
}

// broken reports whether the current version of a capability does not start, and there are older
// versions. With other servers it returns false, because all servers decide together then.
func (f *Following) broken(list []registry.Capability) bool {
	return f.options.Agreed == nil && slices.ContainsFunc(list, func(c registry.Capability) bool {
		_, unused := f.fallbacks[c.ID]
		return !unused && len(older(&c)) > 0 && f.engines.NeverStarts(releaseOf(c.Releases, c.Current)) != nil
	})
}

// fallback returns the newest older version that starts, if the current one does not. Otherwise it
// returns "", also while an older version is still starting.
func (f *Following) fallback(wait context.Context, c *registry.Capability) string {
	candidates := older(c)
	if f.options.Agreed != nil || len(candidates) == 0 {
		return ""
	}
	why := f.engines.NeverStarts(releaseOf(c.Releases, c.Current))
	if why == nil {
		return ""
	}
	for _, r := range candidates {
		switch err := f.engines.Start(wait, r, false); {
		case err == nil:
			f.options.Log.Error("the current version does not start; the server uses an older version", "capability", c.ID, "version", c.Current, "current", r.Version, "error", why)
			return r.Version
		case wait.Err() != nil: // it can still start
			return ""
		}
	}
	return ""
}

// older returns the releases before the current one that can become current, newest first.
func older(c *registry.Capability) []*registry.Release {
	i := slices.IndexFunc(c.Releases, func(r *registry.Release) bool { return r.Version == c.Current })
	if i < 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Releases[i+1:]), func(r *registry.Release) bool { return !r.MayBeCurrent() })
}

func (f *Following) start(ctx context.Context, id string, r *registry.Release) *start {
	s := &start{version: r.Version, done: make(chan struct{})}
	if f.starting == nil {
		f.starting = map[string]*start{}
	}
	f.starting[id] = s
	go func() {
		defer close(s.done)
		s.err = f.engines.Start(ctx, r, false)
	}()
	return s
}

// endRevoked ends the engines of revoked releases, which must never run again.
func (f *Following) endRevoked(e *catalog.Entry) {
	for _, r := range e.Releases {
		if r.State() == evidence.Revoked && r.EngineDigest != "" {
			f.engines.End(r)
		}
	}
}

// logAdded logs several new capabilities in one line, because there are many when a registry is filled.
// It reports whether it has. A single new capability is logged by log.
func (f *Following) logAdded(was map[string]*catalog.Entry, catalog *catalog.Catalog) bool {
	added, versions := 0, 0
	for _, e := range catalog.All() {
		versions += len(e.Releases)
		if was[e.ID] == nil {
			added++
		}
	}
	if added < 2 {
		return false
	}
	f.options.Log.Info("capabilities published", "new", added, "capabilities", len(catalog.All()), "versions", versions)
	return true
}

// log logs the changes of a capability.
func (f *Following) log(id, wanted string, was, now *catalog.Entry) {
	if was != nil && was.Current == now.Current && was.Problem == nil && now.Problem == nil && slices.Equal(was.Releases, now.Releases) {
		return
	}
	log := f.options.Log.With("capability", id)
	current, known := "", map[string]*catalog.Release{}
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
	if outOfDate := errors.Is(now.Problem, catalog.ErrOutOfDate); outOfDate && (was == nil || !errors.Is(was.Problem, catalog.ErrOutOfDate)) {
		log.Error("the other servers use a version that is not current in the registry of this server; it rejects calls without a pin", "registry_current", wanted)
		return
	} else if outOfDate {
		return
	}
	if now.Current != current {
		log.Info("current version changed", "from", current, "to", now.Current)
	}
	if now.Problem != nil && (was == nil || was.Problem == nil || was.Problem.Error() != now.Problem.Error()) {
		log.Error("the registry is damaged; the server serves the known versions", "error", now.Problem)
	}
}

func byID(c *catalog.Catalog) map[string]*catalog.Entry {
	return maps.Collect(func(yield func(string, *catalog.Entry) bool) {
		for _, e := range c.All() {
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
