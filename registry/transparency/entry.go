package transparency

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// Kind is the kind of event of an entry.
type Kind string

// The kinds of entries.
const (
	Published Kind = "release"   // the version was published
	Signature Kind = "signature" // a publisher vouched for it
	Report    Kind = "report"    // a conformance report was added
	Review    Kind = "review"    // a review was added
	Status    Kind = "standing"  // it is deprecated, yanked, revoked or active again
	Current   Kind = "current"   // calls without a pin are answered by it; if Version is "", they have no answer
	Removed   Kind = "removed"   // it was removed on purpose; if Version is "", the whole capability
)

// Bounds on a log.
const (
	maxEntry   = 4 << 10 // bytes
	MaxEntries = 1 << 20
)

// Entry is a leaf of a log: an event in a registry, and when it was logged.
type Entry struct {
	Time       time.Time `json:"time"` // by the clock of the writer, in whole seconds; never before the time of the previous entry
	Kind       Kind      `json:"type"`
	Capability string    `json:"capability_id"`
	Version    string    `json:"calculation_version,omitempty"`
	Release    string    `json:"release_digest,omitempty"`   // of its manifest
	Statement  string    `json:"statement_digest,omitempty"` // of the manifest of the statement, if there is one
	Tool       string    `json:"tool_id,omitempty"`          // that the release names
	State      string    `json:"state,omitempty"`            // of a lifecycle record
	Sequence   uint64    `json:"sequence,omitzero"`          // of a signed statement, see package evidence
}

// encode renders an entry in its canonical spelling.
func (e *Entry) encode() ([]byte, error) {
	e.Time = e.Time.UTC().Truncate(time.Second)
	data, err := json.Marshal(e)
	if err == nil && len(data) > maxEntry {
		err = fmt.Errorf("the entry has %d bytes: at most %d are allowed", len(data), maxEntry)
	}
	return data, err
}

// decodeEntry reads an entry, which must have its canonical spelling. So the signer of a log
// cannot hide members in it that this package would ignore.
func decodeEntry(data []byte) (e Entry, err error) {
	if err := json.Unmarshal(data, &e, json.RejectUnknownMembers(true)); err != nil {
		return e, err
	}
	canonical, err := e.encode()
	if err == nil && !bytes.Equal(canonical, data) {
		err = errors.New("it is not spelled as entries are")
	}
	if err == nil && e.Capability == "" {
		err = errors.New("it names no capability")
	}
	return e, err
}
