package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The shape of JUnit reports that CI systems read.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string      `xml:"classname,attr"`
		Name    string      `xml:"name,attr"`
		Failure *junitFault `xml:"failure"`
		Error   *junitFault `xml:"error"`
		Skipped *junitFault `xml:"skipped"`
	}
	junitFault struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes reports as JUnit XML: a suite for each engine, a test for each rule
// and for each stale expectation. What does not apply, was not verified or is expected
// to fail is skipped, with the reason; a harness error is an error.
func WriteJUnit(w io.Writer, reports []*Report) error {
	all := junitSuites{Name: "slipstick check"}
	for _, r := range reports {
		suite := r.junit()
		all.add(suite.junitCounts)
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (c *junitCounts) add(o junitCounts) {
	c.Tests += o.Tests
	c.Failures += o.Failures
	c.Errors += o.Errors
	c.Skipped += o.Skipped
}

func (r *Report) junit() junitSuite {
	suite := junitSuite{Name: r.engine(), Properties: []junitProperty{
		{"requirements", r.Requirements}, {"suite", r.Suite}, {"summary", r.Summary()},
		{"engine_digests", strings.Join(r.EngineDigests, " ")},
	}}
	for i := range r.Rules {
		suite.Cases = append(suite.Cases, r.Rules[i].junit(r.engine()))
	}
	for _, stale := range r.Stale {
		suite.Cases = append(suite.Cases, junitCase{
			Class: r.engine(), Name: "expected failure", Failure: &junitFault{Message: clean(stale)},
		})
	}
	for _, c := range suite.Cases {
		count := junitCounts{Tests: 1}
		switch {
		case c.Failure != nil:
			count.Failures++
		case c.Error != nil:
			count.Errors++
		case c.Skipped != nil:
			count.Skipped++
		}
		suite.add(count)
	}
	return suite
}

func (r *Result) junit(engine string) junitCase {
	c := junitCase{Class: engine, Name: r.ID}
	switch {
	case r.Expected != "":
		c.Skipped = &junitFault{Message: "expected failure: " + clean(r.Expected), Text: r.text()}
	case r.Outcome == Fail:
		c.Failure = &junitFault{Message: r.Rule, Text: r.text()}
	case r.Outcome == HarnessError:
		c.Error = &junitFault{Message: r.Reason}
	case r.Outcome != Pass:
		c.Skipped = &junitFault{Message: strings.ReplaceAll(string(r.Outcome), "_", " ") + ": " + r.Reason}
	}
	return c
}

// text is what was found, for people.
func (r *Result) text() string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "where %s\nfound %s\nwant  %s\n", f.Subject, f.Found, f.Want)
	}
	return b.String()
}
