package source

import (
	"context"
	"errors"
	"slices"

	"github.com/slipstick/slipstick/registry"
	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/remote"
)

// mayRemove reports whether the registry can remove a release without damage. That is so if the release
// claimed a tool id of another capability, or if no trusted key had published it.
func (s *Source) mayRemove(rel *registry.Release) bool {
	return s.names.Took(rel.Capability, rel.Version) || errors.Is(rel.Problem, evidence.ErrUntrusted)
}

// forgetToolConflicts removes the versions from the memory that claimed a tool id of another capability
// and are not in the registry any more.
func (s *Source) forgetToolConflicts(list []registry.Capability) error {
	var errs []error
	for id, versions := range s.names.Conflicting() {
		i := slices.IndexFunc(list, func(c registry.Capability) bool { return c.ID == id })
		for _, version := range versions {
			if i < 0 || !listsVersion(&list[i], version) {
				errs = append(errs, s.memory.Forget(id, version))
			}
		}
	}
	return errors.Join(errs...)
}

func listsVersion(c *registry.Capability, version string) bool {
	return slices.ContainsFunc(c.Releases, func(r *registry.Release) bool { return r.Version == version })
}

// dropToolConflicts removes capabilities from the mirror and from the damage that are not in the registry
// any more, if mayRemove holds for all their releases.
func (s *Source) dropToolConflicts(ctx context.Context, damage map[string]error) error {
	for id, problem := range damage {
		if !errors.Is(problem, remote.ErrRemoved) {
			continue
		}
		i := slices.IndexFunc(s.whole, func(c registry.Capability) bool { return c.ID == id })
		if i < 0 || len(s.whole[i].Releases) == 0 || slices.ContainsFunc(s.whole[i].Releases, func(r *registry.Release) bool { return !s.mayRemove(r) }) {
			continue
		}
		if err := s.remote.Mirror().Drop(ctx, id); err != nil {
			return err
		}
		delete(damage, id)
	}
	return nil
}
