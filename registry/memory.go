package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/regular"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Memory is the trust-on-first-use store of a server: a file with everything that it has seen
// of a registry. With it, the server notices after a restart that a registry was rewritten, or
// restored from an older copy. It is not safe for concurrent use.
type Memory struct {
	file    string
	seen    map[string]*remembered // by capability
	checked map[string]checked     // capabilities without problems, by id

	unsaved bool // seen has changes that the file does not have
}

// checked is a capability before and after Check. Neither has a Problem, so nothing is lost,
// and checking it again gives the same result.
type checked struct{ given, returned Capability }

// maxMemory is the largest size of the file, in bytes.
const maxMemory = 64 << 20

// memoryFormat is the version of the file format. The first format had no version number,
// and only the versions of each capability.
const memoryFormat = 2

type memoryFile struct {
	Format       int                    `json:"format"`
	Capabilities map[string]*remembered `json:"capabilities"`
}

// remembered is what was seen of a capability.
type remembered struct {
	Lead     *led            `json:"lead,omitempty"` // where signatures are required
	Versions map[string]seen `json:"versions"`

	text []byte // as the file has it; nil if it has changed
}

// seen has the facts about a version that must not change, and its last lifecycle record.
type seen struct {
	Digest    string              `json:"digest"`             // of its manifest
	Revoked   string              `json:"revoked,omitempty"`  // the reason, if it was revoked
	Lifecycle *evidence.Lifecycle `json:"standing,omitempty"` // by the last signed record with a number
}

// OpenMemory reads a memory file, which need not exist.
func OpenMemory(file string) (*Memory, error) {
	m := &Memory{file: file}
	data, err := regular.Read(file, maxMemory)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.seen = map[string]*remembered{}
		return m, nil
	case err != nil:
		return nil, fmt.Errorf("what was seen of the registry: %w", err)
	}
	m.seen, err = readMemory(data)
	if err != nil {
		return nil, fmt.Errorf("the trust-on-first-use store %s: %w: restore the file, or remove it to start again", file, err)
	}
	return m, nil
}

func readMemory(data []byte) (map[string]*remembered, error) {
	var form struct {
		Format json.RawMessage `json:"format"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return nil, err
	}
	all := map[string]*remembered{}
	if form.Format == nil { // no capability has this id
		var first map[string]map[string]seen
		err := json.Unmarshal(data, &first)
		for id, versions := range first {
			all[id] = &remembered{Versions: versions}
		}
		return all, err
	}
	file := memoryFile{Capabilities: all}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if file.Format != memoryFormat {
		return nil, fmt.Errorf("it has the format %d, and this program reads %d", file.Format, memoryFormat)
	}
	for id, r := range file.Capabilities {
		if r == nil || r.Versions == nil {
			return nil, fmt.Errorf("it has no versions of %.200s", id)
		}
	}
	return file.Capabilities, nil
}

// Check compares the capabilities with what was seen before, and returns them as they may be
// served:
//
//   - A version whose digest has changed gets a Problem.
//   - A revoked version stays revoked.
//   - A version that disappeared is a Problem of its capability. If index.json can be read,
//     the version is also listed, as a release that cannot be served.
//   - Where signatures are required, an earlier signed statement never replaces a later one.
//     Lifecycles and the current version stay until a statement has a higher number.
//
// Check then remembers everything new that can be read. The error means that the file could
// not be written; the returned capabilities are still valid.
func (m *Memory) Check(list []Capability) ([]Capability, error) {
	out := slices.Clone(list)
	was, here := m.checked, make(map[string]bool, len(list))
	m.checked = make(map[string]checked, len(list))
	for i := range out {
		id := out[i].ID
		here[id] = true
		if c, ok := was[id]; ok && c.given.equal(&list[i]) {
			out[i], m.checked[id] = c.returned, c
			continue
		}
		known := m.seen[id]
		if known == nil {
			known = &remembered{Versions: map[string]seen{}}
		}
		out[i] = m.check(out[i], known)
		if known.learn(&list[i]) {
			known.text = nil
			m.seen[id], m.unsaved = known, true
		}
		if list[i].Problem == nil && out[i].Problem == nil {
			m.checked[id] = checked{list[i], out[i]}
		}
	}
	for id := range m.seen {
		if !here[id] {
			out = append(out, Capability{ID: id, Problem: m.lost("it is gone from the registry")})
		}
	}
	slices.SortFunc(out, func(a, b Capability) int { return strings.Compare(a.ID, b.ID) })
	if !m.unsaved {
		return out, nil
	}
	return out, m.save()
}

func (m *Memory) check(c Capability, known *remembered) Capability {
	if c.Problem != nil && len(c.Releases) == 0 {
		return c // nothing could be read, so nothing is known to be missing
	}
	problems := []error{c.Problem}
	c.Releases = slices.Clone(c.Releases)
	for version, was := range sortedBy(known.Versions) {
		i := slices.IndexFunc(c.Releases, func(r *Release) bool { return r.Version == version })
		if i < 0 {
			problems = append(problems, m.lost("version %s is gone from the registry", version))
			c.Releases = append(c.Releases, m.unlistedRelease(c.ID, version, was))
			continue
		}
		rel := *c.Releases[i]
		switch {
		case rel.Digest != "" && rel.Digest != was.Digest:
			rel.Problem = m.lost("it was %s when it was first seen here, and the registry now has %s", was.Digest, rel.Digest)
		case was.Revoked != "" && rel.Lifecycle.State != evidence.Revoked:
			rel.Lifecycle = evidence.Lifecycle{State: evidence.Revoked, Reason: was.Revoked}
			problems = append(problems, m.lost("version %s was revoked, and the registry no longer shows it", version))
		case c.Sequenced && was.Lifecycle != nil && was.Lifecycle.Sequence > rel.Lifecycle.Sequence && rel.Lifecycle.State != evidence.Revoked:
			problems = append(problems, m.lost("version %s is %s by the signed record %d, and the registry no longer has that", version, was.Lifecycle.State, was.Lifecycle.Sequence))
			rel.Lifecycle = *was.Lifecycle
		default:
			continue
		}
		c.Releases[i] = &rel
		if c.Current == version && !rel.Lifecycle.Serves() {
			c.Current = ""
			if !c.Sequenced {
				c.Current = newestEligible(c.Releases)
			}
		}
	}
	problems = append(problems, m.checkLead(&c, known.Lead))
	c.Problem = errors.Join(problems...)
	c.Releases = sorted(c.Releases)
	return c
}

// unlistedRelease represents a version that was seen but is no longer listed. Without it,
// callers would get the answer that the version was never published.
func (m *Memory) unlistedRelease(capability, version string, was seen) *Release {
	rel := &Release{
		Capability: capability, Version: version, Digest: was.Digest, unlisted: true,
		Verification: verification.Record{Tier: verification.Candidate}, Lifecycle: evidence.Lifecycle{State: evidence.Active},
		Problem: m.lost("it is gone from the registry"),
	}
	switch {
	case was.Revoked != "":
		rel.Lifecycle = evidence.Lifecycle{State: evidence.Revoked, Reason: was.Revoked}
	case was.Lifecycle != nil:
		rel.Lifecycle = *was.Lifecycle
	}
	return rel
}

// lost returns an error about missing data, with advice.
func (m *Memory) lost(format string, args ...any) error {
	return fmt.Errorf(format+": restore the registry from a backup; if a new registry replaces it on purpose, remove %s", append(args, m.file)...)
}

// learn remembers what is new in a capability, and reports whether there was anything.
func (r *remembered) learn(c *Capability) (learned bool) {
	for _, rel := range c.Releases {
		was, known := r.Versions[rel.Version]
		if rel.Digest == "" || !known && rel.Problem != nil || known && was.Digest != rel.Digest {
			continue
		}
		now := was
		now.Digest = rel.Digest
		if rel.Lifecycle.State == evidence.Revoked && now.Revoked == "" {
			now.Revoked = rel.Lifecycle.Reason
		}
		if c.Sequenced && rel.Lifecycle.Sequence > 0 && (was.Lifecycle == nil || rel.Lifecycle.Sequence > was.Lifecycle.Sequence) {
			last := rel.Lifecycle
			now.Lifecycle = &last
		}
		if now != was {
			r.Versions[rel.Version], learned = now, true
		}
	}
	return r.learnLead(c) || learned
}

// save replaces the file atomically.
func (m *Memory) save() error {
	data, err := m.appendJSON(nil)
	if err == nil {
		err = store.Replace(m.file, data)
	}
	if err != nil {
		return fmt.Errorf("remember what was seen of the registry: %w", err)
	}
	m.unsaved = false
	return nil
}

// appendJSON appends the JSON of a memoryFile, in the form of json.MarshalIndent. It encodes
// only the capabilities that have changed: in a large registry one changes at a time.
func (m *Memory) appendJSON(dst []byte) ([]byte, error) {
	dst = fmt.Appendf(dst, "{\n \"format\": %d,\n \"capabilities\": {", memoryFormat)
	end := "}\n}\n"
	for id, r := range sortedBy(m.seen) {
		if r.text == nil {
			text, err := json.MarshalIndent(r, "  ", " ")
			if err != nil {
				return nil, err
			}
			r.text = text
		}
		name, err := json.Marshal(id)
		if err != nil {
			return nil, err
		}
		dst = append(append(append(append(dst, "\n  "...), name...), ": "...), r.text...)
		dst, end = append(dst, ','), "\n }\n}\n"
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), end...), nil
}

// sortedBy yields a map in the order of its keys.
func sortedBy[V any](m map[string]V) func(yield func(string, V) bool) {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
