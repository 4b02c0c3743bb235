package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/host/internal/release/build"
	"github.com/slipstick/slipstick/host/internal/release/document"
	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Platform is the platform of this program, as OS/ARCH. Only engines for it can run here.
const Platform = runtime.GOOS + "/" + runtime.GOARCH

// Other is the engine for another platform, with the report from a machine of that platform.
type Other struct {
	Platform   string // OS/ARCH
	path       string
	executable tree.Executable
	report     []byte // JSON; nil if there is none
}

// Platforms returns the platforms among the names that have no path, and the names that have one.
func Platforms(names []string) (platforms []build.Platform, named []string, err error) {
	for _, name := range names {
		if strings.Contains(name, "=") {
			named = append(named, name)
			continue
		}
		var on build.Platform
		if err := on.UnmarshalText([]byte(name)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		if on == build.Here {
			return nil, nil, fmt.Errorf("%s: %w", name, errHere)
		}
		if !slices.Contains(platforms, on) {
			platforms = append(platforms, on)
		}
	}
	return platforms, named, nil
}

// IsSource reports whether a path has the source of an engine or a table: a document, a program in Go, or rows. An
// executable is for one platform.
func IsSource(path string) bool {
	return document.Is(path) || build.IsProgram(path) || IsTable(path)
}

// othersOf returns the engines for other platforms. A document or a program in Go also gives those for the
// platforms of the options.
func (o *Options) othersOf(ctx context.Context, path string) ([]Other, error) {
	list := slices.Clone(o.Others)
	for _, on := range o.Platforms {
		data, err := read(ctx, path, on)
		if err != nil {
			return nil, err
		}
		list = append(list, Other{Platform: on.String(), path: path, executable: tree.Executable{Bytes: data, Digest: digest.FromBytes(data).String()}})
	}
	return list, nil
}

var errHere = errors.New("this is the platform of the engine itself, which is judged here")

// ReadOthers reads the engines for other platforms. Each name is OS/ARCH=PATH or OS/ARCH=PATH,report=FILE. If
// the path is a directory, it builds the program for the platform.
func ReadOthers(ctx context.Context, names []string) ([]Other, error) {
	var list []Other
	for _, name := range names {
		f, err := readOther(ctx, name)
		if err == nil && slices.ContainsFunc(list, func(o Other) bool { return o.Platform == f.Platform }) {
			err = fmt.Errorf("%s is given twice", f.Platform)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, f)
	}
	return list, nil
}

func readOther(ctx context.Context, name string) (f Other, err error) {
	platform, rest, ok := strings.Cut(name, "=")
	path, file, reported := strings.Cut(rest, ",report=")
	switch {
	case !ok || path == "" || reported && file == "":
		return f, errors.New("write OS/ARCH=PATH or OS/ARCH=PATH,report=FILE, such as linux/arm64=bin/engine-arm64,report=arm64.json")
	case platform == Platform:
		return f, errHere
	}
	f = Other{Platform: platform, path: path}
	var on build.Platform
	if err := on.UnmarshalText([]byte(platform)); err != nil {
		return f, err
	}
	f.executable.Bytes, err = read(ctx, path, on)
	if err != nil {
		return f, err
	}
	f.executable.Digest = digest.FromBytes(f.executable.Bytes).String()
	if reported {
		f.report, err = os.ReadFile(file)
	}
	return f, err
}

// PlatformTier is the verification tier of an engine on another platform. It has no executable, because results outlive
// the publication of many engines.
type PlatformTier struct {
	Platform string // OS/ARCH
	Tier     verification.Tier
}

func tiersOf(others []Other) (list []PlatformTier) {
	for i := range others {
		list = append(list, PlatformTier{others[i].Platform, others[i].Tier()})
	}
	return list
}

// Tier returns the verification tier of the engine on its platform.
func (f *Other) Tier() verification.Tier {
	if f.report == nil {
		return verification.Candidate
	}
	return verification.EngineTested
}

// judged returns the report from the platform, or nil if there is none. It returns an error if the report is
// about another engine or another Spec. The registry checks that the report passed.
func (f *Other) judged(spec *sdk.Spec) (*report.Document, error) {
	if f.report == nil {
		return nil, nil
	}
	r, err := report.Read(f.report)
	if err != nil {
		return nil, fmt.Errorf("the report for %s cannot be read: %w: write it there with slipstick check --json", f.Platform, err)
	}
	own := f.executable.Digest
	switch {
	case len(r.EngineDigests) != 1 || r.EngineDigests[0] != own:
		return nil, fmt.Errorf("the report for %s is about %.400q, not about %s, the digest of %s: write the report there with exactly these bytes", f.Platform, r.EngineDigests, own, f.path)
	case r.Capability != spec.Capability || r.Version != spec.Version:
		return nil, fmt.Errorf("according to its report, the engine for %s is %.200s %.100s, and this one is %s %s: build both from one source", f.Platform, r.Capability, r.Version, spec.Capability, spec.Version)
	case r.SpecDigest != report.DigestOf(spec):
		return nil, fmt.Errorf("according to its report, the engine for %s has another Spec than this one. Build both from one source, and write the report with this version of slipstick", f.Platform)
	}
	return r, nil
}

// addOthers adds the engines for other platforms to a candidate.
func addOthers(c *registry.Candidate, others []Other) error {
	for i := range others {
		f := &others[i]
		judged, err := f.judged(&c.Spec)
		if err != nil {
			return err
		}
		c.Engines[f.Platform] = f.executable.Bytes
		if judged != nil {
			c.Reports = append(c.Reports, judged)
		}
	}
	return nil
}

// sameEngines returns an error if the published release has other engines for the other platforms.
func sameEngines(rel *registry.Release, others []Other) error {
	for _, f := range others {
		if own := f.executable.Digest; rel.Engines[f.Platform] != own {
			return fmt.Errorf("publish %s %s: %w", rel.Capability, rel.Version, &registry.ExistsError{
				Capability: rel.Capability, Version: rel.Version, Published: rel.Digest, Offered: fmt.Sprintf("engine %s for %s", own, f.Platform),
			})
		}
	}
	return nil
}
