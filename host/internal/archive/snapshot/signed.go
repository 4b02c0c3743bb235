package snapshot

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/hostkeys"
)

// A short id is derived with a secret, so that only hosts with the key can tell whether a record
// is the one that it names. A signed copy is the record with a signature as its last member, for
// those who have public keys only. The record itself is kept and shown without: hosts of former
// versions read the same store, and its bytes never change.

// signature is the last member of a signed copy.
type signature struct {
	Key   string `json:"key"`   // its id in the document of the host's public keys
	Value []byte `json:"value"` // of Ed25519
}

// signedCopy begins what is signed, before the record without its signature.
const signedCopy = "slipstick snapshot record\n"

// appendSignature returns the record with the signature as its last member.
func appendSignature(record []byte, by signature) []byte {
	dst := append([]byte(nil), record[:len(record)-1]...)
	return append(appendMarshalled(append(dst, `,"signature":`...), by), '}')
}

// Signed returns the snapshot with a signature in its Body. That is by the key that signed at the
// time at which it was frozen, so that a copy is the same whenever it is asked for, as long as the
// host has that key. An embedded id has its signature in itself. Errors are those of [Store.Get].
func (s *Store) Signed(ctx context.Context, id string) (Snapshot, error) {
	snap, err := s.Get(ctx, id)
	if err != nil || strings.HasPrefix(id, embeddedPrefix) {
		return snap, err
	}
	r, err := ReadRecord(snap.Body)
	if err != nil {
		return Snapshot{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	by := s.keys.Load().signing(r.checked.created)
	public := by.private.Public().(ed25519.PublicKey)
	snap.Body = appendSignature(snap.Body, signature{hostkeys.IDOf(public), ed25519.Sign(by.private, append([]byte(signedCopy), snap.Body...))})
	return snap, nil
}

// ErrUnsigned means that a record has no signature that public keys could check.
var ErrUnsigned = fmt.Errorf("%w: it is no signed copy", ErrUnchecked)

// CheckPublic returns the public key that signed exactly this record at a time at which it was
// valid. The error is ErrUnsigned, or says why no key of the set did.
func (r *Record) CheckPublic(set hostkeys.Set) (*hostkeys.Found, error) {
	if err := r.carried(); err != nil {
		return nil, err
	}
	digits, message, value, err := r.signed()
	if err != nil {
		return nil, err
	}
	found := set.Find(digits, hostkeys.Snapshots)
	for i := range found {
		k := &found[i]
		switch {
		case !k.Verify(message, value):
		case !k.Valid(r.checked.created):
			return nil, fmt.Errorf("the key %s signed it, which signs %s, and it says that it was frozen on %s", k.ID, k.Term(), r.checked.created.Format(time.RFC3339))
		default:
			return k, nil
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("it is signed by the key %s, which is none of these public keys: another host froze it, or somebody who pretends to be this one", digits)
	}
	return nil, errors.New("the signature does not hold: the record was changed, or the key did not sign it")
}

// signed returns what begins the id of the key, what was signed, and the signature.
func (r *Record) signed() (digits string, message, value []byte, err error) {
	switch {
	case strings.HasPrefix(r.ID, embeddedPrefix):
		body, value, err := splitEmbedded(r.ID)
		if err != nil {
			return "", nil, nil, err
		}
		return hex.EncodeToString(body[:keyIDSize]), append([]byte(signed), body...), value, nil
	case !isShort(r.ID):
		return "", nil, nil, fmt.Errorf("the id %.100q is none of a snapshot", r.ID)
	case r.signature == nil:
		return "", nil, nil, ErrUnsigned
	case len(r.signature.Key) != 2*16:
		return "", nil, nil, fmt.Errorf("the signature names the key %.40q, which is no id of a key", r.signature.Key)
	}
	return r.signature.Key, append([]byte(signedCopy), r.body...), r.signature.Value, nil
}
