// Package needed checks inputs of which a fixed number has to be sent, the others being what
// is computed.
package needed

import (
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/sdk"
)

// Input is one of the inputs; its value is nil if it was not sent.
type Input struct {
	Name  string
	Value *float64
}

// Exactly returns the rejection of inputs of which more or fewer than n were sent, and nil
// otherwise. It is MISSING_REQUIRED_INPUT of the first that was not sent, and lists all
// that were not; or CONFLICTING_INPUTS of the first beyond n, and lists all that were.
func Exactly(n int, inputs ...Input) error {
	var all, sent, absent []string
	for _, q := range inputs {
		all = append(all, q.Name)
		if q.Value != nil {
			sent = append(sent, q.Name)
		} else {
			absent = append(absent, q.Name)
		}
	}
	last := len(all) - 1
	rule := fmt.Sprintf("exactly %s of %s and %s are needed, not %d", numeral(n), strings.Join(all[:last], ", "), all[last], len(sent))
	switch {
	case len(sent) < n:
		e := sdk.Missing(absent[0], "%s", rule)
		e.Suggestion = fmt.Sprintf("Give %s of %s.", numeral(n-len(sent)), strings.Join(absent, ", "))
		return list(e, absent, "may be given: "+rule)
	case len(sent) > n:
		return list(sdk.Conflict(sent[n], "%s", rule).Suggest("Leave out what is to be computed."), sent, "may have to be left out: "+rule)
	}
	return nil
}

func list(e *sdk.Error, names []string, constraint string) error {
	for _, name := range names {
		e.Invalid = append(e.Invalid, sdk.InvalidParameter{Name: name, Constraint: constraint})
	}
	return e
}

// numeral is a small number as a word.
func numeral(n int) string {
	words := []string{"none", "one", "two", "three", "four"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
