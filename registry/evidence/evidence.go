// Package evidence answers one question: who says what of a release, with which key, and
// does it count?
//
// What is said of a release comes as an [Attachment]: the bytes of a document and of its
// signature. A [Policy] evaluates them, and from what counts follow the release's tier
// ([DeriveTier]), its [Lifecycle], which version is current ([HistoryOf]) and whether it may
// name its tool id ([Policy.NamingOf]). The package reads no files.
package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/opencontainers/go-digest"

	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/sign"
)

// Evidence is one thing that is said of a release, and whether it counts.
type Evidence struct {
	Kind      sign.Kind       `json:"type"`
	Digest    string          `json:"digest"`    // of its manifest
	Signature *sign.Signature `json:"signature"` // nil if it is not signed
	Counts    bool            `json:"counts"`
	Broken    bool            `json:"broken,omitempty"`    // damaged, changed, or said of something else
	Unchecked bool            `json:"unchecked,omitempty"` // signed, by whom is not known here
	Why       string          `json:"why,omitempty"`       // it does not count, or counts without a signature

	Report    *report.Summary `json:"report,omitempty"`
	Review    *Review         `json:"review,omitempty"`
	Lifecycle *Lifecycle      `json:"standing,omitempty"`
	Lead      *Lead           `json:"current,omitempty"`

	attachment *Attachment
}

// Attachment is a document about a release as it was stored, with its signature.
type Attachment struct {
	Kind    sign.Kind
	Digest  digest.Digest // of its manifest
	Content []byte        // report, review, lifecycle or lead; nil for a release's signature
	Signed  *sign.Signed  // nil if it is not signed
	Err     error         // why it cannot be read
}

// Subject is the release that attachments are about. Its engines are nil if they are not
// known.
type Subject struct {
	sign.Subject
	Created time.Time // zero if not known
}

// form checks documents by their tags.
var form = documents.New(nil)

// Policy says which evidence counts.
type Policy struct {
	Trust    *sign.Trust // nil if there is no trust file
	Required bool        // what is not signed does not count
}

// Evaluate reads every attachment of a release and says whether it counts.
func (p Policy) Evaluate(of Subject, list []Attachment) []Evidence {
	all := make([]Evidence, 0, len(list))
	for i := range list {
		e, err := Read(&list[i])
		if err == nil {
			err = p.verify(&e, of, time.Now())
		}
		if e.Counts = err == nil; err != nil {
			e.Why, e.Broken = err.Error(), e.attachment.Err != nil || errors.Is(err, sign.ErrForged)
		}
		all = append(all, e)
	}
	return all
}

// Read reads the document of an attachment, without asking who signed it. The error says
// why it cannot be read.
func Read(a *Attachment) (Evidence, error) {
	e := Evidence{Kind: a.Kind, Digest: a.Digest.String(), attachment: a}
	if a.Err != nil {
		return e, a.Err
	}
	return e, e.read()
}

// Document is what was signed, nil if nothing was.
func (e *Evidence) Document() []byte {
	if e.attachment.Signed == nil {
		return nil
	}
	return e.attachment.Signed.Document
}

// read reads the document. What a report says is judged by [DeriveTier].
func (e *Evidence) read() error {
	switch content := e.attachment.Content; e.Kind {
	case sign.Report:
		if r, err := report.Parse(content); err == nil {
			e.Report = new(r.Summary())
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
	}
	return nil
}

// verify notes who signed, and returns why that does not count.
func (p Policy) verify(e *Evidence, of Subject, now time.Time) error {
	s := e.attachment.Signed
	byItself := e.Kind == sign.Report || e.Kind == sign.Lifecycle // counts where no signature is required
	switch {
	case s == nil && !p.Required && byItself:
		e.Why = "it is not signed: whoever can write to the registry can have written it"
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

// about is the release as a statement must name it. Where the manifest cannot be read its
// engines are not known, but the digest of the manifest, which the statement names too,
// stands for them: that a release is damaged takes back nothing of what was said of it.
func (e *Evidence) about(of Subject) sign.Subject {
	subject := of.Subject
	if subject.Engines == nil {
		claims, _ := e.attachment.Signed.Claims()
		subject.Engines = claims.Engines
	}
	return subject
}

// ContentDigest is the digest of what comes with a statement, "" if nothing does.
func ContentDigest(content []byte) string {
	if content == nil {
		return ""
	}
	return digest.FromBytes(content).String()
}

// roles are those of keys that may say this.
func (e *Evidence) roles() []sign.Role {
	switch {
	case e.Kind == sign.Report:
		return []sign.Role{sign.Reports}
	case e.Kind == sign.Review && e.Review.Kind == ExpertReview:
		return []sign.Role{sign.Expert}
	case e.Kind == sign.Review:
		return []sign.Role{sign.Reviews, sign.Expert}
	}
	return []sign.Role{sign.Publishes}
}

// ErrUntrusted is the problem of a release that nobody whose word counts has published,
// where signatures are required.
var ErrUntrusted = errors.New("signatures are required, and the publisher's does not count")

// Authorize refuses a release without a signature of its publisher that counts, where
// signatures are required.
func (p Policy) Authorize(list []Evidence) error {
	if !p.Required {
		return nil
	}
	why := "nobody has signed it"
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
