package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Memory is what a host has once seen of a registry, in a file of its own. A registry that
// was written anew, or brought back from an older copy, cannot say something else of a
// version than it did: not after a restart of the host either. It is not safe for
// concurrent use.
type Memory struct {
	file string
	seen map[string]map[string]seen // by capability and version
}

// seen is what does not change in the life of a version.
type seen struct {
	Digest  string `json:"digest"`            // of its manifest
	Revoked string `json:"revoked,omitempty"` // the reason, once it was
}

// OpenMemory returns what is remembered in a file, which need not exist.
func OpenMemory(file string) (*Memory, error) {
	m := &Memory{file: file, seen: map[string]map[string]seen{}}
	data, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, nil
	case err != nil:
		return nil, fmt.Errorf("what was seen of the registry: %w", err)
	}
	if err := json.Unmarshal(data, &m.seen); err != nil {
		return nil, fmt.Errorf("what was seen of the registry: %s: %w: restore the file, or remove it to begin anew", file, err)
	}
	return m, nil
}

// Check returns the capabilities as they may be served. A version with another digest
// than it had gets a Problem, one that was revoked stays so, and what is gone is a Problem
// of its capability. What is new is remembered when it can be read; the error is that this
// could not be written.
func (m *Memory) Check(list []Capability) ([]Capability, error) {
	learned := false
	out := slices.Clone(list)
	for i := range out {
		known := m.seen[out[i].ID]
		out[i] = m.check(out[i], known)
		for _, rel := range list[i].Releases {
			if m.learn(out[i].ID, rel) {
				learned = true
			}
		}
	}
	for id := range m.seen {
		if !slices.ContainsFunc(list, func(c Capability) bool { return c.ID == id }) {
			out = append(out, Capability{ID: id, Problem: m.lost("it is gone from the registry")})
		}
	}
	slices.SortFunc(out, func(a, b Capability) int { return strings.Compare(a.ID, b.ID) })
	if !learned {
		return out, nil
	}
	return out, m.save()
}

func (m *Memory) check(c Capability, known map[string]seen) Capability {
	problems := []error{c.Problem}
	c.Releases = slices.Clone(c.Releases)
	for version, was := range sortedBy(known) {
		i := slices.IndexFunc(c.Releases, func(r *Release) bool { return r.Version == version })
		if i < 0 {
			problems = append(problems, m.lost("version %s is gone from the registry", version))
			continue
		}
		rel := *c.Releases[i]
		switch {
		case rel.Digest != "" && rel.Digest != was.Digest:
			rel.Problem = m.lost("it was %s when it was first seen here, and the registry now says %s", was.Digest, rel.Digest)
		case was.Revoked != "" && rel.Standing.State != Revoked:
			rel.Standing = Standing{State: Revoked, Reason: was.Revoked}
			problems = append(problems, m.lost("version %s was revoked, and the registry no longer says so", version))
		default:
			continue
		}
		c.Releases[i] = &rel
		if c.Current == version && !rel.Standing.Serves() {
			c.Current = leader(c.Releases)
		}
	}
	c.Problem = errors.Join(problems...)
	return c
}

// lost says what is wrong, and what to do.
func (m *Memory) lost(format string, args ...any) error {
	return fmt.Errorf(format+": restore the registry from a backup; if it was set up anew on purpose, remove %s", append(args, m.file)...)
}

// learn reports whether a release said something new.
func (m *Memory) learn(id string, rel *Release) bool {
	was, known := m.seen[id][rel.Version]
	if rel.Digest == "" || !known && rel.Problem != nil || known && (was.Digest != rel.Digest || was.Revoked != "") {
		return false
	}
	now := seen{Digest: rel.Digest}
	if rel.Standing.State == Revoked {
		now.Revoked = rel.Standing.Reason
	}
	if m.seen[id] == nil {
		m.seen[id] = map[string]seen{}
	}
	m.seen[id][rel.Version] = now
	return now != was
}

// save writes the file, whole or not at all.
func (m *Memory) save() error {
	data, err := json.MarshalIndent(m.seen, "", " ")
	if err == nil {
		err = ReplaceFile(m.file, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remember what was seen of the registry: %w", err)
	}
	return nil
}

// ReplaceFile puts a file with the bytes in place of one that was there, whole or not at
// all; it is on disk when ReplaceFile returns. The directory is made if there is none.
func ReplaceFile(name string, data []byte) error {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return err
	}
	if err := makeDir(dir); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if old, err := root.ReadFile(filepath.Base(name)); err == nil && bytes.Equal(old, data) {
		return nil
	}
	w := &writer{root, func(string) error { return nil }}
	temp := fmt.Sprintf(".%s.%d", filepath.Base(name), os.Getpid())
	if err = w.write(temp, data); err == nil {
		err = w.rename(temp, filepath.Base(name))
	}
	if err != nil {
		return errors.Join(err, w.remove(temp))
	}
	return w.sync(".")
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
