package sign

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/slipstick/slipstick/registry/documents"
)

// Format is part of every statement. So a signature for another purpose never counts as a
// statement, nor the reverse.
const Format = "slipstick statement 1"

// Bounds on documents. Larger ones are neither read nor signed.
const (
	MaxStatement = 64 << 10 // bytes of a statement
	MaxSignature = 4 << 10  // bytes of a signature
	MaxRotations = 64 << 10 // bytes of a chain of rotations
)

// Kind is the kind of a statement.
type Kind string

// The kinds of statements.
const (
	Release   Kind = "release"  // the publisher published these bytes
	Report    Kind = "report"   // the conformance suite has this result
	Review    Kind = "review"   // a reviewer has this result
	Lifecycle Kind = "standing" // from now on the release is deprecated, yanked, ...
	Current   Kind = "current"  // from now on calls without a pin mean the release
	Shadow    Kind = "shadow"   // servers compare the outcomes of the release with their answers
	Source    Kind = "source"   // the release was built from this source
	Rebuild   Kind = "rebuild"  // building it again gave the same bytes

	rotation Kind = "rotation" // another key takes over
)

// Subject is the release that a statement is about.
type Subject struct {
	Capability string            `json:"capability_id"`
	Version    string            `json:"calculation_version"`
	Release    string            `json:"release_digest"` // of the manifest, "sha256:..."
	Engines    map[string]string `json:"engine_digests"` // by platform, such as linux/amd64
}

// Statement is the document that is signed.
type Statement struct {
	Format  string    `json:"format" validate:"eq=slipstick statement 1"`
	Kind    Kind      `json:"type"`
	Subject           // its members are next to the others
	Content string    `json:"content_digest,omitempty"` // of the document with the details: report, review, lifecycle record, current, shadow, source, rebuild
	Time    time.Time `json:"time" validate:"required"` // by the signer's clock
}

// Signed is a signed document: a statement or a rotation.
type Signed struct {
	Document  []byte
	Signature []byte // of minisign, as text
	Rotations []byte // rotations that lead to the key, nil if it needs none
}

// KeyID returns the id of the key that claims to have signed, in the form of minisign.
func (s *Signed) KeyID() string {
	sig, err := s.signature()
	if err != nil {
		return ""
	}
	return keyID(sig.KeyID)
}

// Claims reads a statement without verifying its signature.
func (s *Signed) Claims() (Statement, error) {
	var st Statement
	if err := decode(s.Document, MaxStatement, &st); err != nil {
		return st, fmt.Errorf("the statement %w", err)
	}
	return st, st.check()
}

func (st *Statement) check() error {
	return form.Check(st, func(f documents.Finding) error {
		if f.Field == "format" {
			return fmt.Errorf("the statement has the format %.40q, not %q", st.Format, Format)
		}
		return errors.New("the statement has no time")
	})
}

// encode renders a document in canonical form.
func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(data)
	err = value.Canonicalize()
	return value, err
}

// decode reads a document, which must be in canonical form and have no unknown member.
func decode(data []byte, limit int, v any) error {
	if len(data) > limit {
		return fmt.Errorf("has %d bytes, more than the %d that are read", len(data), limit)
	}
	if err := json.Unmarshal(data, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	if canonical, err := encode(v); err != nil || !bytes.Equal(canonical, data) {
		return errors.New("is not in its canonical spelling (RFC 8785)")
	}
	return nil
}

// second returns a time in the form of statements.
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
