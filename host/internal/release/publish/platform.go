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
	"github.com/slipstick/slipstick/host/internal/release/tree"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/verification"
)

// Platform is that of this program, as OS/ARCH. Only engines for it run here.
const Platform = runtime.GOOS + "/" + runtime.GOARCH

// Other is the same engine built for another platform, and the report that was made there.
type Other struct {
	Platform   string // OS/ARCH
	path       string
	executable tree.Executable
	report     []byte // JSON; nil if there is none
}

// ReadOthers reads the engines for other platforms, each named OS/ARCH=PATH or
// OS/ARCH=PATH,report=FILE. The program in a directory is built for the platform.
func ReadOthers(ctx context.Context, names []string) ([]Other, error) {
	var list []Other
	for _, name := range names {
		f, err := readOther(ctx, name)
		if err == nil && slices.ContainsFunc(list, func(o Other) bool { return o.Platform == f.Platform }) {
			err = fmt.Errorf("%s is there twice", f.Platform)
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
		return f, errors.New("that is the platform of the engine itself, which is judged here")
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

// Tier is what the engine is on its platform.
func (f *Other) Tier() verification.Tier {
	if f.report == nil {
		return verification.Candidate
	}
	return verification.EngineTested
}

// judged is the report that was made on the platform, nil if there is none. It refuses one
// that is not about this engine, or about another Spec. Whether it passed the registry
// judges.
func (f *Other) judged(spec *sdk.Spec) (*report.Document, error) {
	if f.report == nil {
		return nil, nil
	}
	r, err := report.Read(f.report)
	if err != nil {
		return nil, fmt.Errorf("the report for %s is none: %w: make it there with slipstick check --json", f.Platform, err)
	}
	own := f.executable.Digest
	switch {
	case len(r.EngineDigests) != 1 || r.EngineDigests[0] != own:
		return nil, fmt.Errorf("the report for %s is about %.400q, not about %s, which is %s: make it there with exactly these bytes", f.Platform, r.EngineDigests, own, f.path)
	case r.Capability != spec.Capability || r.Version != spec.Version:
		return nil, fmt.Errorf("the engine for %s is %.200s %.100s by its report, and this one %s %s: build both from one source", f.Platform, r.Capability, r.Version, spec.Capability, spec.Version)
	case r.SpecDigest != report.DigestOf(spec):
		return nil, fmt.Errorf("the engine for %s describes itself otherwise than this one, by its report: build both from one source, and make the report with this version of slipstick", f.Platform)
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

// sameEngines refuses to take a release that is published for one with engines for other
// platforms.
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
