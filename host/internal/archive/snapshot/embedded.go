package snapshot

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// MaxEmbedded is the maximum length of an embedded id. The URL of such a snapshot fits into the
// 8000 octets of a request line that every HTTP implementation should accept (RFC 9112, section 3).
const MaxEmbedded = 7800

const (
	embeddedPrefix = "cx_e1_"
	secondsSize    = 5
	headSize       = keyIDSize + secondsSize + digestSize
)

// signed separates these signatures from all other uses of a key.
const signed = "slipstick snapshot cx_e1_\x00"

// encodeEmbedded returns the embedded id of the content: the prefix and, in base64url without
// padding,
//
//	key id      4 bytes
//	created at  5 bytes, seconds since 1970, big-endian
//	digest     32 bytes, of the engine
//	frame       compressed, see appendFrame and deflate
//	signature  64 bytes, Ed25519 of "slipstick snapshot cx_e1_", a NUL and all before it
//
// The signature covers the compressed bytes. Another version of the compressor can encode the
// content differently, but only with the key. So a snapshot has one embedded id, and reading does
// not compress.
func encodeEmbedded(f *checked, k *key) (string, error) {
	frame := f.appendFrame(nil)
	if len(frame) > maxFrame {
		return "", fmt.Errorf("%w: an embedded id can contain %d bytes, but the content has %d", ErrTooLarge, maxFrame, len(frame))
	}
	raw := append([]byte(nil), k.id[:]...)
	raw = appendSeconds(raw, f.created)
	raw = append(raw, f.digest[:]...)
	raw = append(raw, deflate(frame)...)
	raw = append(raw, ed25519.Sign(k.private, append([]byte(signed), raw...))...)
	if size := len(embeddedPrefix) + base64.RawURLEncoding.EncodedLen(len(raw)); size > MaxEmbedded {
		return "", fmt.Errorf("%w: an embedded id has at most %d characters, but this would have %d", ErrTooLarge, MaxEmbedded, size)
	}
	return embeddedPrefix + base64.RawURLEncoding.EncodeToString(raw), nil
}

// decodeEmbedded returns the content of the id, if one of the keys signed exactly these characters.
// Any other id is not found. If only the key is unknown, the error is an UnknownKeyError.
func decodeEmbedded(id string, keys *Keys) (*checked, error) {
	body, signature, err := splitEmbedded(id)
	if err != nil {
		return nil, err
	}
	public, known := keys.public[keyID(body)]
	if !known {
		if _, err := parseBody(body); err != nil {
			return nil, err
		}
		return nil, &UnknownKeyError{keyID(body)}
	}
	if !ed25519.Verify(public, append([]byte(signed), body...), signature) {
		return nil, ErrNotFound
	}
	return parseBody(body)
}

// splitEmbedded returns the signed bytes of an embedded id, and its signature. It does not check
// the signature.
func splitEmbedded(id string) (body, signature []byte, err error) {
	if len(id) > MaxEmbedded {
		return nil, nil, ErrNotFound
	}
	text, found := strings.CutPrefix(id, embeddedPrefix)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if !found || err != nil || len(raw) < headSize+ed25519.SignatureSize {
		return nil, nil, ErrNotFound
	}
	if base64.RawURLEncoding.EncodeToString(raw) != text { // line ends, or nonzero trailing bits
		return nil, nil, ErrNotFound
	}
	return raw[:len(raw)-ed25519.SignatureSize], raw[len(raw)-ed25519.SignatureSize:], nil
}

// parseBody reads signed bytes. They must be exactly the bytes that encodeEmbedded writes for their
// content.
func parseBody(body []byte) (*checked, error) {
	seconds, digest := body[keyIDSize:headSize-digestSize], body[headSize-digestSize:headSize]
	frame, err := inflate(body[headSize:])
	if err != nil {
		return nil, ErrNotFound
	}
	c, err := parseFrame(frame)
	if err != nil {
		return nil, ErrNotFound
	}
	c.EngineDigest = fmt.Sprintf("%s%x", digestPrefix, digest)
	c.CreatedAt = time.Unix(int64(binary.BigEndian.Uint64(append(make([]byte, 8-secondsSize), seconds...))), 0)
	f, err := check(c, c.CreatedAt)
	if err != nil || !bytes.Equal(f.appendFrame(nil), frame) {
		return nil, ErrNotFound
	}
	return f, nil
}

func appendSeconds(dst []byte, t time.Time) []byte {
	eight := binary.BigEndian.AppendUint64(nil, uint64(t.Unix()))
	return append(dst, eight[8-secondsSize:]...)
}
