package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/versions"
)

// State is where a release is in its life.
type State string

// The states. All but Revoked can be left again.
const (
	Active     State = "active"     // the state of a release of which nothing else was said
	Deprecated State = "deprecated" // served, with a warning
	Yanked     State = "yanked"     // never meant without a pin; served to exact pins, with a warning
	Revoked    State = "revoked"    // wrong or malicious: never executed again
)

// Standing says where a release is in its life, and why.
type Standing struct {
	State     State     `json:"state"`
	Reason    string    `json:"reason,omitempty"`    // for callers; all but Active need one
	Sunset    string    `json:"sunset,omitempty"`    // date, as 2027-06-30, after which a deprecated release may be yanked
	Successor string    `json:"successor,omitempty"` // version to use instead
	Since     time.Time `json:"since,omitzero"`      // zero if nothing was ever said of it

	// Sequence is the number of a signed record among all that were signed of the life of
	// the capability, see [Lead]. It is 0 if the record is not signed, or older than that.
	Sequence uint64 `json:"sequence,omitempty"`
}

const maxReason = 500

// check returns what is wrong with s as the next standing of a release that has the
// standing was.
func (s *Standing) check(was Standing) error {
	switch {
	case !slices.Contains([]State{Active, Deprecated, Yanked, Revoked}, s.State):
		return fmt.Errorf("unknown state %.40q", s.State)
	case was.State == Revoked && s.State != Revoked:
		return errors.New("it was revoked, and that is final: publish a new version")
	case was.State == Revoked && s.Reason != was.Reason:
		return fmt.Errorf("it was revoked already, which is final and keeps its reason: %s", was.Reason)
	case s.State != Active && s.Reason == "":
		return fmt.Errorf("a %s release needs a reason, which its callers are told", s.State)
	case s.Sequence > maxSequence:
		return fmt.Errorf("the sequence number %d is above %d", s.Sequence, uint64(maxSequence))
	case len(s.Reason) > maxReason:
		return fmt.Errorf("the reason has %d bytes: at most %d are allowed", len(s.Reason), maxReason)
	case s.Sunset != "" && s.State != Deprecated:
		return fmt.Errorf("only a deprecated release has a sunset, not one that is %s", s.State)
	}
	if s.Sunset != "" {
		if _, err := time.Parse(time.DateOnly, s.Sunset); err != nil {
			return fmt.Errorf("sunset %.40q is not a date such as 2027-06-30", s.Sunset)
		}
	}
	return nil
}

// SetStanding says where a release is from now on; the record is added to those that
// were there, for all readers at once. The tag current leaves a release that is yanked
// or revoked, for the newest that may carry it. What is signed gets the next sequence
// number of the capability, see [Lead].
func (r *Registry) SetStanding(ctx context.Context, capability, version string, s Standing) error {
	err := r.change(ctx, capability, func(w *writer, l *layout, x *index) (*index, error) {
		releases, err := l.releases(x)
		if err != nil {
			return nil, err
		}
		rel, err := find(releases, version)
		if err != nil {
			return nil, err
		}
		if err := s.check(rel.Standing); err != nil {
			return nil, err
		}
		if s.Successor != "" {
			if _, err := find(releases, s.Successor); err != nil || s.Successor == version {
				return nil, fmt.Errorf("the successor %.100q is no other published version", s.Successor)
			}
		}
		entry, err := x.release(version)
		if err != nil {
			return nil, err
		}
		said, err := l.said(x)
		if err != nil {
			return nil, err
		}
		if s.Sequence = 0; r.options.Signer != nil {
			if s.Sequence, err = said.next(); err != nil {
				return nil, err
			}
		}
		record, blobs, err := attach(sign.Standing, entry, subjectOf(rel), marshal(s), r.options.Signer, s.Since, map[string]string{SequenceNote: strconv.Itoa(x.records(version))})
		if err != nil {
			return nil, err
		}
		if _, err := w.fill(ctx, l, blobs); err != nil {
			return nil, err
		}
		rel.Standing = s
		next := x.plus(record)
		current, err := x.current()
		led := err == nil && current == version || r.options.Signer != nil && said.lead == entry.Digest
		if !led || rel.mayLead() {
			return next, nil
		}
		to := leader(releases)
		heir, _ := find(releases, to)
		return w.leading(ctx, l, next, to, &said, heir, r.options.Signer, s.Since)
	})
	if err != nil {
		return fmt.Errorf("%.200s %.100s cannot be made %s: %w", capability, version, s.State, err)
	}
	return nil
}

// Promote points the tag current at the version: one that passed conformance, is no
// pre-release and neither yanked nor revoked. It may be older than the one before. If
// there is a signer, a signed statement with the next sequence number says so, which is
// what counts where signatures are required.
func (r *Registry) Promote(ctx context.Context, capability, version string) error {
	err := r.change(ctx, capability, func(w *writer, l *layout, x *index) (*index, error) {
		releases, err := l.releases(x)
		if err != nil {
			return nil, err
		}
		rel, err := find(releases, version)
		switch {
		case err != nil:
			return nil, err
		case !rel.mayLead():
			return nil, fmt.Errorf("it may not be current: it must be readable, no pre-release, with a passing conformance report, and neither yanked nor revoked (it is %s)", rel.Standing.State)
		}
		said, err := l.said(x)
		if err != nil {
			return nil, err
		}
		return w.leading(ctx, l, x, version, &said, rel, r.options.Signer, time.Now())
	})
	if err != nil {
		return fmt.Errorf("%.200s %.100s cannot be made current: %w", capability, version, err)
	}
	return nil
}

// change replaces the index of a capability by the one that alter returns, in one step
// and on disk.
func (r *Registry) change(ctx context.Context, capability string, alter func(*writer, *layout, *index) (*index, error)) error {
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	w, err := r.writer()
	if err != nil {
		return err
	}
	defer w.close()
	l, err := r.layout(w.root, capability)
	if err != nil {
		return fmt.Errorf("it is not published: %w", err)
	}
	defer l.close()
	l.options = r.options.unrun()
	if err := errors.Join(w.sweepDir(l.dir), w.makeDirs(l)); err != nil {
		return err
	}
	x, err := l.index()
	if err == nil {
		err = x.check()
	}
	if err != nil {
		return fmt.Errorf("the registry must be repaired first: %w", err)
	}
	next, err := alter(w, l, x)
	if err != nil {
		return err
	}
	if len(next.raw) > MaxJSON {
		return fmt.Errorf("index.json would have %d bytes, more than the %d that are read", len(next.raw), MaxJSON)
	}
	return w.show(l, x, next)
}

// releases reads every version.
func (l *layout) releases(x *index) ([]*Release, error) {
	found, err := l.attachments(x)
	if err != nil {
		return nil, fmt.Errorf("the registry must be repaired first: %w", err)
	}
	var list []*Release
	for _, version := range x.versions() {
		list = append(list, l.release(x, version, found))
	}
	return list, nil
}

func find(releases []*Release, version string) (*Release, error) {
	i := slices.IndexFunc(releases, func(r *Release) bool { return r.Version == version })
	if i < 0 {
		return nil, errors.New("it is not published")
	}
	return releases[i], nil
}

// State is where the release is in its life.
func (rel *Release) State() State { return cmp.Or(rel.Standing.State, Active) }

// Available reports whether the release can be computed with.
func (rel *Release) Available() bool { return rel.Problem == nil && rel.Standing.State != Revoked }

// Serves reports whether calls without a pin may be answered.
func (s Standing) Serves() bool { return s.State != Yanked && s.State != Revoked }

// mayLead reports whether current may point to the release.
func (rel *Release) mayLead() bool {
	v, err := versions.Parse(rel.Version)
	return err == nil && v.Prerelease() == "" && rel.Problem == nil && rel.Report != nil && rel.Standing.Serves()
}

// leader returns the newest version that may be current, "" if none may. The releases
// are sorted, newest first.
func leader(releases []*Release) string {
	for _, rel := range releases {
		if rel.mayLead() {
			return rel.Version
		}
	}
	return ""
}

// readStanding reads a record of where a release is.
func readStanding(data []byte) (Standing, error) {
	var s Standing
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("the record of its standing is none: %w", err)
	}
	return s, s.check(Standing{})
}

// standing returns where a release is: what the last record that counts says, and
// revoked if any does, for that is final. Where signatures are required the last is the
// one with the highest sequence number, and of those without, which are older, the one
// that was signed last, wherever index.json lists it. A release that may have been
// revoked must not be served: the record cannot be read, or nobody who counts vouches
// for it.
func (p policy) standing(evidence []Evidence) (Standing, error) {
	now, last := Standing{State: Active}, (*Evidence)(nil)
	var damage error
	for i := range evidence {
		switch e := &evidence[i]; {
		case e.Kind != sign.Standing:
		case e.attachment.err != nil:
			damage = fmt.Errorf("where it stands cannot be read: %w", e.attachment.err)
		case !e.Counts && e.Standing.State == Revoked:
			return now, fmt.Errorf("it is said to be revoked (%s), in a record that does not count: %s; sign the record again, or remove it", e.Standing.Reason, e.Why)
		case !e.Counts:
		case e.Standing.State == Revoked:
			return *e.Standing, nil
		case p.required && last != nil && last.after(e):
		default:
			now, damage, last = *e.Standing, nil, e
		}
	}
	return now, damage
}
