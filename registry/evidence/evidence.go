// Package evidence decides which statements about a release count. Use it to find out how far a
// release has been checked, by whom, and whether it may be served. The package reads no files.
//
// A statement comes as an [Attachment]: the bytes of a document and of its signature.
// [Policy.Evaluate] turns attachments into [Evidence], with the reason if one does not count. The
// evidence determines the tier of the release ([DeriveTier]), its lifecycle ([Policy.LifecycleOf]),
// and which version is current ([HistoryOf]). It also determines whether the release may name its
// tool id ([Policy.NamingOf]).
package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/provenance"
	"github.com/slipstick/slipstick/registry/sign"
)

// Evidence is one statement about a release, and whether it counts.
type Evidence struct {
	Kind      sign.Kind       `json:"type"`
	Digest    string          `json:"digest"`    // of its manifest
	Signature *sign.Signature `json:"signature"` // nil if it is not signed
	Counts    bool            `json:"counts"`
	Broken    bool            `json:"broken,omitempty"`    // damaged, changed, or about another release
	Unchecked bool            `json:"unchecked,omitempty"` // signed, but the signer is not known without a trust file
	Why       string          `json:"why,omitempty"`       // why it does not count, or counts without a signature

	Report    *report.Summary `json:"report,omitempty"`
	Review    *Review         `json:"review,omitempty"`
	Lifecycle *Lifecycle      `json:"standing,omitempty"`
	Lead      *Lead           `json:"current,omitempty"`
	Shadow    *Shadow         `json:"shadow,omitempty"`

	Build *provenance.Summary `json:"build,omitempty"` // of a source or a rebuild

	attachment *Attachment
	parsed     *report.Report // until DeriveTier has judged the report
	build      *provenance.Build
}

// Attachment is a document about a release as it was stored, with its signature.
type Attachment struct {
	Kind    sign.Kind
	Digest  digest.Digest // of its manifest
	Content []byte        // report, review, lifecycle record, lead, shadow or build, as JSON; nil for the signature of a release
	Signed  *sign.Signed  // nil if it is not signed
	Err     error         // why it cannot be read
}

// Subject is the release that attachments are about. Engines is nil if they are not known,
// because the manifest cannot be read.
type Subject struct {
	sign.Subject
	Created time.Time // zero if not known
}

// form checks documents by their validate tags.
var form = documents.New(nil)

// Policy are the rules by which evidence counts.
type Policy struct {
	Trust    *sign.Trust // nil if there is no trust file
	Required bool        // unsigned evidence does not count
}

// Evaluate reads every attachment of a release and decides whether it counts. The result has
// one Evidence per attachment, in the same order.
func (p Policy) Evaluate(of Subject, list []Attachment) []Evidence {
	all := make([]Evidence, 0, len(list))
	for i := range list {
		e, err := Read(&list[i])
		if err == nil {
			err = p.verify(&e, of, time.Now())
		}
		if err == nil && e.build != nil && of.Engines != nil {
			err = CheckBuild(e.build, of.Engines)
		}
		e.build = nil // it is large
		e.Counts = err == nil
		if err != nil {
			e.Why, e.Broken = err.Error(), e.attachment.Err != nil || errors.Is(err, sign.ErrForged)
		}
		all = append(all, e)
	}
	sameSource(all)
	return all
}

// Read reads the document of an attachment, without checking its signature. The error explains
// why it cannot be read; the Evidence is still usable.
func Read(a *Attachment) (Evidence, error) {
	e := Evidence{Kind: a.Kind, Digest: a.Digest.String(), attachment: a}
	if a.Err != nil {
		return e, a.Err
	}
	return e, e.read()
}

// Document returns the signed bytes, or nil if the evidence is not signed.
func (e *Evidence) Document() []byte {
	if e.attachment.Signed == nil {
		return nil
	}
	return e.attachment.Signed.Document
}

// read reads the document. It does not judge a report: [DeriveTier] does.
func (e *Evidence) read() error {
	switch content := e.attachment.Content; e.Kind {
	case sign.Report:
		if r, err := report.Parse(content); err == nil {
			e.Report, e.parsed = new(r.Summary()), r
		}
	case sign.Review:
		e.Review = new(Review)
		if err := json.Unmarshal(content, e.Review); err != nil {
			e.Review = nil
			return fmt.Errorf("the review cannot be read: %w", err)
		}
		return e.Review.Check()
	case sign.Lifecycle:
		s, err := readLifecycle(content)
		if err != nil {
			e.attachment.Err = err
			return err
		}
		e.Lifecycle = &s
	case sign.Current:
		lead, err := readLead(content)
		if err != nil {
			e.attachment.Err = err
			return err
		}
		e.Lead = &lead
	case sign.Shadow:
		s, err := readShadow(content)
		if err != nil {
			e.attachment.Err = err
			return err
		}
		e.Shadow = &s
	case sign.Source, sign.Rebuild:
		b, err := provenance.Parse(content)
		if err != nil {
			return err
		}
		e.build, e.Build = b, new(b.Summary())
	}
	return nil
}

// verify checks the signature and records the signer. The error explains why the evidence does
// not count.
//
// If signatures are not required, unsigned reports, lifecycle records, shadows and sources
// count too. Unsigned reviews and rebuilds never count, since their value depends on the
// signer.
func (p Policy) verify(e *Evidence, of Subject, now time.Time) error {
	s := e.attachment.Signed
	byItself := e.Kind == sign.Report || e.Kind == sign.Lifecycle || e.Kind == sign.Shadow || e.Kind == sign.Source // counts where no signature is required
	switch {
	case s == nil && !p.Required && byItself:
		e.Why = "it is not signed: anyone who can write to the registry can have written it"
		return nil
	case s == nil:
		return errors.New("it is not signed, and a signature is required")
	case p.Trust == nil:
		claims, _ := s.Claims()
		e.Signature = &sign.Signature{KeyID: s.KeyID(), Time: claims.Time}
		e.Why, e.Unchecked = "its signature was not checked: there is no trust file", true
		if !byItself || p.Required {
			return errors.New(e.Why)
		}
		return nil
	}
	seen, err := p.Trust.Check(s, sign.Demand{
		Kind: e.Kind, Roles: e.roles(), About: e.about(of), Content: ContentDigest(e.attachment.Content), Now: now,
	})
	e.Signature = &seen
	if err == nil && e.Review != nil {
		err = e.Review.CheckDate(of.Created, seen.Time)
	}
	return err
}

// about returns the release as a statement must name it. If the manifest cannot be read, the
// engines are not known, and about accepts the engines that the statement names. The statement
// also names the digest of the manifest, which implies the engines. So a statement about a
// damaged release still counts.
func (e *Evidence) about(of Subject) sign.Subject {
	subject := of.Subject
	if subject.Engines == nil {
		claims, _ := e.attachment.Signed.Claims()
		subject.Engines = claims.Engines
	}
	return subject
}

// ContentDigest returns the digest of the content of a statement, or "" if there is none.
func ContentDigest(content []byte) string {
	if content == nil {
		return ""
	}
	return digest.FromBytes(content).String()
}

// roles returns the roles of keys that may sign this kind of evidence.
func (e *Evidence) roles() []sign.Role {
	switch {
	case e.Kind == sign.Report:
		return []sign.Role{sign.Reports}
	case e.Kind == sign.Review && e.Review.Kind == ExpertReview:
		return []sign.Role{sign.Expert}
	case e.Kind == sign.Review:
		return []sign.Role{sign.Reviews, sign.Expert}
	case e.Kind == sign.Rebuild:
		return []sign.Role{sign.Rebuilds}
	}
	return []sign.Role{sign.Publishes}
}

// ErrUntrusted is the problem of a release without a trusted signature of its publisher, where
// signatures are required.
var ErrUntrusted = errors.New("signatures are required, and the publisher's does not count")

// Authorize returns an error that wraps ErrUntrusted if signatures are required and no
// signature of a publisher counts.
func (p Policy) Authorize(list []Evidence) error {
	if !p.Required {
		return nil
	}
	why := "it is not signed"
	for _, e := range list {
		if e.Kind == sign.Release {
			if e.Counts {
				return nil
			}
			why = e.Why
		}
	}
	return fmt.Errorf("%w: %s; sign it with slipstick sign, or add the key to the trust file", ErrUntrusted, why)
}

// Shed drops the documents of the evidence. Call it after everything has been derived from
// them. Document returns nil after that.
func Shed(list []Evidence) {
	for i := range list {
		list[i].attachment = shed
	}
}

// shed replaces the attachment of evidence whose documents were dropped.
var shed = new(Attachment)
