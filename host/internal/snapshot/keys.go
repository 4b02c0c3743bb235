package snapshot

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const keyIDSize = 4

// Keys sign embedded ids and derive short ones. The newest key signs, every key
// verifies, and the oldest derives the short ids, so that a new key does not change
// them. A short id is valid if any of the keys derived it.
type Keys struct {
	newest  key
	public  map[[keyIDSize]byte]ed25519.PublicKey
	secrets [][]byte // of short ids: the one that derives them, and the others
}

type key struct {
	id      [keyIDSize]byte
	private ed25519.PrivateKey
}

// LoadKeys returns the keys of the configuration and of the data directory.
//
// Configured keys are 32 bytes in hexadecimal or base64, oldest first. If there are
// any, they sign and derive, and those of the directory only verify. If there are
// none, the directory's do everything, and one is created there on first use. An
// empty dir means no directory. Hosts that share a store need the same configured
// keys: they give the same ids, and accept no record whose id none of their keys gives.
func LoadKeys(dir string, configured ...string) (*Keys, error) {
	var seeds [][]byte
	for i, text := range configured {
		seed, err := parseSeed(text)
		if err != nil {
			return nil, fmt.Errorf("configured snapshot key %d of %d: %w", i+1, len(configured), err)
		}
		seeds = append(seeds, seed)
	}
	var kept [][]byte
	if dir != "" {
		var err error
		if kept, err = loadSeeds(dir, len(seeds) == 0); err != nil {
			return nil, err
		}
	}
	if len(seeds) == 0 {
		seeds, kept = kept, nil
	}
	if len(seeds) == 0 {
		return nil, errors.New("no snapshot key: configure one, or a data directory to keep one in")
	}
	return newKeys(seeds, kept)
}

func newKeys(seeds, onlyVerifying [][]byte) (*Keys, error) {
	k := &Keys{public: map[[keyIDSize]byte]ed25519.PublicKey{}}
	for _, seed := range slices.Concat(seeds, onlyVerifying) {
		secret, err := hkdf.Key(sha256.New, seed, nil, "slipstick snapshot short ids", sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("derive the secret of short ids: %w", err)
		}
		k.secrets = append(k.secrets, secret)
	}
	for _, seed := range append(onlyVerifying, seeds...) {
		private := ed25519.NewKeyFromSeed(seed)
		public := private.Public().(ed25519.PublicKey)
		sum := keySum(public)
		k.newest = key{keyID(sum[:]), private}
		if other, taken := k.public[k.newest.id]; taken && !other.Equal(public) {
			return nil, fmt.Errorf("two snapshot keys have the id %x: replace one", k.newest.id)
		}
		k.public[k.newest.id] = public
	}
	return k, nil
}

// keySum identifies a key. Its first bytes are the key's id.
func keySum(public ed25519.PublicKey) [sha256.Size]byte {
	return sha256.Sum256(append([]byte("slipstick snapshot key\x00"), public...))
}

// fingerprintSize is the number of bytes of a fingerprint.
const fingerprintSize = 16

// Fingerprints returns what may be told of the keys: the fingerprint of the key that signs,
// and those of all keys, sorted. A fingerprint is 32 hexadecimal digits of the SHA-256 of the
// public key, and begins with the key id that stands in embedded ids. It tells nothing of the
// seed.
func (k *Keys) Fingerprints() (signs string, all []string) {
	for _, public := range k.public {
		sum := keySum(public)
		print := hex.EncodeToString(sum[:fingerprintSize])
		if all = append(all, print); keyID(sum[:]) == k.newest.id {
			signs = print
		}
	}
	slices.Sort(all)
	return signs, all
}

func keyID(b []byte) [keyIDSize]byte { return [keyIDSize]byte(b[:keyIDSize]) }

// parseSeed reads 32 bytes. Its error does not repeat what may be a secret.
func parseSeed(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	decode := hex.DecodeString
	if len(text) != hex.EncodedLen(ed25519.SeedSize) {
		unpadded := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
		decode = func(string) ([]byte, error) { return base64.RawStdEncoding.Strict().DecodeString(unpadded) }
	}
	seed, err := decode(text)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("not %d bytes in hexadecimal or base64; openssl rand -hex %[1]d makes one", ed25519.SeedSize)
	}
	return seed, nil
}
