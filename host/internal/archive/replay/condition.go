package replay

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/conformance/compare"
)

// Condition is a property that an effect must not have.
type Condition struct {
	text string
	part float64 // of rel=
}

// ErrCondition means that a text is not a condition.
var ErrCondition = errors.New(`a condition is "changed", "refused", or "rel=1e-9" for a largest relative difference of 1e-9`)

// ParseCondition reads a condition.
func ParseCondition(text string) (c Condition, err error) {
	c.text = text
	if part, is := strings.CutPrefix(text, "rel="); is {
		c.part, err = strconv.ParseFloat(part, 64)
		if err != nil || !(c.part >= 0) {
			return c, ErrCondition
		}
		return c, nil
	}
	if text != "changed" && text != "refused" {
		return c, ErrCondition
	}
	return c, nil
}

// String returns the text of the condition.
func (c Condition) String() string { return c.text }

// In returns a sentence if the effect has the property of the condition, and otherwise "". It
// includes dependents.
func (c Condition) In(e *Effect) string {
	var different, refused uint64
	for _, one := range e.All() {
		different += one.Different()
		refused += one.Count(compare.Refused)
	}
	switch {
	case c.text == "changed":
		if different > 0 {
			return fmt.Sprintf("%d results differ", different)
		}
	case c.text == "refused":
		if refused > 0 {
			return fmt.Sprintf("%d results are refused now", refused)
		}
	case e.Beyond(c.part):
		return fmt.Sprintf("results differ by more than %s of the stored ones", strings.TrimPrefix(c.text, "rel="))
	}
	return ""
}
