package terminal_test

import (
	"io"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/cli/terminal"
)

// Without a terminal, the error names the missing flag.
func TestAskNobody(t *testing.T) {
	given, missing := "anna", ""
	err := terminal.Ask(strings.NewReader("eva\n"), io.Discard, []terminal.Question{{Flag: "--reviewer", Answer: &given}, {Flag: "--role", Answer: &missing}})
	if err == nil || err.Error() != "--role is missing" || given != "anna" {
		t.Errorf("%v, %s", err, given)
	}
	if _, err := terminal.NewPassword(nil, io.Discard); err == nil || !strings.Contains(err.Error(), "SLIPSTICK_KEY_PASSWORD") {
		t.Errorf("%v", err)
	}
	t.Setenv("SLIPSTICK_KEY_PASSWORD", "")
	if _, err := terminal.NewPassword(nil, io.Discard); err == nil || !strings.Contains(err.Error(), "--no-password") {
		t.Errorf("%v", err)
	}
	t.Setenv("SLIPSTICK_KEY_PASSWORD", "word")
	if word, err := terminal.NewPassword(nil, io.Discard); word != "word" || err != nil {
		t.Errorf("%q, %v", word, err)
	}
}
