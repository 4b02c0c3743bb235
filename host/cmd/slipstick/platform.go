package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
)

// ownPlatform is that of this program. Only engines for it run here.
const ownPlatform = runtime.GOOS + "/" + runtime.GOARCH

// foreignEngine is an engine for another platform, and what was found there.
type foreignEngine struct {
	platform string
	path     string
	bytes    []byte
	report   []byte // nil if there is none
}

// readForeign reads what --platform names.
func readForeign(flags []string) ([]foreignEngine, error) {
	var list []foreignEngine
	for _, flag := range flags {
		f, err := readPlatform(flag)
		if err != nil {
			return nil, fmt.Errorf("--platform %s: %w", flag, err)
		}
		for _, other := range list {
			if other.platform == f.platform {
				return nil, fmt.Errorf("--platform %s: %s is there twice", flag, f.platform)
			}
		}
		list = append(list, f)
	}
	return list, nil
}

func readPlatform(flag string) (f foreignEngine, err error) {
	platform, rest, ok := strings.Cut(flag, "=")
	path, file, reported := strings.Cut(rest, ",report=")
	switch {
	case !ok || path == "" || reported && file == "":
		return f, errors.New("write OS/ARCH=PATH or OS/ARCH=PATH,report=FILE, such as linux/arm64=bin/engine-arm64,report=arm64.json")
	case platform == ownPlatform:
		return f, errors.New("that is the platform of the engine itself, which is judged here")
	}
	f = foreignEngine{platform: platform, path: path}
	if f.bytes, err = os.ReadFile(path); err != nil {
		return f, err
	}
	if reported {
		f.report, err = os.ReadFile(file)
	}
	return f, err
}

// tier is what the engine is on its platform.
func (f *foreignEngine) tier() sdk.Tier {
	if f.report == nil {
		return sdk.Candidate
	}
	return sdk.EngineTested
}

// check refuses a report that is not about this engine, or about another Spec. Whether it
// passed the registry judges.
func (f *foreignEngine) check(spec *sdk.Spec) error {
	if f.report == nil {
		return nil
	}
	r, err := report.Parse(f.report)
	if err != nil {
		return fmt.Errorf("the report for %s is none: %w: make it there with slipstick check --json", f.platform, err)
	}
	own := digest.FromBytes(f.bytes).String()
	switch {
	case len(r.EngineDigests) != 1 || r.EngineDigests[0] != own:
		return fmt.Errorf("the report for %s is about %.400q, not about %s, which is %s: make it there with exactly these bytes", f.platform, r.EngineDigests, own, f.path)
	case r.Capability != spec.Capability || r.Version != spec.Version:
		return fmt.Errorf("the engine for %s is %.200s %.100s by its report, and this one %s %s: build both from one source", f.platform, r.Capability, r.Version, spec.Capability, spec.Version)
	case r.SpecDigest != report.DigestOf(spec):
		return fmt.Errorf("the engine for %s describes itself otherwise than this one, by its report: build both from one source, and make the report with this version of slipstick", f.platform)
	}
	return nil
}

// addForeign adds the engines for other platforms to a candidate.
func addForeign(c *registry.Candidate, foreign []foreignEngine) error {
	for i := range foreign {
		f := &foreign[i]
		if err := f.check(&c.Spec); err != nil {
			return err
		}
		c.Engines[f.platform] = f.bytes
		if f.report != nil {
			c.Reports = append(c.Reports, f.report)
		}
	}
	return nil
}

// sameEngines refuses to take a release that is published for one with engines for other
// platforms.
func sameEngines(rel *registry.Release, foreign []foreignEngine) error {
	for _, f := range foreign {
		if own := digest.FromBytes(f.bytes).String(); rel.Engines[f.platform] != own {
			return fmt.Errorf("publish %s %s: %w", rel.Capability, rel.Version, &registry.ExistsError{
				Capability: rel.Capability, Version: rel.Version, Published: rel.Digest, Offered: fmt.Sprintf("engine %s for %s", own, f.platform),
			})
		}
	}
	return nil
}
