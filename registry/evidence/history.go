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

// Lead is the content of a signed statement that makes a release current.
//
// Three kinds of signed statements of a capability share one sequence of numbers from 1 on.
// They are about its current release, about the lifecycle of its releases, and about their
// comparison ([Shadow]).
//
// A statement with a higher number is later, independent of its time and its position in
// index.json. So a reader who has seen a newer statement notices when an attacker restores an
// older one or removes the newer one.
type Lead struct {
	Sequence uint64 `json:"sequence" validate:"min=1,max=9007199254740991"`
}

// MaxSequence is the largest sequence number. It is the largest integer that every JSON reader
// can represent exactly.
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

// Sequence returns the sequence number of the statement, or 0 if it has none.
func (e *Evidence) Sequence() uint64 {
	switch {
	case e.Lifecycle != nil:
		return e.Lifecycle.Sequence
	case e.Lead != nil:
		return e.Lead.Sequence
	case e.Shadow != nil:
		return e.Shadow.Sequence
	}
	return 0
}

// after reports whether e is later than o. Both are signed and have sequence numbers. Two
// publishers may have used the same number at the same time, without seeing each other. Then
// the times of the signatures decide, and finally the bytes, so that all readers agree.
func (e *Evidence) after(o *Evidence) bool {
	return cmp.Or(
		cmp.Compare(e.Sequence(), o.Sequence()),
		e.Signature.Time.Compare(o.Signature.Time),
		bytes.Compare(e.attachment.Signed.Document, o.attachment.Signed.Document),
	) > 0
}

// VersionEvidence is all evidence about one version.
type VersionEvidence struct {
	Version  string
	Evidence []Evidence
}

// History is the state of a capability over time, by the signed statements that count.
type History struct {
	Sequence  uint64  // the highest number, 0 if there is none
	Duplicate bool    // two statements have that number
	Lead      uint64  // number of the last statement that made a version current, 0 if there is none
	Version   string  // the version that it made current
	Ended     bool    // that version was withdrawn later; reinstating it does not make it current again
	Unread    []error // errors of statements that make a version current but cannot be read
}

// HistoryOf derives the history of a capability from the evidence about all its versions.
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
