package snapshot

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/registry/hostkeys"
)

const keyIDSize = 4

// Keys sign embedded ids and derive short ids. The newest key that has started signs. Every key
// verifies. The oldest key derives short ids, so that a new key does not change them. A short id is
// valid if any key derives it.
type Keys struct {
	signers  []signer // oldest first
	public   map[[keyIDSize]byte]ed25519.PublicKey
	secrets  [][]byte // for short ids: first the key that derives them, then the others
	states   []KeyState
	document *hostkeys.Document
}

type key struct {
	id      [keyIDSize]byte
	private ed25519.PrivateKey
}

// signer is a key that signs from a time on. The zero time is before all other times.
type signer struct {
	key
	from time.Time
}

// seed is the secret from which a key is made.
type seed struct {
	secret []byte
	from   time.Time // start of signing
	file   string    // "" if it is configured
}

// LoadKeys returns the keys of the configuration and of the data directory.
//
// Configured keys are 32 bytes in hexadecimal or base64, oldest first. If there are any, they sign
// and derive, and the keys of the directory only verify. If there are none, the keys of the
// directory do everything, and the first key is created when it is needed. If dir is empty, there
// is no directory.
//
// Servers that share a store need the same configured keys. Then they make the same ids, and each
// accepts the records of the others.
//
// All configured keys but the first can have a start time: SEED@2026-12-01T00:00:00Z. Such a key
// verifies immediately and signs from that time on. So all servers know the key before one of them
// uses it.
func LoadKeys(dir string, configured ...string) (*Keys, error) {
	seeds, err := parseSeeds(configured)
	if err != nil {
		return nil, err
	}
	var stored []seed
	if dir != "" {
		var err error
		stored, err = loadSeeds(dir, len(seeds) == 0)
		if err != nil {
			return nil, err
		}
	}
	if len(seeds) == 0 {
		seeds, stored = stored, nil
	}
	if len(seeds) == 0 {
		return nil, errors.New("no snapshot key: configure one, or a data directory to keep one in")
	}
	return newKeys(seeds, stored)
}

func newKeys(seeds, onlyVerifying []seed) (*Keys, error) {
	k := &Keys{public: map[[keyIDSize]byte]ed25519.PublicKey{}}
	for _, s := range slices.Concat(seeds, onlyVerifying) {
		secret, err := hkdf.Key(sha256.New, s.secret, nil, "slipstick snapshot short ids", sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("derive the secret of short ids: %w", err)
		}
		k.secrets = append(k.secrets, secret)
	}
	for i, s := range slices.Concat(seeds, onlyVerifying) {
		public := publicOf(s.secret)
		id := publicID(public)
		if other, taken := k.public[id]; taken && !other.Equal(public) {
			return nil, fmt.Errorf("two snapshot keys have the id %x: replace one", id)
		}
		k.public[id] = public
		k.states = append(k.states, KeyState{ID: hex.EncodeToString(id[:]), File: s.file, From: s.from, Derives: i == 0})
		if i < len(seeds) {
			k.signers = append(k.signers, signer{key{id, ed25519.NewKeyFromSeed(s.secret)}, s.from})
		}
	}
	var err error
	k.document, err = publish(slices.Concat(onlyVerifying, seeds)) // keys that only verify come first: they can only have signed before the others
	return k, err
}

// publish returns the public keys. If a key occurs twice, its last place counts.
func publish(seeds []seed) (*hostkeys.Document, error) {
	var list []hostkeys.Private
	for i, s := range seeds {
		later := func(other seed) bool { return bytes.Equal(other.secret, s.secret) }
		if !slices.ContainsFunc(seeds[i+1:], later) {
			list = append(list, hostkeys.Private{Key: ed25519.NewKeyFromSeed(s.secret), From: s.from})
		}
	}
	d, err := hostkeys.New(list)
	if err != nil {
		return nil, fmt.Errorf("public keys of snapshots: %w", err)
	}
	return d, nil
}

// Public returns the public keys, which verify the snapshots of this server.
func (k *Keys) Public() *hostkeys.Document { return k.document }

// signing returns the key that signs at a time.
func (k *Keys) signing(now time.Time) *key {
	for i := range k.signers[1:] {
		if s := &k.signers[len(k.signers)-1-i]; !now.Before(s.from) {
			return &s.key
		}
	}
	return &k.signers[0].key
}

func publicOf(secret []byte) ed25519.PublicKey {
	return ed25519.NewKeyFromSeed(secret).Public().(ed25519.PublicKey)
}

// publicID returns the id of a public key in embedded ids: the first bytes of its hash.
func publicID(public ed25519.PublicKey) [keyIDSize]byte {
	sum := hostkeys.Sum(public)
	return keyID(sum[:])
}

// Fingerprints returns the fingerprint of the key that signs at the time, and the sorted
// fingerprints of all keys. A fingerprint is the id of the key in [Keys.Public]. It starts with the
// key id in embedded ids, and reveals nothing about the seed.
func (k *Keys) Fingerprints(now time.Time) (signs string, all []string) {
	for _, public := range k.public {
		print := hostkeys.IDOf(public)
		all = append(all, print)
		if publicID(public) == k.signing(now).id {
			signs = print
		}
	}
	slices.Sort(all)
	return signs, all
}

func keyID(b []byte) [keyIDSize]byte { return [keyIDSize]byte(b[:keyIDSize]) }

// parseSeeds reads configured keys.
func parseSeeds(configured []string) ([]seed, error) {
	var seeds []seed
	for i, text := range configured {
		s, err := parseSeed(text)
		switch {
		case err == nil && i == 0 && !s.from.IsZero():
			err = errors.New("the first key signs from the start, and must not have a time")
		case err == nil && i > 0 && s.from.Before(seeds[i-1].from):
			err = errors.New("it starts to sign before the previous key: list the oldest key first")
		}
		if err != nil {
			return nil, fmt.Errorf("configured snapshot key %d of %d: %w", i+1, len(configured), err)
		}
		seeds = append(seeds, s)
	}
	return seeds, nil
}

// parseSeed reads 32 bytes, and the start time if there is one.
func parseSeed(text string) (s seed, err error) {
	text, from, timed := strings.Cut(text, "@")
	if timed {
		s.from, err = time.Parse(time.RFC3339, from)
		if err != nil {
			return seed{}, errors.New("the text after @ is not a time such as 2026-12-01T00:00:00Z")
		}
		if whole := s.from.Truncate(time.Second); whole.Before(s.from) {
			s.from = whole.Add(time.Second) // records have whole seconds
		}
	}
	s.secret, err = parseSecret(text)
	return s, err
}

// parseSecret reads 32 bytes. Its error does not repeat the text, because it can be a secret.
func parseSecret(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	decode := hex.DecodeString
	if len(text) != hex.EncodedLen(ed25519.SeedSize) {
		unpadded := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
		decode = func(string) ([]byte, error) { return base64.RawStdEncoding.Strict().DecodeString(unpadded) }
	}
	secret, err := decode(text)
	if err != nil || len(secret) != ed25519.SeedSize {
		return nil, fmt.Errorf("not %d bytes in hexadecimal or base64; openssl rand -hex %[1]d makes one", ed25519.SeedSize)
	}
	return secret, nil
}
