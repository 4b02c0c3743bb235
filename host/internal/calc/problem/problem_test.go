package problem_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
)

// Titles and slugs follow from the code, also where the code is an engine's own.
func TestTitles(t *testing.T) {
	p := problem.Of(sdk.Reject("LENGTH_MUST_BE_POSITIVE", "length", "no"))
	if p.Title() != "Length must be positive" || p.Slug() != "length-must-be-positive" || !p.Recoverable() {
		t.Errorf("%s, %s, %v", p.Title(), p.Slug(), p.Recoverable())
	}
}

// A code is recoverable if its remedy corrects or repeats the request. Otherwise the remedy is a report to the operator.
func TestRemedies(t *testing.T) {
	for _, doc := range problem.ExplainErrors(nil) {
		if doc.Recoverable == strings.HasPrefix(doc.Remedy, "Report ") {
			t.Errorf("%s: recoverable %v, but the remedy is: %s", doc.Code, doc.Recoverable, doc.Remedy)
		}
	}
	if p := problem.Of(errors.New("a secret")); p.Recoverable() || strings.Contains(p.Message(), "again") || strings.Contains(p.Message(), "secret") {
		t.Errorf("%s: %s", p.Code, p.Message())
	}
}

// The message contains the error and the remedy. The title contains neither.
func TestMessage(t *testing.T) {
	for want, p := range map[string]*problem.Problem{
		"it is wrong. Mend it.":     problem.New("X_Y", "Mend it.", "it is wrong"),
		"it is wrong. Mend it now.": problem.New("X_Y", "Mend it now.", "it is wrong."),
		"is it wrong? Mend it.":     problem.New("X_Y", "Mend it.", "is it wrong?"),
		"it is wrong":               problem.New("X_Y", "", "it is wrong"),
		"X y. Mend it.":             problem.New("X_Y", "Mend it.", ""),
	} {
		if got := p.Message(); got != want || p.Title() != "X y" {
			t.Errorf("Message = %q, want %q; title %q", got, want, p.Title())
		}
	}
}
