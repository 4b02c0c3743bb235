package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/evidence"
	"github.com/slipstick/slipstick/registry/mediatype"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/registry/store"
	"github.com/slipstick/slipstick/versions"
)

// ErrNoCurrent is the problem of a capability without a trusted statement about which version
// is current, where signatures are required.
var ErrNoCurrent = errors.New("signatures are required, and no trusted key has signed which version is current")

// readLead sets Sequence from the signed statements. If signatures are required (signed), it
// also sets Current from them; the tag current does not count then. The error explains why no
// version is current, or why another one might be.
func (c *Capability) readLead(signed bool) error {
	versionEvidence := make([]evidence.VersionEvidence, len(c.Releases))
	for i, rel := range c.Releases {
		versionEvidence[i] = evidence.VersionEvidence{Version: rel.Version, Evidence: rel.Evidence}
	}
	history := evidence.HistoryOf(versionEvidence)
	c.Sequence = history.Sequence
	if !signed {
		return nil
	}
	tagged := c.Current
	c.Sequenced, c.Current, c.unread = true, "", len(history.Unread) > 0
	switch {
	case c.unread:
		return errors.Join(history.Unread...)
	case history.Lead == 0 && tagged == "":
		return nil
	case history.Lead == 0:
		err := fmt.Errorf("%w: slipstick promote %s %s --sign KEY does, with the key of a publisher", ErrNoCurrent, c.ID, tagged)
		if rel, missing := find(c.Releases, tagged); missing == nil && errors.Is(rel.Problem, evidence.ErrUntrusted) {
			err = fmt.Errorf("%w; and of %s itself: %w", err, tagged, rel.Problem)
		}
		return err
	case !history.Ended:
		c.Current = history.Version
	}
	c.led = history.Lead
	if v, err := versions.Parse(c.Current); err == nil && v.Prerelease() != "" {
		c.Current = ""
		return fmt.Errorf("a signed statement makes the pre-release %s current: promote a release", v)
	}
	if history.Duplicate {
		return fmt.Errorf("two publishers have used the sequence number %d at the same time: compare their statements, and promote the version that should be current", c.Sequence)
	}
	return nil
}

// recorded is the combined result of all records of a capability, independent of their
// signers. A writer does not know which signers count for each reader, so it continues after
// all records.
type recorded struct {
	last uint64        // the highest sequence number
	lead digest.Digest // manifest of the release that was made current last; "" if none was
}

// recorded reads all records with a sequence number.
func (l *layout) recorded(x *store.Index) (s recorded, err error) {
	list, err := l.numbered(x)
	leading := uint64(0)
	for _, e := range list {
		s.last = max(s.last, e.Sequence())
		if e.Lead != nil && e.Lead.Sequence > leading {
			leading, s.lead = e.Lead.Sequence, e.about
		}
	}
	return s, err
}

// numbered is a record with a sequence number, and the manifest of the release that it is
// about.
type numbered struct {
	evidence.Evidence
	about digest.Digest
}

// numbered reads the records that have a sequence number. A record that cannot be read is an
// error, since it could have any number.
func (l *layout) numbered(x *store.Index) (list []numbered, err error) {
	found, err := l.attachments(x)
	for about, attached := range found {
		for i := range attached {
			a := &attached[i]
			if a.Kind != sign.Lifecycle && a.Kind != sign.Current && a.Kind != sign.Shadow {
				continue
			}
			err = errors.Join(err, a.Err)
			if a.Err != nil {
				continue
			}
			if e, unread := evidence.Read(a); unread == nil && e.Sequence() > 0 {
				list = append(list, numbered{e, about})
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the registry must be repaired first: %w", err)
	}
	return list, nil
}

// Numbers returns the digests of all signed statements about the history of a capability, by
// sequence number. Each digest appears once, also if several keys signed the statement.
func (r *Registry) Numbers(ctx context.Context, capability string) (map[uint64][]string, error) {
	all := map[uint64][]string{}
	err := r.in(ctx, capability, func(l *layout, x *store.Index) error {
		list, err := l.numbered(x)
		for _, e := range list {
			if document := e.Document(); document != nil {
				d, n := digest.FromBytes(document).String(), e.Sequence()
				if !slices.Contains(all[n], d) {
					all[n] = append(all[n], d)
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("numbers of %s: %w", capability, err)
	}
	return all, nil
}

// next returns the sequence number for the next statement.
func (s *recorded) next() (uint64, error) {
	if s.last >= evidence.MaxSequence {
		return 0, fmt.Errorf("a record has the sequence number %d, and there is none after it: remove that record", s.last)
	}
	s.last++
	return s.last, nil
}

// lead returns x with the release as the current one, or with no current one if rel is nil.
// If there is a signer, it adds a signed statement with the next sequence number.
func (e *edit) lead(ctx context.Context, x *store.Index, rel *Release, s *recorded, at time.Time) (*store.Index, error) {
	if rel == nil {
		return x.Pointing("", at)
	}
	next, err := x.Pointing(rel.Version, at)
	if err != nil || e.by == nil {
		return next, err
	}
	record, blobs, err := leadRecord(x, rel.Version, s, subjectOf(rel), e.by, at)
	if err != nil {
		return nil, err
	}
	if _, err := e.Fill(ctx, e.layout.Layout, blobs); err != nil {
		return nil, err
	}
	return next.Plus(record), nil
}

// leadRecord makes the signed statement that a version is current.
func leadRecord(x *store.Index, version string, s *recorded, of sign.Subject, by *sign.Signer, at time.Time) (v1.Descriptor, []store.Blob, error) {
	entry, err := x.Release(version)
	if err != nil {
		return v1.Descriptor{}, nil, err
	}
	number, err := s.next()
	if err != nil {
		return v1.Descriptor{}, nil, err
	}
	notes := map[string]string{mediatype.SequenceNote: strconv.Itoa(x.Records(version))}
	return attach(sign.Current, entry, of, store.Marshal(evidence.Lead{Sequence: number}), by, at, notes)
}

// add returns the index with a new release. If the release becomes current and there is a
// signer, add also adds a signed statement.
//
// The release does not become current if a signed statement has made a newer version current.
// In that case the tag is not reliable: an attacker with write access to the registry can move
// it back.
func (l *layout) add(x *store.Index, c *Candidate, a *artifact, by *sign.Signer) (*store.Index, error) {
	version := c.Spec.Version
	if by == nil {
		return x.With(a.release, a.attached, version, a.mayBeCurrent)
	}
	s, err := l.recorded(x)
	if err != nil {
		return nil, err
	}
	a.mayBeCurrent = a.mayBeCurrent && !l.isLed(x, s.lead, version)
	if !a.mayBeCurrent {
		return x.With(a.release, a.attached, version, a.mayBeCurrent)
	}
	next, err := x.With(a.release, a.attached, version, a.mayBeCurrent)
	if err != nil {
		return nil, err
	}
	if current, err := next.Current(); err != nil || current != version {
		return next, err
	}
	record, blobs, err := leadRecord(next, version, &s, a.subject(c), by, c.Created)
	if err != nil {
		return nil, err
	}
	a.attached, a.about = append(a.attached, record), append(a.about, blobs...)
	return next.Plus(record), nil
}

// isLed reports whether a statement has made a release current that is newer than the
// version and still served. Lead is the manifest of that release.
func (l *layout) isLed(x *store.Index, lead digest.Digest, version string) bool {
	list := x.VersionsOf(lead)
	if len(list) != 1 || versions.Newest([]string{list[0], version})[0] == version {
		return false
	}
	found, err := l.attachments(x)
	return err == nil && l.release(x, list[0], found).Lifecycle.Serves()
}

// Led returns the number of the signed statement that made Current the current version, or
// 0 if there is none. The state with the higher number is the later one.
func (c *Capability) Led() uint64 { return c.led }
