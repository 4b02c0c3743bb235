package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/registry/store"
)

// Names assigns every tool id to one capability, and remembers the assignment in a file. A
// tool id belongs to the capability that had it first. If that is not remembered, the first
// rule that distinguishes two capabilities decides:
//
//  1. the trust file lists the tool id at the key that signed,
//  2. the log of the registry has the capability first,
//  3. a trusted key has signed the release,
//  4. it was signed or, if it is not signed, published earlier,
//  5. the order of the capability ids.
//
// A release that cannot be read, or that is out of the scope of its key, claims no tool id. A
// damaged or untrusted release keeps its tool id only while no other release claims it. In
// that way callers learn what is wrong with it.
//
// The zero Names remembers nothing. It is not safe for concurrent use.
type Names struct {
	file    string
	kept    keptTools
	logged  map[string]string // capability by tool id, from the log of the registry
	unsaved bool              // kept has changes that the file does not have
}

// keptTools is the content of the file.
type keptTools struct {
	Format int                 `json:"format"`
	Tools  map[string]string   `json:"tools"`          // capability by tool id
	Took   map[string][]string `json:"took,omitempty"` // versions that claim a tool id of another capability, by capability
}

const namesFormat = 1

// TakenError is the problem of a capability that claims tool ids of other capabilities. It
// can still be called by its capability id.
type TakenError struct {
	Capability string
	Taken      []Taken
}

// Taken is a tool id that a version claims without success.
type Taken struct {
	Version string
	Tool    string
	Owner   string // capability to which it belongs; "" if it is only out of the scope of the key
	Why     string // rule by which it belongs to the owner
}

// Error lists the tool ids and explains what to do.
func (e *TakenError) Error() string {
	var list []string
	for _, t := range e.Taken {
		text := fmt.Sprintf("version %s names the tool id %s, which belongs to %s (%s)", t.Version, t.Tool, t.Owner, t.Why)
		if t.Owner == "" {
			text = fmt.Sprintf("version %s names the tool id %s, which it may not (%s)", t.Version, t.Tool, t.Why)
		}
		list = append(list, text)
	}
	return fmt.Sprintf("%s: it is called by the id %s alone; publish it under a tool id of its own, or remove it", strings.Join(list, "; "), e.Capability)
}

// OpenNames reads a file of tool ids, which need not exist.
func OpenNames(file string) (*Names, error) {
	n := &Names{file: file}
	data, err := regular.Read(file, maxMemory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n, nil
	case err != nil:
		return nil, fmt.Errorf("whose tool ids are: %w", err)
	}
	err = json.Unmarshal(data, &n.kept)
	if err == nil && n.kept.Format != namesFormat {
		err = fmt.Errorf("it has the format %d, not %d", n.kept.Format, namesFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("the owners of tool ids in %s: %w: restore the file, or remove it to start again", file, err)
	}
	return n, nil
}

// AdoptLog adopts the owners of tool ids from the log of the registry. They count where nothing
// is remembered.
func (n *Names) AdoptLog(g *Logged) { n.logged = g.tools }

// Conflicting returns the versions for which [Names.Took] is true, by capability.
func (n *Names) Conflicting() map[string][]string { return n.kept.Took }

// Took reports whether a version claimed a tool id of another capability at the last look,
// also before a restart. Such a version may be removed without being damage.
func (n *Names) Took(capability, version string) bool {
	return slices.Contains(n.kept.Took[capability], version)
}

// Assign returns the capabilities with their tool ids. A release that claims a tool id of
// another capability gets its capability id as tool id, and its capability gets a
// [*TakenError]. Assign remembers new assignments. The error means that they could not be
// written; the returned capabilities are still valid.
func (n *Names) Assign(list []Capability) ([]Capability, error) {
	owners := n.owners(list)
	now := keptTools{Format: namesFormat, Tools: maps.Clone(n.kept.Tools), Took: map[string][]string{}}
	out := slices.Clone(list)
	tools := map[string][]string{}
	for tool, o := range sortedBy(owners) {
		tools[o.capability] = append(tools[o.capability], tool)
		if o.sound && now.Tools == nil {
			now.Tools = map[string]string{}
		}
		if o.sound {
			now.Tools[tool] = o.capability
		}
	}
	for i := range out {
		c := &out[i]
		c.Tools = tools[c.ID]
		taken, took := c.dropForeignTools(owners)
		if len(took) > 0 {
			now.Took[c.ID] = took
		}
		if len(taken) > 0 {
			wrong := &TakenError{c.ID, taken}
			if c.Problem == nil {
				c.Problem = wrong
			} else {
				c.Problem = errors.Join(c.Problem, wrong)
			}
		}
	}
	n.unsaved = n.unsaved || !maps.Equal(n.kept.Tools, now.Tools) || !maps.EqualFunc(n.kept.Took, now.Took, slices.Equal)
	n.kept = now
	return out, n.save()
}

// dropForeignTools removes tool ids from the releases of c that belong to other capabilities.
// Taken has the tool ids to report. Took has all versions that claim a tool id of another
// capability. That includes damaged and untrusted versions, which have a Problem for that
// reason already.
func (c *Capability) dropForeignTools(owners map[string]owner) (taken []Taken, took []string) {
	c.Releases = slices.Clone(c.Releases)
	for i, rel := range c.Releases {
		tool := rel.published().Tool
		o, owned := owners[tool]
		if tool == "" || owned && o.capability == c.ID {
			continue
		}
		c.Releases[i] = rel.called(c.ID)
		if owned || rel.naming.Why != nil {
			took = append(took, rel.Version)
		}
		switch {
		case rel.naming.Why != nil:
			taken = append(taken, Taken{Version: rel.Version, Tool: tool, Owner: o.capability, Why: rel.naming.Why.Error()})
		case owned && rel.sound():
			taken = append(taken, Taken{rel.Version, tool, o.capability, o.over(claim{c.ID, rel.naming, true})})
		}
	}
	return taken, took
}

// owner is the capability that a tool id belongs to.
type owner struct {
	claim
	why string // "" if the comparison of the claims gives the reason
}

// over explains why the owner takes precedence over another capability.
func (o owner) over(other claim) string {
	if o.why != "" {
		return o.why
	}
	return o.claim.over(other)
}

// owners returns the owner of every tool id.
func (n *Names) owners(list []Capability) map[string]owner {
	all := map[string]owner{}
	for _, matches := range []func(*Release) bool{(*Release).untrusted, (*Release).damaged, (*Release).sound} {
		for tool, these := range claims(list, matches) { // later kinds of releases take precedence
			all[tool] = owner{claim: these[0]}
		}
	}
	for tool, id := range n.logged {
		if best := all[tool]; !best.Kept || !best.sound {
			all[tool] = owner{claim{capability: id, sound: true}, "it is the first that names it in the log of the registry"}
		}
	}
	for tool, id := range n.kept.Tools {
		all[tool] = owner{claim{capability: id, sound: true}, "it had it first, as is remembered in " + n.file}
	}
	return all
}

// save writes the file if something is new.
func (n *Names) save() error {
	if !n.unsaved || n.file == "" {
		return nil
	}
	if err := store.ReplaceJSON(n.file, n.kept, " "); err != nil {
		return fmt.Errorf("remember whose tool ids are: %w", err)
	}
	n.unsaved = false
	return nil
}
