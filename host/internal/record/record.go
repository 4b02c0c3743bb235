// Package record answers one question: what was answered, in which bytes? A Record has what
// is needed to compute a calculation again and to compare: the release to the byte, the
// inputs and the outcome as typed values. The package knows no files and no transport.
package record

import (
	"time"

	"github.com/slipstick/slipstick/sdk/value"
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

// Release is the release that answered.
type Release struct {
	Capability, Version string
	Digest              string // of its manifest, "sha256:..."; "" if it is not known
	Engine              string // digest of the engine, likewise
	Platform            string // that computed, such as linux/amd64

	encoded []byte
}

// NewRelease returns the Release with its encoding, which is made once for all its records.
func NewRelease(r Release) *Release {
	r.encoded = r.append(nil)
	return &r
}

// Record is one record. Its kind says which fields it has.
type Record struct {
	Kind Kind
	Time time.Time // when the answer was made; of losses, when the last one was noticed

	Request string // id of the call
	Kept    bool   // an Answer: the result was in the cache
	Row     uint64 // an Answer: its row of a batch, from 1; 0 if it was asked for alone

	Release *Release     // of an Answer
	Inputs  value.Values // of an Answer, as the engine got them; nil if only their hash is kept
	Hash    []byte       // of the inputs instead, see [HashInputs]
	Outcome Outcome      // of an Answer

	Rows     uint64     // of a Batch
	Releases []*Release // that answered rows of the Batch, in the order of their first rows
	Text     [32]byte   // SHA-256 of the rows of the Batch, each with a line feed behind it
	Outcomes [32]byte   // SHA-256 of [AppendOutcome] of all its rows, one after the other

	Count uint64    // how many records were lost
	Since time.Time // when the first of them was
}

// Outcome is a result, or the code with which the engine refused the inputs.
type Outcome struct {
	Result      value.Values // nil if there is a code
	Code, Field string
}

// Equal reports whether two outcomes are the same to the bit.
func (o Outcome) Equal(p Outcome) bool {
	return string(AppendOutcome(nil, o)) == string(AppendOutcome(nil, p))
}
