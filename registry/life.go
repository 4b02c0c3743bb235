package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/opencontainers/go-digest"
	v1 "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/versions"
)

// Lead is what a signed statement says that makes a release current.
//
// All that is signed of the life of a capability, which release is current and where each
// stands, is numbered in one sequence, from 1 on. What has the higher number was said
// later, whatever time stands in it and wherever index.json lists it: who brings an older
// statement back, or takes a newer one away, is found out by who has seen the newer.
type Lead struct {
	Sequence uint64 `json:"sequence"`
}

// maxSequence is the largest number that every reader of JSON has exactly.
const maxSequence = 1<<53 - 1

// ErrNoCurrent is the problem of a capability of which nobody whose word counts has said
// which version is current, where signatures are required.
var ErrNoCurrent = errors.New("signatures are required, and no trusted key has signed which version is current")

// readLead reads a record that makes a release current.
func readLead(data []byte) (Lead, error) {
	var l Lead
	if err := json.Unmarshal(data, &l); err != nil {
		return l, fmt.Errorf("the record of what is current is none: %w", err)
	}
	if l.Sequence == 0 || l.Sequence > maxSequence {
		return l, fmt.Errorf("the record of what is current has the sequence number %d, which must be between 1 and %d", l.Sequence, uint64(maxSequence))
	}
	return l, nil
}

// sequence is the number of a statement about the life of the capability, 0 for all else.
func (e *Evidence) sequence() uint64 {
	switch {
	case e.Standing != nil:
		return e.Standing.Sequence
	case e.Lead != nil:
		return e.Lead.Sequence
	}
	return 0
}

// after orders signed statements about a life: by their numbers. Two publishers may have
// used one number at the same instant, each without seeing the other; then all readers
// still agree on an order.
func (e *Evidence) after(o *Evidence) bool {
	return cmp.Or(
		cmp.Compare(e.sequence(), o.sequence()),
		e.Signature.Time.Compare(o.Signature.Time),
		bytes.Compare(e.attachment.signed.Document, o.attachment.signed.Document),
	) > 0
}

// life is what the signed statements that count say of a capability.
type life struct {
	last    *Evidence // the one with the highest number, nil if there is none
	twin    bool      // another one has that number too
	lead    *Evidence // the last that made a release current, nil if there is none
	leading *Release  // that release
	unread  []error   // statements that make a release current and cannot be read
}

func lifeOf(releases []*Release) *life {
	l := new(life)
	for _, rel := range releases {
		for i := range rel.Evidence {
			e := &rel.Evidence[i]
			switch {
			case e.Kind == sign.Current && e.attachment.err != nil:
				l.unread = append(l.unread, fmt.Errorf("a statement about what is current cannot be read: %w", e.attachment.err))
			case e.sequence() > 0 && e.Counts && e.Signature != nil && e.Signature.Holds:
				l.hear(rel, e)
			}
		}
	}
	return l
}

func (l *life) hear(rel *Release, e *Evidence) {
	switch {
	case l.last == nil || e.sequence() > l.last.sequence():
		l.last, l.twin = e, false
	case e.sequence() == l.last.sequence():
		l.twin = l.twin || !bytes.Equal(e.attachment.signed.Document, l.last.attachment.signed.Document)
	}
	if e.Kind == sign.Current && (l.lead == nil || e.after(l.lead)) {
		l.lead, l.leading = e, rel
	}
}

// ended reports whether the release that was made current was withdrawn after that. To be
// reinstated does not make it current again.
func (l *life) ended() bool {
	return slices.ContainsFunc(l.leading.Evidence, func(e Evidence) bool {
		return e.Standing != nil && e.Counts && e.sequence() > l.lead.sequence() && !e.Standing.Serves()
	})
}

// lead says how far the life of the capability has come. Where signatures are required it
// also says which version is current, by what is signed and not by the tag. The error says
// why that is none, or may be another.
func (p policy) lead(c *Capability) error {
	l := lifeOf(c.Releases)
	if l.last != nil {
		c.Sequence = l.last.sequence()
	}
	if !p.required {
		return nil
	}
	tagged := c.Current
	c.Sequenced, c.Current, c.unread = true, "", len(l.unread) > 0
	switch {
	case c.unread:
		return errors.Join(l.unread...)
	case l.lead == nil && tagged == "":
		return nil
	case l.lead == nil:
		err := fmt.Errorf("%w: slipstick promote %s %s --sign KEY does, with the key of a publisher", ErrNoCurrent, c.ID, tagged)
		if rel, missing := find(c.Releases, tagged); missing == nil && errors.Is(rel.Problem, ErrUntrusted) {
			err = fmt.Errorf("%w; and of %s itself: %w", err, tagged, rel.Problem)
		}
		return err
	case !l.ended():
		c.Current = l.leading.Version
	}
	c.led = l.lead.sequence()
	if v, err := versions.Parse(c.Current); err == nil && v.Prerelease() != "" {
		c.Current = ""
		return fmt.Errorf("a signed statement makes the pre-release %s current: promote a release", v)
	}
	if l.twin {
		return fmt.Errorf("two publishers have used the sequence number %d at the same time: look at what both have said, and promote the version that should be current", c.Sequence)
	}
	return nil
}

// said is what was ever written of a life, whoever signed it: who writes need not know
// whose word counts where it is read.
type said struct {
	last uint64        // the highest number
	lead digest.Digest // manifest of the release that was made current last, "" if none was
}

// said reads the numbers of all records.
func (l *layout) said(x *index) (s said, err error) {
	list, err := l.numbered(x)
	leading := uint64(0)
	for _, e := range list {
		s.last = max(s.last, e.sequence())
		if e.Lead != nil && e.Lead.Sequence > leading {
			leading, s.lead = e.Lead.Sequence, e.about
		}
	}
	return s, err
}

// numbered is a record with a number, and the manifest that it is about.
type numbered struct {
	Evidence
	about digest.Digest
}

// numbered reads the records that have a number. What cannot be read may have any.
func (l *layout) numbered(x *index) (list []numbered, err error) {
	found, err := l.attachments(x)
	for about, attached := range found {
		for i := range attached {
			e := numbered{Evidence{Kind: attached[i].kind, attachment: &attached[i]}, about}
			if e.Kind != sign.Standing && e.Kind != sign.Current {
				continue
			}
			if err = errors.Join(err, attached[i].err); attached[i].err == nil && e.read() == nil && e.sequence() > 0 {
				list = append(list, e)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the registry must be repaired first: %w", err)
	}
	return list, nil
}

// Numbers returns the signed statements about the life of a capability, by their sequence
// numbers: the digests of what was signed, each once, whoever signed it.
func (r *Registry) Numbers(ctx context.Context, capability string) (map[uint64][]string, error) {
	all := map[uint64][]string{}
	err := r.in(ctx, capability, func(l *layout, x *index) error {
		list, err := l.numbered(x)
		for _, e := range list {
			if s := e.attachment.signed; s != nil {
				d, n := digest.FromBytes(s.Document).String(), e.sequence()
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
	if s.last >= maxSequence {
		return 0, fmt.Errorf("a record has the sequence number %d, and there is none after it: remove that record", s.last)
	}
	s.last++
	return s.last, nil
}

// leading returns the index in which the version is current, and if there is a signer a
// signed statement says so, with the next number.
func (w *writer) leading(ctx context.Context, l *layout, x *index, version string, s *said, of *Release, by *sign.Signer, at time.Time) (*index, error) {
	next, err := x.pointing(version)
	if err != nil || by == nil || version == "" {
		return next, err
	}
	record, blobs, err := leadRecord(x, version, s, subjectOf(of), by, at)
	if err != nil {
		return nil, err
	}
	if _, err := w.fill(ctx, l, blobs); err != nil {
		return nil, err
	}
	return next.plus(record), nil
}

// leadRecord makes the record that a version is current.
func leadRecord(x *index, version string, s *said, of sign.Subject, by *sign.Signer, at time.Time) (v1.Descriptor, []blob, error) {
	entry, err := x.release(version)
	if err != nil {
		return v1.Descriptor{}, nil, err
	}
	number, err := s.next()
	if err != nil {
		return v1.Descriptor{}, nil, err
	}
	notes := map[string]string{SequenceNote: strconv.Itoa(x.records(version))}
	return attach(sign.Current, entry, of, marshal(Lead{number}), by, at, notes)
}

// add returns the index with a new release. Where current moves to it and there is a
// signer, a signed statement says so, unless one makes a newer version current than the
// tag does, which anybody who can write here may have set back.
func (l *layout) add(x *index, c *Candidate, a *artifact, by *sign.Signer) (*index, error) {
	version := c.Spec.Version
	if by == nil {
		return x.with(a, version)
	}
	s, err := l.said(x)
	if err != nil {
		return nil, err
	}
	if a.mayLead = a.mayLead && !l.isLed(x, s.lead, version); !a.mayLead {
		return x.with(a, version)
	}
	next, err := x.with(a, version)
	if err != nil {
		return nil, err
	}
	if current, err := next.current(); err != nil || current != version {
		return next, err
	}
	record, blobs, err := leadRecord(next, version, &s, a.subject(c), by, c.Created)
	if err != nil {
		return nil, err
	}
	a.attached, a.about = append(a.attached, record), append(a.about, blobs...)
	return next.plus(record), nil
}

// isLed reports whether a statement has made a release current that is newer than the
// version, and is still served.
func (l *layout) isLed(x *index, lead digest.Digest, version string) bool {
	list := x.versionsOf(lead)
	if len(list) != 1 || versions.Newest([]string{list[0], version})[0] == version {
		return false
	}
	found, err := l.attachments(x)
	return err == nil && l.release(x, list[0], found).Standing.Serves()
}
