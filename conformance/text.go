package conformance

import (
	"bytes"
	"fmt"
	"io"
)

// mostFindings is how many findings of one rule are written for people. A report
// as JSON has all.
const mostFindings = 10

// WriteText writes the report for people: a line per rule, the findings below the
// rules that failed, and the counts.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, conformance suite %s\n", r.engine(), r.Suite)
	count := map[string]int{}
	for i := range r.Rules {
		word := r.Rules[i].word()
		count[word]++
		fmt.Fprintf(&b, "%s  %-24s  %d %s\n", word, r.Rules[i].ID, r.Rules[i].Checks, plural(r.Rules[i].Checks, "check"))
		r.Rules[i].writeFindings(&b)
	}
	fmt.Fprintf(&b, "%d %s passed, %d failed", count["pass"], plural(count["pass"], "rule"), count["FAIL"])
	if n := count["skip"]; n > 0 {
		fmt.Fprintf(&b, ", %d not judged", n)
	}
	fmt.Fprintf(&b, "; %d of %d %s\n", r.Vectors.Passed, r.Vectors.Total, plural(r.Vectors.Total, "vector"))
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Result) word() string {
	switch {
	case r.Passed:
		return "pass"
	case r.judged():
		return "FAIL"
	}
	return "skip"
}

func (r *Result) writeFindings(b *bytes.Buffer) {
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

func (r *Report) engine() string {
	if r.Capability == "" && r.Version == "" {
		return "unknown engine"
	}
	return clean(r.Capability + " " + r.Version)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
