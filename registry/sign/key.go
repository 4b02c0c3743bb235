package sign

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aead.dev/minisign"

	"github.com/slipstick/slipstick/registry/regular"
)

// Suffixes of the files of a key, which start with its name.
const (
	secretSuffix   = ".key"
	publicSuffix   = ".pub"
	rotationSuffix = ".rotation" // the rotation by which it took over; signatures carry it
)

// Signer signs with one key.
type Signer struct {
	private   minisign.PrivateKey
	rotations []byte
}

// PublicKey returns the public key in the form of trust files.
func (s *Signer) PublicKey() string { return s.public().String() }

// KeyID returns the id of the key in the form of minisign.
func (s *Signer) KeyID() string { return keyID(s.private.ID()) }

func (s *Signer) public() minisign.PublicKey { return s.private.Public().(minisign.PublicKey) }

func keyID(id uint64) string { return fmt.Sprintf("%016X", id) }

// Sign completes the statement and signs it. A zero time means now.
func (s *Signer) Sign(st Statement) (*Signed, error) {
	st.Format = Format
	if st.Time.IsZero() {
		st.Time = time.Now()
	}
	st.Time = second(st.Time)
	return s.sign(st.Kind, st, MaxStatement)
}

func (s *Signer) sign(kind Kind, document any, limit int) (*Signed, error) {
	data, err := encode(document)
	if err != nil {
		return nil, fmt.Errorf("write the statement: %w", err)
	}
	if len(data) > limit {
		return nil, fmt.Errorf("the statement has %d bytes: at most %d are allowed", len(data), limit)
	}
	signature := minisign.SignWithComments(s.private, data, Format+": "+string(kind), "signature of a slipstick statement")
	return &Signed{data, signature, s.rotations}, nil
}

// signature reads the signature.
func (s *Signed) signature() (minisign.Signature, error) {
	var sig minisign.Signature
	if len(s.Signature) > MaxSignature {
		return sig, forged("the signature has %d bytes, more than the %d that are read", len(s.Signature), MaxSignature)
	}
	if err := sig.UnmarshalText(s.Signature); err != nil {
		return sig, forged("the signature is none of minisign: it was shortened or changed")
	}
	return sig, nil
}

// NewKey makes a key and writes it to path.key, readable by its owner only, and path.pub. It
// replaces no file. Without a password the secret key is not encrypted.
func NewKey(path, password string) (*Signer, error) {
	_, private, err := minisign.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	s := &Signer{private: private}
	secret, err := private.MarshalText()
	if password != "" {
		secret, err = minisign.EncryptKey(password, private)
	}
	if err != nil {
		return nil, err
	}
	public, err := s.public().MarshalText()
	if err != nil {
		return nil, err
	}
	if err := create(path+secretSuffix, secret, 0o600); err != nil {
		return nil, err
	}
	return s, create(path+publicSuffix, append(public, '\n'), 0o644)
}

// create writes a new file. The file is on disk when it returns.
func create(path string, data []byte, mode os.FileMode) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: choose another name, keys are not replaced", path)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// maxKey bounds the files of keys.
const maxKey = 4 << 10

// ReadKey reads a secret key of minisign, and the rotations next to it. It asks for the
// password only if the key has one.
func ReadKey(path string, password func() (string, error)) (*Signer, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the key: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxKey:
		return nil, fmt.Errorf("%s is not a key: a secret key of minisign is a small file", path)
	case strings.HasSuffix(path, publicSuffix):
		return nil, fmt.Errorf("%s is a public key: what signs is the secret one, %s", path, strings.TrimSuffix(path, publicSuffix)+secretSuffix)
	case regular.Permits(info, 0o077) != 0:
		return nil, fmt.Errorf("the key %s can be used by others (mode %#o): chmod 600 it, or better, rotate to a new one", path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	s := new(Signer)
	s.private, err = openKey(text, password)
	if err != nil {
		return nil, fmt.Errorf("the key %s: %w", path, err)
	}
	s.rotations, err = os.ReadFile(strings.TrimSuffix(path, secretSuffix) + rotationSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the rotations of the key: %w", err)
	}
	return s, nil
}

func openKey(text []byte, password func() (string, error)) (private minisign.PrivateKey, err error) {
	if !minisign.IsEncrypted(text) {
		if err := private.UnmarshalText(text); err != nil {
			return private, errors.New("it is not a secret key of minisign; give NAME.key, not NAME.pub")
		}
		return private, nil
	}
	word, err := password()
	if err != nil {
		return private, err
	}
	private, err = minisign.DecryptKey(word, text)
	if err != nil {
		return private, errors.New("the password is wrong, or the file is damaged")
	}
	return private, nil
}

// name is a key file without directory and suffix.
func name(path string) string { return strings.TrimSuffix(filepath.Base(path), secretSuffix) }
