package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// compared is the executable as one side of a comparison.
func (e *executable) compared(spec sdk.Spec, vectors []byte) *compat.Engine {
	return &compat.Engine{Spec: spec, Vectors: vectors, Digest: e.program.Digest(), Open: opening(e.program, &e.options)}
}

// opening starts processes of a program, as conformance.Open.
func opening(program *process.Program, o *process.Options) func(context.Context) (sdk.Engine, func(), error) {
	return func(ctx context.Context) (sdk.Engine, func(), error) {
		process, err := process.Launch(ctx, program, o)
		if err != nil {
			return nil, nil, err
		}
		return process, process.Close, nil
	}
}

// releaseCompared is a published engine as one side of a comparison. It must be closed.
func releaseCompared(r *registry.Release, launch process.Options) (e *compat.Engine, end func(), err error) {
	file, err := r.OpenEngine()
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	program, err := process.ReadProgram(file)
	if err != nil {
		return nil, nil, fmt.Errorf("engine of %s %s: %w", r.Capability, r.Version, err)
	}
	if program.Digest() != r.EngineDigest {
		program.Close()
		return nil, nil, fmt.Errorf("engine of %s %s has the digest %s, not the published %s", r.Capability, r.Version, program.Digest(), r.EngineDigest)
	}
	launch.ReadOnly = r.Spec.ReadOnlyPaths
	e = &compat.Engine{Spec: r.Spec, Vectors: r.Vectors, Digest: r.EngineDigest, Open: opening(program, &launch)}
	return e, func() { program.Close() }, nil
}

// mayStand returns why the engine must not be published under its version, next to those
// that are: who calls the version below may be given this one, and who calls this one may be
// given the version above. The comparison is written on s.err when it is the reason.
func mayStand(ctx context.Context, s streams, reg *registry.Registry, candidate *compat.Engine, launch process.Options) error {
	for _, below := range []bool{true, false} {
		release, err := neighbour(ctx, reg, &candidate.Spec, below)
		if err != nil {
			return err
		}
		if release == nil {
			continue
		}
		published, end, err := releaseCompared(release, launch)
		if err != nil {
			return err
		}
		older, newer := published, candidate
		if !below {
			older, newer = candidate, published
		}
		report, err := compat.Diff(ctx, older, newer, nil)
		end()
		if err != nil {
			return err
		}
		if !report.Legal {
			return errors.Join(report.WriteText(s.err), fmt.Errorf("compared with the published %s, %s; nothing was published", release.Version, report.Why))
		}
	}
	return nil
}

// neighbour is the nearest published version below or above that of the Spec, nil if there is
// none to which a promise binds. Pre-releases promise nothing, and what was revoked is never
// executed again.
func neighbour(ctx context.Context, reg *registry.Registry, spec *sdk.Spec, below bool) (*registry.Release, error) {
	list, err := reg.Versions(ctx, spec.Capability) // newest first
	if err != nil {
		return nil, err
	}
	if !below {
		slices.Reverse(list)
	}
	for _, published := range list {
		from, to := published, spec.Version
		if !below {
			from, to = to, from
		}
		step, err := compat.NewStep(from, to)
		if v, bad := versions.Parse(published); err != nil || bad != nil || v.Prerelease() != "" {
			continue // it is on the other side, or promises nothing
		}
		if step.Free() {
			return nil, nil // and so are those that are further away
		}
		release, err := reg.Release(ctx, spec.Capability, published)
		switch {
		case err != nil:
			return nil, err
		case release.Standing.State == registry.Revoked:
			continue
		case release.Problem != nil:
			return nil, fmt.Errorf("%s cannot be compared with the published %s: %w", spec.Version, published, release.Problem)
		}
		return release, nil
	}
	return nil, nil
}
