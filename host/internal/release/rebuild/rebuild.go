// Package rebuild answers one question: does the source that a release names make its bytes
// again, and if not, what is the first thing that differs?
package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/provenance"
)

// Result is what came of building a release again.
type Result struct {
	Capability string
	Version    string
	Published  *provenance.Build // as the release says that it was built
	Rebuilt    *provenance.Build // as it was built now; nil if it was not, because the source differs
	Difference *Difference       // the first; nil if every executable has the published bytes
}

// UnnamedError refuses a release without a recorded source.
type UnnamedError struct{ Capability, Version string }

func (e *UnnamedError) Error() string {
	return fmt.Sprintf("%s %s does not name the source that it was built from, so nobody can tell whether another source is that one: its publisher adds it with slipstick publish --source",
		e.Capability, e.Version)
}

func (e *UnnamedError) Unwrap() error { return evidence.ErrUnnamed }

// SettingsError refuses a release that was built in another way than this program builds.
type SettingsError struct{ Recorded, Here []string }

func (e *SettingsError) Error() string {
	return fmt.Sprintf("it was built with the settings %q, and this program builds with %q: rebuild it with the slipstick of that time", e.Recorded, e.Here)
}

// ToolchainError means that the Go of a release is not to be had.
type ToolchainError struct {
	Toolchain string
	Err       error
}

func (e *ToolchainError) Error() string {
	return fmt.Sprintf("%s built it, which is not on this machine, and Go could not fetch it: install it, or set GOPROXY to a module proxy that has golang.org/toolchain: %v", e.Toolchain, e.Err)
}

func (e *ToolchainError) Unwrap() error { return e.Err }

// ChangedError means that a file of the source changed while the program was built.
type ChangedError struct{ File string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the file %s changed while the program was built: rebuild it from a directory that no other program writes to", e.File)
}

// Options are what a caller of Run can change.
type Options struct {
	// Cache is an absolute directory with the compiled packages of earlier rebuilds. Run believes what is
	// in it. If it is "", Run compiles all packages again, those of Go too, in a directory that it removes.
	Cache string

	Progress func(step string) // receives the step that begins; can be nil
}

// Run builds a release again for all of its platforms, from sources: a directory, archives (.zip) of one
// tree, or a commit of a repository (git+URL@REVISION). It executes nothing of the source, and nothing
// that it builds.
func Run(ctx context.Context, rel *registry.Release, sources []string, o *Options) (*Result, error) {
	if o == nil {
		o = new(Options)
	}
	recorded, err := evidence.BuildOf(rel.Evidence)
	if errors.Is(err, evidence.ErrUnnamed) {
		err = &UnnamedError{rel.Capability, rel.Version}
	}
	if err != nil {
		return nil, err
	}
	if here := build.Settings(); !slices.Equal(recorded.Settings, here) {
		return nil, &SettingsError{recorded.Settings, here}
	}
	scratch, err := os.MkdirTemp("", "slipstick-rebuild-")
	if err == nil {
		scratch, err = filepath.Abs(scratch) // Go runs elsewhere
	}
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	r := &rebuilding{
		Options: *o, release: rel, recorded: recorded, scratch: scratch,
		with:   &build.Options{Toolchain: recorded.Toolchain, Cache: cmp.Or(o.Cache, filepath.Join(scratch, "cache"))},
		result: &Result{Capability: rel.Capability, Version: rel.Version, Published: recorded},
	}
	for _, name := range rel.Platforms {
		var p build.Platform
		if err := p.UnmarshalText([]byte(name)); err != nil {
			return nil, err
		}
		r.platforms = append(r.platforms, p)
	}
	if err := r.run(ctx, sources); err != nil {
		return nil, err
	}
	return r.result, nil
}

// rebuilding is a release that is built again.
type rebuilding struct {
	Options
	release   *registry.Release
	recorded  *provenance.Build
	platforms []build.Platform
	scratch   string // directory of everything that is made
	with      *build.Options
	result    *Result
}

func (r *rebuilding) run(ctx context.Context, sources []string) error {
	from, err := open(ctx, sources, r.recorded.Revision, r.scratch)
	if err != nil {
		return err
	}
	dir, err := tree.Program(from.dir, r.recorded.Package)
	if err != nil {
		return &SourceError{strings.Join(sources, ", "), err}
	}
	if err := checkToolchain(ctx, r.scratch, r.with); err != nil {
		return err
	}
	source, err := tree.Of(ctx, dir, r.platforms, r.with)
	if err != nil {
		return err
	}
	r.result.Difference = firstFile(r.recorded.Files, source.Recorded())
	if r.result.Difference != nil {
		return nil
	}
	if err := source.CheckFetched(r.recorded.Modules); err != nil {
		return err
	}
	r.progress("compiling " + strings.Join(r.release.Platforms, ", ") + " with the packages of Go and of all modules")
	if err := r.build(ctx, source, from.revision); err != nil {
		return err
	}
	now, err := tree.Of(ctx, dir, r.platforms, r.with)
	if err != nil {
		return err
	}
	if d := firstFile(r.recorded.Files, now.Recorded()); d != nil {
		return &ChangedError{d.Name}
	}
	return nil
}

func (r *rebuilding) progress(step string) {
	if r.Progress != nil {
		r.Progress(step)
	}
}

// build builds the executables, and compares them with those of the release.
func (r *rebuilding) build(ctx context.Context, source *tree.Source, revision string) error {
	made, err := build.All(ctx, source.Dir, r.platforms, filepath.Join(r.scratch, "built"), r.with)
	if err != nil {
		return err
	}
	executables := map[string]tree.Executable{}
	for _, b := range made {
		platform := b.Platform.String()
		data, err := os.ReadFile(b.File)
		if err != nil {
			return err
		}
		executables[platform] = tree.Executable{Bytes: data, Digest: b.Digest}
		published := r.release.Engines[platform]
		if r.result.Difference != nil || b.Digest == published {
			continue
		}
		r.result.Difference = &Difference{Kind: Bytes, Published: published, Found: b.Digest}
		if engine, err := r.release.EngineFor(platform); err == nil { // mirrors have no engines for others
			*r.result.Difference = difference(engine, data)
		}
		r.result.Difference.Platform = platform
	}
	r.result.Rebuilt, err = source.Describe(executables)
	if err == nil {
		r.result.Rebuilt.Revision = revision
	}
	return err
}

// checkToolchain fetches the version of Go, if it is not here.
func checkToolchain(ctx context.Context, dir string, o *build.Options) error {
	_, err := build.Go(ctx, dir, build.Here, o, "version")
	if _, failed := errors.AsType[*build.FailedError](err); failed {
		return &ToolchainError{o.Toolchain, err}
	}
	return err
}
