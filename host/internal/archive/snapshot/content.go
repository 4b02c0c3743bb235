package snapshot

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// maxContent is the maximum size in bytes of the JSON of one snapshot. A request has at most 64
// KiB, and its response repeats it a few times.
const maxContent = 1 << 20

const (
	digestPrefix = "sha256:"
	digestSize   = 32
)

// checked is a checked Content in its only form for signing, storing and showing.
type checked struct {
	tool, capability, version string
	inputs, result            []byte // valid and compact
	digest                    [digestSize]byte
	created                   time.Time // UTC, whole seconds
}

// check checks the content. Only a success can become a snapshot, so that a failure is never
// mistaken for a result (spec 7).
func check(c Content, now time.Time) (*checked, error) {
	if size := len(c.Inputs) + len(c.Result); size > maxContent {
		return nil, fmt.Errorf("%w: inputs and result have %d bytes, more than %d", ErrTooLarge, size, maxContent)
	}
	if c.CreatedAt.IsZero() {
		c.CreatedAt = now
	}
	if c.CreatedAt.After(now) || c.CreatedAt.Unix() < 0 {
		return nil, fmt.Errorf("created at %v, which is in the future or before 1970", c.CreatedAt)
	}
	f := &checked{tool: c.ToolID, capability: c.CapabilityID, version: c.Version, created: c.CreatedAt.UTC().Truncate(time.Second)}
	for _, text := range []struct{ name, value string }{{"tool id", f.tool}, {"capability id", f.capability}, {"version", f.version}} {
		if text.value == "" || !utf8.ValidString(text.value) {
			return nil, fmt.Errorf("the %s %.80q is not a text", text.name, text.value)
		}
	}
	var err error
	f.digest, err = parseDigest(c.EngineDigest)
	if err != nil {
		return nil, err
	}
	f.inputs, err = compactObject(c.Inputs)
	if err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	f.result, err = compactObject(c.Result)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	var answer struct{ Status string }
	if err := json.Unmarshal(f.result, &answer); err != nil || answer.Status != "success" {
		return nil, fmt.Errorf("result: status is %.80q, but only a success can become a snapshot", answer.Status)
	}
	return f, nil
}

func parseDigest(text string) (digest [digestSize]byte, err error) {
	digits, found := strings.CutPrefix(text, digestPrefix)
	sum, err := hex.DecodeString(digits)
	if !found || err != nil || len(sum) != digestSize || hex.EncodeToString(sum) != digits {
		return digest, fmt.Errorf("engine digest %.100q is not %s and 64 lower-case hexadecimal digits", text, digestPrefix)
	}
	return [digestSize]byte(sum), nil
}

func compactObject(doc []byte) ([]byte, error) {
	if !utf8.Valid(doc) {
		return nil, errors.New("not UTF-8")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, doc); err != nil {
		return nil, err
	}
	if b.Len() == 0 || b.Bytes()[0] != '{' {
		return nil, errors.New("not a JSON object")
	}
	return b.Bytes(), nil
}

// appendFrame appends the parts of the content, each after its length. The layout must not
// change: it is part of format e1, and short ids are derived from it.
func (f *checked) appendFrame(dst []byte) []byte {
	for _, part := range [][]byte{[]byte(f.tool), []byte(f.capability), []byte(f.version), f.result, f.inputs} {
		dst = append(binary.AppendUvarint(dst, uint64(len(part))), part...)
	}
	return dst
}

var errFrame = errors.New("malformed frame")

// parseFrame reads bytes from appendFrame. It also accepts other encodings of lengths. A caller
// that needs exact bytes must encode the result and compare.
func parseFrame(frame []byte) (c Content, err error) {
	var parts [5][]byte
	for i := range parts {
		size, n := binary.Uvarint(frame)
		if n <= 0 || size > uint64(len(frame)-n) {
			return c, errFrame
		}
		frame = frame[n:]
		parts[i], frame = frame[:size], frame[size:]
	}
	return Content{
		ToolID: string(parts[0]), CapabilityID: string(parts[1]), Version: string(parts[2]),
		Result: parts[3], Inputs: parts[4],
	}, nil
}
