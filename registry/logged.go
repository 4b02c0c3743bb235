package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/transparency"
	"github.com/slipstick/slipstick/versions"
)

// Logged is the state of the capabilities of a registry, by its transparency log.
type Logged struct {
	entries map[string][]transparency.Entry // by capability
	tools   map[string]string               // by tool id: the first capability that named it
	span    *LogSpan
}

// LogSpan is the period that a transparency log covers.
type LogSpan struct {
	start time.Time
	known atomic.Int64
}

// Start returns the time of the first entry, or zero if there is none.
func (s *LogSpan) Start() time.Time { return s.start }

// ReadUntil returns the time up to which the log was read.
func (s *LogSpan) ReadUntil() time.Time { return time.Unix(s.known.Load(), 0) }

// Read sets the time at which the log was read. Entries have whole seconds, so entries of that
// second may still be missing.
func (s *LogSpan) Read(at time.Time) { s.known.Store(at.Unix() - 1) }

// History lists when each version of a capability was current.
type History struct {
	*LogSpan
	turns []turn
	err   error
}

// Err returns why the history is unknown although there is a log. It is nil if At can be used.
func (h *History) Err() error { return h.err }

// WithoutHistory returns the capabilities with a History that has only an error.
func WithoutHistory(capabilities []Capability, why error) []Capability {
	out := slices.Clone(capabilities)
	for i := range out {
		out[i].History = &History{err: why}
	}
	return out
}

// turn is a change of the current version. From then on version is current; "" is none.
type turn struct {
	since   time.Time
	version string
}

// At returns the version that was current at a time, "" if none was.
func (h *History) At(t time.Time) (version string) {
	for _, turn := range h.turns {
		if turn.since.After(t) {
			break
		}
		version = turn.version
	}
	return version
}

// LoggedIn returns the state of all capabilities in a log.
func LoggedIn(l *transparency.Log) *Logged {
	g := &Logged{map[string][]transparency.Entry{}, map[string]string{}, new(LogSpan)}
	for i, e := range l.Entries() {
		if i == 0 {
			g.span.start = e.Time
		}
		g.entries[e.Capability] = append(g.entries[e.Capability], e)
		if e.Kind == transparency.Removed && e.Version == "" {
			for tool, id := range g.tools {
				if id == e.Capability {
					delete(g.tools, tool)
				}
			}
		}
		if _, named := g.tools[e.Tool]; !named && e.Tool != "" {
			g.tools[e.Tool] = e.Capability
		}
	}
	return g
}

// Span returns the period that the log covers.
func (g *Logged) Span() *LogSpan { return g.span }

// held is a version that the log has.
type held struct {
	release string // digest of its manifest
	state   evidence.State
}

// holding is the state of one capability by the log.
type holding struct {
	current    string
	sequence   uint64
	versions   map[string]held
	statements map[string]bool // digests of their manifests
	turns      []turn
}

// holding returns the state of a capability by the log. It uses only the entries that count
// for c; nil counts everything.
func (g *Logged) holding(id string, c *Capability) *holding {
	h := &holding{versions: map[string]held{}, statements: map[string]bool{}}
	var void map[string]bool
	if c != nil {
		void = c.void()
	}
	for i := range g.entries[id] {
		e := &g.entries[id][i]
		if e.Statement != "" {
			h.statements[e.Statement] = true
		}
		// Where signatures are required, the tag current alone does not count. A statement
		// after one with a higher number does not count either.
		if c != nil && c.Sequenced && (e.Kind == transparency.Current && e.Statement == "" && e.Version != "" || e.Sequence > 0 && e.Sequence < h.sequence) {
			continue
		}
		if !void[e.Statement] {
			h.take(e)
		}
	}
	return h
}

// void returns the statements about a capability that do not count here. Where signatures are
// not required, the tag current counts, independent of signatures.
func (c *Capability) void() map[string]bool {
	list := map[string]bool{}
	for _, rel := range c.Releases {
		for _, e := range rel.Evidence {
			if !e.Counts && (c.Sequenced || e.Kind != sign.Current) {
				list[e.Digest] = true
			}
		}
	}
	return list
}

// take applies an entry to the state.
func (h *holding) take(e *transparency.Entry) {
	h.sequence = max(h.sequence, e.Sequence)
	switch e.Kind {
	case transparency.Published:
		h.versions[e.Version] = held{e.Release, evidence.Active}
	case transparency.Status:
		was, known := h.versions[e.Version]
		if known && was.state != evidence.Revoked {
			h.versions[e.Version] = held{was.release, evidence.State(e.State)}
		}
		if state := (evidence.Lifecycle{State: evidence.State(e.State)}); !state.Serves() && h.current == e.Version {
			h.turn(e.Time, "")
		}
	case transparency.Current:
		h.turn(e.Time, e.Version)
	case transparency.Removed:
		if e.Version == "" {
			clear(h.versions)
		}
		delete(h.versions, e.Version)
		if e.Version == "" || e.Version == h.current {
			h.turn(e.Time, "")
		}
	}
}

func (h *holding) turn(at time.Time, version string) {
	h.current = version
	h.turns = append(h.turns, turn{at, version})
}

// Apply returns the capabilities as they may be served under the log, with their History. It
// does not change the argument.
//
// A capability that lags the log gets a Problem, and the log decides. A version with another
// digest is refused. A yanked or revoked version stays so. The current version is the one in
// the log. Everything else is unchanged. The registry may be ahead of its log, because a
// writer without the key of the log cannot log its changes.
func (g *Logged) Apply(capabilities []Capability) []Capability {
	out := slices.Clone(capabilities)
	here := map[string]bool{}
	for i := range out {
		c := &out[i]
		here[c.ID] = true
		held := g.holding(c.ID, c)
		c.History = &History{LogSpan: g.span, turns: held.turns}
		c.applyLog(held)
	}
	for id := range g.entries {
		if held := g.holding(id, nil); !here[id] && len(held.versions) > 0 {
			out = append(out, Capability{ID: id, Problem: notMet(errors.New("it is gone from the registry")), History: &History{LogSpan: g.span, turns: held.turns}})
		}
	}
	slices.SortFunc(out, func(a, b Capability) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// notMet returns the problem of a capability that lags the log.
func notMet(err error) error {
	return fmt.Errorf("the registry is older than its log: %w: bring it up to date; after a removal on purpose, run slipstick log update --removed", err)
}

func (c *Capability) applyLog(held *holding) {
	var errs []error
	current := c.checkCurrentBehindLog(held)
	c.Releases = slices.Clone(c.Releases)
	for version, was := range sortedBy(held.versions) {
		err := c.checkBehindLog(version, was, held)
		if err == nil {
			continue
		}
		errs = append(errs, fmt.Errorf("version %.100s %w", version, err))
		i := slices.IndexFunc(c.Releases, func(r *Release) bool { return r.Version == version })
		if i < 0 {
			continue
		}
		rel := *c.Releases[i]
		c.Releases[i] = &rel
		if rel.Digest != was.release {
			rel.Problem = notMet(err)
		}
		if was.state == evidence.Yanked || was.state == evidence.Revoked {
			rel.Lifecycle = evidence.Lifecycle{State: was.state, Reason: "its publisher did so in the log of the registry, without a reason"}
		}
		if c.Current == version && !rel.Lifecycle.Serves() {
			c.Current = ""
		}
	}
	if current != nil {
		errs = append(errs, current)
		if rel, err := find(c.Releases, held.current); err == nil && rel.Lifecycle.Serves() {
			c.Current = held.current
		}
	}
	if len(errs) > 0 {
		c.Problem = errors.Join(c.Problem, notMet(errors.Join(errs...)))
	}
}

// checkBehindLog returns the way in which a version lags the log.
func (c *Capability) checkBehindLog(version string, was held, log *holding) error {
	rel, err := find(c.Releases, version)
	switch {
	case err != nil || rel.unlisted:
		return errors.New("is gone")
	case rel.Digest != was.release:
		return fmt.Errorf("was %s, and is %s", was.release, cmp.Or(rel.Digest, "not to be read"))
	case rel.State() == was.state || was.state != evidence.Revoked && c.isLater(rel, log):
		return nil
	}
	return fmt.Errorf("was %s, and is %s without a later record", was.state, rel.State())
}

// isLater reports whether the lifecycle state of a release comes from a record that is not in
// the log yet. Where signatures are required, its number must be higher than the numbers in
// the log.
func (c *Capability) isLater(rel *Release, log *holding) bool {
	return slices.ContainsFunc(rel.Evidence, func(e evidence.Evidence) bool {
		if e.Lifecycle == nil || !e.Counts || e.Lifecycle.State != rel.State() || log.statements[e.Digest] {
			return false
		}
		return !c.Sequenced || log.sequence == 0 || e.Sequence() > log.sequence
	})
}

// checkCurrentBehindLog returns an error if the current version differs from the log without a
// reason. Reasons are a later signed statement, and a later withdrawal of the version. If the
// tag alone decides which version is current, it may also point to a newer version.
func (c *Capability) checkCurrentBehindLog(log *holding) error {
	was := log.current
	switch {
	case was == "" || c.Current == was:
		return nil
	case c.Sequenced && c.led > log.sequence:
		return nil
	case !c.Sequenced && c.Current != "" && versions.Newest([]string{was, c.Current})[0] == c.Current:
		return nil
	}
	if rel, err := find(c.Releases, was); err == nil && !rel.Lifecycle.Serves() && c.isLater(rel, log) {
		return nil
	}
	return fmt.Errorf("current was %s, and is %s", was, cmp.Or(c.Current, "none"))
}
