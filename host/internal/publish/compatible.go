package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// checkCompatible returns why the engine must not be published under its version, beside
// those that are: a caller of the version below may be given this one, and a caller of this
// one may be given the version above. A change that is too big for its version is a
// [*NotCompatibleError].
func checkCompatible(ctx context.Context, reg *registry.Registry, candidate *compat.Engine, launch process.Options) error {
	for _, below := range []bool{true, false} {
		release, err := neighbour(ctx, reg, &candidate.Spec, below)
		if err != nil {
			return err
		}
		if release == nil {
			continue
		}
		published, end, err := FromRelease(release, launch)
		if err != nil {
			return err
		}
		older, newer := published, candidate
		if !below {
			older, newer = candidate, published
		}
		diff, err := compat.Diff(ctx, older, newer, nil)
		end()
		if err != nil {
			return err
		}
		if !diff.Legal {
			return &NotCompatibleError{Published: release.Version, Diff: diff}
		}
	}
	return nil
}

// neighbour is the published release with which the Spec's version has to be compatible,
// below or above it; nil if there is none. What was revoked is never executed again, so it
// binds nobody.
func neighbour(ctx context.Context, reg *registry.Registry, spec *sdk.Spec, below bool) (*registry.Release, error) {
	published, err := reg.Versions(ctx, spec.Capability)
	if err != nil {
		return nil, err
	}
	for _, version := range nearest(published, spec.Version, below) {
		release, err := reg.Release(ctx, spec.Capability, version)
		switch {
		case err != nil:
			return nil, err
		case release.Lifecycle.State == evidence.Revoked:
			continue
		case release.Problem != nil:
			return nil, fmt.Errorf("%s cannot be compared with the published %s: %w", spec.Version, version, release.Problem)
		}
		return release, nil
	}
	return nil, nil
}

// nearest are the published versions below or above a version that promise something to
// its callers, the nearest first. They are given newest first. Pre-releases promise
// nothing, and a step that may change anything ends the list: what lies behind it is
// further away.
func nearest(published []string, version string, below bool) []string {
	list := slices.Clone(published)
	if !below {
		slices.Reverse(list)
	}
	var near []string
	for _, other := range list {
		from, to := other, version
		if !below {
			from, to = to, from
		}
		step, err := compat.NewStep(from, to)
		if v, bad := versions.Parse(other); err != nil || bad != nil || v.Prerelease() != "" {
			continue // it is on the other side, or promises nothing
		}
		if step.Free() {
			break
		}
		near = append(near, other)
	}
	return near
}
