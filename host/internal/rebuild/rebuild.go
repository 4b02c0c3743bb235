// Package rebuild answers one question: does the source that a release names make its bytes
// again, and if not, what is the first thing that differs?
package rebuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/build"
	"github.com/slipstick/slipstick/host/internal/tree"
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

// Run builds a release again for all of its platforms, from sources: a directory, archives (.zip) of one
// tree, or a commit of a repository (git+URL@REVISION). What the source asks to be run while it is built is
// not run, and nothing that is built is.
func Run(ctx context.Context, rel *registry.Release, sources []string) (*Result, error) {
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
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	from, err := open(ctx, sources, recorded.Revision, scratch)
	if err != nil {
		return nil, err
	}
	r := &Result{Capability: rel.Capability, Version: rel.Version, Published: recorded}
	dir, err := tree.Program(from.dir, recorded.Package)
	if err != nil {
		return nil, &SourceError{strings.Join(sources, ", "), err}
	}
	o := &build.Options{Toolchain: recorded.Toolchain}
	if err := checkToolchain(ctx, scratch, o); err != nil {
		return nil, err
	}
	var platforms []build.Platform
	for _, name := range rel.Platforms {
		var p build.Platform
		if err := p.UnmarshalText([]byte(name)); err != nil {
			return nil, err
		}
		platforms = append(platforms, p)
	}
	files, err := tree.Files(ctx, dir, platforms, o)
	if err != nil {
		return nil, err
	}
	if r.Difference = firstFile(recorded.Files, tree.Recorded(files)); r.Difference != nil {
		return r, nil
	}
	return r, r.build(ctx, rel, dir, platforms, files, filepath.Join(scratch, "built"), from.revision, o)
}

// build builds the executables, and compares them with those of the release.
func (r *Result) build(ctx context.Context, rel *registry.Release, dir string, platforms []build.Platform, files []tree.File, into, revision string, o *build.Options) error {
	made, err := build.All(ctx, dir, platforms, into, o)
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
		if r.Difference != nil || b.Digest == rel.Engines[platform] {
			continue
		}
		r.Difference = &Difference{Kind: Bytes, Published: rel.Engines[platform], Found: b.Digest}
		if published, err := rel.EngineFor(platform); err == nil { // mirrors have no engines for others
			*r.Difference = difference(published, data)
		}
		r.Difference.Platform = platform
	}
	if r.Rebuilt, err = tree.Describe(files, executables); err == nil {
		r.Rebuilt.Revision = revision
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
