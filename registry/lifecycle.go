package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/versions"
)

// SetLifecycle changes the lifecycle of a release, for all readers at once. It adds a record
// and keeps the earlier ones. If the current release is yanked or revoked, the newest release
// that may be current replaces it. A signed record gets the next sequence number of the
// capability, see [evidence.Lead].
//
// The error means that nothing has changed: the version is not published, the change is not
// allowed (see [evidence.Lifecycle.Check]), or the registry is damaged.
func (r *Registry) SetLifecycle(ctx context.Context, capability, version string, next evidence.Lifecycle) error {
	err := r.change(ctx, capability, func(e *edit) (*store.Index, error) { return e.setLifecycle(ctx, version, next) })
	if err != nil {
		return fmt.Errorf("%.200s %.100s cannot be made %s: %w", capability, version, next.State, err)
	}
	return nil
}

// Promote makes a version current. The version must have passed conformance, and must not be
// a pre-release, yanked or revoked. It may be older than the version that was current. If
// there is a signer, Promote adds a signed statement with the next sequence number. Where
// signatures are required, only that statement counts.
func (r *Registry) Promote(ctx context.Context, capability, version string) error {
	err := r.change(ctx, capability, func(e *edit) (*store.Index, error) {
		releases, err := e.layout.releases(e.was)
		if err != nil {
			return nil, err
		}
		rel, err := find(releases, version)
		switch {
		case err != nil:
			return nil, err
		case !rel.MayBeCurrent():
			return nil, fmt.Errorf("it may not be current: it must be readable, no pre-release, with a passing conformance report, and neither yanked nor revoked (it is %s)", rel.Lifecycle.State)
		}
		records, err := e.layout.recorded(e.was)
		if err != nil {
			return nil, err
		}
		return e.lead(ctx, e.was, rel, &records, time.Now())
	})
	if err != nil {
		return fmt.Errorf("%.200s %.100s cannot be made current: %w", capability, version, err)
	}
	return nil
}

// edit is a capability that is being changed, under the lock of the registry.
type edit struct {
	*store.Writer
	layout *layout
	was    *store.Index
	by     *sign.Signer // nil if nothing is signed
}

// change replaces the index of a capability by the one that alter returns. The replacement is
// atomic and on disk when change returns. An error of alter changes nothing.
func (r *Registry) change(ctx context.Context, capability string, alter func(*edit) (*store.Index, error)) error {
	w, err := r.store.Lock(ctx)
	if err != nil {
		return err
	}
	defer w.Close()
	l, err := r.openLayout(w, capability)
	if err != nil {
		return fmt.Errorf("it is not published: %w", err)
	}
	defer l.Close()
	l.options = r.options.withoutExecution()
	if err := w.Prepare(l.Layout); err != nil {
		return err
	}
	x, err := l.Index()
	if err == nil {
		err = x.Check()
	}
	if err != nil {
		return fmt.Errorf("the registry must be repaired first: %w", err)
	}
	log, err := r.readLogFirst()
	if err != nil {
		return err
	}
	next, err := alter(&edit{w, l, x, r.options.Signer})
	if err != nil {
		return err
	}
	if err := w.Show(l.Layout, x, next); err != nil {
		return err
	}
	return r.logged(ctx, w, log)
}

// setLifecycle returns the index with a record that gives a version a new lifecycle.
func (e *edit) setLifecycle(ctx context.Context, version string, s evidence.Lifecycle) (*store.Index, error) {
	releases, err := e.layout.releases(e.was)
	if err != nil {
		return nil, err
	}
	rel, err := find(releases, version)
	if err != nil {
		return nil, err
	}
	if err := s.Check(rel.Lifecycle); err != nil {
		return nil, err
	}
	if s.Successor != "" {
		if _, err := find(releases, s.Successor); err != nil || s.Successor == version {
			return nil, fmt.Errorf("the successor %.100q is not another published version", s.Successor)
		}
	}
	records, err := e.layout.recorded(e.was)
	if err != nil {
		return nil, err
	}
	s.Sequence, err = e.number(&records)
	if err != nil {
		return nil, err
	}
	next, err := e.record(ctx, sign.Lifecycle, rel, s, s.Since)
	if err != nil {
		return nil, err
	}
	rel.Lifecycle = s
	if !e.leads(rel, &records) || rel.MayBeCurrent() {
		return next, nil
	}
	heir, _ := find(releases, newestEligible(releases))
	return e.lead(ctx, next, heir, &records, s.Since)
}

// leads reports whether a release is the current one.
func (e *edit) leads(rel *Release, records *recorded) bool {
	current, err := e.was.Current()
	return err == nil && current == rel.Version || e.by != nil && records.lead.String() == rel.Digest
}

// number returns the sequence number of the next statement, or 0 if the statement will not be
// signed.
func (e *edit) number(records *recorded) (uint64, error) {
	if e.by == nil {
		return 0, nil
	}
	return records.next()
}

// record returns the index with a statement about a release.
func (e *edit) record(ctx context.Context, kind sign.Kind, rel *Release, content any, since time.Time) (*store.Index, error) {
	entry, err := e.was.Release(rel.Version)
	if err != nil {
		return nil, err
	}
	notes := map[string]string{mediatype.SequenceNote: strconv.Itoa(e.was.Records(rel.Version))}
	record, blobs, err := attach(kind, entry, subjectOf(rel), store.Marshal(content), e.by, since, notes)
	if err != nil {
		return nil, err
	}
	if _, err := e.Fill(ctx, e.layout.Layout, blobs); err != nil {
		return nil, err
	}
	return e.was.Plus(record), nil
}

// releases reads every version.
func (l *layout) releases(x *store.Index) ([]*Release, error) {
	found, err := l.attachments(x)
	if err != nil {
		return nil, fmt.Errorf("the registry must be repaired first: %w", err)
	}
	var list []*Release
	for _, version := range x.Versions() {
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

// State returns the lifecycle state of the release. Without a record it is active.
func (rel *Release) State() evidence.State { return cmp.Or(rel.Lifecycle.State, evidence.Active) }

// Available reports whether the release may be executed.
func (rel *Release) Available() bool {
	return rel.Problem == nil && rel.Lifecycle.State != evidence.Revoked
}

// MayBeCurrent reports whether the release may be the current version.
func (rel *Release) MayBeCurrent() bool {
	v, err := versions.Parse(rel.Version)
	return err == nil && v.Prerelease() == "" && rel.Problem == nil && rel.Judged && rel.Lifecycle.Serves()
}

// newestEligible returns the newest version that may be current, or "" if there is none. The
// releases are sorted, newest first.
func newestEligible(releases []*Release) string {
	for _, rel := range releases {
		if rel.MayBeCurrent() {
			return rel.Version
		}
	}
	return ""
}
