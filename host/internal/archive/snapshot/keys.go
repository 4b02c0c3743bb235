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

// Keys sign embedded ids and derive short ones. The newest key whose time has come signs, every
// key verifies, and the oldest derives the short ids, so that a new key does not change
// them. A short id is valid if any of the keys derived it.
type Keys struct {
	signers []signer // oldest first
	public  map[[keyIDSize]byte]ed25519.PublicKey
	secrets [][]byte // of short ids: the one that derives them, and the others
	states  []KeyState
	shown   *hostkeys.Document
}

type key struct {
	id      [keyIDSize]byte
	private ed25519.PrivateKey
}

// signer is a key that signs from a time on. The zero time lies before all others.
type signer struct {
	key
	from time.Time
}

// seed is what a key is made from.
type seed struct {
	secret []byte
	from   time.Time // when the key begins to sign
	file   string    // "" if it is configured
}

// LoadKeys returns the keys of the configuration and of the data directory.
//
// Configured keys are 32 bytes in hexadecimal or base64, oldest first. If there are
// any, they sign and derive, and those of the directory only verify. If there are
// none, the directory's do everything, and one is created there on first use. An
// empty dir means no directory. Hosts that share a store need the same configured
// keys: they give the same ids, and accept no record whose id none of their keys gives.
//
// All but the first may have a time behind them, SEED@2026-12-01T00:00:00Z: such a key verifies
// at once and signs from then on, so that all hosts know it before one of them uses it.
func LoadKeys(dir string, configured ...string) (*Keys, error) {
	seeds, err := parseSeeds(configured)
	if err != nil {
		return nil, err
	}
	var kept []seed
	if dir != "" {
		var err error
		kept, err = loadSeeds(dir, len(seeds) == 0)
		if err != nil {
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
	k.shown, err = publish(slices.Concat(onlyVerifying, seeds)) // if they ever signed, then before the others
	return k, err
}

// publish returns what others may know of the keys. A key that is there twice counts where it is
// listed last.
func publish(seeds []seed) (*hostkeys.Document, error) {
	var list []hostkeys.Private
	for i, s := range seeds {
		again := func(other seed) bool { return bytes.Equal(other.secret, s.secret) }
		if !slices.ContainsFunc(seeds[i+1:], again) {
			list = append(list, hostkeys.Private{Key: ed25519.NewKeyFromSeed(s.secret), From: s.from})
		}
	}
	d, err := hostkeys.New(list)
	if err != nil {
		return nil, fmt.Errorf("public keys of snapshots: %w", err)
	}
	return d, nil
}

// Public returns what others may know of the keys, with which they tell what this host froze.
func (k *Keys) Public() *hostkeys.Document { return k.shown }

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

// publicID returns the id by which embedded ids name a public key: the first bytes of its sum.
func publicID(public ed25519.PublicKey) [keyIDSize]byte {
	sum := hostkeys.Sum(public)
	return keyID(sum[:])
}

// Fingerprints returns what may be told of the keys: the fingerprint of the key that signs at
// the time, and those of all keys, sorted. A fingerprint is the id that the
// key has in [Keys.Public], and begins with the key id that stands in embedded ids. It tells
// nothing of the seed.
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
			err = errors.New("the first one signs from the beginning and has no time behind it")
		case err == nil && i > 0 && s.from.Before(seeds[i-1].from):
			err = errors.New("it begins before the one in front of it: the oldest comes first")
		}
		if err != nil {
			return nil, fmt.Errorf("configured snapshot key %d of %d: %w", i+1, len(configured), err)
		}
		seeds = append(seeds, s)
	}
	return seeds, nil
}

// parseSeed reads 32 bytes, and the time behind them if there is one.
func parseSeed(text string) (s seed, err error) {
	text, from, timed := strings.Cut(text, "@")
	if timed {
		s.from, err = time.Parse(time.RFC3339, from)
		if err != nil {
			return seed{}, errors.New("behind the @ is no time such as 2026-12-01T00:00:00Z")
		}
		if whole := s.from.Truncate(time.Second); whole.Before(s.from) {
			s.from = whole.Add(time.Second) // records have whole seconds
		}
	}
	s.secret, err = parseSecret(text)
	return s, err
}

// parseSecret reads 32 bytes. Its error does not repeat what may be a secret.
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
