// Package lockfile pins the versions that a piece of work relies on, byte for byte. Keep a lock
// [File] in the repository of that work. [Read] reads one, [All] locks everything that is
// published, and [File.Add] locks one version. [File.Differences] lists the ways in which a
// registry differs from the file. [File.Apply] restricts a server to the locked versions, and
// refuses versions with other bytes.
package lockfile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/versions"
)

// Format is the version of the file format.
const Format = 1

// File is a lock file. Its releases are sorted by capability, and newest first within each.
type File struct {
	Format   int       `json:"lock_format" validate:"eq=1"`
	Registry string    `json:"registry"` // directory or URL from which they were locked
	Releases []Release `json:"releases"`

	// Names has, by capability, the version that clients call by the plain name of the tool. Functions of
	// other versions have their version in the name. Adding a version does not change Names. A file without
	// an entry for a capability is read as if the entry were its current version.
	Names map[string]string `json:"names"`
}

// Release is one locked version.
type Release struct {
	Capability string            `json:"capability_id"`
	Version    string            `json:"calculation_version" validate:"version"`
	Digest     string            `json:"digest" validate:"required"` // of the manifest
	Engines    map[string]string `json:"engines"`                    // digests of executables, by platform
	Current    bool              `json:"current"`                    // calls without a pin get this version
}

// Read reads and checks a lock file. The error names the file and what is wrong.
func Read(name string) (*File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the lock file: %w; slipstick lock makes one", err)
	}
	f := new(File)
	err = json.Unmarshal(data, f)
	if err != nil {
		return nil, fmt.Errorf("%s is not a lock file, which is a JSON object: %w; slipstick lock writes one", name, err)
	}
	err = f.check()
	if err != nil {
		return nil, fmt.Errorf("the lock file %s: %w", name, err)
	}
	f.nameCurrent()
	return f, nil
}

// nameCurrent gives the plain names that no version has to the current versions. Tables have no name.
func (f *File) nameCurrent() {
	if f.Names == nil {
		f.Names = map[string]string{}
	}
	for _, r := range f.Releases {
		if r.Current && len(r.Engines) > 0 && f.Names[r.Capability] == "" {
			f.Names[r.Capability] = r.Version
		}
	}
}

// form checks lock files by their validate tags.
var form = documents.New(map[string]documents.Rule{
	"version": func(text, _ string) bool {
		_, err := versions.Parse(text)
		return err == nil
	},
})

func (f *File) check() error {
	err := form.Check(f, func(documents.Finding) error {
		return fmt.Errorf("it has the format %d, and this program reads %d", f.Format, Format)
	})
	if err != nil {
		return err
	}
	known, current := map[string]bool{}, map[string]bool{}
	for _, r := range f.Releases {
		name := r.Capability + "@" + r.Version
		err := form.Check(r, func(documents.Finding) error { return fmt.Errorf("%.300s has no version or no digest", name) })
		if err != nil {
			return err
		}
		if known[name] || r.Current && current[r.Capability] {
			return fmt.Errorf("%s is in it twice, or two versions are current", name)
		}
		known[name] = true
		current[r.Capability] = current[r.Capability] || r.Current
	}
	for id, version := range f.Names {
		if _, err := versions.Parse(version); err != nil {
			return fmt.Errorf("%.300s has the name of no version: %w", id, err)
		}
	}
	return nil
}

// Write replaces the file as a whole or not at all. Equal lock files have equal bytes.
func (f *File) Write(name string) error {
	f.sort()
	f.nameCurrent()
	if err := store.ReplaceJSON(name, f, "  "); err != nil {
		return fmt.Errorf("write the lock file: %w", err)
	}
	return nil
}

func (f *File) sort() {
	order := map[string]int{}
	for i, v := range versions.Newest(f.versions()) {
		order[v] = i
	}
	slices.SortFunc(f.Releases, func(a, b Release) int {
		return cmp.Or(strings.Compare(a.Capability, b.Capability), cmp.Compare(order[a.Version], order[b.Version]))
	})
}

func (f *File) versions() []string {
	all := map[string]bool{}
	for _, r := range f.Releases {
		all[r.Version] = true
	}
	return slices.Collect(maps.Keys(all))
}

// All returns a lock file with every version that is published and not revoked. From is the
// URL of the registry. The error names everything that cannot be read; the file has the rest.
func All(from string, list []registry.Capability) (*File, error) {
	f := &File{Format: Format, Registry: from, Releases: []Release{}}
	var errs []error
	for i := range list {
		if len(list[i].Releases) == 0 {
			errs = append(errs, fmt.Errorf("%s: %w", list[i].ID, list[i].Problem))
		}
		for _, rel := range list[i].Releases {
			if rel.Lifecycle.State == evidence.Revoked {
				continue
			}
			if err := f.Add(&list[i], rel.Version); err != nil {
				errs = append(errs, err)
			}
		}
	}
	f.nameCurrent()
	return f, errors.Join(errs...)
}

// Add locks a published version. It replaces an earlier lock of the same version. Then Add
// decides again which locked version of the capability is current. That is the registry's
// current version if it is locked, otherwise the newest locked version that may be current.
func (f *File) Add(c *registry.Capability, version string) error {
	i := slices.IndexFunc(c.Releases, func(r *registry.Release) bool { return r.Version == version })
	if i < 0 {
		return fmt.Errorf("%s %s is not published", c.ID, version)
	}
	rel := c.Releases[i]
	switch {
	case rel.Digest == "" || len(rel.Engines) == 0 && rel.Table == nil:
		return fmt.Errorf("%s %s cannot be read: %w", c.ID, version, rel.Problem)
	case rel.Lifecycle.State == evidence.Revoked:
		return fmt.Errorf("%s %s was revoked: %s", c.ID, version, rel.Lifecycle.Reason)
	}
	f.Releases = slices.DeleteFunc(f.Releases, func(r Release) bool { return r.Capability == c.ID && r.Version == version })
	f.Releases = append(f.Releases, Release{Capability: c.ID, Version: version, Digest: rel.Digest, Engines: maps.Clone(rel.Engines)})
	f.sort()
	f.setCurrent(c)
	return nil
}

// Pins returns the locked versions as CAPABILITY@VERSION.
func (f *File) Pins() []string {
	pins := make([]string, len(f.Releases))
	for i, r := range f.Releases {
		pins[i] = r.Capability + "@" + r.Version
	}
	return pins
}

// Has reports whether a version is locked.
func (f *File) Has(capability, version string) bool {
	_, locked := f.of(capability)[version]
	return locked
}

// Changed returns an error if a version is locked with other digests than the published ones.
func (f *File) Changed(c *registry.Capability, version string) error {
	locked, ok := f.of(c.ID)[version]
	i := slices.IndexFunc(c.Releases, func(r *registry.Release) bool { return r.Version == version })
	if !ok || i < 0 {
		return nil
	}
	if err := locked.differs(c.Releases[i]); err != nil {
		return fmt.Errorf("%s %s: %w; to lock the other bytes, remove it from the lock file first", c.ID, version, err)
	}
	return nil
}

// Remove forgets a version, or all versions of a capability if version is "". A plain name whose version is
// removed has no function, and no other version gets it. It is free again when all versions are removed.
func (f *File) Remove(c *registry.Capability, version string) error {
	before := len(f.Releases)
	f.Releases = slices.DeleteFunc(f.Releases, func(r Release) bool {
		return r.Capability == c.ID && (version == "" || r.Version == version)
	})
	if len(f.Releases) == before {
		return &NotLockedError{c.ID, version}
	}
	f.setCurrent(c)
	if len(f.of(c.ID)) == 0 {
		delete(f.Names, c.ID)
	}
	return nil
}

// Name gives the plain name of a capability to a locked version.
func (f *File) Name(capability, version string) error {
	if !f.Has(capability, version) {
		return &NotLockedError{capability, version}
	}
	f.nameCurrent()
	f.Names[capability] = version
	return nil
}

// NotLockedError means that a lock file does not have a version, or any version if Version is "".
type NotLockedError struct{ Capability, Version string }

// Error names the capability, and the version if there is one.
func (e *NotLockedError) Error() string {
	if e.Version == "" {
		return fmt.Sprintf("no version of %s is locked", e.Capability)
	}
	return fmt.Sprintf("%s %s is not locked", e.Capability, e.Version)
}

// setCurrent marks the locked version of a capability that is current.
func (f *File) setCurrent(c *registry.Capability) {
	var locked []string
	for _, r := range f.Releases {
		if r.Capability == c.ID {
			locked = append(locked, r.Version)
		}
	}
	current := c.Current
	if !slices.Contains(locked, current) {
		i := slices.IndexFunc(locked, func(v string) bool { return mayBeCurrent(c, v) })
		current = ""
		if i >= 0 {
			current = locked[i]
		}
	}
	for i, r := range f.Releases {
		if r.Capability == c.ID {
			f.Releases[i].Current = r.Version == current
		}
	}
}

func mayBeCurrent(c *registry.Capability, version string) bool {
	v, err := versions.Parse(version)
	return err == nil && v.Prerelease() == "" && slices.ContainsFunc(c.Releases, func(r *registry.Release) bool {
		return r.Version == version && r.Lifecycle.Serves()
	})
}

// Apply restricts published capabilities to the locked versions, and sets their current
// versions as locked. A version whose digests differ from the lock file gets a Problem, so it
// never runs. Apply does not change its argument.
func (f *File) Apply(list []registry.Capability) []registry.Capability {
	var out []registry.Capability
	for _, c := range list {
		locked := f.of(c.ID)
		if len(locked) == 0 {
			continue
		}
		var kept []*registry.Release
		c.Current = ""
		for _, rel := range c.Releases {
			lock, ok := locked[rel.Version]
			if !ok {
				continue
			}
			if err := lock.differs(rel); err != nil {
				other := *rel
				other.Problem = err
				rel = &other
			}
			if lock.Current && rel.Lifecycle.Serves() {
				c.Current = rel.Version
			}
			kept = append(kept, rel)
		}
		c.Releases = kept
		out = append(out, c)
	}
	return out
}

// of returns the locked versions of a capability, by version.
func (f *File) of(id string) map[string]Release {
	found := map[string]Release{}
	for _, r := range f.Releases {
		if r.Capability == id {
			found[r.Version] = r
		}
	}
	return found
}

// differs returns an error if a release has other digests than the locked ones.
func (r Release) differs(rel *registry.Release) error {
	if rel.Digest != "" && rel.Digest != r.Digest {
		return fmt.Errorf("it is locked as %s, and the registry has %s: it is not run", r.Digest, rel.Digest)
	}
	for _, platform := range slices.Sorted(maps.Keys(r.Engines)) {
		if found, ok := rel.Engines[platform]; rel.Engines != nil && (!ok || found != r.Engines[platform]) {
			return fmt.Errorf("its engine for %s is locked as %s, and the registry has %.100q: it is not run", platform, r.Engines[platform], found)
		}
	}
	return nil
}

// find returns the published release of a locked version, and its capability. Either is nil
// if there is none.
func (r Release) find(list []registry.Capability) (*registry.Release, *registry.Capability) {
	i := slices.IndexFunc(list, func(c registry.Capability) bool { return c.ID == r.Capability })
	if i < 0 {
		return nil, nil
	}
	j := slices.IndexFunc(list[i].Releases, func(rel *registry.Release) bool { return rel.Version == r.Version })
	if j < 0 {
		return nil, &list[i]
	}
	return list[i].Releases[j], &list[i]
}
