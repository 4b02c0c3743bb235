package replay

import (
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/slipstick/slipstick/conformance/report"
)

// WriteJUnit writes the report as JUnit XML, with a test for each release. If results differ, the
// test fails. If results could not be computed, it has an error. Each gap is a test with an error.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := junit.Testsuite{Name: "slipstick replay", Time: "0"}
	for _, g := range r.Groups {
		suite.AddTestcase(g.junit())
	}
	r.addGaps(&suite)
	return writeJUnit(w, suite)
}

// WriteJUnit writes the effect as JUnit XML, with a test for each condition. There are also tests
// for each release and each gap. They have an error if results could not be computed. Dependents
// have such tests, too.
func (e *Effect) WriteJUnit(w io.Writer, conditions []Condition) error {
	suite := junit.Testsuite{Name: "slipstick impact", Time: "0"}
	for _, c := range conditions {
		one := junit.Testcase{Classname: e.Capability + " " + e.Version, Name: c.String()}
		if wrong := c.In(e); wrong != "" {
			one.Failure = &junit.Result{Message: wrong}
			for _, of := range e.All() {
				one.Failure.Data += of.worst()
			}
		}
		suite.AddTestcase(one)
	}
	for _, of := range e.All() {
		for _, g := range of.Groups {
			one := junit.Testcase{Classname: of.Capability, Name: g.Version + " " + g.Engine}
			one.Error = g.blocked()
			suite.AddTestcase(one)
		}
	}
	e.addGaps(&suite)
	return writeJUnit(w, suite)
}

// worst returns a line for each of the largest differences, and for each other example.
func (e *Effect) worst() string {
	var text strings.Builder
	for _, o := range e.Outputs {
		for i := range o.Worst {
			text.WriteString(o.Worst[i].Name + ": " + o.Worst[i].Difference.String() + "\n")
		}
	}
	for _, g := range e.Groups {
		text.WriteString(lines(g.Examples))
	}
	return text.String()
}

func (r *Report) addGaps(suite *junit.Testsuite) {
	for i := range r.Gaps {
		suite.AddTestcase(junit.Testcase{Classname: "gaps", Name: r.Gaps[i].Name, Error: &junit.Result{Message: r.Gaps[i].Err.Error()}})
	}
}

func writeJUnit(w io.Writer, suite junit.Testsuite) error {
	all := junit.Testsuites{Name: suite.Name}
	all.AddSuite(suite)
	return report.WriteSuites(w, &all)
}

func (g *Group) junit() junit.Testcase {
	c := junit.Testcase{Classname: g.Capability, Name: strings.TrimSpace(g.Version + " " + g.Engine), Error: g.blocked()}
	if different := g.Different(); different > 0 {
		c.Failure = &junit.Result{Message: fmt.Sprintf("%d of %d results differ", different, g.Read()), Data: lines(g.Examples)}
		c.Error = nil // a test has only one outcome; the report has both
	}
	return c
}

// blocked returns the results that could not be computed, nil if there are none.
func (g *Group) blocked() *junit.Result {
	if g.Blocked() == 0 {
		return nil
	}
	var text strings.Builder
	for _, o := range g.Obstructed {
		fmt.Fprintf(&text, "%d %s\n%s", o.Count, o.Obstacle, lines(o.Examples))
	}
	return &junit.Result{Message: fmt.Sprintf("%d of %d results could not be computed", g.Blocked(), g.Read()), Data: text.String()}
}

func lines(examples []Example) string {
	var text strings.Builder
	for i := range examples {
		fmt.Fprintf(&text, "%s: %s\n", examples[i].Name, examples[i].String())
	}
	return text.String()
}
