package publish

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/conformance/compat"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// checkCompatible returns an error if the engine's version is not compatible with the published versions.
// A caller of the next lower version can get this version later, and a caller of this version the next
// higher one. A change that is too big for its version is a [*NotCompatibleError]. If all changes fit, a missing description
// is a [*MissingChangesError].
func checkCompatible(ctx context.Context, reg *registry.Registry, candidate *compat.Engine, launch process.Options) error {
	var missing error
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
		switch {
		case !diff.Legal && diff.Code == "":
			return &NotCompatibleError{Published: release.Version, Diff: diff}
		case !diff.Legal && below: // a published higher version can be older than the rule with this code
			missing = &MissingChangesError{release.Version, candidate.Spec.Version, compat.Minor}
		}
	}
	return missing
}

// checkChanges returns a [*MissingChangesError] if the Spec has no Changes since the newest published
// version below it, but needs them.
func checkChanges(ctx context.Context, reg *registry.Registry, spec *sdk.Spec) error {
	published, err := reg.Versions(ctx, spec.Capability)
	if err != nil || spec.Changes != "" || !spec.Follows("1.1.0") { // engines of an older contract have no Changes
		return err
	}
	for _, version := range published { // newest first
		step, err := compat.NewStep(version, spec.Version)
		if v, bad := versions.Parse(version); err != nil || bad != nil || v.Prerelease() != "" {
			continue
		}
		if step.NeedsChanges() {
			return &MissingChangesError{version, spec.Version, step.Declared()}
		}
		return nil
	}
	return nil
}

// neighbour returns the nearest published release, below or above, with which the Spec's version must be
// compatible, or nil if there is none. Revoked releases never run again, so they do not count.
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

// nearest returns the published versions below or above a version with which it must be compatible, nearest
// first. The given versions are sorted newest first. Pre-releases do not count, because they promise
// nothing. The list ends at a step that can change anything, because versions after it do not matter.
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
			continue // it is on the other side, or is a pre-release
		}
		if step.Free() {
			break
		}
		near = append(near, other)
	}
	return near
}
