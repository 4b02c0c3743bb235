package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/sign"
)

// Lead is what a signed statement says that makes a release current.
//
// All that is signed of the life of a capability, which release is current and where each
// stands, is numbered in one sequence, from 1 on. What has the higher number was said
// later, whatever time stands in it and wherever index.json lists it: who brings an older
// statement back, or takes a newer one away, is found out by who has seen the newer.
type Lead struct {
	Sequence uint64 `json:"sequence" validate:"min=1,max=9007199254740991"`
}

// MaxSequence is the largest number that every reader of JSON has exactly.
const MaxSequence = 1<<53 - 1

// readLead reads a record that makes a release current.
func readLead(data []byte) (Lead, error) {
	var l Lead
	if err := json.Unmarshal(data, &l); err != nil {
		return l, fmt.Errorf("the record of what is current cannot be read: %w", err)
	}
	return l, form.Check(l, func(documents.Finding) error {
		return fmt.Errorf("the record of what is current has the sequence number %d, which must be between 1 and %d", l.Sequence, uint64(MaxSequence))
	})
}

// Sequence is the number of a statement about the life of the capability, 0 for all else.
func (e *Evidence) Sequence() uint64 {
	switch {
	case e.Lifecycle != nil:
		return e.Lifecycle.Sequence
	case e.Lead != nil:
		return e.Lead.Sequence
	}
	return 0
}

// after orders signed statements about a life: by their numbers. Two publishers may have
// used one number at the same instant, each without seeing the other; then all readers
// still agree on an order.
func (e *Evidence) after(o *Evidence) bool {
	return cmp.Or(
		cmp.Compare(e.Sequence(), o.Sequence()),
		e.Signature.Time.Compare(o.Signature.Time),
		bytes.Compare(e.attachment.Signed.Document, o.attachment.Signed.Document),
	) > 0
}

// VersionEvidence is all that is said of one version.
type VersionEvidence struct {
	Version  string
	Evidence []Evidence
}

// History is what the signed statements that count say of the life of a capability.
type History struct {
	Sequence  uint64  // the highest number, 0 if there is none
	Duplicate bool    // two statements have that number
	Lead      uint64  // number of the last statement that made a version current, 0 if there is none
	Version   string  // that version
	Ended     bool    // it was withdrawn after that; to be reinstated does not make it current again
	Unread    []error // statements that make a version current and cannot be read
}

// HistoryOf reads the life of a capability.
func HistoryOf(versions []VersionEvidence) History {
	var history History
	var last, lead *Evidence
	var leading []Evidence
	for _, v := range versions {
		for i := range v.Evidence {
			e := &v.Evidence[i]
			if e.Kind == sign.Current && e.attachment.Err != nil {
				history.Unread = append(history.Unread, fmt.Errorf("a statement about what is current cannot be read: %w", e.attachment.Err))
				continue
			}
			if e.Sequence() == 0 || !e.Counts || e.Signature == nil || !e.Signature.Holds {
				continue
			}
			switch {
			case last == nil || e.Sequence() > last.Sequence():
				last, history.Duplicate = e, false
			case e.Sequence() == last.Sequence():
				history.Duplicate = history.Duplicate || !bytes.Equal(e.Document(), last.Document())
			}
			if e.Kind == sign.Current && (lead == nil || e.after(lead)) {
				lead, leading, history.Version = e, v.Evidence, v.Version
			}
		}
	}
	if last != nil {
		history.Sequence = last.Sequence()
	}
	if lead != nil {
		history.Lead = lead.Sequence()
		history.Ended = slices.ContainsFunc(leading, func(e Evidence) bool {
			return e.Lifecycle != nil && e.Counts && e.Sequence() > history.Lead && !e.Lifecycle.Serves()
		})
	}
	return history
}
