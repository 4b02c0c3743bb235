package snapshot

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"time"
)

// Sign signs a message other than a snapshot with the key that signs at the time. The message must
// start with a text that separates it from all other uses of the key.
func (k *Keys) Sign(now time.Time, message []byte) (public ed25519.PublicKey, signature []byte) {
	signer := k.signing(now)
	return k.public[signer.id], ed25519.Sign(signer.private, message)
}

// Derive returns 32 secret bytes for a purpose. It uses the key that derives short ids, so that a
// new key does not change them.
func (k *Keys) Derive(purpose string) []byte { return k.DeriveAll(purpose)[0] }

// DeriveAll returns 32 secret bytes for a purpose from each key, starting with the key that derives
// short ids.
func (k *Keys) DeriveAll(purpose string) [][]byte {
	all := make([][]byte, len(k.secrets))
	for i, secret := range k.secrets {
		var err error
		all[i], err = hkdf.Key(sha256.New, secret, nil, purpose, sha256.Size)
		if err != nil {
			panic(err) // 32 bytes are always possible
		}
	}
	return all
}
