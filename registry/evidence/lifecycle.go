package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

// State is where a release is in its life.
type State string

// The states. All but Revoked can be left again.
const (
	Active     State = "active"     // the state of a release of which nothing else was said
	Deprecated State = "deprecated" // served, with a warning
	Yanked     State = "yanked"     // never meant without a pin; served to exact pins, with a warning
	Revoked    State = "revoked"    // wrong or malicious: never executed again
)

// Lifecycle says where a release is in its life, and why.
type Lifecycle struct {
	State     State     `json:"state"`
	Reason    string    `json:"reason,omitempty"`    // for callers; all but Active need one
	Sunset    string    `json:"sunset,omitempty"`    // date, as 2027-06-30, after which a deprecated release may be yanked
	Successor string    `json:"successor,omitempty"` // version to use instead
	Since     time.Time `json:"since,omitzero"`      // zero if nothing was ever said of it

	// Sequence is the number of a signed record among all that were signed of the life of
	// the capability, see [Lead]. It is 0 if the record is not signed, or older than that.
	Sequence uint64 `json:"sequence,omitempty"`
}

const maxReason = 500

// Check returns what is wrong with s as what follows was.
func (s *Lifecycle) Check(was Lifecycle) error {
	switch {
	case !slices.Contains([]State{Active, Deprecated, Yanked, Revoked}, s.State):
		return fmt.Errorf("unknown state %.40q", s.State)
	case was.State == Revoked && s.State != Revoked:
		return errors.New("it was revoked, and that is final: publish a new version")
	case was.State == Revoked && s.Reason != was.Reason:
		return fmt.Errorf("it was revoked already, which is final and keeps its reason: %s", was.Reason)
	case s.State != Active && s.Reason == "":
		return fmt.Errorf("a %s release needs a reason, which its callers are told", s.State)
	case s.Sequence > MaxSequence:
		return fmt.Errorf("the sequence number %d is above %d", s.Sequence, uint64(MaxSequence))
	case len(s.Reason) > maxReason:
		return fmt.Errorf("the reason has %d bytes: at most %d are allowed", len(s.Reason), maxReason)
	case s.Sunset != "" && s.State != Deprecated:
		return fmt.Errorf("only a deprecated release has a sunset, not one that is %s", s.State)
	}
	if s.Sunset != "" {
		if _, err := time.Parse(time.DateOnly, s.Sunset); err != nil {
			return fmt.Errorf("sunset %.40q is not a date such as 2027-06-30", s.Sunset)
		}
	}
	return nil
}

// Serves reports whether calls without a pin may be answered.
func (s Lifecycle) Serves() bool { return s.State != Yanked && s.State != Revoked }

// readLifecycle reads a record of where a release is in its life.
func readLifecycle(data []byte) (Lifecycle, error) {
	var s Lifecycle
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("the record of its standing is none: %w", err)
	}
	return s, s.Check(Lifecycle{})
}

// LifecycleOf returns where a release is in its life: what the last record that counts says, and
// revoked if any does, for that is final. Where signatures are required the last is the
// one with the highest sequence number, and of those without, which are older, the one
// that was signed last, wherever index.json lists it. A release that may have been
// revoked must not be served: the record cannot be read, or nobody who counts vouches
// for it.
func (p Policy) LifecycleOf(list []Evidence) (Lifecycle, error) {
	now, last := Lifecycle{State: Active}, (*Evidence)(nil)
	var damage error
	for i := range list {
		switch e := &list[i]; {
		case e.Kind != sign.Lifecycle:
		case e.attachment.Err != nil:
			damage = fmt.Errorf("where it stands cannot be read: %w", e.attachment.Err)
		case !e.Counts && e.Lifecycle.State == Revoked:
			return now, fmt.Errorf("it is said to be revoked (%s), in a record that does not count: %s; sign the record again, or remove it", e.Lifecycle.Reason, e.Why)
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
