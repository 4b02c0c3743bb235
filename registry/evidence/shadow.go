package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/slipstick/slipstick/registry/documents"
	"github.com/slipstick/slipstick/registry/sign"
)

// Shadow is the content of a statement about the comparison of a release with the current one.
// After each answer, servers let the release compute from the same inputs, and count how the
// outcomes differ. It does not change answers.
type Shadow struct {
	Sample float64   `json:"sample" validate:"min=0,max=1"` // fraction of the inputs that is compared; 0 ends the comparison
	Since  time.Time `json:"since,omitzero"`
	Until  time.Time `json:"until,omitzero"` // when it ends by itself; zero if it does not

	// Sequence is the sequence number of a signed statement, see [Lead]; 0 if it is not signed.
	Sequence uint64 `json:"sequence,omitempty" validate:"max=9007199254740991"`
}

// Check returns an error unless a registry may have the statement.
func (s *Shadow) Check() error {
	err := form.Check(s, func(f documents.Finding) error {
		if f.Field == "sequence" {
			return fmt.Errorf("the sequence number %d is above %s", s.Sequence, f.Param)
		}
		return fmt.Errorf("the sample %v is not a fraction: give a number between 0 and 1", s.Sample)
	})
	if err == nil && !s.Until.IsZero() && !s.Until.After(s.Since) {
		err = errors.New("the comparison ends before it starts")
	}
	return err
}

// At reports whether releases are compared at a time. A nil Shadow compares nothing.
func (s *Shadow) At(now time.Time) bool {
	return s != nil && s.Sample > 0 && (s.Until.IsZero() || now.Before(s.Until))
}

// Part returns the sample as people write it: 10 %.
func (s *Shadow) Part() string { return strconv.FormatFloat(100*s.Sample, 'g', 6, 64) + " %" }

// readShadow reads and checks a statement.
func readShadow(data []byte) (Shadow, error) {
	var s Shadow
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("the statement about its comparison cannot be read: %w", err)
	}
	return s, s.Check()
}

// ShadowOf returns the last statement that counts about the comparison of a release, or nil if
// there is none. It finds the last one as [Policy.LifecycleOf] does. A statement that cannot
// be read, or does not count, compares nothing. The release is served without it.
func (p Policy) ShadowOf(list []Evidence) *Shadow {
	var last *Evidence
	for i := range list {
		if e := &list[i]; e.Kind == sign.Shadow && e.Counts && (!p.Required || last == nil || e.after(last)) {
			last = e
		}
	}
	if last == nil {
		return nil
	}
	return last.Shadow
}
