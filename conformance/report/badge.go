package report

import "fmt"

// Badge is the text and color of a badge, in the form that shields.io reads from an endpoint.
type Badge struct {
	SchemaVersion int    `json:"schemaVersion"`
	Label         string `json:"label"`
	Message       string `json:"message"`
	Color         string `json:"color"`
}

// BadgeOf sums up reports: the rules that passed or do not apply, the vectors, and the
// generated requests. The badge is red if a rule failed unexpectedly or an expectation is
// stale. It is yellow if only expected failures are left, and grey if the engine could not be
// judged.
func BadgeOf(reports []*Report) Badge {
	b := Badge{SchemaVersion: 1, Label: "slipstick", Color: "brightgreen"}
	passed, rules, vectors, made, expected, hidden := 0, 0, 0, 0, 0, 0
	unjudged := false
	for _, r := range reports {
		for i := range r.Rules {
			switch one := &r.Rules[i]; {
			case one.Passed:
				passed++
			case one.Outcome == NotVerified && r.tolerated() > 0:
				hidden++ // by an expected failure, see Expect
			}
		}
		rules += len(r.Rules)
		vectors += r.Vectors.Total
		made += r.Generated.Asked
		expected += r.tolerated()
		unjudged = unjudged || r.Outcome == HarnessError
	}
	b.Message = fmt.Sprintf("%d of %d %s, %d %s, %d generated", passed, rules, plural(rules, "rule"), vectors, plural(vectors, "vector"), made)
	if expected > 0 {
		b.Message += fmt.Sprintf(", %d expected %s", expected, plural(expected, "failure"))
	}
	switch {
	case rules == 0 || unjudged:
		b.Color = "lightgrey"
	case passed < rules-expected-hidden:
		b.Color = "red"
	case expected > 0:
		b.Color = "yellow"
	}
	for _, r := range reports {
		if len(r.Stale) > 0 {
			b.Color = "red"
		}
	}
	return b
}
