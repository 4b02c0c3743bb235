package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// schema is the first byte of every record. Another layout must have another number. This layout must
// not change, because the roots of closed segments depend on it.
const schema = 2

// MaxSize is the size in bytes of the largest record. A request has at most 64 KiB, and its
// result has a similar size.
const MaxSize = 4 << 20

const (
	flagKept   = 1 << iota // in the cache
	flagHashed             // the inputs are hashed
)

// Append appends the record. A record has exactly one encoding for given numbers of its releases.
func (r *Record) Append(b []byte, numbers Numbers) []byte {
	var flags byte
	if r.Kept {
		flags |= flagKept
	}
	if r.Hash != nil {
		flags |= flagHashed
	}
	b = append(b, schema, byte(r.Kind), flags)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Time.UnixNano()))
	switch r.Kind {
	case Answer:
		b = appendText(b, r.Request)
		b = binary.AppendUvarint(b, r.Row)
		b = binary.AppendUvarint(b, numbers.Number(r.Release))
		if r.Hash != nil {
			b = append(b, r.Hash...)
		} else {
			b = appendValues(b, r.Inputs)
		}
		b = AppendOutcome(b, r.Outcome)
	case Batch:
		b = appendText(b, r.Request)
		b = binary.AppendUvarint(b, r.Rows)
		b = r.Terms.append(b)
		b = appendNumbers(appendNumbers(b, r.Releases, numbers), r.Tables, numbers)
		b = binary.AppendUvarint(b, uint64(len(r.Missed)))
		for _, s := range r.Missed {
			b = binary.AppendUvarint(binary.AppendUvarint(b, s.First), s.Count)
		}
		b = append(append(b, r.Text[:]...), r.Outcomes[:]...)
	case Lost:
		b = binary.AppendUvarint(b, r.Count)
		b = binary.BigEndian.AppendUint64(b, uint64(r.Since.UnixNano()))
	}
	return b
}

// AppendOutcome appends the outcome. The encodings of two outcomes are equal only if the outcomes are.
func AppendOutcome(b []byte, o Outcome) []byte {
	b = appendText(b, o.Code)
	if o.Code != "" {
		return appendText(b, o.Field)
	}
	return appendValues(b, o.Result)
}

// AppendCalculation appends inputs and their outcome, and returns the offset of the end of the inputs.
// It retains neither.
func AppendCalculation(b []byte, inputs value.Values, o Outcome) (_ []byte, end int) {
	b = appendValues(b, inputs)
	end = len(b)
	return AppendOutcome(b, o), end
}

// ParseCalculation parses the encoding of AppendCalculation.
func ParseCalculation(b []byte) (inputs value.Values, o Outcome, err error) {
	d := decoder{rest: b}
	inputs, o = d.values(0), d.outcome()
	if d.bad || len(d.rest) > 0 {
		return nil, Outcome{}, ErrEncoding
	}
	return inputs, o, nil
}

// hashSize is the size of a hash of inputs in bytes.
const hashSize = sha256.Size

// HashInputs appends the hash of inputs, keyed with the key of the receipt. The owner of the inputs and
// the receipt can prove that a record is about them. Without the key, an attacker cannot test guesses of
// the inputs. Each key is used for one record, and all keys have the same length. So a key prefix is
// enough, and HMAC, which hashes twice, is not needed. The memory after b temporarily contains the
// hashed text.
func HashInputs(b []byte, key *Key, inputs value.Values) []byte {
	from := len(b)
	b = appendValues(append(b, key[:]...), inputs)
	sum := sha256.Sum256(b[from:])
	return append(b[:from], sum[:]...)
}

func (r *Release) append(b []byte) []byte {
	b = appendText(appendText(b, r.Capability), r.Version)
	b = appendDigest(appendDigest(b, r.Digest), r.Engine)
	return appendText(b, r.Platform)
}

func appendNumbers(b []byte, list []*Release, numbers Numbers) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, release := range list {
		b = binary.AppendUvarint(b, numbers.Number(release))
	}
	return b
}

func (t *Terms) append(b []byte) []byte {
	b = appendText(appendText(b, t.Capability), t.Decimals)
	b = appendTexts(appendTexts(b, t.Tags), t.Columns)
	b = binary.AppendUvarint(b, uint64(len(t.Pins)))
	for _, p := range t.Pins {
		b = appendText(appendText(appendText(appendText(b, string(p.Place)), p.Name), string(p.Means)), asked(p))
	}
	return b
}

func appendTexts(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendText(b, s)
	}
	return b
}

// asked returns the value of a pin, or "" if it is not a text.
func asked(p versions.Pin) string {
	text, _ := p.Value.(string)
	return text
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendValues(b []byte, v value.Values) []byte {
	return value.AppendKey(binary.AppendUvarint(b, uint64(len(v))), v)
}

const digestPrefix = "sha256:"

// appendDigest appends the bytes of a digest, or its text if it has another format.
func appendDigest(b []byte, digest string) []byte {
	if sum, ok := sumOf(digest); ok {
		return append(append(b, 1), sum...)
	}
	return appendText(append(b, 0), digest)
}

func sumOf(digest string) ([]byte, bool) {
	digits, found := strings.CutPrefix(digest, digestPrefix)
	sum, err := hex.DecodeString(digits)
	return sum, found && err == nil && len(sum) == sha256.Size && hex.EncodeToString(sum) == digits
}

// Errors of Parse.
var (
	ErrEncoding = errors.New("these bytes are not a record")
	ErrRelease  = errors.New("the record names a release that is not there")
)

// Parse parses a record that may name some of the releases. It accepts only the one encoding of Append.
func Parse(b []byte, releases *Releases) (Record, error) {
	d := decoder{rest: b, releases: releases}
	r := d.record()
	switch {
	case d.unknown:
		return Record{}, ErrRelease
	case d.bad || len(d.rest) > 0 || !bytes.Equal(r.Append(nil, releases), b):
		return Record{}, ErrEncoding
	}
	return r, nil
}

// decoder decodes a record. After the first error all results are empty.
type decoder struct {
	rest     []byte
	bad      bool
	releases *Releases
	unknown  bool // a release is not in the list
}

func (d *decoder) record() (r Record) {
	if d.byte() != schema || len(d.rest) > MaxSize {
		d.bad = true
		return r
	}
	r.Kind = Kind(d.byte())
	flags := d.byte()
	r.Kept, r.Time = flags&flagKept != 0, d.time()
	switch r.Kind {
	case Answer:
		r.Request, r.Row, r.Release = d.text(), d.uint(), d.named()
		if flags&flagHashed != 0 {
			r.Hash = bytes.Clone(d.bytes(hashSize))
		} else {
			r.Inputs = d.values(0)
		}
		r.Outcome = d.outcome()
	case Batch:
		r.Request, r.Rows, r.Terms = d.text(), d.uint(), d.terms()
		r.Releases, r.Tables, r.Missed = d.allNamed(), d.allNamed(), d.missed(r.Rows)
		copy(r.Text[:], d.bytes(sha256.Size))
		copy(r.Outcomes[:], d.bytes(sha256.Size))
	case Lost:
		r.Count, r.Since = d.uint(), d.time()
	default:
		d.bad = true
	}
	return r
}

func (d *decoder) allNamed() (list []*Release) {
	for n := d.count(); n > 0 && !d.bad; n-- {
		list = append(list, d.named())
	}
	return list
}

// missed reads spans that are in order, disjoint, and within the number of rows.
func (d *decoder) missed(rows uint64) (list []Span) {
	end := uint64(0)
	for n := d.count(); n > 0 && !d.bad; n-- {
		s := Span{d.uint(), d.uint()}
		d.bad = d.bad || s.First < end || s.First == end && len(list) > 0 || s.Count == 0 || s.First > rows || s.Count > rows-s.First
		list, end = append(list, s), s.First+s.Count
	}
	return list
}

func (d *decoder) terms() (t Terms) {
	t.Capability, t.Decimals, t.Tags, t.Columns = d.text(), d.text(), d.texts(), d.texts()
	for n := d.count(); n > 0 && !d.bad; n-- {
		t.Pins = append(t.Pins, versions.Pin{Place: versions.Place(d.text()), Name: d.text(), Means: versions.Meaning(d.text()), Value: d.text()})
	}
	return t
}

func (d *decoder) texts() (list []string) {
	for n := d.count(); n > 0 && !d.bad; n-- {
		list = append(list, d.text())
	}
	return list
}

func (d *decoder) outcome() (o Outcome) {
	o.Code = d.text()
	if o.Code != "" {
		o.Field = d.text()
	} else {
		o.Result = d.values(0)
	}
	return o
}

// named reads a reference to a release.
func (d *decoder) named() *Release {
	r := d.releases.numbered[d.uint()]
	if r == nil {
		d.bad, d.unknown = true, d.unknown || !d.bad
	}
	return r
}

func (d *decoder) release() *Release {
	return NewRelease(Release{Capability: d.text(), Version: d.text(), Digest: d.digest(), Engine: d.digest(), Platform: d.text()})
}

func (d *decoder) digest() string {
	if d.byte() == 0 {
		return d.text()
	}
	return fmt.Sprintf("%s%x", digestPrefix, d.bytes(sha256.Size))
}

func (d *decoder) bytes(n int) []byte {
	if d.bad || n > len(d.rest) {
		d.bad = true
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) byte() byte {
	if b := d.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) bits(bytes func([]byte) uint64) uint64 {
	if b := d.bytes(8); b != nil {
		return bytes(b)
	}
	return 0
}

func (d *decoder) time() time.Time {
	return time.Unix(0, int64(d.bits(binary.BigEndian.Uint64))).UTC()
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// count reads the number of parts that follow. Each part has at least one byte.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string { return string(d.bytes(d.count())) }

// maxDepth limits the nesting of values. Specs have lists of records of lists.
const maxDepth = 8

func (d *decoder) values(depth int) value.Values {
	n := d.count()
	if depth > maxDepth {
		d.bad = true
	}
	var list value.Values
	for ; n > 0 && !d.bad; n-- {
		list = append(list, d.value(depth))
	}
	return list
}

// value reads the encoding of [value.AppendKey].
func (d *decoder) value(depth int) (v value.Value) {
	switch value.Kind(d.byte()) {
	case value.Absent:
	case value.Number:
		v = value.NumberOf(math.Float64frombits(d.bits(binary.LittleEndian.Uint64)))
	case value.Bool:
		v = value.BoolOf(d.bits(binary.LittleEndian.Uint64) != 0)
	case value.Text:
		v = value.TextOf(d.text())
	case value.Exact:
		v = value.ExactOf(d.text())
	case value.List:
		v = value.ListOf(d.values(depth + 1)...)
	case value.Record:
		v = value.RecordOf(d.values(depth + 1)...)
	default:
		d.bad = true
	}
	return v
}
