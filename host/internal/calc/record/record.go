// Package record answers one question: what was answered, in which bytes? A Record has what
// is needed to compute a calculation again and to compare: the release to the byte, the
// inputs and the outcome as typed values. The package knows no files and no transport.
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

// Kind is what a Record tells of.
type Kind uint8

// The kinds of records.
const (
	Answer Kind = 1 + iota // one calculation
	Batch                  // a batch that is too large for a record of each row
	Lost                   // records that could not be kept
)

var kindNames = [...]string{Answer: "answer", Batch: "batch", Lost: "lost"}

// String names the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return "unknown"
}

// KindOf returns the kind with a name, 0 if there is none.
func KindOf(name string) Kind { return Kind(max(0, slices.Index(kindNames[:], name))) }

// OwnRows is how many rows of a batch have records of their own. A batch with more has one for all
// of it, too.
const OwnRows = 1000

// Release is the release that answered.
type Release struct {
	Capability, Version string
	Digest              string // of its manifest, "sha256:..."; "" if it is not known
	Engine              string // digest of the engine, likewise
	Platform            string // that computed, such as linux/amd64

	encoded []byte
	id      ReleaseID
}

// ReleaseID is the SHA-256 of the encoding of a Release.
type ReleaseID [sha256.Size]byte

// Numbers says by which number records name a release. The numbers are those of one segment, whose
// statement has the ids of its releases in their order, so nobody can put another one in their place.
type Numbers interface{ Number(*Release) uint64 }

// Releases are releases that records may name, by their numbers. The zero value has none.
type Releases struct {
	numbered map[uint64]*Release
	numbers  map[*Release]uint64
}

// Number implements [Numbers] for releases that Add has added.
func (s *Releases) Number(r *Release) uint64 { return s.numbers[r] }

// Len returns how many there are.
func (s *Releases) Len() int { return len(s.numbered) }

// NewRelease returns the Release with its encoding, which is made once for all its records.
func NewRelease(r Release) *Release {
	r.encoded = r.append(nil)
	r.id = sha256.Sum256(r.encoded)
	return &r
}

// Encoded returns the encoding of a Release that NewRelease made. It must not be changed.
func (r *Release) Encoded() []byte { return r.encoded }

// ID returns the id of a Release that NewRelease made.
func (r *Release) ID() ReleaseID { return r.id }

// Add adds a release as it is encoded, and returns its id.
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

// Record is one record. Its kind says which fields it has.
type Record struct {
	Kind Kind
	Time time.Time // when the answer was asked for; of rows of a batch, when it was made; of losses, when the last one was noticed

	Request string // id of the call
	Kept    bool   // an Answer: the result was in the cache
	Row     uint64 // an Answer: its row of a batch, from 1; 0 if it was asked for alone

	Release *Release     // of an Answer
	Inputs  value.Values // of an Answer, as the engine got them; nil if only their hash is kept
	Hash    []byte       // of the inputs instead, see [HashInputs]
	Outcome Outcome      // of an Answer

	Rows     uint64     // of a Batch
	Terms    Terms      // of a Batch
	Releases []*Release // that answered rows of the Batch, in the order of their first rows
	Tables   []*Release // from which rows of the Batch have numbers, likewise
	Missed   []Span     // rows of the Batch without an outcome of their own, in order and apart: see [MaxMissed]
	Text     [32]byte   // SHA-256 of the rows of the Batch, each with a line feed behind it
	Outcomes [32]byte   // SHA-256 of [AppendOutcome] of its other rows, one after the other

	Count uint64    // how many records were lost
	Since time.Time // when the first of them was
}

// Span is some rows that follow each other, counted from 0.
type Span struct {
	First uint64 `json:"first"`
	Count uint64 `json:"count"`
}

// MaxMissed is how many spans a record has of rows that were missed: refused by a limit, or by a failure
// of the service, so nobody comes to that again. The last span there is room for goes to the end of the
// batch.
const MaxMissed = 1000

// Answered returns how many rows of a Batch have outcomes of their own.
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

// Terms are what the request of a Batch says for all its rows. Who has them and the rows can ask the
// same again.
type Terms struct {
	Capability string         // of rows that name none, as the request names it; "" if it names none
	Pins       []versions.Pin // whose values are texts: another one is recorded as ""
	Decimals   string         // declared mark before decimals in the texts of a table; "" if there is none
	Tags       []string       // columns of a table that are no inputs, whatever their names are
	Columns    []string       // of a table: which input each is, with its unit in brackets if it is no SI unit; "" if it is none
}

// Outcome is a result, or the code with which the engine refused the inputs.
type Outcome = compare.Outcome
