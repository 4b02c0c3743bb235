package agree

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Each value in Redis starts with a seal: one message authentication code for each key of the server that
// wrote it. A server accepts a value if one of its own keys produces one of the codes. The codes cover the
// kind of the value and its name in Redis. So a server rejects a value that was copied to another name.

// sealFormat is the start of every sealed text, so that no other use of the keys produces the same code.
const sealFormat = "slipstick agreement 2"

// The kinds of sealed values.
const (
	kindServer = "host"
	kindCommit = "commit"
	kindDigest = "digest"
)

// sealSize is the number of bytes of each code; longer codes are truncated.
const sealSize = 16

// seal returns the seal of the text, followed by the text.
func (k *Keys) seal(kind, name, text string) string {
	codes := make([]string, 0, len(k.Secrets))
	for _, secret := range k.Secrets[:min(len(k.Secrets), maxKeys)] {
		codes = append(codes, code(secret, kind, name, text))
	}
	return strings.Join(codes, ".") + " " + text
}

// unseal returns the text without its seal, and reports whether one of the keys verifies the seal.
func (k *Keys) unseal(kind, name, value string) (text string, ok bool) {
	codes, text, _ := strings.Cut(value, " ")
	if len(codes) > maxSeal {
		return text, false
	}
	for _, secret := range k.Secrets {
		want := []byte(code(secret, kind, name, text))
		for is := range strings.SplitSeq(codes, ".") {
			ok = ok || hmac.Equal([]byte(is), want)
		}
	}
	return text, ok
}

// code returns the message authentication code of one key.
func code(secret []byte, kind, name, text string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(strings.Join([]string{sealFormat, kind, name, text}, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:sealSize])
}
