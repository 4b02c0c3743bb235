package terminal

import (
	"fmt"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// Problem returns the problem in lines for people: the fault, its cause, and a remedy.
func Problem(p *problem.Problem) string {
	var text strings.Builder
	Printf(&text, "%s: %s", p.Code, p.Detail)
	for _, i := range p.Invalid[min(1, len(p.Invalid)):] {
		if i.Constraint == p.Invalid[0].Constraint {
			continue // one rule about several inputs, which detail names
		}
		Printf(&text, "\n  also %s: %s", i.Name, i.Constraint)
	}
	if p.Mismatch != nil && len(p.Mismatch.Available) > 0 {
		Printf(&text, "\n  published: %s", strings.Join(p.Mismatch.Available, ", "))
	}
	if len(p.AcceptableIDs) > 0 {
		Printf(&text, "\n  nearest: %s", strings.Join(p.AcceptableIDs[:min(5, len(p.AcceptableIDs))], ", "))
	}
	if p.Searched != "" {
		Printf(&text, "\n  searched: the registry %s", p.Searched)
	}
	if p.Cause != nil {
		fmt.Fprintf(&text, "\n  because: %v", p.Cause) // the cause can have several lines
	}
	if what := suggestion(p); what != "" {
		Printf(&text, "\n  %s", what)
	}
	return text.String()
}

// advice has suggestions for a command line by code, if they differ from the suggestions for clients of the REST interface.
var advice = map[string]string{
	problem.CodeEngineNotFound:    "slipstick list shows what is published.",
	problem.CodeVersionMismatch:   "Choose a published version. slipstick list shows all versions.",
	problem.CodePresetNotFound:    "Use a row of a published table, or give the number.",
	problem.CodeInternalError:     "Report it with the output of slipstick version.",
	problem.CodeEngineUnavailable: "slipstick verify reports what is wrong in the registry.",
}

// suggestion returns the remedy for a problem on a command line, "" if there is none.
func suggestion(p *problem.Problem) string {
	if p.Mismatch != nil && len(p.Mismatch.Available) == 0 {
		return p.Suggestion // there is no other version
	}
	if text, ok := advice[p.Code]; ok {
		if p.Guess != "" {
			text = "Did you mean " + p.Guess + "? " + text
		}
		return text
	}
	return p.Suggestion
}
