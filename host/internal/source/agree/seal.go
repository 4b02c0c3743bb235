package agree

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Each value in Redis begins with a seal: one message authentication code for each key of the
// server that wrote it. A server believes a value if one of its own keys gives one of the codes.
// The codes cover what the value is and the name under which it is kept, so a value that was
// copied to another place is not believed.

// sealFormat begins all that is sealed, so that no other use of the keys gives the same code.
const sealFormat = "slipstick agreement 2"

// What is sealed.
const (
	kindHost   = "host"
	kindCommit = "commit"
	kindDigest = "digest"
)

// sealSize is the number of bytes that are kept of each code.
const sealSize = 16

// seal returns the text with its seal in front.
func (k *Keys) seal(kind, name, text string) string {
	codes := make([]string, 0, len(k.Secrets))
	for _, secret := range k.Secrets[:min(len(k.Secrets), maxKeys)] {
		codes = append(codes, code(secret, kind, name, text))
	}
	return strings.Join(codes, ".") + " " + text
}

// unseal returns the text without its seal. It is not ok if none of the keys gives the seal.
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

func code(secret []byte, kind, name, text string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(strings.Join([]string{sealFormat, kind, name, text}, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:sealSize])
}
