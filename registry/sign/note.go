package sign

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Checkpoints of logs are signed as specified by c2sp.org/signed-note, so that tools for logs
// can check them. They are cosigned as specified by c2sp.org/tlog-cosignature. The key is the
// minisign key, without minisign's signature format.

// Types of signatures of a note.
const (
	byLog     = 1
	byWitness = 4
)

// noteKey is a key in the form that package note uses.
type noteKey struct {
	name   string
	kind   byte
	public ed25519.PublicKey
}

func (k noteKey) Name() string { return k.name }

func (k noteKey) KeyHash() uint32 {
	sum := sha256.Sum256(append([]byte(k.name+"\n"+string(rune(k.kind))), k.public...))
	return binary.BigEndian.Uint32(sum[:])
}

// Verify reports whether the signature holds. A signature of a witness starts with its time.
func (k noteKey) Verify(text, signature []byte) bool {
	if k.kind == byLog {
		return ed25519.Verify(k.public, text, signature)
	}
	at, ok := cosignedAt(signature)
	return ok && ed25519.Verify(k.public, cosigned(text, at), signature[8:])
}

// cosigned returns the text that a witness signs.
func cosigned(text []byte, at time.Time) []byte {
	return append(fmt.Appendf(nil, "cosignature/v1\ntime %d\n", at.Unix()), text...)
}

func cosignedAt(signature []byte) (time.Time, bool) {
	if len(signature) != 8+ed25519.SignatureSize {
		return time.Time{}, false
	}
	seconds := binary.BigEndian.Uint64(signature)
	return time.Unix(int64(min(seconds, 1<<40)), 0), true
}

// noteSigner is a noteKey that signs.
type noteSigner struct {
	noteKey
	private ed25519.PrivateKey
	at      time.Time
}

func (s noteSigner) Sign(text []byte) ([]byte, error) {
	if s.kind == byLog {
		return ed25519.Sign(s.private, text), nil
	}
	signature := binary.BigEndian.AppendUint64(nil, uint64(s.at.Unix()))
	return append(signature, ed25519.Sign(s.private, cosigned(text, s.at))...), nil
}

// SignNote returns the line, with its end, with which the key signs the text of a checkpoint
// of the log with that name.
func (s *Signer) SignNote(name, text string) (string, error) {
	return s.signNote(text, noteSigner{noteKey: noteKey{name: name, kind: byLog}})
}

// Cosign returns the line, with its end, with which the key signs the text of a checkpoint as
// a witness. A witness states that it saw this text, and no other that contradicts it.
func (s *Signer) Cosign(text string, at time.Time) (string, error) {
	return s.signNote(text, noteSigner{noteKey: noteKey{name: witnessName(s.KeyID()), kind: byWitness}, at: at})
}

// witnessName returns the name of a witness in a note, where names have no spaces.
func witnessName(keyID string) string { return "slipstick.witness/" + keyID }

func (s *Signer) signNote(text string, by noteSigner) (string, error) {
	var err error
	by.private, err = s.ed25519()
	if err != nil {
		return "", err
	}
	by.public = by.private.Public().(ed25519.PublicKey)
	signed, err := note.Sign(&note.Note{Text: text}, by)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(string(signed), text+"\n"), nil
}

// Layout of minisign keys: algorithm, key id and key. A secret key has more fields before
// them, and a checksum after them.
const (
	publicAt  = 2 + 8
	privateAt = 2 + 2 + 2 + 32 + 8 + 8 + 8
)

// ed25519 returns the secret key without the format of minisign. The package minisign does not
// export it.
func (s *Signer) ed25519() (ed25519.PrivateKey, error) {
	text, err := s.private.MarshalText()
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	data, err := base64.StdEncoding.DecodeString(lines[len(lines)-1])
	if err != nil || len(data) < privateAt+ed25519.PrivateKeySize {
		return nil, errors.New("the secret key is none of minisign")
	}
	key := ed25519.PrivateKey(data[privateAt:][:ed25519.PrivateKeySize])
	if own := ed25519Of(s.PublicKey()); !own.Equal(key.Public()) || !own.Equal(ed25519.NewKeyFromSeed(key.Seed()).Public()) {
		return nil, errors.New("the secret key does not match its public key")
	}
	return key, nil
}

// ed25519Of returns a public key without the format of minisign.
func ed25519Of(public string) ed25519.PublicKey {
	data, err := base64.StdEncoding.DecodeString(public)
	if err != nil || len(data) != publicAt+ed25519.PublicKeySize {
		return nil
	}
	return data[publicAt:]
}

// Keeps reports whether the key made one of the signatures of a checkpoint of the log with
// that name.
func (s *Signer) Keeps(name, signatures string) bool {
	return noteKey{name, byLog, ed25519Of(s.PublicKey())}.made(signatures)
}

// HasCosigned reports whether the key made one of the signatures as a witness.
func (s *Signer) HasCosigned(signatures string) bool {
	return noteKey{witnessName(s.KeyID()), byWitness, ed25519Of(s.PublicKey())}.made(signatures)
}

// made reports whether the key claims to have made one of the signatures.
func (k noteKey) made(signatures string) bool {
	for line := range strings.Lines(signatures) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[1] != k.name {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(fields[2])
		if err == nil && len(data) > 4 && binary.BigEndian.Uint32(data) == k.KeyHash() {
			return true
		}
	}
	return false
}

// Rotations returns the rotations that lead to the key, or nil if it needs none.
func (s *Signer) Rotations() []byte { return s.rotations }

// Note is a checkpoint of a log, with the facts that its check needs.
type Note struct {
	Name         string // of the log
	Text         string
	Signatures   string    // lines
	Signed       time.Time // zero if there is no signature
	Capabilities []string  // all capabilities in the log
	Rotations    []byte    // rotations that lead to the key of the log
}

// Endorsement is who signed a checkpoint.
type Endorsement struct {
	By        string   // name of a key, "" if the checkpoint is not signed
	Witnesses []string // names of keys
}

// LogDemand is the part of a trust file about the log of a registry.
type LogDemand struct {
	Origin    string `json:"origin,omitempty"`   // name of the log; "" for any
	Witnesses int    `json:"witnesses,omitzero"` // how many must have cosigned its checkpoint
}

// Log returns the demands of the trust file on the log of a registry, or nil if there are
// none.
func (t *Trust) Log() *LogDemand { return t.log }

// ErrUnsigned reports a checkpoint without a signature, where one is required.
var ErrUnsigned = errors.New("the checkpoint of the log is not signed: slipstick log update --key KEY signs it")

// ErrWitnesses reports a checkpoint that only lacks witnesses.
var ErrWitnesses = errors.New("too few witnesses have cosigned the checkpoint of the log")

// CheckNote returns who signed a checkpoint, and an error if the signature does not count, or
// is not enough. It accepts a checkpoint without a signature if required is false and the
// trust file demands no log. Signatures that do not count do not affect the others.
func (t *Trust) CheckNote(n *Note, required bool, now time.Time) (Endorsement, error) {
	var e Endorsement
	if n.Signatures == "" {
		if required || t.log != nil {
			return e, ErrUnsigned
		}
		return e, nil
	}
	keys, broken := t.known(n.Rotations, now)
	var verifiers []note.Verifier
	for _, k := range keys {
		public := ed25519Of(k.PublicKey)
		if k.may([]Role{Publishes, Logs}) {
			verifiers = append(verifiers, noteKey{n.Name, byLog, public})
		}
		if k.may([]Role{Witnesses}) {
			verifiers = append(verifiers, noteKey{witnessName(keyID(k.public.ID())), byWitness, public})
		}
	}
	opened, err := note.Open([]byte(n.Text+"\n"+n.Signatures), note.VerifierList(verifiers...))
	var unknown *note.UnverifiedNoteError
	switch {
	case errors.As(err, &unknown):
		return e, errors.Join(errors.New("the checkpoint of the log is signed by no key with the role publish or log that the trust file has"), broken)
	case err != nil:
		return e, forged("a signature of the checkpoint of the log does not hold: %v", err)
	}
	why := errors.New("the checkpoint of the log is signed by witnesses only")
	for _, s := range opened.Sigs {
		k, kind := signerOf(keys, n.Name, s)
		if kind == byLog {
			if err := k.endorses(n, now); err != nil {
				why = err
			} else {
				e.By = k.Name
			}
			continue
		}
		raw, _ := base64.StdEncoding.DecodeString(s.Base64)
		if at, ok := cosignedAt(raw[min(4, len(raw)):]); ok && k.usable(at, now) == nil && !slices.Contains(e.Witnesses, k.Name) {
			e.Witnesses = append(e.Witnesses, k.Name)
		}
	}
	if e.By == "" {
		return e, why
	}
	if t.log == nil {
		return e, nil
	}
	if t.log.Origin != "" && t.log.Origin != n.Name {
		return e, fmt.Errorf("the log is %s, and the trust file demands %s", n.Name, t.log.Origin)
	}
	if len(e.Witnesses) < t.log.Witnesses {
		return e, fmt.Errorf("%w: %d of the %d that the trust file demands have: slipstick log witness does", ErrWitnesses, len(e.Witnesses), t.log.Witnesses)
	}
	return e, nil
}

// signerOf returns the key that made a signature of a note, and the type of the signature.
func signerOf(keys []trusted, log string, s note.Signature) (trusted, byte) {
	for _, k := range keys {
		public := ed25519Of(k.PublicKey)
		for _, as := range []noteKey{{log, byLog, public}, {witnessName(keyID(k.public.ID())), byWitness, public}} {
			if as.name == s.Name && as.KeyHash() == s.Hash {
				return k, as.kind
			}
		}
	}
	return trusted{}, 0
}

// endorses returns an error unless the key may sign the checkpoint for its log.
func (k *trusted) endorses(n *Note, now time.Time) error {
	if n.Signed.IsZero() {
		return errors.New("the checkpoint of the log does not say when it was signed")
	}
	if err := k.usable(n.Signed, now); err != nil {
		return err
	}
	for _, c := range n.Capabilities {
		if !k.covers(c) {
			return fmt.Errorf("the key %q, which signed the log, does not count for %.200s", k.Name, c)
		}
	}
	return nil
}
