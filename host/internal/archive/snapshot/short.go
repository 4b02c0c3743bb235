package snapshot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
)

const (
	shortPrefix = "cx_"
	shortSize   = 26 // of 5 bits each
	alphabet    = "abcdefghijklmnopqrstuvwxyz234567"
)

var letters = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// shortID derives the id from all of the content except its time. So the same content always has
// the same id. Without the secret, the id of a content cannot be computed.
func (k *Keys) shortID(f *checked) string { return deriveShort(k.secrets[0], f) }

// derives reports whether one of the keys derives the short id from the content.
func (k *Keys) derives(f *checked, id string) bool {
	return slices.ContainsFunc(k.secrets, func(secret []byte) bool { return deriveShort(secret, f) == id })
}

func deriveShort(secret []byte, f *checked) string {
	h := hmac.New(sha256.New, secret)
	h.Write(f.appendFrame(nil))
	h.Write(f.digest[:])
	return shortPrefix + letters.EncodeToString(h.Sum(nil))[:shortSize]
}

// isShort reports whether the id has the form of a short id.
func isShort(id string) bool {
	text, found := strings.CutPrefix(id, shortPrefix)
	return found && len(text) == shortSize && strings.Trim(text, alphabet) == ""
}
