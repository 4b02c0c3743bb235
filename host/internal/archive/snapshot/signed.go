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

// A short id is derived with a secret. So only servers with the key can check that a record belongs
// to its id. A signed copy is the record with a signature as its last member. Readers verify it
// with public keys. The record is stored and shown without the signature: servers of earlier
// versions read the same store, and the bytes of a record never change.

// signature is the last member of a signed copy.
type signature struct {
	Key   string `json:"key"`   // id of the key in the document of the server's public keys
	Value []byte `json:"value"` // Ed25519 signature
}

// signedCopy precedes the record without its signature in the signed message.
const signedCopy = "slipstick snapshot record\n"

// appendSignature returns the record with the signature as its last member.
func appendSignature(record []byte, by signature) []byte {
	dst := append([]byte(nil), record[:len(record)-1]...)
	return append(appendMarshalled(append(dst, `,"signature":`...), by), '}')
}

// Signed returns the snapshot with a signature in its Body. The signing key is the key that signed
// when the snapshot was created. So every copy is the same as long as the server has that key. The
// record of an embedded id is returned unchanged, because the id contains its signature. Errors are
// as from [Store.Get].
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

// ErrUnsigned means that a record has no signature for public keys to check.
var ErrUnsigned = fmt.Errorf("%w: it is not a signed copy", ErrUnchecked)

// CheckPublic returns the public key that signed exactly this record, at a time at which the key
// was valid. Otherwise the error is ErrUnsigned, or why no key of the set is that key.
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
			return nil, fmt.Errorf("it is signed by the key %s, which signs %s, but the record was created on %s", k.ID, k.Term(), r.checked.created.Format(time.RFC3339))
		default:
			return k, nil
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("it is signed by the key %s, which is none of these public keys: another server, or a forger, created it", digits)
	}
	return nil, errors.New("the signature does not hold: the record was changed, or the key did not sign it")
}

// signed returns the first digits of the key id, the signed message, and the signature.
func (r *Record) signed() (digits string, message, value []byte, err error) {
	switch {
	case strings.HasPrefix(r.ID, embeddedPrefix):
		body, value, err := splitEmbedded(r.ID)
		if err != nil {
			return "", nil, nil, err
		}
		return hex.EncodeToString(body[:keyIDSize]), append([]byte(signed), body...), value, nil
	case !isShort(r.ID):
		return "", nil, nil, fmt.Errorf("the id %.100q is not a snapshot id", r.ID)
	case r.signature == nil:
		return "", nil, nil, ErrUnsigned
	case len(r.signature.Key) != 2*16:
		return "", nil, nil, fmt.Errorf("the signature names the key %.40q, which is not a key id", r.signature.Key)
	}
	return r.signature.Key, append([]byte(signedCopy), r.body...), r.signature.Value, nil
}
