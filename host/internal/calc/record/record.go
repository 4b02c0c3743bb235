// Package record documents the answers of a service. A [Record] has all that is needed to repeat and
// compare a calculation: the digest of the release, and inputs and outcome as typed values. The package
// does not use files or a transport.
package record

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// Kind is the kind of a Record.
type Kind uint8

// The kinds of records.
const (
	Answer Kind = 1 + iota // one calculation
	Batch                  // a batch that is too large for a record of each row
	Lost                   // records that could not be stored
)

var kindNames = [...]string{Answer: "answer", Batch: "batch", Lost: "lost"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return "unknown"
}

// KindOf returns the kind with a name, or 0 if there is none.
func KindOf(name string) Kind { return Kind(max(0, slices.Index(kindNames[:], name))) }

// OwnRows is the maximum number of rows of a batch with their own records. A batch with more rows has a
// record for the whole batch as well.
const OwnRows = 1000

// Release is the release that answered.
type Release struct {
	Capability, Version string
	Digest              string // of its manifest, "sha256:..."; "" if it is not known
	Engine              string // digest of the engine, in the same format
	Platform            string // of the computation, such as linux/amd64

	encoded []byte
	id      ReleaseID
}

// ReleaseID is the SHA-256 of the encoding of a Release.
type ReleaseID [sha256.Size]byte

// Numbers maps releases to their numbers in the records of one segment. The statement of the segment
// has the ids of its releases in order, so no one can replace a release.
type Numbers interface{ Number(*Release) uint64 }

// Releases maps numbers in records to releases. The zero value is empty.
type Releases struct {
	numbered map[uint64]*Release
	numbers  map[*Release]uint64
}

// Number implements [Numbers] for releases that Add has added.
func (s *Releases) Number(r *Release) uint64 { return s.numbers[r] }

// Len returns the number of releases.
func (s *Releases) Len() int { return len(s.numbered) }

// NewRelease returns the Release with its encoding, which is shared by all its records.
func NewRelease(r Release) *Release {
	r.encoded = r.append(nil)
	r.id = sha256.Sum256(r.encoded)
	return &r
}

// Encoded returns the encoding of a Release that NewRelease made. It must not be changed.
func (r *Release) Encoded() []byte { return r.encoded }

// ID returns the id of a Release that NewRelease made.
func (r *Release) ID() ReleaseID { return r.id }

// Add adds an encoded release, and returns its id.
func (s *Releases) Add(number uint64, encoded []byte) (ReleaseID, error) {
	d := decoder{rest: encoded}
	r := d.release()
	if d.bad || len(d.rest) > 0 || !bytes.Equal(r.encoded, encoded) {
		return ReleaseID{}, ErrEncoding
	}
	if s.numbered == nil {
		s.numbered, s.numbers = map[uint64]*Release{}, map[*Release]uint64{}
	}
	s.numbered[number], s.numbers[r] = r, number
	return r.id, nil
}

// Record is one record. The used fields depend on its kind.
type Record struct {
	Kind Kind
	Time time.Time // of the request, of the answer to a row of a batch, or of the last noticed loss

	Request string // id of the call
	Kept    bool   // an Answer: the result was in the cache
	Row     uint64 // an Answer: its row in a batch, from 1; 0 for a single request

	Release *Release     // of an Answer
	Inputs  value.Values // of an Answer, as the engine received them; nil if only their hash is recorded
	Hash    []byte       // of the inputs instead, see [HashInputs]
	Outcome Outcome      // of an Answer

	Rows     uint64     // of a Batch
	Terms    Terms      // of a Batch
	Releases []*Release // that answered rows of the Batch, in the order of their first rows
	Tables   []*Release // with values in rows of the Batch, in the same order
	Missed   []Span     // rows of the Batch without their own outcome, in order and disjoint: see [MaxMissed]
	Text     [32]byte   // SHA-256 of the rows of the Batch, each followed by a line feed
	Outcomes [32]byte   // SHA-256 of [AppendOutcome] of its other rows, one after the other

	Count uint64    // number of lost records
	Since time.Time // time of the first loss
}

// Span is a range of consecutive rows, counted from 0.
type Span struct {
	First uint64 `json:"first"`
	Count uint64 `json:"count"`
}

// MaxMissed is the maximum number of spans of missed rows in a record. A limit or a failure of the service
// refused these rows, so their answers cannot be repeated. If there are more spans, the last one
// extends to the end of the batch.
const MaxMissed = 1000

// Answered returns the number of rows of a Batch with their own outcomes.
func (r *Record) Answered() uint64 {
	n := r.Rows
	for _, s := range r.Missed {
		n -= s.Count
	}
	return n
}

// Named returns the releases that the record names.
func (r *Record) Named() []*Release {
	if r.Release != nil {
		return []*Release{r.Release}
	}
	return slices.Concat(r.Releases, r.Tables)
}

// Terms are the parameters of the request of a Batch that apply to all its rows. Together with the rows
// they allow the same request again.
type Terms struct {
	Capability string         // of rows that name none, as in the request; "" if the request names none
	Pins       []versions.Pin // pins with text values: other values are recorded as ""
	Decimals   string         // declared decimal mark in the texts of a table; "" if there is none
	Tags       []string       // columns of a table that are never inputs
	Columns    []string       // of a table: the input in each column, followed by its unit in brackets unless it is an SI unit; "" for other columns
}

// Outcome is a result, or the code with which the engine refused the inputs.
type Outcome = compare.Outcome
