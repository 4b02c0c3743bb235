package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// WriteJUnit writes reports as JUnit XML, with a suite for each engine, and a test for each
// rule and each stale expectation. Rules that do not apply, were not verified or are
// expected to fail are skipped tests, with the reason. A harness error is an error.
func WriteJUnit(w io.Writer, reports []*Report) error {
	all := junit.Testsuites{Name: "slipstick check"}
	for i, r := range reports {
		all.AddSuite(r.junit(i))
	}
	return WriteSuites(w, &all)
}

// WriteSuites writes test suites as JUnit XML.
func WriteSuites(w io.Writer, all *junit.Testsuites) error {
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

// junit returns the suite of one engine. The schemas of JUnit require an id and a time. The
// time is always 0, since it is not measured per rule.
func (r *Report) junit(id int) junit.Testsuite {
	suite := junit.Testsuite{Name: r.engine(), ID: id, Time: "0"}
	suite.AddProperty("requirements", r.Requirements)
	suite.AddProperty("suite", r.Suite)
	suite.AddProperty("summary", r.Headline())
	suite.AddProperty("engine_digests", strings.Join(r.EngineDigests, " "))
	for i := range r.Rules {
		suite.AddTestcase(r.Rules[i].junit(r.engine()))
	}
	for _, stale := range r.Stale {
		suite.AddTestcase(junit.Testcase{
			Classname: r.engine(), Name: "expected failure", Failure: &junit.Result{Message: OneLine(stale)},
		})
	}
	return suite
}

func (r *Result) junit(engine string) junit.Testcase {
	c := junit.Testcase{Classname: engine, Name: r.ID}
	switch {
	case r.Expected != "":
		c.Skipped = &junit.Result{Message: "expected failure: " + OneLine(r.Expected), Data: r.text()}
	case r.Outcome == Fail:
		c.Failure = &junit.Result{Message: r.Rule, Data: r.text()}
	case r.Outcome == HarnessError:
		c.Error = &junit.Result{Message: r.Reason}
	case r.Outcome != Pass:
		c.Skipped = &junit.Result{Message: strings.ReplaceAll(string(r.Outcome), "_", " ") + ": " + r.Reason}
	}
	return c
}

// text writes the findings for people.
func (r *Result) text() string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "where %s\nfound %s\nwant  %s\n", f.Subject, f.Found, f.Want)
	}
	return b.String()
}
