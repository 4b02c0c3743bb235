package registry

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/versions"
)

// StateOf is what a registry holds, for a checkpoint. What is damaged is no state to be
// held on to: it is an error. A capability that is sound but for a tool id that is not its
// own is left out, so that nobody can keep others from making a checkpoint.
func StateOf(capabilities []Capability) (map[string]sign.Holding, error) {
	state := map[string]sign.Holding{}
	for _, c := range capabilities {
		if _, only := c.Problem.(*TakenError); only {
			continue
		}
		if c.Problem != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, c.Problem)
		}
		h := sign.Holding{Current: c.Current, Tools: c.Tools, Versions: map[string]sign.Held{}}
		for _, r := range c.Releases {
			if r.Problem != nil {
				return nil, fmt.Errorf("%s %s: %w", c.ID, r.Version, r.Problem)
			}
			h.Versions[r.Version] = sign.Held{Release: r.Digest, State: string(r.State())}
		}
		state[c.ID] = h
	}
	return state, nil
}

// Behind says in what a registry has fallen behind a checkpoint: versions that are gone or
// other ones, revocations and withdrawals that are gone, a current version that is older.
// It may be ahead: what was published or said since is no fault.
func Behind(capabilities []Capability, state *sign.State) error {
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(state.Capabilities)) {
		held := state.Capabilities[id]
		i := slices.IndexFunc(capabilities, func(c Capability) bool { return c.ID == id })
		if i < 0 {
			errs = append(errs, fmt.Errorf("%.200s is gone", id))
			continue
		}
		for _, version := range slices.Sorted(maps.Keys(held.Versions)) {
			if err := behind(&capabilities[i], version, held.Versions[version], state.Time); err != nil {
				errs = append(errs, fmt.Errorf("%s %.100s %w", id, version, err))
			}
		}
		if err := currentBehind(&capabilities[i], held.Current, state.Time); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

func behind(c *Capability, version string, held sign.Held, since time.Time) error {
	rel, err := find(c.Releases, version)
	switch {
	case err != nil:
		return errors.New("is gone")
	case rel.Digest != held.Release:
		return fmt.Errorf("was %s, and is %s", held.Release, cmp.Or(rel.Digest, "not to be read"))
	case string(rel.State()) == held.State || rel.saidSince(since) && held.State != string(Revoked):
		return nil
	}
	return fmt.Errorf("was %s, and is %s without a later record", held.State, rel.State())
}

// saidSince reports whether where the release is rests on a record of a later time.
func (rel *Release) saidSince(t time.Time) bool {
	return slices.ContainsFunc(rel.Evidence, func(e Evidence) bool {
		return e.Kind == sign.Standing && e.Counts && e.Standing.State == rel.State() && !e.Standing.Since.Before(t)
	})
}

// currentBehind refuses a current version that is older than the one in the checkpoint,
// unless that was withdrawn since. Who goes back on purpose makes a new checkpoint.
func currentBehind(c *Capability, was string, since time.Time) error {
	if was == "" || c.Current == was || c.Current != "" && versions.Newest([]string{was, c.Current})[0] == c.Current {
		return nil
	}
	if rel, err := find(c.Releases, was); err == nil && !rel.Standing.Serves() && rel.saidSince(since) {
		return nil
	}
	return fmt.Errorf("current was %s, and is %s", was, cmp.Or(c.Current, "none"))
}
