package calc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/envelope"
	"github.com/slipstick/slipstick/sdk/spelling"
	"github.com/slipstick/slipstick/versions"
)

// maxAcceptable bounds the ids that a 404 lists.
const maxAcceptable = 50

// Catalog is what is published at one moment.
type Catalog struct {
	entries []*Entry // by capability id
	byID    map[string]*Entry
	frames  map[*Release]*sdk.Frame
	paces   map[*Release]*pace
}

// Release is one published version, and Evidence what is said of it.
type (
	Release  = registry.Release
	Evidence = registry.Evidence
)

// Entry is one published capability.
type Entry struct {
	registry.Capability
	Tool string // "" when no release can be read, ID where another has what they name
}

// Shown is the release that describes the capability: the current one, or else the newest
// whose Spec can be read. It is nil if there is none.
func (e *Entry) Shown() *Release {
	var shown *Release
	for _, r := range slices.Backward(e.Releases) {
		if r.Spec.Tool != "" && (shown == nil || shown.Version != e.Current) {
			shown = r
		}
	}
	return shown
}

// NewCatalog returns the catalog of the capabilities, which are sorted by id. Every tool id
// belongs to one of them, as [registry.Names.Give] has it.
func NewCatalog(capabilities []registry.Capability) *Catalog {
	c := &Catalog{byID: map[string]*Entry{}, frames: map[*Release]*sdk.Frame{}, paces: map[*Release]*pace{}}
	for _, published := range capabilities {
		e := &Entry{Capability: published}
		c.entries = append(c.entries, e)
		c.byID[e.ID] = e
		for _, tool := range e.Tools { // also if no release can be read now
			c.byID[tool] = e
		}
		for _, r := range slices.Backward(e.Releases) { // oldest first: the newest names the tool
			c.paces[r] = new(pace)
			if r.Spec.Tool != "" {
				e.Tool = r.Spec.Tool
				if c.byID[e.Tool] == nil { // one capability never takes the tool id of another
					c.byID[e.Tool] = e
				}
			}
		}
	}
	return c
}

// Entries lists the capabilities by id.
func (c *Catalog) Entries() []*Entry { return c.entries }

// Find returns the capability with the capability id or tool id. The error is an
// ENGINE_NOT_FOUND problem that lists acceptable ids.
func (c *Catalog) Find(id string) (*Entry, error) {
	if e, ok := c.byID[id]; ok {
		return e, nil
	}
	nearest := c.nearest(id)
	p := NewProblem(CodeEngineNotFound, "Send one of acceptable_ids; GET the catalog for more about them.",
		"no capability or tool has the id %q", envelope.Clip(id))
	if len(nearest) > 0 {
		p.Suggestion = fmt.Sprintf("Did you mean %s? ", nearest[0]) + p.Suggestion
	}
	p.Field, p.AcceptableIDs = "id", nearest
	return nil, p
}

func (c *Catalog) nearest(id string) []string {
	known := make([]string, 0, len(c.byID))
	for _, e := range c.entries {
		known = append(known, e.ID)
		if e.Tool != "" && e.Tool != e.ID {
			known = append(known, e.Tool)
		}
	}
	return spelling.Nearest(id, known, maxAcceptable)
}

// Release returns the release that the pins mean, or the problem: 400 or 409 for
// the pins, 503 for a release that cannot be served.
func (e *Entry) Release(pins []versions.Pin) (*Release, error) {
	pin, pinned, err := versions.Agree(pins)
	if err != nil {
		return nil, err
	}
	if e.Problem != nil && (len(e.Releases) == 0 || !pinned && e.Current == "") {
		return nil, e.unavailable(pin)
	}
	usable, published := make([]*Release, 0, len(e.Releases)), make([]string, 0, len(e.Releases))
	for _, r := range e.Releases {
		if r.Standing.State != registry.Revoked {
			usable, published = append(usable, r), append(published, r.Version)
		}
	}
	version, err := versions.Resolve(pin, pinned, published, e.Current)
	if err != nil {
		return nil, e.withdrawn(pin, err)
	}
	r := usable[slices.Index(published, version)]
	if r.Problem != nil {
		return nil, Unavailable(e.ID, version, r.Problem)
	}
	return r, nil
}

// unavailable is the problem of a capability of which nothing can be served, or nothing
// without a pin.
func (e *Entry) unavailable(pin string) *Problem {
	p := Unavailable(e.ID, pin, e.Problem)
	if errors.Is(e.Problem, registry.ErrNoCurrent) {
		p.Detail = fmt.Sprintf("%s has no current version: this service counts signed statements only, and none makes a version current", e.ID)
		p.Suggestion = fmt.Sprintf("Pin one of the published versions. Who publishes it signs which is current: slipstick promote %s VERSION --sign KEY", e.ID)
	}
	return p
}

// withdrawn says of a pin that is not published why that is, if the version was revoked.
func (e *Entry) withdrawn(pin string, err error) error {
	i := slices.IndexFunc(e.Releases, func(r *Release) bool { return r.Version == pin && r.Standing.State == registry.Revoked })
	if i < 0 {
		return err
	}
	p := ProblemOf(err)
	p.Detail = fmt.Sprintf("version %s was revoked and is never computed with again: %s", pin, e.Releases[i].Standing.Reason)
	return p
}

// Summary counts what can be served, and says what cannot and why, for people. Down
// are releases that can be read and do not run.
func (c *Catalog) Summary(down map[*Release]error) (capabilities, releases int, out []string) {
	for _, e := range c.entries {
		if e.Problem != nil {
			out = append(out, fmt.Sprintf("%s: %v", e.ID, e.Problem))
		}
		served := 0
		for _, r := range e.Releases {
			if err := cmp.Or(r.Problem, down[r]); err != nil {
				out = append(out, fmt.Sprintf("%s %s: %v", e.ID, r.Version, err))
				continue
			}
			served++
		}
		releases += served
		if served > 0 {
			capabilities++
		}
	}
	return capabilities, releases, out
}
