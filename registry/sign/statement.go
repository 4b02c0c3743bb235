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

// Format is part of every statement, so that a signature for another purpose is never
// taken for one, nor the other way round.
const Format = "slipstick statement 1"

// Bounds on what is read; nothing beyond them is signed either.
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
	Report    Kind = "report"   // the conformance suite found this
	Review    Kind = "review"   // a reviewer saw this
	Lifecycle Kind = "standing" // from now on the release is deprecated, yanked, ...
	Current   Kind = "current"  // from now on the release is the one that is meant without a pin
	Shadow    Kind = "shadow"   // hosts compare what the release computes with what they answer
	Source    Kind = "source"   // it was built from this
	Rebuild   Kind = "rebuild"  // building that again gave the same bytes

	rotation Kind = "rotation" // another key takes over
)

// Subject is the release that a statement is about.
type Subject struct {
	Capability string            `json:"capability_id"`
	Version    string            `json:"calculation_version"`
	Release    string            `json:"release_digest"` // of the manifest, "sha256:..."
	Engines    map[string]string `json:"engine_digests"` // by platform, such as linux/amd64
}

// Statement is what is signed.
type Statement struct {
	Format  string    `json:"format" validate:"eq=slipstick statement 1"`
	Kind    Kind      `json:"type"`
	Subject           // its members stand beside the others
	Content string    `json:"content_digest,omitempty"` // of the document that says more: report, review, standing, current, shadow, source, rebuild
	Time    time.Time `json:"time" validate:"required"` // by the clock of who signed
}

// Signed is a document as it was signed: a statement or a rotation.
type Signed struct {
	Document  []byte
	Signature []byte // of minisign, as text
	Rotations []byte // by which the key came into office, nil if it needs none
}

// KeyID returns the id of the key that claims to have signed, as minisign writes it.
func (s *Signed) KeyID() string {
	sig, err := s.signature()
	if err != nil {
		return ""
	}
	return keyID(sig.KeyID)
}

// Claims reads a statement without asking whether its signature holds.
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

// encode renders a document in its one spelling.
func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(data)
	err = value.Canonicalize()
	return value, err
}

// decode reads a document that must have its one spelling and no unknown member.
func decode(data []byte, limit int, v any) error {
	if len(data) > limit {
		return fmt.Errorf("has %d bytes, more than the %d that are read", len(data), limit)
	}
	if err := json.Unmarshal(data, v, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	if again, err := encode(v); err != nil || !bytes.Equal(again, data) {
		return errors.New("is not in its canonical spelling (RFC 8785)")
	}
	return nil
}

// second is a time as statements have it.
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
