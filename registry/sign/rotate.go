package sign

import (
	"errors"
	"fmt"
	"time"

	"aead.dev/minisign"
	"github.com/go-json-experiment/json"

	"github.com/slipstick/slipstick/registry/documents"
)

// maxLinks is the largest number of rotations in a row.
const maxLinks = 16

// succession is the statement with which a key names its successor.
type succession struct {
	Format    string     `json:"format" validate:"eq=slipstick statement 1"`
	Kind      Kind       `json:"type" validate:"eq=rotation"`
	Name      string     `json:"name"`
	PublicKey string     `json:"public_key"`
	Time      time.Time  `json:"time"`
	NotAfter  *time.Time `json:"not_after,omitempty"`
}

// link is a succession in its stored form.
type link struct {
	Statement string `json:"statement"`
	Signature string `json:"signature"`
}

// Rotate makes the key path.key, which takes over from s. The new key may sign everything that
// s may sign, from at on, and until notAfter if that is set. Signatures by the new key carry
// this rotation, so that a trust file with only the old key accepts them.
func (s *Signer) Rotate(path, password string, at time.Time, notAfter *time.Time) (*Signer, error) {
	next, err := NewKey(path, password)
	if err != nil {
		return nil, err
	}
	signed, err := s.sign(rotation, succession{
		Format: Format, Kind: rotation, Name: name(path), PublicKey: next.PublicKey(), Time: second(at), NotAfter: notAfter,
	}, MaxStatement)
	if err != nil {
		return nil, err
	}
	chain, err := readChain(s.rotations)
	if err != nil {
		return nil, err
	}
	chain = append(chain, link{string(signed.Document), string(signed.Signature)})
	if len(chain) > maxLinks {
		return nil, fmt.Errorf("the key would be the %dth in a row: put it into the trust files, and start a new chain", len(chain)+1)
	}
	next.rotations, err = json.Marshal(chain)
	if err != nil {
		return nil, err
	}
	return next, create(path+rotationSuffix, next.rotations, 0o644)
}

func readChain(data []byte) (chain []link, err error) {
	switch {
	case len(data) == 0:
		return nil, nil
	case len(data) > MaxRotations:
		return nil, fmt.Errorf("the rotations have %d bytes, more than the %d that are read", len(data), MaxRotations)
	}
	if err := json.Unmarshal(data, &chain, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("the rotations cannot be read: %w", err)
	}
	if len(chain) > maxLinks {
		return nil, fmt.Errorf("there are %d rotations, more than %d", len(chain), maxLinks)
	}
	return chain, nil
}

// follow returns the key that a link names as successor, if one of the keys may do so.
func (l link) follow(keys []trusted, now time.Time) (trusted, error) {
	s := &Signed{Document: []byte(l.Statement), Signature: []byte(l.Signature)}
	old, err := s.by(keys)
	if err != nil {
		return trusted{}, fmt.Errorf("rotation: %w", err)
	}
	var to succession
	if err := decode(s.Document, MaxStatement, &to); err != nil {
		return trusted{}, fmt.Errorf("the rotation %w", err)
	}
	err = form.Check(to, func(documents.Finding) error { return errors.New("the rotation is another statement") })
	if err != nil {
		return trusted{}, err
	}
	if err := old.usable(to.Time, now); err != nil {
		return trusted{}, fmt.Errorf("rotation: %w", err)
	}
	next := trusted{Key: old.Key, via: append(append([]string{}, old.via...), old.Name)}
	next.Name, next.PublicKey, next.NotBefore, next.NotAfter = to.Name, to.PublicKey, &to.Time, to.NotAfter
	return next, next.public.UnmarshalText([]byte(to.PublicKey))
}

// by returns the key in the list that signed the document.
func (s *Signed) by(keys []trusted) (trusted, error) {
	sig, err := s.signature()
	if err != nil {
		return trusted{}, err
	}
	known := false
	for _, k := range keys {
		if k.public.ID() != sig.KeyID {
			continue
		}
		known = true
		if minisign.Verify(k.public, s.Document, s.Signature) {
			return k, nil
		}
	}
	if known {
		return trusted{}, forged("the signature does not hold: what was signed, or the signature, was changed")
	}
	return trusted{}, fmt.Errorf("%w %s, which the trust file does not have", errUnknown, keyID(sig.KeyID))
}

var errUnknown = errors.New("it is signed by the key")
