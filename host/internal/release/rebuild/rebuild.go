// Package rebuild verifies that the recorded source of a release produces its bytes. [Run] builds the release
// again, and returns the first [Difference] if there is one.
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

// Result is the result of a rebuild.
type Result struct {
	Capability string
	Version    string
	Published  *provenance.Build // the build that the release records
	Rebuilt    *provenance.Build // the build of Run; nil if Run built nothing because the source differs
	Difference *Difference       // the first difference; nil if every executable has the published bytes
}

// UnnamedError means that a release has no recorded source.
type UnnamedError struct{ Capability, Version string }

func (e *UnnamedError) Error() string {
	return fmt.Sprintf("%s %s does not name its source, so no source can be compared with it: its publisher can add the source with slipstick publish --source",
		e.Capability, e.Version)
}

func (e *UnnamedError) Unwrap() error { return evidence.ErrUnnamed }

// SettingsError means that a release was built with other settings than this program uses.
type SettingsError struct{ Recorded, Here []string }

func (e *SettingsError) Error() string {
	return fmt.Sprintf("it was built with the settings %q, and this program builds with %q: rebuild it with the version of slipstick that built it", e.Recorded, e.Here)
}

// ToolchainError means that the version of Go that built a release is not available.
type ToolchainError struct {
	Toolchain string
	Err       error
}

func (e *ToolchainError) Error() string {
	return fmt.Sprintf("%s built it. Go could not download this version: install it, or set GOPROXY to a module proxy that has golang.org/toolchain: %v", e.Toolchain, e.Err)
}

func (e *ToolchainError) Unwrap() error { return e.Err }

// ChangedError means that a file of the source changed during the build.
type ChangedError struct{ File string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the file %s changed during the build: rebuild it from a directory that no other program writes to", e.File)
}

// Options are options of [Run].
type Options struct {
	// Cache is an absolute directory with the compiled packages of earlier rebuilds. Run trusts its content.
	// If it is "", Run compiles all packages again, including the packages of Go.
	Cache string

	Progress func(step string) // is called before each step; can be nil
}

// Run builds a release again for all of its platforms. A text engine is joined again from its runtimes
// and the document in the source, without Go. The sources are a directory, archives (.zip) of one
// tree, or a commit of a repository (git+URL@REVISION). Run executes neither the source nor the built
// programs.
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
	if len(recorded.Runtimes) > 0 {
		return joinAgain(ctx, rel, recorded, sources)
	}
	if err := build.Available(); err != nil {
		return nil, err
	}
	if here := build.Settings(); !slices.Equal(recorded.Settings, here) {
		return nil, &SettingsError{recorded.Settings, here}
	}
	scratch, err := os.MkdirTemp("", "slipstick-rebuild-")
	if err == nil {
		scratch, err = filepath.Abs(scratch) // Go runs in another directory
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

// rebuilding is one call of [Run].
type rebuilding struct {
	Options
	release   *registry.Release
	recorded  *provenance.Build
	platforms []build.Platform
	scratch   string // directory of all generated files
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

// build builds the executables, and compares them with the executables of the release.
func (r *rebuilding) build(ctx context.Context, source *tree.Source, revision string) error {
	built, err := build.All(ctx, source.Dir, r.platforms, filepath.Join(r.scratch, "built"), r.with)
	if err != nil {
		return err
	}
	executables := map[string]tree.Executable{}
	for _, b := range built {
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
		if engine, err := r.release.EngineFor(platform); err == nil { // a mirror can lack the engines of other platforms
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

// checkToolchain downloads the version of Go if it is not on this machine.
func checkToolchain(ctx context.Context, dir string, o *build.Options) error {
	_, err := build.Go(ctx, dir, build.Here, o, "version")
	if _, failed := errors.AsType[*build.FailedError](err); failed {
		return &ToolchainError{o.Toolchain, err}
	}
	return err
}
