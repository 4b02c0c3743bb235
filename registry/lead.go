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

// ErrNoCurrent is the problem of a capability of which nobody whose word counts has said
// which version is current, where signatures are required.
var ErrNoCurrent = errors.New("signatures are required, and no trusted key has signed which version is current")

// readLead says how far the history of the capability has come. Where signatures are required
// it also says which version is current, by what is signed and not by the tag. The error
// says why that is none, or may be another.
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
		return fmt.Errorf("two publishers have used the sequence number %d at the same time: look at what both have said, and promote the version that should be current", c.Sequence)
	}
	return nil
}

// said is what was ever written of a history, whoever signed it: who writes need not know
// whose word counts where it is read.
type said struct {
	last uint64        // the highest number
	lead digest.Digest // manifest of the release that was made current last, "" if none was
}

// said reads the numbers of all records.
func (l *layout) said(x *store.Index) (s said, err error) {
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

// numbered is a record with a number, and the manifest that it is about.
type numbered struct {
	evidence.Evidence
	about digest.Digest
}

// numbered reads the records that have a number. What cannot be read may have any.
func (l *layout) numbered(x *store.Index) (list []numbered, err error) {
	found, err := l.attachments(x)
	for about, attached := range found {
		for i := range attached {
			a := &attached[i]
			if a.Kind != sign.Lifecycle && a.Kind != sign.Current {
				continue
			}
			if err = errors.Join(err, a.Err); a.Err != nil {
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

// Numbers returns the signed statements about the history of a capability, by their sequence
// numbers: the digests of what was signed, each once, whoever signed it.
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

// next returns the number of the next statement.
func (s *said) next() (uint64, error) {
	if s.last >= evidence.MaxSequence {
		return 0, fmt.Errorf("a record has the sequence number %d, and there is none after it: remove that record", s.last)
	}
	s.last++
	return s.last, nil
}

// lead returns x with the release as the current one, nil for none. If there is a signer, a
// signed statement with the next number says so.
func (e *edit) lead(ctx context.Context, x *store.Index, rel *Release, s *said, at time.Time) (*store.Index, error) {
	if rel == nil {
		return x.Pointing("")
	}
	next, err := x.Pointing(rel.Version)
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

// leadRecord makes the record that a version is current.
func leadRecord(x *store.Index, version string, s *said, of sign.Subject, by *sign.Signer, at time.Time) (v1.Descriptor, []store.Blob, error) {
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

// add returns the index with a new release. Where current moves to it and there is a
// signer, a signed statement says so, unless one makes a newer version current than the
// tag does, which anybody who can write here may have set back.
func (l *layout) add(x *store.Index, c *Candidate, a *artifact, by *sign.Signer) (*store.Index, error) {
	version := c.Spec.Version
	if by == nil {
		return x.With(a.release, a.attached, version, a.mayBeCurrent)
	}
	s, err := l.said(x)
	if err != nil {
		return nil, err
	}
	if a.mayBeCurrent = a.mayBeCurrent && !l.isLed(x, s.lead, version); !a.mayBeCurrent {
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
// version, and is still served.
func (l *layout) isLed(x *store.Index, lead digest.Digest, version string) bool {
	list := x.VersionsOf(lead)
	if len(list) != 1 || versions.Newest([]string{list[0], version})[0] == version {
		return false
	}
	found, err := l.attachments(x)
	return err == nil && l.release(x, list[0], found).Lifecycle.Serves()
}
