// Package hostkeys has the documents with which servers publish their public keys. With such a
// document, a reader verifies the signatures of a server without any secret. A server makes a
// [Document] with [New] and publishes it at [WellKnown]. A reader uses [Parse] to read one.
// [Set.Signer] finds the key of a signature, and checks its role and time. [Key.Verify] checks
// the signature itself.
//
// The first key of a document is unsigned; each further key is signed by its predecessor. So a
// reader who knows one key of a server can verify that a later document continues from it.
package hostkeys

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Format is the format of a document. It is also the first line of the text with which a key
// signs its successor.
const Format = "slipstick host keys 1"

// WellKnown is the URL path at which a server publishes its document.
const WellKnown = "/.well-known/slipstick-keys.json"

// Bounds of a document.
const (
	MaxDocument = 256 << 10 // bytes
	maxKeys     = 256
)

// Role is a purpose for which a key signs.
type Role string

// The roles of keys.
const (
	Snapshots Role = "snapshots" // snapshots of calculations
	Ledger    Role = "ledger"    // the statements that close segments of a ledger
)

// Roles returns all roles. A server signs with the same keys in each of them.
func Roles() []Role { return []Role{Snapshots, Ledger} }

// Document has the public keys of a server, oldest first.
type Document struct {
	Format string `json:"format"`
	Keys   []Key  `json:"keys"`
}

// Key is one public key of a server.
type Key struct {
	ID           string    `json:"id"`         // see IDOf
	PublicKey    []byte    `json:"public_key"` // of Ed25519
	Roles        []Role    `json:"roles"`
	From         time.Time `json:"from,omitzero"`  // when it starts to sign; zero: not recorded
	Until        time.Time `json:"until,omitzero"` // when it stops to sign; zero: not yet
	Supersedes   string    `json:"supersedes,omitempty"`
	SupersededBy string    `json:"superseded_by,omitempty"`
	Signature    []byte    `json:"signature,omitempty"` // by the previous key, of the text that rotation returns
}

// Private is a private key that signs from a time on. The zero time is before all others.
type Private struct {
	Key  ed25519.PrivateKey
	From time.Time
}

// New returns the document of keys with all roles, oldest first. The same keys always give the
// same document.
func New(keys []Private) (*Document, error) {
	d := &Document{Format: Format, Keys: make([]Key, len(keys))}
	for i, p := range keys {
		k := &d.Keys[i]
		k.PublicKey, k.Roles, k.From = p.Key.Public().(ed25519.PublicKey), Roles(), p.From.UTC()
		k.ID = IDOf(k.PublicKey)
		if i > 0 {
			before := &d.Keys[i-1]
			k.Supersedes, before.SupersededBy, before.Until = before.ID, k.ID, k.From
			k.Signature = ed25519.Sign(keys[i-1].Key, k.rotation())
		}
	}
	return d, d.check()
}

// Sum returns the hash that identifies a public key. It includes the purpose of the key, so it is not the
// SHA-256 of the key alone.
func Sum(public ed25519.PublicKey) [sha256.Size]byte {
	return sha256.Sum256(append([]byte("slipstick snapshot key\x00"), public...))
}

// IDOf returns the id of a key: the first 32 hexadecimal digits of its Sum.
func IDOf(public ed25519.PublicKey) string {
	sum := Sum(public)
	return hex.EncodeToString(sum[:16])
}

// shortID is the number of digits at the start of an id that must be unique in a document.
// Snapshots name their key by these digits.
const shortID = 8

// rotation returns the text with which the previous key signs this one.
func (k *Key) rotation() []byte {
	from := ""
	if !k.From.IsZero() {
		from = k.From.Format(time.RFC3339)
	}
	roles := make([]string, len(k.Roles))
	for i, role := range k.Roles {
		roles[i] = string(role)
	}
	return []byte(strings.Join([]string{
		Format, "rotation", k.Supersedes, k.ID, base64.StdEncoding.EncodeToString(k.PublicKey), strings.Join(roles, ","), from, "",
	}, "\n"))
}

// Parse reads a document. It checks the ids and the times, and that each key is signed by its
// predecessor. An unknown member is an error, because it might limit the use of a key.
func Parse(data []byte) (*Document, error) {
	if len(data) > MaxDocument {
		return nil, fmt.Errorf("it has %d bytes, more than the %d that are read", len(data), MaxDocument)
	}
	d := new(Document)
	if err := json.Unmarshal(data, d, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("it is not a JSON document of the keys of a server: %w; slipstick keys export writes one", err)
	}
	return d, d.check()
}

func (d *Document) check() error {
	switch {
	case d.Format != Format:
		return fmt.Errorf("it has the format %.40q, not %q", d.Format, Format)
	case len(d.Keys) == 0:
		return errors.New("it has no key")
	case len(d.Keys) > maxKeys:
		return fmt.Errorf("it has %d keys, more than %d", len(d.Keys), maxKeys)
	}
	seen := map[string]bool{}
	for i := range d.Keys {
		k := &d.Keys[i]
		if err := k.check(); err != nil {
			return fmt.Errorf("key %d of %d: %w", i+1, len(d.Keys), err)
		}
		if seen[k.ID[:shortID]] {
			return fmt.Errorf("two keys have ids that start with %s", k.ID[:shortID])
		}
		seen[k.ID[:shortID]] = true
		before := new(Key)
		if i > 0 {
			before = &d.Keys[i-1]
		}
		if err := k.follows(before); err != nil {
			return fmt.Errorf("the rotations do not hold: %w", err)
		}
	}
	if last := &d.Keys[len(d.Keys)-1]; last.SupersededBy != "" || !last.Until.IsZero() {
		return fmt.Errorf("the rotations do not hold: the last key, %s, ends, and the key after it is missing", last.ID)
	}
	return nil
}

// check examines a key by itself.
func (k *Key) check() error {
	switch {
	case len(k.PublicKey) != ed25519.PublicKeySize:
		return fmt.Errorf("its public key has %d bytes, not %d", len(k.PublicKey), ed25519.PublicKeySize)
	case k.ID != IDOf(k.PublicKey):
		return fmt.Errorf("its id is %.40q, and its public key has the id %s", k.ID, IDOf(k.PublicKey))
	case len(k.Roles) == 0:
		return errors.New("it has no role")
	case !isSecond(k.From) || !isSecond(k.Until):
		return errors.New("its times are not whole seconds of UTC, such as 2026-12-01T00:00:00Z")
	case !k.From.IsZero() && !k.Until.IsZero() && k.Until.Before(k.From):
		return errors.New("it ends before it starts")
	}
	for _, role := range k.Roles {
		if !slices.Contains(Roles(), role) {
			return fmt.Errorf("its role %.40q is unknown here: a newer slipstick may know it", role)
		}
	}
	return nil
}

func isSecond(t time.Time) bool {
	return t.Nanosecond() == 0 && t.Location() == time.UTC
}

// follows checks that a key took over from its predecessor. The first key has none.
func (k *Key) follows(before *Key) error {
	switch {
	case k.Supersedes != before.ID || before.ID != "" && before.SupersededBy != k.ID:
		return fmt.Errorf("key %s does not name its predecessor, or its predecessor names another key", k.ID)
	case before.ID == "" && len(k.Signature) > 0:
		return fmt.Errorf("the first key, %s, is signed, and the key that signed it is missing", k.ID)
	case before.ID == "":
		return nil
	case !before.Until.Equal(k.From):
		return fmt.Errorf("key %s does not end when %s starts", before.ID, k.ID)
	case !before.Verify(k.rotation(), k.Signature):
		return fmt.Errorf("key %s is not signed by %s, or was changed since", k.ID, before.ID)
	}
	return nil
}

// Verify reports whether the key signed the message.
func (k *Key) Verify(message, signature []byte) bool {
	return ed25519.Verify(k.PublicKey, message, signature)
}

// Valid reports whether the key signs at a time.
func (k *Key) Valid(at time.Time) bool {
	return !at.Before(k.From) && (k.Until.IsZero() || at.Before(k.Until))
}

// Term returns in words when the key signs.
func (k *Key) Term() string {
	from, until := "the beginning", "now"
	if !k.From.IsZero() {
		from = k.From.Format(time.RFC3339)
	}
	if !k.Until.IsZero() {
		until = k.Until.Format(time.RFC3339)
	}
	return "from " + from + " until " + until
}

// Missing returns the ids of the keys of an older document that this one lacks.
func (d *Document) Missing(old *Document) (ids []string) {
	for i := range old.Keys {
		if !slices.ContainsFunc(d.Keys, func(k Key) bool { return k.ID == old.Keys[i].ID }) {
			ids = append(ids, old.Keys[i].ID)
		}
	}
	return ids
}

// JSON returns the document in its published form.
func (d *Document) JSON() ([]byte, error) {
	text, err := json.Marshal(d, jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

// File is a document in a registry, which has one for each name.
type File struct {
	Name string
	Data []byte
}

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// CheckName returns an error if a registry cannot have a document under the name.
func CheckName(text string) error {
	if !name.MatchString(text) {
		return fmt.Errorf("%.80q is not a name for keys: use up to 63 small letters, digits and . _ -, such as calc.example.org", text)
	}
	return nil
}

// MaxFiles is the largest number of documents that are read from a registry.
const MaxFiles = 64

// Set is a list of documents, each with the name of the place where it was found.
type Set []Named

// Named is a document with its name.
type Named struct {
	Name string
	*Document
}

// Find returns the keys with the role and an id that starts with the digits, and the names of
// their documents.
func (s Set) Find(digits string, role Role) (found []Found) {
	for _, n := range s {
		for i := range n.Keys {
			if k := &n.Keys[i]; strings.HasPrefix(k.ID, digits) && slices.Contains(k.Roles, role) {
				found = append(found, Found{n.Name, k})
			}
		}
	}
	return found
}

// Signer returns the key of the set that equals the public key, if it signs in the role at the
// time. The error explains why it does not count.
func (s Set) Signer(public ed25519.PublicKey, role Role, at time.Time) (*Found, error) {
	id := IDOf(public)
	found := s.Find(id, role)
	for i := range found {
		if found[i].Valid(at) {
			return &found[i], nil
		}
	}
	if len(found) > 0 {
		return nil, fmt.Errorf("the key %s signed it, which signs %s, and the signature is of %s", id, found[0].Term(), at.UTC().Format(time.RFC3339))
	}
	for _, n := range s {
		if slices.ContainsFunc(n.Keys, func(k Key) bool { return k.ID == id }) {
			return nil, fmt.Errorf("the key %s signed it, and %s does not give it the role %q", id, n.Name, role)
		}
	}
	return nil, fmt.Errorf("it is signed by the key %s, which is none of these public keys", id)
}

// Found is a key of a set, and the name of its document.
type Found struct {
	Name string
	*Key
}
