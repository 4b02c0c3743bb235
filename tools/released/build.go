package released

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/release/build"
)

// Flags are the build flags of all engines of this repository. scripts/lib.sh has the same flags for the
// server, so that both share compiled packages.
const Flags = build.Flags

// goCommand returns a go command with an output that depends only on the source.
func goCommand(ctx context.Context, dir, platform string, args ...string) *exec.Cmd {
	var p build.Platform
	p.OS, p.Arch, _ = strings.Cut(platform, "/")
	cmd := build.Command(ctx, dir, p, &build.Options{Toolchain: "local"}, args...)
	cmd.Env = append(cmd.Env, "GOGC=off", "GOMEMLIMIT=512MiB", "LC_ALL=C")
	return cmd
}

// compile builds packages of plugins in the source directory. It names the executables by the last
// part of the package path, and keeps executables that are up to date. The error has the output of Go.
func compile(ctx context.Context, source, platform, to string, packages []string, linker string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	args := []string{"build", "-ldflags=-s" + linker, "-o", to + string(filepath.Separator)}
	for _, p := range packages {
		args = append(args, "./"+p)
	}
	out, err := goCommand(ctx, filepath.Join(source, pluginsDir), platform, args...).CombinedOutput()
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("go build: %w\n%s", err, out)
	}
	return err
}

// Built is an executable that was built from a release.
type Built struct {
	File     string
	Release  *Release
	Platform string
	Digest   string
}

// Same reports whether it is byte-identical to the release.
func (b *Built) Same() bool { return b.Digest != "" && b.Digest == b.Release.Engines[b.Platform] }

// OtherToolchain reports whether the Go version differs from the toolchain of the release.
func (b *Built) OtherToolchain() bool { return b.Release.Toolchain != runtime.Version() }

// Err returns an error if it is not byte-identical to the release.
func (b *Built) Err() error {
	if b.Same() {
		return nil
	}
	why := "and both were built by " + b.Release.Toolchain
	if b.OtherToolchain() {
		why = fmt.Sprintf("which was built by %s, and this by %s", b.Release.Toolchain, runtime.Version())
	}
	return fmt.Errorf("%s %s for %s has the digest %s instead of the digest of its release, %s", b.Release.Capability, b.Release.Version, b.Platform, b.Digest, why)
}

// Build builds releases with the same source from a directory with this source. It keeps an
// existing executable with the digest of its release.
func Build(ctx context.Context, source, platform, to string, releases []*Release) ([]Built, error) {
	built := make([]Built, len(releases))
	var packages []string
	for i, r := range releases {
		built[i] = Built{File: executable(to, r.Package), Release: r, Platform: platform}
		built[i].Digest, _ = build.Digest(built[i].File)
		if built[i].Same() {
			continue
		}
		packages = append(packages, r.Package)
		if !built[i].OtherToolchain() {
			_ = os.Remove(built[i].File) // Go refuses to overwrite a file that is not a program
		}
	}
	if len(packages) == 0 {
		return built, nil
	}
	if err := compile(ctx, source, platform, to, packages, ""); err != nil {
		return nil, err
	}
	for i := range built {
		var err error
		built[i].Digest, err = build.Digest(built[i].File)
		if err != nil {
			return nil, err
		}
	}
	return built, nil
}

// BuildTree builds engines of the work tree and returns their executables. A single engine that was
// released before gets the version of a development build. An engine that was never released is built
// unchanged.
func (r Repository) BuildTree(ctx context.Context, platform, to string, engines ...*Engine) ([]string, error) {
	linker := ""
	if e := engines[0]; e.Released != nil {
		number, err := r.Development(ctx, e)
		if err != nil {
			return nil, err
		}
		linker = fmt.Sprintf(" -X %[1]ssdk.development=%[2]s -X %[1]ssdk.released=%[3]s", moduleBase, number, e.Released.Version)
	}
	var packages, files []string
	for _, e := range engines {
		packages, files = append(packages, e.Package), append(files, executable(to, e.Package))
	}
	if err := compile(ctx, string(r), platform, to, packages, linker); err != nil {
		return nil, err
	}
	return files, nil
}

// executable returns the path for the engine of a package.
func executable(to, pkg string) string { return filepath.Join(to, path.Base(pkg)) }

// together is the number of engines in one build command. More would wait for one another, fewer would
// repeat listing and loading.
const together = 17

// BuildAll builds the executables to serve into a directory: every release, and every engine of the
// work tree with unreleased changes. It calls built after each group, with the executables
// and the error, until built returns an error. A different toolchain than the toolchain of the release
// makes other bytes, but BuildAll still builds the release.
func (r Repository) BuildAll(ctx context.Context, releases []Release, engines []Engine, to string, built func(files []string, err error) error) error {
	if err := r.BuildReleases(ctx, Here, releases, to, built); err != nil {
		return err
	}
	var unreleased []*Engine
	for i := range engines {
		if e := &engines[i]; e.Released == nil {
			unreleased = append(unreleased, e)
		} else if e.Changed() {
			if err := built(r.rebuild(ctx, to, e)); err != nil {
				return err
			}
		}
	}
	for some := range slices.Chunk(unreleased, together) {
		if files, err := r.BuildTree(ctx, Here, to, some...); err == nil {
			if err := built(files, nil); err != nil {
				return err
			}
			continue
		}
		for _, e := range some { // one of them cannot be built
			if err := built(r.rebuild(ctx, to, e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// BuildReleases is [Repository.BuildAll] for the releases that have an engine for a platform.
func (r Repository) BuildReleases(ctx context.Context, platform string, releases []Release, to string, built func(files []string, err error) error) error {
	sources := map[string][]*Release{} // by directory
	for i := range releases {
		if release := &releases[i]; release.Engines[platform] != "" {
			name := release.SDK + "+" + release.Archive
			sources[name] = append(sources[name], release)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		dir := r.path("var", "released", name)
		fault := r.unpackOnce(sources[name][0], dir)
		for some := range slices.Chunk(sources[name], together) {
			var files []string
			var list []Built
			err := fault
			if err == nil {
				list, err = Build(ctx, dir, platform, filepath.Join(to, name), some)
			}
			for i := range list {
				if b := &list[i]; b.Same() || b.OtherToolchain() {
					files = append(files, b.File)
				} else {
					err = errors.Join(err, b.Err())
				}
			}
			if err := built(files, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// rebuild builds an engine of the work tree, and also replaces a file that is not a program.
func (r Repository) rebuild(ctx context.Context, to string, e *Engine) ([]string, error) {
	files, err := r.BuildTree(ctx, Here, to, e)
	if err != nil && os.Remove(executable(to, e.Package)) == nil {
		files, err = r.BuildTree(ctx, Here, to, e)
	}
	return files, err
}

// unpackOnce unpacks the source of a release into a directory, unless it exists.
func (r Repository) unpackOnce(release *Release, dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), ".unpacking-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := r.Unpack(release, scratch); err != nil {
		return err
	}
	if err := os.Chmod(scratch, 0o755); err != nil {
		return err
	}
	return os.Rename(scratch, dir)
}
