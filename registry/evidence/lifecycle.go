package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/sign"
	"github.com/slipstick/slipstick/sdk/visible"
)

// State is the lifecycle state of a release.
type State string

// The lifecycle states. A release can leave all of them but Revoked.
const (
	Active     State = "active"     // the initial state
	Deprecated State = "deprecated" // served, with a warning
	Yanked     State = "yanked"     // served only to exact pins, with a warning
	Revoked    State = "revoked"    // wrong or malicious: never executed again
)

// Lifecycle is the lifecycle state of a release, with its reason.
type Lifecycle struct {
	State     State     `json:"state" validate:"oneof=active deprecated yanked revoked"`
	Reason    string    `json:"reason,omitempty" validate:"required_unless=State active,maxbytes=500"`                      // for callers; all but Active need one
	Sunset    string    `json:"sunset,omitempty" validate:"omitempty,excluded_unless=State deprecated,datetime=2006-01-02"` // date, as 2027-06-30, after which a deprecated release may be yanked
	Successor string    `json:"successor,omitempty"`                                                                        // published version to use instead
	Since     time.Time `json:"since,omitzero"`                                                                             // zero in the initial state

	// Sequence is the sequence number of a signed record, see [Lead]. It is 0 if the record
	// is not signed, or was made before there were sequence numbers.
	Sequence uint64 `json:"sequence,omitempty" validate:"max=9007199254740991"`
}

// Check returns an error if s is incomplete, or may not follow the state in was. A revocation
// is final.
func (s *Lifecycle) Check(was Lifecycle) error {
	switch {
	case was.State == Revoked && s.State != Revoked:
		return errors.New("it was revoked, and that is final: publish a new version")
	case was.State == Revoked && s.Reason != was.Reason:
		return fmt.Errorf("it was revoked already, which is final and keeps its reason: %s", was.Reason)
	}
	if err := visible.Check(s.Reason); err != nil {
		return fmt.Errorf("the reason: %w", err)
	}
	return form.Check(s, s.word)
}

// word turns a finding of the validator into an error.
func (s *Lifecycle) word(f documents.Finding) error {
	switch f.Field + " " + f.Rule {
	case "state oneof":
		return fmt.Errorf("unknown state %.40q", s.State)
	case "reason required_unless":
		return fmt.Errorf("a %s release needs a reason, which its callers see", s.State)
	case "reason maxbytes":
		return fmt.Errorf("the reason has %d bytes: at most %s are allowed", len(s.Reason), f.Param)
	case "sunset excluded_unless":
		return fmt.Errorf("only a deprecated release has a sunset, not one that is %s", s.State)
	case "sunset datetime":
		return fmt.Errorf("sunset %.40q is not a date such as 2027-06-30", s.Sunset)
	case "sequence max":
		return fmt.Errorf("the sequence number %d is above %s", s.Sequence, f.Param)
	}
	return nil
}

// Serves reports whether calls without a pin may be answered.
func (s Lifecycle) Serves() bool { return s.State != Yanked && s.State != Revoked }

// readLifecycle reads and checks a lifecycle record.
func readLifecycle(data []byte) (Lifecycle, error) {
	var s Lifecycle
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("the record of its lifecycle cannot be read: %w", err)
	}
	s.Reason = visible.Text(s.Reason)
	return s, s.Check(Lifecycle{})
}

// LifecycleOf returns the lifecycle of a release. A revocation is final: the result is Revoked
// if any record that counts is a revocation. Otherwise the last record that counts decides.
//
// Where signatures are required, the last record has the highest sequence number. Records
// without a number are older; among them the one signed last decides. The position in
// index.json does not matter. Where signatures are not required, the last record in the list
// counts.
//
// The error means that the release may have been revoked and must not be served. Either a
// record cannot be read, or a record of a revocation does not count.
func (p Policy) LifecycleOf(list []Evidence) (Lifecycle, error) {
	now, last := Lifecycle{State: Active}, (*Evidence)(nil)
	var damage error
	for i := range list {
		switch e := &list[i]; {
		case e.Kind != sign.Lifecycle:
		case e.attachment.Err != nil:
			damage = fmt.Errorf("its lifecycle cannot be read: %w", e.attachment.Err)
		case !e.Counts && e.Lifecycle.State == Revoked:
			return now, fmt.Errorf("a record revokes it (%s), and does not count: %s; sign the record again, or remove it", e.Lifecycle.Reason, e.Why)
		case !e.Counts:
		case e.Lifecycle.State == Revoked:
			return *e.Lifecycle, nil
		case p.Required && last != nil && last.after(e):
		default:
			now, damage, last = *e.Lifecycle, nil, e
		}
	}
	return now, damage
}
