package transparency

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// Kind is what an entry of a log says has happened.
type Kind string

// The kinds of entries.
const (
	Published Kind = "release"   // the version was published
	Signature Kind = "signature" // a publisher vouched for it
	Report    Kind = "report"    // a conformance report was added
	Review    Kind = "review"    // a review was added
	Status    Kind = "standing"  // it is deprecated, yanked, revoked or active again
	Current   Kind = "current"   // calls without a pin are answered by it; if Version is "", by none
	Removed   Kind = "removed"   // it was removed on purpose; if Version is "", the whole capability
)

// Bounds on a log.
const (
	maxEntry   = 4 << 10 // bytes
	MaxEntries = 1 << 20
)

// Entry is a leaf of a log: something that has happened in a registry, and when it was logged.
type Entry struct {
	Time       time.Time `json:"time"` // by the clock of who logged it, in whole seconds; never before that of the entry before
	Kind       Kind      `json:"type"`
	Capability string    `json:"capability_id"`
	Version    string    `json:"calculation_version,omitempty"`
	Release    string    `json:"release_digest,omitempty"`   // of its manifest
	Statement  string    `json:"statement_digest,omitempty"` // of the manifest of the statement, if there is one
	Tool       string    `json:"tool_id,omitempty"`          // that the release names
	State      string    `json:"state,omitempty"`            // of a standing
	Sequence   uint64    `json:"sequence,omitzero"`          // of a signed statement, see package evidence
}

// encode renders an entry in its one spelling.
func (e *Entry) encode() ([]byte, error) {
	e.Time = e.Time.UTC().Truncate(time.Second)
	data, err := json.Marshal(e)
	if err == nil && len(data) > maxEntry {
		err = fmt.Errorf("the entry has %d bytes: at most %d are allowed", len(data), maxEntry)
	}
	return data, err
}

// decodeEntry reads an entry, which must have its one spelling. Who signs a log can then hide
// nothing in it that this package would pass over.
func decodeEntry(data []byte) (e Entry, err error) {
	if err := json.Unmarshal(data, &e, json.RejectUnknownMembers(true)); err != nil {
		return e, err
	}
	again, err := e.encode()
	if err == nil && !bytes.Equal(again, data) {
		err = errors.New("it is not spelled as entries are")
	}
	if err == nil && e.Capability == "" {
		err = errors.New("it names no capability")
	}
	return e, err
}
