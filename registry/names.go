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
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
)

// Names gives every tool id to one capability, and remembers it in a file of its own. A
// tool id belongs to the capability that had it first; where nobody remembers that, the
// first of these decides:
//
//  1. the trust file lists the tool id at the key that signed,
//  2. a checkpoint names the capability,
//  3. a trusted key has signed the release,
//  4. it was signed or, if it is not signed, published earlier,
//  5. the order of the capability ids.
//
// A release that cannot be read or is out of the scope of its key names nothing. One that is
// damaged or not trusted names its tool id only for as long as no other release does: so
// calls of it are told what is wrong. The zero Names remembers nothing. It is not safe for concurrent use.
type Names struct {
	file         string
	kept         keptTools
	checkpointed map[string]string // capability by tool id, of a checkpoint
	unsaved      bool              // kept is not what the file holds
}

// keptTools is what the file holds.
type keptTools struct {
	Format int                 `json:"format"`
	Tools  map[string]string   `json:"tools"`          // capability by tool id
	Took   map[string][]string `json:"took,omitempty"` // versions that name what is not theirs, by capability
}

const namesFormat = 1

// TakenError is the problem of a capability that names tool ids which are not its own. It
// can be called by its capability id.
type TakenError struct {
	Capability string
	Taken      []Taken
}

// Taken is a tool id that a version names in vain.
type Taken struct {
	Version string
	Tool    string
	Owner   string // capability that it belongs to, "" if it is only out of scope
	Why     string
}

// Error lists the tool ids and says what to do.
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

// OpenNames returns what is remembered in a file, which need not exist.
func OpenNames(file string) (*Names, error) {
	n := &Names{file: file}
	data, err := regular.Read(file, maxMemory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n, nil
	case err != nil:
		return nil, fmt.Errorf("whose tool ids are: %w", err)
	}
	if err = json.Unmarshal(data, &n.kept); err == nil && n.kept.Format != namesFormat {
		err = fmt.Errorf("it has the format %d, not %d", n.kept.Format, namesFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("whose tool ids are: %s: %w: restore the file, or remove it to begin anew", file, err)
	}
	return n, nil
}

// AdoptCheckpoint takes over whose tool ids are by a checkpoint, where nothing is remembered.
func (n *Names) AdoptCheckpoint(state *sign.State) {
	n.checkpointed = map[string]string{}
	for id, held := range state.Capabilities {
		for _, tool := range held.Tools {
			n.checkpointed[tool] = id
		}
	}
}

// Usurped are the versions for which Took is true, by capability.
func (n *Names) Usurped() map[string][]string { return n.kept.Took }

// Took reports whether a version named a tool id that is not its own at the last look, or at
// the last one before a restart: what should not have been there may go without a trace.
func (n *Names) Took(capability, version string) bool {
	return slices.Contains(n.kept.Took[capability], version)
}

// Give returns the capabilities with the tool ids that belong to them. Releases that name
// one of another have their capability id in its place, and the capability a [*TakenError].
// What is new is remembered; the error is that it could not be written.
func (n *Names) Give(list []Capability) ([]Capability, error) {
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
		taken, took := c.give(owners)
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

// give takes from the releases the tool ids that are not the capability's. It returns those
// that must be told of, and the versions that name what belongs to another: also those that
// are damaged or not trusted, of which that is told already.
func (c *Capability) give(owners map[string]owner) (taken []Taken, took []string) {
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
	why string // "" if the claims tell
}

// over says why the owner comes before another capability.
func (o owner) over(other claim) string {
	if o.why != "" {
		return o.why
	}
	return o.claim.over(other)
}

// owners says of every tool id to which capability it belongs.
func (n *Names) owners(list []Capability) map[string]owner {
	all := map[string]owner{}
	for _, stands := range []func(*Release) bool{(*Release).untrusted, (*Release).damaged, (*Release).sound} {
		for tool, these := range claims(list, stands) { // each before the ones above
			all[tool] = owner{claim: these[0]}
		}
	}
	for tool, id := range n.checkpointed {
		if best := all[tool]; !best.Kept || !best.sound {
			all[tool] = owner{claim{capability: id, sound: true}, "the checkpoint names it"}
		}
	}
	for tool, id := range n.kept.Tools {
		all[tool] = owner{claim{capability: id, sound: true}, "it had it first, as is remembered in " + n.file}
	}
	return all
}

// save writes the file, if there is something new.
func (n *Names) save() error {
	if !n.unsaved || n.file == "" {
		return nil
	}
	data, err := json.MarshalIndent(n.kept, "", " ")
	if err == nil {
		err = store.ReplaceFile(n.file, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remember whose tool ids are: %w", err)
	}
	n.unsaved = false
	return nil
}
