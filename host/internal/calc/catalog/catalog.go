// Package catalog contains the capabilities, tables and versions that are published at one time. A
// [Catalog] finds the release for a request. A [View] lists and describes releases to callers.
package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/preset"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/versions"
)

// maxAcceptable is the largest number of ids in a 404. Ids after the first few have nothing in common with the id
// that was sent.
const maxAcceptable = 10

// Catalog has everything that is published at the same time.
type Catalog struct {
	entries   []*Entry // calculations by capability id
	all       []*Entry // capabilities and tables
	tables    map[string]*Entry
	byID      map[string]*Entry
	registry  string // of [In]
	readCodes sync.Once
	codes     []problem.Doc
}

// Release is one published version, and Evidence is a statement about it. Both belong to the
// registry. The aliases let the servers of the interface name them. A change of the registry's types
// still reaches the servers.
type (
	Release  = registry.Release
	Evidence = evidence.Evidence
)

// Entry is one published capability.
type Entry struct {
	registry.Capability
	Tool string // "" if no release can be read; ID if the tool id belongs to another capability

	unpinned *Release // for requests without a pin; nil if they get a problem
}

// Shown returns the release that describes the capability: the current one, or else the
// newest one with a readable Spec. It returns nil if no Spec can be read.
func (e *Entry) Shown() *Release {
	var shown *Release
	for _, r := range slices.Backward(e.Releases) {
		if r.Spec.Tool != "" && (shown == nil || shown.Version != e.Current) {
			shown = r
		}
	}
	return shown
}

// New returns the catalog of the capabilities, which must be sorted by id. Every tool
// id belongs to one capability, as [registry.Names.Give] decides.
func New(capabilities []registry.Capability) *Catalog {
	c := &Catalog{entries: make([]*Entry, 0, len(capabilities)), byID: make(map[string]*Entry, 2*len(capabilities)), tables: map[string]*Entry{}}
	for _, published := range withUses(capabilities) {
		e := &Entry{Capability: published}
		c.all = append(c.all, e)
		if preset.IsTable(e.ID) {
			c.tables[e.ID] = e
			continue
		}
		c.entries = append(c.entries, e)
		c.byID[e.ID] = e
		e.unpinned, _ = e.resolve(nil)
		for _, tool := range e.Tools { // even if no release can be read now
			c.byID[tool] = e
		}
		for _, r := range slices.Backward(e.Releases) { // oldest first: the newest names the tool
			if r.Spec.Tool != "" {
				e.Tool = r.Spec.Tool
				if c.byID[e.Tool] == nil { // a capability never takes the tool id of another
					c.byID[e.Tool] = e
				}
			}
		}
	}
	return c
}

// In returns the catalog of the capabilities of a registry, as [New] does. A problem of an unknown id names the registry.
func In(from string, capabilities []registry.Capability) *Catalog {
	c := New(capabilities)
	c.registry = from
	return c
}

// Of returns the catalog in which the capability is the only one.
func Of(e *Entry) *Catalog { return New([]registry.Capability{e.Capability}) }

// All returns everything that is published, calculations and tables, sorted by id.
func (c *Catalog) All() []*Entry { return c.all }

// Entries returns the capabilities that compute, sorted by id.
func (c *Catalog) Entries() []*Entry { return c.entries }

// Find returns the capability with the capability id or tool id. The error is an
// ENGINE_NOT_FOUND problem that lists acceptable ids.
func (c *Catalog) Find(id string) (*Entry, error) {
	if e, ok := c.byID[id]; ok {
		return e, nil
	}
	p := problem.New(problem.CodeEngineNotFound, "Send one of acceptable_ids; GET /api/v1/calc lists all.",
		"no capability or tool has the id %q", request.Clip(id))
	if len(c.entries) == 0 {
		p.Suggestion = "Nothing is published here yet; ask again later."
	}
	if e, guess := c.Guess(id); e != nil {
		p.Guess, p.Suggestion = guess, fmt.Sprintf("Did you mean %s? ", guess)+p.Suggestion
	}
	p.Field, p.AcceptableIDs, p.Searched = "id", c.Nearest(id, maxAcceptable), c.registry
	return nil, p
}

// Nearest returns up to n published ids, nearest first. For each capability it returns the capability
// id or the tool id, whichever is nearer to id. The ids with most of the words of id are nearest. Ids with
// equally many words are sorted by the part of their letters that differs, so that a short id is not near to everything.
func (c *Catalog) Nearest(id string, n int) []string {
	type near struct {
		id    string
		words int
		apart float64
	}
	id = id[:min(len(id), spelling.MaxWord)]
	wanted := wordsOf(id)
	all := make([]near, 0, len(c.entries))
	for _, e := range c.entries {
		name := spelling.Nearest(id, e.names(), 1)[0]
		one := near{id: name, apart: float64(spelling.Distance(id, name)) / float64(max(len(id), len(name)))}
		has := wordsOf(strings.Join(e.names(), " "))
		for _, word := range wanted {
			if slices.Contains(has, word) {
				one.words++
			}
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(a.apart, b.apart))
	})
	ids := make([]string, min(n, len(all)))
	for i := range ids {
		ids[i] = all[i].id
	}
	return ids
}

// wordsOf splits ids into words of at least three letters, so that "by" and "of" do not count.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(words, func(word string) bool { return len(word) < 3 })
}

// Guess returns the capability that an unknown id probably misspells, and the correct id. It
// returns nil if none is similar enough.
func (c *Catalog) Guess(id string) (*Entry, string) {
	known := make([]string, 0, len(c.byID))
	for _, e := range c.entries {
		known = append(known, e.names()...)
	}
	guess, ok := spelling.Guess(id, known)
	if !ok {
		return nil, ""
	}
	return c.byID[guess], guess
}

// names returns the ids of the capability.
func (e *Entry) names() []string {
	if e.Tool == "" || e.Tool == e.ID {
		return []string{e.ID}
	}
	return []string{e.ID, e.Tool}
}

// Release returns the release that the pins select, of the capability with the capability id
// or tool id. The errors are the same as from [Catalog.Find] and [Entry.Release].
func (c *Catalog) Release(id string, pins []versions.Pin) (*Entry, *Release, error) {
	e, err := c.Find(id)
	if err != nil {
		return nil, nil, err
	}
	r, err := e.Release(pins)
	return e, r, err
}

// Version returns the release of a version in any state, or nil if it is not published.
func (e *Entry) Version(version string) *Release {
	i := slices.IndexFunc(e.Releases, func(r *Release) bool { return r.Version == version })
	if i < 0 {
		return nil
	}
	return e.Releases[i]
}

// Release returns the release that the pins select. The error is a problem: 400 or 409 for
// invalid pins, 503 if the release cannot be served.
func (e *Entry) Release(pins []versions.Pin) (*Release, error) {
	if len(pins) == 0 && e.unpinned != nil {
		return e.unpinned, nil
	}
	return e.resolve(pins)
}

func (e *Entry) resolve(pins []versions.Pin) (*Release, error) {
	exact, times := versions.SplitTimes(pins)
	pin, pinned, err := versions.Agree(exact)
	if err == nil && times != nil {
		pin, err = e.asOf(times, exact, pin)
		pinned = true
	}
	if err != nil {
		return nil, err
	}
	if e.Problem != nil && (len(e.Releases) == 0 || !pinned && e.Current == "") {
		return nil, e.unavailable(pin)
	}
	// Revoked versions can never be resolved. A damaged version can: its problem
	// asks the caller to try again.
	usable, published := make([]*Release, 0, len(e.Releases)), make([]string, 0, len(e.Releases))
	for _, r := range e.Releases {
		if r.Lifecycle.State != evidence.Revoked {
			usable, published = append(usable, r), append(published, r.Version)
		}
	}
	current := e.Current
	if !pinned && !slices.Contains(published, current) {
		current = ""
	}
	version, err := versions.Resolve(pin, pinned, published, current)
	if err != nil {
		return nil, e.revokedProblem(pin, err)
	}
	r := usable[slices.Index(published, version)]
	if r.Problem != nil {
		return nil, problem.Unavailable(e.ID, version, r.Problem)
	}
	return r, nil
}

// ErrOutOfDate is the cause of problems if this server cannot serve the current version of the other
// servers of the service.
var ErrOutOfDate = errors.New("the other servers have moved to a version that this server does not have yet")

// unavailable returns the problem of a capability that cannot be served at all, or not
// without a pin.
func (e *Entry) unavailable(pin string) *problem.Problem {
	p := problem.Unavailable(e.ID, pin, e.Problem)
	if errors.Is(e.Problem, registry.ErrNoCurrent) {
		p.Detail = fmt.Sprintf("%s has no current version: this service counts signed statements only, and none makes a version current", e.ID)
		p.Suggestion = fmt.Sprintf("Pin one of the published versions. Its publisher can sign the current version: slipstick promote %s VERSION --sign KEY", e.ID)
	}
	if errors.Is(e.Problem, ErrOutOfDate) && len(e.Releases) > 0 {
		p.Detail = fmt.Sprintf("this server does not have the current version of %s yet, which the other servers serve", e.ID)
		p.Suggestion = fmt.Sprintf("Try again in %d s, or pin one of the published versions.", p.RetryAfter)
	}
	return p
}

// revokedProblem returns the problem of a version that cannot be resolved. If the version,
// or every version, was revoked, the detail gives the reason.
func (e *Entry) revokedProblem(pin string, err error) error {
	p := problem.Of(err)
	i := slices.IndexFunc(e.Releases, func(r *Release) bool { return r.Version == pin && r.Lifecycle.State == evidence.Revoked })
	switch {
	case i >= 0:
		p.Detail = fmt.Sprintf("version %s was revoked and is never computed with again: %s", pin, e.Releases[i].Lifecycle.Reason)
	case e.Revoked():
		p.Detail = fmt.Sprintf("every version of %s was revoked and is never computed with again; the newest, %s: %s",
			e.ID, e.Releases[0].Version, e.Releases[0].Lifecycle.Reason)
	}
	if e.Revoked() {
		p.Suggestion = "Use another capability, or ask again when a new version of this one is published: no other pin helps."
	}
	return p
}

// Revoked reports whether every version was revoked, so that no pin can succeed.
func (e *Entry) Revoked() bool {
	return len(e.Releases) > 0 && !slices.ContainsFunc(e.Releases, func(r *Release) bool { return r.Lifecycle.State != evidence.Revoked })
}

// Summary counts the capabilities and releases that can be served. It also describes the
// others and the reasons. down holds the releases with engines that do not run.
func (c *Catalog) Summary(down map[*Release]error) (capabilities, releases int, out []string) {
	for _, e := range c.all {
		if e.Problem != nil {
			out = append(out, fmt.Sprintf("%s: %v", e.ID, e.Problem))
		}
		served := 0
		for _, r := range e.Releases {
			if err := cmp.Or(r.Problem, down[r]); err != nil {
				out = append(out, fmt.Sprintf("%s %s: %v", e.ID, r.Version, err))
				continue
			}
			if r.Available() {
				served++
			}
		}
		if e.Revoked() {
			out = append(out, e.ID+": every version was revoked")
		}
		if preset.IsTable(e.ID) {
			continue
		}
		releases += served
		if served > 0 {
			capabilities++
		}
	}
	return capabilities, releases, out
}

// PagePath returns the path of the Spec's calculator page (spec 4).
func PagePath(spec *sdk.Spec) string { return "/calc/" + spec.Group + "/" + spec.Tool }

// Known returns a release with a Spec, even if it must not run. It returns nil if there is none.
func (c *Catalog) Known(id, version string) *Release {
	entry, err := c.Find(id)
	if err != nil {
		return nil
	}
	if r := entry.Version(version); r != nil && r.Spec.Capability != "" {
		return r
	}
	return nil
}
