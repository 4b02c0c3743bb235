package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/versions"
)

// StateOf returns the content of a registry for a checkpoint. Damage is an error, because a
// checkpoint must not preserve a damaged state. A capability whose only problem is a tool id
// of another capability is left out. Otherwise anybody who claims a tool id could prevent
// others from making a checkpoint.
func StateOf(capabilities []Capability) (map[string]sign.Holding, error) {
	state := map[string]sign.Holding{}
	for _, c := range capabilities {
		if _, only := c.Problem.(*TakenError); only {
			continue
		}
		if c.Problem != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, c.Problem)
		}
		h := sign.Holding{Current: c.Current, Sequence: c.Sequence, Tools: c.Tools, Versions: map[string]sign.Held{}}
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

// Behind returns an error that lists how a registry has fallen behind a checkpoint: missing
// or changed versions, missing revocations and withdrawals, an older current version. The
// registry may be ahead: later releases and statements are no fault.
func Behind(capabilities []Capability, state *sign.State) error {
	var errs []error
	for id, held := range sortedBy(state.Capabilities) {
		i := slices.IndexFunc(capabilities, func(c Capability) bool { return c.ID == id })
		if i < 0 {
			errs = append(errs, fmt.Errorf("%.200s is gone", id))
			continue
		}
		c := &capabilities[i]
		for version, was := range sortedBy(held.Versions) {
			if err := c.behind(version, was, &held, state.Time); err != nil {
				errs = append(errs, fmt.Errorf("%s %.100s %w", id, version, err))
			}
		}
		if err := c.currentBehind(&held, state.Time); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

// ApplyCheckpoint returns the capabilities as they may be served under a checkpoint. Where a
// capability has fallen behind, it gets a Problem and the checkpoint decides: a version with
// another digest is refused, a version that was yanked or revoked stays so, and current is
// the version of the checkpoint. Everything else is unchanged, and so is the argument.
func ApplyCheckpoint(capabilities []Capability, state *sign.State) []Capability {
	out := slices.Clone(capabilities)
	for id, held := range sortedBy(state.Capabilities) {
		i := slices.IndexFunc(out, func(c Capability) bool { return c.ID == id })
		if i < 0 {
			out = append(out, Capability{ID: id, Problem: notMet(state, errors.New("it is gone from the registry"))})
			continue
		}
		out[i].applyCheckpoint(&held, state)
	}
	slices.SortFunc(out, func(a, b Capability) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// notMet is the problem of what has fallen behind a checkpoint.
func notMet(state *sign.State, err error) error {
	return fmt.Errorf("the checkpoint %d is not met: %w: bring the registry up to date, or get a newer checkpoint from its publisher", state.Number, err)
}

func (c *Capability) applyCheckpoint(held *sign.Holding, state *sign.State) {
	var errs []error
	current := c.currentBehind(held, state.Time)
	c.Releases = slices.Clone(c.Releases)
	for version, was := range sortedBy(held.Versions) {
		err := c.behind(version, was, held, state.Time)
		if err == nil {
			continue
		}
		errs = append(errs, fmt.Errorf("version %.100s %w", version, err))
		i := slices.IndexFunc(c.Releases, func(r *Release) bool { return r.Version == version })
		if i < 0 {
			continue
		}
		rel := *c.Releases[i]
		if c.Releases[i] = &rel; rel.Digest != was.Release {
			rel.Problem = notMet(state, err)
		}
		if state := evidence.State(was.State); state == evidence.Yanked || state == evidence.Revoked {
			rel.Lifecycle = evidence.Lifecycle{State: state, Reason: "its publisher says so in a checkpoint, which gives no reason"}
		}
		if c.Current == version && !rel.Lifecycle.Serves() {
			c.Current = ""
		}
	}
	if current != nil {
		errs = append(errs, current)
		if rel, err := find(c.Releases, held.Current); err == nil && rel.Lifecycle.Serves() {
			c.Current = held.Current
		}
	}
	if len(errs) > 0 {
		c.Problem = errors.Join(c.Problem, notMet(state, errors.Join(errs...)))
	}
}

// behind returns how a version has fallen behind the checkpoint, which was made at the time
// since.
func (c *Capability) behind(version string, was sign.Held, held *sign.Holding, since time.Time) error {
	rel, err := find(c.Releases, version)
	switch {
	case err != nil || rel.gone:
		return errors.New("is gone")
	case rel.Digest != was.Release:
		return fmt.Errorf("was %s, and is %s", was.Release, cmp.Or(rel.Digest, "not to be read"))
	case string(rel.State()) == was.State || was.State != string(evidence.Revoked) && c.changedSince(rel, held, since):
		return nil
	}
	return fmt.Errorf("was %s, and is %s without a later record", was.State, rel.State())
}

// changedSince reports whether the lifecycle state of a release comes from a record that is
// later than the checkpoint. Where signatures are required and the checkpoint has a sequence
// number, only the number of the record counts; otherwise its time counts too.
func (c *Capability) changedSince(rel *Release, held *sign.Holding, t time.Time) bool {
	return slices.ContainsFunc(rel.Evidence, func(e evidence.Evidence) bool {
		if e.Kind != sign.Lifecycle || !e.Counts || e.Lifecycle.State != rel.State() {
			return false
		}
		return e.Sequence() > held.Sequence || (!c.Sequenced || held.Sequence == 0) && !e.Lifecycle.Since.Before(t)
	})
}

// currentBehind returns an error if the current version differs from that of the checkpoint
// without a reason. Reasons are a later signed statement, and a later withdrawal of the
// version in the checkpoint. If the tag alone decides what is current, it may also point to
// a newer version. After a deliberate return to an older version, the publisher makes a new
// checkpoint.
func (c *Capability) currentBehind(held *sign.Holding, since time.Time) error {
	was := held.Current
	switch {
	case was == "" || c.Current == was:
		return nil
	case c.Sequenced && c.led > held.Sequence:
		return nil
	case !c.Sequenced && c.Current != "" && versions.Newest([]string{was, c.Current})[0] == c.Current:
		return nil
	}
	if rel, err := find(c.Releases, was); err == nil && !rel.Lifecycle.Serves() && c.changedSince(rel, held, since) {
		return nil
	}
	return fmt.Errorf("current was %s, and is %s", was, cmp.Or(c.Current, "none"))
}
