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

// Service serves a catalog.
type Service interface {
	Catalog() *catalog.Catalog
	Publish(*catalog.Catalog)
}

// Engines are the processes of published releases.
type Engines interface {
	Used(*registry.Release) bool
	NeverStarts(*registry.Release) error
	Start(ctx context.Context, r *registry.Release, keep bool) error
	End(*registry.Release)
}

// FollowOptions are the options of Follow.
type FollowOptions struct {
	Every   time.Duration // between looks; 0 if there are none
	Agreed  Agreement     // with other hosts; nil if there are none
	Log     *slog.Logger
	Metrics *telemetry.Metrics
}

// Following applies the changes in a registry to a running host. Its methods must be called
// by one goroutine at a time, except State, which is safe for concurrent use.
type Following struct {
	source  *Source
	service Service
	engines Engines
	options FollowOptions
	state   state
	failed  bool // the last look failed

	starting map[string]*start // by capability: start of the version that should become current
	kept     map[string]string // by capability: version that is served because the current one, by the registry, does not run yet

	serving sync.Mutex            // held while the catalog changes
	list    []registry.Capability // what is published, as it was adopted last
}

// start is the start of an engine in the background.
type start struct {
	version string
	done    chan struct{}
	err     error // when done
}

// Follow returns a Following of the source. The list is the result of its first look. Down is
// the reason if that came from the mirror, otherwise nil.
func Follow(from *Source, list []registry.Capability, down error, service Service, engines Engines, o *FollowOptions) *Following {
	f := &Following{source: from, service: service, engines: engines, options: *o}
	f.state.follows(o.Every)
	f.saw(list, down)
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

// saw records the result of a look.
func (f *Following) saw(list []registry.Capability, down error) {
	f.state.set(down, list)
	f.state.saw(f.source.lastRead())
	f.failed = down != nil
}

// State returns "ok", or what is wrong with the registry.
func (f *Following) State() string { return f.state.String() }

// Reload reads the source anew with other options; see [Source.Reload].
func (f *Following) Reload(ctx context.Context, o *Options) (next *Source, list []registry.Capability, down error, err error) {
	return f.source.Reload(ctx, o)
}

// Replace follows another source from now on, and serves its list.
func (f *Following) Replace(ctx context.Context, next *Source, list []registry.Capability, down error) {
	f.source = next
	f.saw(list, down)
	f.adopt(ctx, list)
}

// Look applies what has changed since the last look.
func (f *Following) Look(ctx context.Context) {
	published, changed, err := f.source.look(ctx, glance)
	if ctx.Err() != nil {
		return
	}
	failed := f.failed
	f.saw(published, err)
	switch {
	case err != nil:
		if !failed {
			f.options.Log.Error("the registry cannot be read; what was published before is served", "error", err)
		}
		f.options.Metrics.Followed("failed")
	case failed:
		f.options.Log.Info("the registry can be read again")
	}
	if published != nil && (changed || len(f.kept) > 0 || f.broken(published)) {
		f.adopt(ctx, published)
	}
}

// adopt serves what is published now. A version that becomes current must run before it
// answers calls without a pin. Until it starts, the earlier version stays current. If the current
// version was never started by this host, and does not start, an older one is served.
func (f *Following) adopt(ctx context.Context, published []registry.Capability) {
	was := byID(f.service.Catalog())
	kept := map[string]string{}
	wait, cancel := context.WithTimeout(ctx, glance)
	defer cancel()
	for i := range published {
		c := &published[i]
		switch before := was[c.ID]; {
		case before == nil:
		case before.Current == c.Current:
			if older := f.instead(wait, c); older != "" {
				kept[c.ID] = older
			}
		case !f.ready(ctx, wait, before, c):
			kept[c.ID] = before.Current
		}
	}
	f.serving.Lock()
	defer f.serving.Unlock()
	f.list, f.kept = published, kept
	f.serve()
	f.options.Metrics.Followed("changed")
}

// ready starts the engine that becomes current, if the earlier one is in use, and reports
// whether the new one can answer. Until the new engine has started, the capability keeps its
// current version. The context wait bounds how long other capabilities wait for the start.
func (f *Following) ready(ctx, wait context.Context, was *catalog.Entry, c *registry.Capability) bool {
	before, next := releaseOf(was.Releases, was.Current), releaseOf(c.Releases, c.Current)
	s := f.starting[c.ID]
	if _, unused := f.kept[c.ID]; next == nil || !unused && (before == nil || !f.engines.Used(before)) {
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
	kept := releaseOf(c.Releases, was.Current)
	if f.options.Agreed == nil && (kept == nil || !kept.Lifecycle.Serves()) {
		return true
	}
	if f.starting[c.ID] == nil {
		f.options.Log.Error("the version that should become current does not start; the one before is kept", "capability", c.ID, "version", c.Current, "current", was.Current, "error", s.err)
	}
	return false
}

// broken reports whether the current version of some capability does not start, and there are
// older ones. With other hosts, those decide what is current.
func (f *Following) broken(list []registry.Capability) bool {
	return f.options.Agreed == nil && slices.ContainsFunc(list, func(c registry.Capability) bool {
		_, unused := f.kept[c.ID]
		return !unused && len(older(&c)) > 0 && f.engines.NeverStarts(releaseOf(c.Releases, c.Current)) != nil
	})
}

// instead returns the newest older version that starts, if the current one does not. Otherwise it
// returns "", also while such a version is still starting.
func (f *Following) instead(wait context.Context, c *registry.Capability) string {
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
			f.options.Log.Error("the current version does not start; an older one is served", "capability", c.ID, "version", c.Current, "current", r.Version, "error", why)
			return r.Version
		case wait.Err() != nil: // it may still start
			return ""
		}
	}
	return ""
}

// older returns the releases that are older than the current one and may be current, newest first.
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

// endWithdrawn ends the engines of releases that may never be executed again.
func (f *Following) endWithdrawn(e *catalog.Entry) {
	for _, r := range e.Releases {
		if r.State() == evidence.Revoked && r.EngineDigest != "" {
			f.engines.End(r)
		}
	}
}

// logTogether logs capabilities that are new in one line, as there are many while a registry
// is filled. It reports whether it did: one alone is left to log.
func (f *Following) logTogether(was map[string]*catalog.Entry, catalog *catalog.Catalog) bool {
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
	if behind := errors.Is(now.Problem, catalog.ErrOutOfDate); behind && (was == nil || !errors.Is(was.Problem, catalog.ErrOutOfDate)) {
		log.Error("the other hosts have moved to a version that the registry of this host does not make current; calls without a pin are refused", "registry_says", wanted)
		return
	} else if behind {
		return
	}
	if now.Current != current {
		log.Info("current version changed", "from", current, "to", now.Current)
	}
	if now.Problem != nil && (was == nil || was.Problem == nil || was.Problem.Error() != now.Problem.Error()) {
		log.Error("registry damaged; what was published before is served", "error", now.Problem)
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
