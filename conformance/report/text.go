package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// mostFindings is how many findings of one rule are written for people. The report as JSON
// is complete.
const mostFindings = 10

// words are the outcomes in texts for people.
var words = map[Outcome]string{Pass: "pass", Fail: "FAIL", NotApplicable: "n/a", NotVerified: "skip", HarnessError: "ERROR"}

// WriteText writes the report for people: the rules that did not pass, with their findings,
// and a line with the counts.
func (r *Report) WriteText(w io.Writer) error { return r.writeText(w, false) }

// WriteList is WriteText with a line for every rule, and a list of the entries that were not
// reached.
func (r *Report) WriteList(w io.Writer) error { return r.writeText(w, true) }

func (r *Report) writeText(w io.Writer, all bool) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, requirements %s\n", r.engine(), r.Requirements)
	for i := range r.Rules {
		if one := &r.Rules[i]; all || !one.Passed && (one.Reason == "" || one.Expected != "") {
			one.write(&b)
		}
	}
	if !all {
		r.writeUnjudged(&b)
	}
	for _, stale := range r.Stale {
		fmt.Fprintf(&b, "FAIL  expected failure: %s\n", OneLine(stale))
	}
	if all {
		r.writeMissed(&b)
	}
	r.writeProofs(&b, all)
	fmt.Fprintln(&b, r.Headline())
	_, err := w.Write(b.Bytes())
	return err
}

// Headline returns the counts in one line.
func (r *Report) Headline() string {
	c := r.count()
	text := fmt.Sprintf("%d of %d rules passed, %d failed", c[Pass], len(r.Rules), c[Fail])
	for _, more := range []struct {
		n    int
		text string
	}{
		{c[NotApplicable], "not applicable"}, {c[NotVerified], "not verified"},
		{c[HarnessError], "not judged through no fault of the engine"}, {r.tolerated(), "expected"},
	} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.text)
		}
	}
	text += fmt.Sprintf("; %d of %d %s", r.Vectors.Passed, r.Vectors.Total, plural(r.Vectors.Total, "vector"))
	if r.Generated.Total > 0 {
		text += fmt.Sprintf(", %d of %d generated requests", r.Generated.Passed, r.Generated.Total)
	}
	if left := r.Generated.Total - r.Generated.Asked; left > 0 {
		text += fmt.Sprintf(" (%d not made)", left)
	}
	if reached, all := r.Reached(); all > 0 {
		text += fmt.Sprintf(", coverage %d of %d", reached, all)
	}
	return text
}

// Reached counts the declared entries that a vector or a generated request reached, and all
// declared entries.
func (r *Report) Reached() (reached, all int) {
	for _, one := range r.Coverage {
		if one.By != (Subject{}) {
			reached++
		}
	}
	return reached, len(r.Coverage)
}

// count returns the number of rules by outcome.
func (r *Report) count() map[Outcome]int {
	count := map[Outcome]int{}
	for i := range r.Rules {
		count[r.Rules[i].Outcome]++
	}
	return count
}

func (r *Result) write(b *bytes.Buffer) {
	word := words[r.Outcome]
	if r.Expected != "" {
		word = "known"
	}
	line := fmt.Sprintf("%-5s %-24s %d %s", word, r.ID, r.Checks, plural(r.Checks, "check"))
	if r.Reason != "" {
		line = fmt.Sprintf("%-5s %-24s %s", word, r.ID, r.Reason)
	}
	fmt.Fprintln(b, line)
	if r.Expected != "" {
		fmt.Fprintf(b, "      expected: %s\n", OneLine(r.Expected))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(b, "      note: %s\n", note)
	}
	if len(r.Findings) == 0 {
		return
	}
	fmt.Fprintf(b, "      rule: %s (%s)\n", r.Rule, r.Cites)
	for _, f := range r.Findings[:min(len(r.Findings), mostFindings)] {
		fmt.Fprintf(b, "      - found %s\n        want  %s\n        where %s\n", f.Found, f.Want, f.Subject)
	}
	if more := len(r.Findings) - mostFindings; more > 0 {
		fmt.Fprintf(b, "      and %d more\n", more)
	}
}

// writeProofs compares the results with the Definition: it writes the counts, and the outputs
// that are not simply proved, or all outputs.
func (r *Report) writeProofs(b *bytes.Buffer, all bool) {
	count := r.CountProofs()
	if count == nil {
		return
	}
	fmt.Fprintf(b, "formula: %s\n", count)
	for i := range r.Proofs {
		if p := &r.Proofs[i]; all || p.Verdict != Proved || p.Undecided > 0 {
			fmt.Fprintf(b, "      %s\n", OneLine(p.String()))
		}
	}
}

// writeUnjudged writes each reason once, with the rules that were not judged for it.
func (r *Report) writeUnjudged(b *bytes.Buffer) {
	var reasons []string
	rules, word := map[string][]string{}, map[string]string{}
	for i := range r.Rules {
		one := &r.Rules[i]
		if one.Passed || one.Reason == "" || one.Expected != "" {
			continue
		}
		if rules[one.Reason] == nil {
			reasons = append(reasons, one.Reason)
		}
		rules[one.Reason], word[one.Reason] = append(rules[one.Reason], one.ID), words[one.Outcome]
	}
	for _, reason := range reasons {
		names := strings.Join(rules[reason], ", ")
		if n := len(rules[reason]); n > mostNames {
			names = fmt.Sprintf("%d rules", n)
		}
		fmt.Fprintf(b, "%-5s %s: %s\n", word[reason], names, reason)
	}
}

// mostNames is the largest number of rules that are listed by name for one reason.
const mostNames = 5

// writeMissed lists the entries that neither a vector nor a generated request reached.
func (r *Report) writeMissed(b *bytes.Buffer) {
	var missed []string
	for _, one := range r.Coverage {
		if one.By == (Subject{}) {
			missed = append(missed, one.What+" "+one.Name)
		}
	}
	if len(missed) > 0 {
		fmt.Fprintf(b, "not reached: %s\n", OneLine(strings.Join(missed, ", ")))
	}
}

func (r *Report) engine() string {
	if r.Capability == "" && r.Version == "" {
		return "unknown engine"
	}
	return OneLine(r.Capability + " " + r.Version)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
