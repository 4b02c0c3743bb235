package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/release/publish"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/lockfile"
)

// Lock has the options of slipstick lock.
type Lock struct {
	Versions []string
	Output   string
	Check    bool
	Remove   []string
	Upgrade  []string
	Current  []string
	Over     []string
	Data     string
	Registry string

	command.RemoteFlags
	command.TrustFlags
	command.JudgingFlags
}

// Run writes, changes or compares the lock file.
func (c *Lock) Run(ctx context.Context, s command.Streams) error {
	changes := len(c.Remove) + len(c.Upgrade) + len(c.Current)
	switch {
	case c.Check && len(c.Versions)+changes > 0:
		return command.Misuse(errors.New("--check compares the whole lock file: name no versions, and change nothing"))
	case len(c.Over) > 0 && len(c.Upgrade) == 0:
		return command.Misuse(errors.New("--over goes with --upgrade"))
	}
	locked, err := lockfile.Read(c.Output)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !c.Check && changes == 0:
		locked = new(lockfile.File)
	case err != nil:
		return command.Misuse(err)
	}
	from := command.RegistryFlags{
		Registry: cmp.Or(c.Registry, locked.Registry, setting.Registry()), Wanted: c.wanted(locked), RemoteFlags: c.RemoteFlags,
	}
	list, err := from.Capabilities(ctx, s.Err, false)
	if err != nil {
		return err
	}
	if c.Check {
		return c.compare(s, locked, from.Registry, list)
	}
	if len(c.Versions) > 0 || changes == 0 {
		before := locked
		locked, err = source.Lock(c.Output, from.Registry, c.Versions, list)
		if err != nil {
			return command.Refused(err)
		}
		added(s.Out, before, locked)
	}
	e := &lockEdit{Lock: c, from: &from, file: locked, catalog: catalog.In(from.Registry, list)}
	for _, step := range []struct {
		names []string
		do    func(context.Context, command.Streams, string) error
	}{{c.Upgrade, e.upgrade}, {c.Current, e.current}, {c.Remove, e.remove}} {
		for _, name := range step.names {
			if err := step.do(ctx, s, name); err != nil {
				return err
			}
		}
	}
	if err := locked.Write(c.Output); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "locked %s in %s\n", terminal.Count(len(locked.Releases), "version"), c.Output)
	return nil
}

// wanted names the releases that the command reads.
func (c *Lock) wanted(locked *lockfile.File) []string {
	names := slices.Concat(c.Versions, c.Upgrade, c.Current)
	if len(names)+len(c.Remove) == 0 && !c.Check {
		return nil
	}
	return append(names, locked.Pins()...)
}

// added prints each version that is new in the file and does not have the plain name of its tool.
func added(w io.Writer, before, now *lockfile.File) {
	for _, r := range now.Releases {
		plain := before.Names[r.Capability]
		if plain == "" || plain == r.Version || len(r.Engines) == 0 || before.Has(r.Capability, r.Version) {
			continue
		}
		fmt.Fprintf(w, "%s %s has its version in its name, because the plain name means %s; --current %s@%s changes that\n",
			r.Capability, r.Version, plain, r.Capability, r.Version)
	}
}

// lockEdit changes a lock file.
type lockEdit struct {
	*Lock
	from    *command.RegistryFlags
	file    *lockfile.File
	catalog *catalog.Catalog
}

// find returns the capability that an argument names, and the version in it, if any. A capability that is no
// longer published is found by its capability id.
func (e *lockEdit) find(name string) (*registry.Capability, string, error) {
	id, version, _ := strings.Cut(name, "@")
	entry, err := e.catalog.Published(id)
	if err == nil {
		return &entry.Capability, version, nil
	}
	if slices.ContainsFunc(e.file.Releases, func(r lockfile.Release) bool { return r.Capability == id }) {
		return &registry.Capability{ID: id}, version, nil
	}
	return nil, "", problem.Of(err)
}

// current gives the plain name to a version, and locks it if necessary.
func (e *lockEdit) current(_ context.Context, s command.Streams, name string) error {
	capability, version, err := e.find(name)
	switch {
	case err != nil:
		return err
	case version == "":
		return command.Misuse(fmt.Errorf("--current %s names no version; write it as %s@1.0.0", name, name))
	}
	if !e.file.Has(capability.ID, version) {
		if err := source.AddTo(e.file, e.catalog, capability.ID, version); err != nil {
			return command.Refused(err)
		}
	}
	before := e.file.Names[capability.ID]
	if err := e.file.Name(capability.ID, version); err != nil {
		return command.Refused(err)
	}
	fmt.Fprintf(s.Out, "the plain name of %s means %s (before: %s)\n", capability.ID, version, cmp.Or(before, "no version"))
	return nil
}

// upgrade replaces the version that has the plain name, and prints the impact first.
func (e *lockEdit) upgrade(ctx context.Context, s command.Streams, name string) error {
	capability, version, err := e.find(name)
	if err != nil {
		return err
	}
	before := e.file.Names[capability.ID]
	version = cmp.Or(version, capability.Current)
	switch {
	case !e.file.Has(capability.ID, before):
		return command.Refused(fmt.Errorf("no locked version has the plain name of %s; give it to one with --current %s@%s", capability.ID, name, cmp.Or(version, "1.0.0")))
	case version == "":
		return command.Refused(fmt.Errorf("%s has no current version; name one, as --upgrade %s@1.0.0", capability.ID, name))
	case version == before:
		fmt.Fprintf(s.Out, "%s is locked as %s already\n", capability.ID, version)
		return nil
	}
	if err := source.AddTo(e.file, e.catalog, capability.ID, version); err != nil {
		return command.Refused(err)
	}
	if err := e.impact(ctx, s, capability, before, version); err != nil {
		return fmt.Errorf("the impact of %s %s: %w; the lock file is unchanged", capability.ID, version, err)
	}
	if err := e.file.Name(capability.ID, version); err != nil {
		return err
	}
	if user := e.user(capability.ID, before); user == "" {
		if err := e.file.Remove(capability, before); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.Out, "%s: %s replaces %s\n", capability.ID, version, before)
	return nil
}

// impact prints the effect of another version on the stored results of --over. Without them it compares the answers
// to the reference vectors and to generated requests. The engines of a server cannot run here, so for a server it
// compares the Specs.
func (e *lockEdit) impact(ctx context.Context, s command.Streams, c *registry.Capability, before, version string) error {
	older, newer := release(c, before), release(c, version)
	server := source.IsServer(e.from.Registry)
	switch {
	case older == nil:
		fmt.Fprintf(s.Out, "%s %s is not published any more, so nothing can be compared with it\n", c.ID, before)
		return nil
	case len(e.Over) > 0 && server:
		return command.Misuse(fmt.Errorf("--over computes stored results again, and the server %s has the engines: name a registry with --registry", e.from.Registry))
	case len(e.Over) > 0:
		i := &Impact{New: c.ID + "@" + version, Over: e.Over, ReadOnly: e.ReadOnly, RecomputeFlags: RecomputeFlags{
			Data: e.Data, RegistryFlags: *e.from, TrustFlags: e.TrustFlags, SandboxFlags: e.SandboxFlags,
		}}
		return i.Run(ctx, s)
	case server:
		if err := compat.WriteSpecs(s.Out, &older.Spec, &newer.Spec); err != nil {
			return err
		}
		_, err := fmt.Fprint(s.Out, "\nThis compares the Specs. The results were not compared, because the server has the engines.\n")
		return err
	}
	return e.compareEngines(ctx, s, c, before, version)
}

// compareEngines prints how the answers of two versions differ.
func (e *lockEdit) compareEngines(ctx context.Context, s command.Streams, c *registry.Capability, before, version string) error {
	list, err := e.from.Catalog(ctx, s.Err, true, e.TrustFlags)
	if err != nil {
		return err
	}
	entry, err := list.Published(c.ID)
	if err != nil {
		return err
	}
	launch, end, err := e.Enter(s.Err, e.from.Own())
	if err != nil {
		return err
	}
	defer end()
	var engines [2]*compat.Engine
	for i, v := range []string{before, version} {
		engine, end, err := publish.FromRelease(release(&entry.Capability, v), launch)
		if err != nil {
			return err
		}
		defer end()
		engines[i] = engine
	}
	report, err := compat.Diff(ctx, engines[0], engines[1], nil)
	if err != nil {
		return err
	}
	return report.WriteText(s.Out)
}

// remove forgets a version, or all versions of a capability.
func (e *lockEdit) remove(_ context.Context, s command.Streams, name string) error {
	capability, version, err := e.find(name)
	if err != nil {
		return err
	}
	if user := e.user(capability.ID, version); user != "" {
		return command.Refused(fmt.Errorf("%s uses %s; remove %s first, as --remove %s", user, name, user, strings.Replace(user, " ", "@", 1)))
	}
	if err := e.file.Remove(capability, version); err != nil {
		return command.Refused(err)
	}
	fmt.Fprintf(s.Out, "removed %s\n", name)
	return nil
}

// user returns a locked version that uses a version of a capability, or any version for "". It returns "" if none does.
func (e *lockEdit) user(capability, version string) string {
	for _, r := range e.file.Releases {
		entry, err := e.catalog.Published(r.Capability)
		if err != nil || r.Capability == capability {
			continue
		}
		rel := release(&entry.Capability, r.Version)
		if rel == nil {
			continue
		}
		for u := range catalog.AllUses(rel) {
			if u.ID == capability && (version == "" || u.Version == version) {
				return r.Capability + " " + r.Version
			}
		}
	}
	return ""
}

func release(c *registry.Capability, version string) *registry.Release {
	for _, r := range c.Releases {
		if r.Version == version {
			return r
		}
	}
	return nil
}

// compare prints in which ways the registry differs from the lock file.
func (c *Lock) compare(s command.Streams, locked *lockfile.File, from string, list []registry.Capability) error {
	differences := locked.Differences(list)
	for _, d := range differences {
		terminal.Printf(s.Out, "%s\n", d.String())
	}
	if len(differences) > 0 {
		return command.Refused(fmt.Errorf("%s differs from %s in %s", from, c.Output, terminal.Count(len(differences), "way")))
	}
	are := "are published as they are"
	if len(locked.Releases) == 1 {
		are = "is published as it is"
	}
	fmt.Fprintf(s.Out, "%s %s locked\n", terminal.Count(len(locked.Releases), "version"), are)
	return nil
}
