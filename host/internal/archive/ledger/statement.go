package ledger

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Header identifies a segment and its predecessor.
type Header struct {
	Ledger   string    `json:"ledger"`
	Segment  uint64    `json:"segment"`  // from 1
	Previous tlog.Hash `json:"previous"` // SHA-256 of the statement that closes the previous segment; zero in the first segment
	Inputs   Inputs    `json:"inputs"`
	Opened   time.Time `json:"opened"`
	Run      time.Time `json:"run"` // start time of the server that opened the segment

	// Killed means that the previous server ended without closing its ledger. The number of records
	// that it had not written yet is unknown.
	Killed bool `json:"killed,omitempty"`
}

// Name returns LEDGER-SEGMENT, the first part of the receipts of the segment.
func (h *Header) Name() string { return fmt.Sprintf("%s-%d", h.Ledger, h.Segment) }

// End is the reason why a segment was closed.
type End string

// Reasons why segments are closed.
const (
	Full      End = "full"
	Aged      End = "age"
	Ended     End = "end"       // the server shut down
	Recovered End = "recovered" // the previous server was killed, and the next server closed the segment
)

// Statement closes a segment. It is the signed content.
type Statement struct {
	Header
	Records uint64    `json:"records"`
	Root    tlog.Hash `json:"root"` // Merkle tree hash of the tiles (RFC 6962)

	// Tiles are hashes of 256 records each, and of the rest. The root is computed from them, and
	// they show where a record was changed.
	Tiles []tlog.Hash `json:"tiles"`

	Releases []tlog.Hash `json:"releases"` // ids of the releases that records name by number, from 0

	Closed time.Time `json:"closed"`
	End    End       `json:"end"`
}

// Signed is a statement with a signature by a key of the server.
type Signed struct {
	Statement []byte `json:"statement"` // JSON
	PublicKey []byte `json:"public_key"`
	Signature []byte `json:"signature"` // Ed25519 signature of "slipstick ledger segment", a NUL and the statement
}

// domain separates these signatures from all other uses of a key.
const domain = "slipstick ledger segment\x00"

// Sign signs a message with the key of the server that is current at the time. It returns the
// public key and the signature.
type Sign func(at time.Time, message []byte) (public ed25519.PublicKey, signature []byte)

func (s *Statement) sign(sign Sign) (*Signed, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	public, signature := sign(s.Closed, append([]byte(domain), text...))
	return &Signed{text, public, signature}, nil
}

// ErrSignature means that a statement was not signed with the key that it names.
var ErrSignature = errors.New("the signature does not match the public key")

// Read checks the signature against the key in s, and returns the statement. The caller must check
// that this key belongs to the server.
func (s *Signed) Read() (*Statement, error) {
	if len(s.PublicKey) != ed25519.PublicKeySize || !ed25519.Verify(s.PublicKey, append([]byte(domain), s.Statement...), s.Signature) {
		return nil, ErrSignature
	}
	st := new(Statement)
	if err := json.Unmarshal(s.Statement, st); err != nil {
		return nil, fmt.Errorf("the statement cannot be read: %w", err)
	}
	encoded, err := json.Marshal(st)
	if err != nil || !bytes.Equal(encoded, s.Statement) {
		return nil, errors.New("the statement has members that are unknown to this version")
	}
	if uint64(len(st.Tiles)) != (st.Records+tileSize-1)/tileSize || st.Root != treeHash(st.Tiles) {
		return nil, errors.New("the root of the statement does not follow from its tiles")
	}
	return st, nil
}

// hash returns the hash of the statement, which the next segment contains.
func (s *Signed) hash() tlog.Hash { return sha256.Sum256(s.Statement) }
