package snapshot

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"time"
)

// Sign signs a message that is no snapshot with the key that signs at the time. The message
// begins with a text that no other use of the key has.
func (k *Keys) Sign(now time.Time, message []byte) (public ed25519.PublicKey, signature []byte) {
	signer := k.signing(now)
	return k.public[signer.id], ed25519.Sign(signer.private, message)
}

// Derive returns 32 secret bytes for a purpose. They come from the key that derives short ids, so
// a new key does not change them.
func (k *Keys) Derive(purpose string) []byte {
	secret, err := hkdf.Key(sha256.New, k.secrets[0], nil, purpose, sha256.Size)
	if err != nil {
		panic(err) // 32 bytes are never too many
	}
	return secret
}
