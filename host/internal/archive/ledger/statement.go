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

// Header says which segment a file is, and what came before it.
type Header struct {
	Ledger   string    `json:"ledger"`
	Segment  uint64    `json:"segment"`  // from 1
	Previous tlog.Hash `json:"previous"` // SHA-256 of the statement that closes the segment before; zero of the first
	Inputs   Inputs    `json:"inputs"`
	Opened   time.Time `json:"opened"`
	Run      time.Time `json:"run"` // when the host began that opened it

	// Killed says that the host before ended without closing its ledger. What it had answered
	// and not written yet was not kept, and nobody knows how much that was.
	Killed bool `json:"killed,omitempty"`
}

// Name is LEDGER-SEGMENT, the first part of its receipts.
func (h *Header) Name() string { return fmt.Sprintf("%s-%d", h.Ledger, h.Segment) }

// End is why a segment was closed.
type End string

// The reasons for which segments are closed.
const (
	Full      End = "full"
	Aged      End = "age"
	Ended     End = "end"       // the host ended as it should
	Recovered End = "recovered" // the host before was killed, and the next one closed it
)

// Statement closes a segment. It is what is signed.
type Statement struct {
	Header
	Records uint64    `json:"records"`
	Root    tlog.Hash `json:"root"` // Merkle tree hash of the tiles (RFC 6962)

	// Tiles are the hashes of 256 records each, and of the rest. The root follows from them, and a
	// record that was changed is found by them.
	Tiles []tlog.Hash `json:"tiles"`

	Releases []tlog.Hash `json:"releases"` // ids of those that its records name by their numbers, from 0

	Closed time.Time `json:"closed"`
	End    End       `json:"end"`
}

// Signed is a statement with a signature by a key of the host.
type Signed struct {
	Statement []byte `json:"statement"` // JSON
	PublicKey []byte `json:"public_key"`
	Signature []byte `json:"signature"` // Ed25519, of "slipstick ledger segment", a NUL and the statement
}

// domain separates these signatures from every other use of a key.
const domain = "slipstick ledger segment\x00"

// Sign signs a message with the key of a host that signs at the time, and returns the public half.
type Sign func(at time.Time, message []byte) (public ed25519.PublicKey, signature []byte)

func (s *Statement) sign(sign Sign) (*Signed, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	public, signature := sign(s.Closed, append([]byte(domain), text...))
	return &Signed{text, public, signature}, nil
}

// ErrSignature means that a statement was not signed by the key that it names.
var ErrSignature = errors.New("the signature is not by the key that stands beside it")

// Read returns the statement, if the key beside it signed it. Whose key that is, is another
// question.
func (s *Signed) Read() (*Statement, error) {
	if len(s.PublicKey) != ed25519.PublicKeySize || !ed25519.Verify(s.PublicKey, append([]byte(domain), s.Statement...), s.Signature) {
		return nil, ErrSignature
	}
	st := new(Statement)
	if err := json.Unmarshal(s.Statement, st); err != nil {
		return nil, fmt.Errorf("the statement cannot be read: %w", err)
	}
	again, err := json.Marshal(st)
	if err != nil || !bytes.Equal(again, s.Statement) {
		return nil, errors.New("the statement has members that this version does not know")
	}
	if uint64(len(st.Tiles)) != (st.Records+tileSize-1)/tileSize || st.Root != treeHash(st.Tiles) {
		return nil, errors.New("the root of the statement does not follow from its tiles")
	}
	return st, nil
}

// hash is what the next segment says of this one.
func (s *Signed) hash() tlog.Hash { return sha256.Sum256(s.Statement) }
