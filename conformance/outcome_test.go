package conformance_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// noSandbox fails to open an engine, because of the machine.
func noSandbox(context.Context) (sdk.Engine, func(), error) {
	return nil, nil, fmt.Errorf("%w: no sandbox", conformance.ErrHarness)
}

func TestFiveOutcomes(t *testing.T) {
	good, nothing, machine := check(t, good, vectors(t)), check(t, always(opens(nil)), vectors(t)), check(t, always(noSandbox), vectors(t))
	for _, c := range []struct {
		report *report.Report
		rule   string
		want   report.Outcome
		reason string
	}{
		{good, "finite", report.Pass, ""},
		{good, "plots", report.NotApplicable, "the Spec declares no plots"},
		{good, "tier-expert-verified", report.NotApplicable, "it does not claim expert_verified"},
		{good, "decimal-strings", report.NotApplicable, "no input takes decimal strings"},
		{nothing, "starts", report.Fail, ""},
		{nothing, "finite", report.NotVerified, "see starts"},
		{machine, "starts", report.HarnessError, "no sandbox"},
		{machine, "finite", report.HarnessError, "no sandbox"},
		{machine, "vectors-parse", report.Pass, ""},
	} {
		got := result(t, c.report, c.rule)
		passed := c.want == report.Pass || c.want == report.NotApplicable
		if got.Outcome != c.want || got.Passed != passed || !strings.Contains(got.Reason, c.reason) || (c.reason == "") != (got.Reason == "") {
			t.Errorf("%s: %+v, want %s for %q", c.rule, got, c.want, c.reason)
		}
	}
	if good.Outcome != report.Pass || nothing.Outcome != report.Fail || machine.Outcome != report.HarnessError || machine.Passed {
		t.Errorf("they come to %s, %s, %s", good.Outcome, nothing.Outcome, machine.Outcome)
	}
}

// A fault of the engine counts even if the machine failed too.
func TestFaultCountsMoreThanHarness(t *testing.T) {
	r := check(t, func() conformance.Open {
		n := 0
		return func(ctx context.Context) (sdk.Engine, func(), error) {
			n++
			if n == 2 {
				return noSandbox(ctx)
			}
			return cubeStack(), nil, nil
		}
	}, []byte("["+oneResult+"]"))
	if r.Outcome != report.Fail || result(t, r, "starts").Outcome != report.HarnessError || result(t, r, "declared-errors").Outcome != report.Fail {
		t.Errorf("%s: %+v", r.Outcome, r.Rules)
	}
}

// carrying is an engine with its vectors.
type carrying struct {
	sdk.Engine
	vectors []byte
}

func (c carrying) Vectors() []byte { return c.vectors }

func TestCheckUsesTheVectorsOfTheEngine(t *testing.T) {
	if r := check(t, always(opens(carrying{cubeStack(), vectors(t)})), nil); !r.Passed || r.Vectors.Total != 8 {
		t.Errorf("carried: %s", r.Headline())
	}
	if r := check(t, good, nil); result(t, r, "vectors-parse").Outcome != report.Fail {
		t.Errorf("none carried: %+v", result(t, r, "vectors-parse"))
	}
	if r := check(t, always(opens(nil)), nil); result(t, r, "vectors-parse").Outcome != report.NotVerified {
		t.Errorf("not started: %+v", result(t, r, "vectors-parse"))
	}
}

// Requests to a slow engine end after a time.
func TestGeneratedRequestsAreBoundedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := withAnswer(func(_ context.Context, _ value.Values, next next) (sdk.Outcome, error) {
			time.Sleep(time.Second / 2) // on the fake clock of the test
			return next()
		})
		started := time.Now()
		r := conformance.Check(t.Context(), slow, vectors(t), nil)
		if took := time.Since(started); took > 2*time.Minute {
			t.Errorf("took %v", took)
		}
		if g := r.Generated; !r.Passed || g.Asked == 0 || g.Asked >= g.Total || g.Passed != g.Asked || !strings.Contains(r.Headline(), "not made)") {
			t.Errorf("%s", r.Headline())
		}
	})
}

func TestGeneratedRequestsEndWithAnEngineThatKeepsFailing(t *testing.T) {
	var failures atomic.Int64
	r := check(t, always(withAnswer(func(_ context.Context, in value.Values, next next) (sdk.Outcome, error) {
		if huge(in) || minute(in) || in[0].Number() > 2.2 || in[0].Number() > 1 && in[0].Number() < 1.4 {
			failures.Add(1)
			return sdk.Outcome{}, errors.New("no")
		}
		return next()
	})), vectors(t))
	if failures.Load() != 10 || result(t, r, "generated-answers").Outcome != report.Fail {
		t.Errorf("%d failures, %s", failures.Load(), r.Headline())
	}
}

// Other programs that compare two versions use the same requests as Check.
func TestGeneratedIsWhatCheckAsks(t *testing.T) {
	spec := cubeStack().Spec()
	list, err := conformance.Generated(&spec, vectors(t))
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{}
	for _, c := range list {
		wanted[c.ID] = true
	}
	r := check(t, always(failing(func() error { return nil })), vectors(t))
	if r.Generated.Total != len(list) || len(wanted) != len(list) {
		t.Errorf("%d requests, Check makes %d", len(list), r.Generated.Total)
	}
	bad := check(t, always(when(minute, func(next) (sdk.Outcome, error) { return sdk.Outcome{}, errors.New("no") })), vectors(t))
	for _, f := range result(t, bad, "generated-answers").Findings {
		if !wanted[f.Subject.Request] {
			t.Errorf("Check makes %s", f.Subject)
		}
	}
	if _, err := conformance.Generated(&spec, []byte("{}")); err == nil {
		t.Error("no vectors, and no error")
	}
}

func TestCoverage(t *testing.T) {
	r := check(t, good, vectors(t))
	want := []report.Reach{
		{What: "input", Name: "side", Vectors: 3, By: report.Subject{Vector: "P1"}},
		{What: "input", Name: "count", Vectors: 3, By: report.Subject{Vector: "P1"}},
		{What: "input", Name: "kind", Vectors: 3, By: report.Subject{Vector: "P1"}},
		{What: "enum value", Name: "kind=solid", Vectors: 2, By: report.Subject{Vector: "P1"}},
		{What: "enum value", Name: "kind=hollow", Vectors: 1, By: report.Subject{Vector: "P2"}},
		{What: "output", Name: "volume", Vectors: 3, By: report.Subject{Vector: "P1"}},
		{What: "output", Name: "kind", Vectors: 3, By: report.Subject{Vector: "P1"}},
		{What: "output", Name: "edges", Vectors: 3, By: report.Subject{Vector: "P1"}},
		{What: "error", Name: "STACK_TOO_HIGH", Vectors: 1, By: report.Subject{Vector: "R1"}},
		{What: "error", Name: "SIDE_MUST_BE_POSITIVE", Vectors: 1, By: report.Subject{Vector: "R2"}},
		{What: "warning", Name: "TINY_CUBE", Vectors: 1, By: report.Subject{Vector: "P3"}},
	}
	for i := range r.Coverage {
		if r.Coverage[i].Generated == 0 && r.Coverage[i].Name != "STACK_TOO_HIGH" {
			t.Errorf("no generated request reached %+v", r.Coverage[i])
		}
		r.Coverage[i].Generated = 0
	}
	if diff := cmp.Diff(want, r.Coverage); diff != "" {
		t.Error(diff)
	}
	bare := check(t, good, []byte("["+oneResult+"]"))
	var list strings.Builder
	if err := bare.WriteList(&list); err != nil || !strings.Contains(list.String(), "not reached: error STACK_TOO_HIGH") {
		t.Errorf("%v\n%s", err, list.String())
	}
}

var wrong = always(withOutcome(func(o *sdk.Outcome) { o.Result[0] = value.NumberOf(o.Result[0].Number() * 1.0000001) }))

func TestExpectedFailures(t *testing.T) {
	today := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	entry := func(rule, until string) []report.Expectation {
		return []report.Expectation{{Capability: capability, Rule: rule, Reason: "issue 12", Until: until}}
	}
	for _, c := range []struct {
		name  string
		open  func() conformance.Open
		list  []report.Expectation
		want  report.Outcome
		stale string
	}{
		{"none", wrong, nil, report.Fail, ""},
		{"listed", wrong, entry("vectors-results", ""), report.Pass, ""},
		{"listed until today", wrong, entry("vectors-results", "2026-11-21"), report.Pass, ""},
		{"listed until yesterday", wrong, entry("vectors-results", "2026-11-20"), report.Fail, "was tolerated until 2026-11-20"},
		{"passes now", good, entry("vectors-results", ""), report.Fail, "passes now"},
		{"does not apply", good, entry("plots", ""), report.Fail, "passes now"},
		{"no such rule", good, entry("vector-results", ""), report.Fail, "is not a rule of the requirements 2027-02"},
		{"another engine", good, []report.Expectation{{Capability: "a.b", Rule: "x", Reason: "y"}}, report.Pass, ""},
		{"hides others", always(withOutcome(func(o *sdk.Outcome) { o.Inputs[1] = value.NumberOf(7) })), entry("outcome-valid", ""), report.Pass, ""},
		{"another rule fails", faulty, entry("vectors-results", ""), report.Fail, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := check(t, c.open, vectors(t))
			before := r.Passed
			got := r.Expect(c.list, today)
			if stale := strings.Join(r.Stale, "\n"); got != c.want || !strings.Contains(stale, c.stale) || (c.stale == "") != (stale == "") {
				t.Errorf("%s, stale %q; want %s, %q", got, stale, c.want, c.stale)
			}
			if r.Passed != before {
				t.Error("what is expected changed the judgement")
			}
		})
	}
}

// suites is the shape of JUnit reports that common readers expect.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	counts
	Suites []struct {
		Name string `xml:"name,attr"`
		counts
		Cases []struct {
			Class   string   `xml:"classname,attr"`
			Name    string   `xml:"name,attr"`
			Failure []string `xml:"failure"`
			Error   []string `xml:"error"`
			Skipped []struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

// The counts of JUnit are the counts of the reports.
func TestJUnit(t *testing.T) {
	tolerated := check(t, wrong, vectors(t))
	tolerated.Expect([]report.Expectation{
		{Capability: capability, Rule: "vectors-results", Reason: `<known> & "told"`}, {Capability: capability, Rule: "finite", Reason: "no"},
	}, time.Now())
	reports := []*report.Report{check(t, good, vectors(t)), check(t, faulty, vectors(t)), check(t, always(noSandbox), vectors(t)), tolerated}
	var b strings.Builder
	if err := report.WriteJUnit(&b, reports); err != nil {
		t.Fatal(err)
	}
	var got suites
	if err := xml.Unmarshal([]byte(b.String()), &got); err != nil || len(got.Suites) != len(reports) {
		t.Fatalf("%d suites, %v\n%s", len(got.Suites), err, b.String())
	}
	var all counts
	for i, suite := range got.Suites {
		want, written, r := counts{Tests: len(reports[i].Rules) + len(reports[i].Stale), Failures: len(reports[i].Stale)}, counts{}, reports[i]
		for n, c := range suite.Cases {
			written.Tests++
			written.Failures += len(c.Failure)
			written.Errors += len(c.Error)
			written.Skipped += len(c.Skipped)
			if n < len(r.Rules) && (c.Name != r.Rules[n].ID || c.Class != suite.Name) {
				t.Errorf("test %d is %s of %s", n, c.Name, c.Class)
			}
		}
		for _, one := range r.Rules {
			switch {
			case one.Outcome == report.Fail && one.Expected == "":
				want.Failures++
			case one.Outcome == report.HarnessError:
				want.Errors++
			case one.Outcome != report.Pass:
				want.Skipped++
			}
		}
		if written != want || suite.counts != want {
			t.Errorf("suite %d counts %+v and has %+v, want %+v", i, suite.counts, written, want)
		}
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+want.Tests, all.Failures+want.Failures, all.Errors+want.Errors, all.Skipped+want.Skipped
	}
	if got.counts != all {
		t.Errorf("all count %+v, want %+v", got.counts, all)
	}
	if all.Failures == 0 || all.Errors == 0 || all.Skipped == 0 || !strings.Contains(b.String(), "expected failure: &lt;known&gt; &amp; ") {
		t.Errorf("incomplete: %+v", all)
	}
}

func TestBadge(t *testing.T) {
	tolerated := check(t, wrong, vectors(t))
	tolerated.Expect([]report.Expectation{{Capability: capability, Rule: "vectors-results", Reason: "known"}}, time.Now())
	for _, c := range []struct {
		reports        []*report.Report
		message, color string
	}{
		{[]*report.Report{check(t, good, vectors(t))}, "54 of 54 rules, 8 vectors, 102 generated", "brightgreen"},
		{[]*report.Report{check(t, good, vectors(t)), check(t, good, vectors(t))}, "108 of 108 rules, 16 vectors, 204 generated", "brightgreen"},
		{[]*report.Report{check(t, wrong, vectors(t))}, "47 of 54 rules, 8 vectors, 102 generated", "red"},
		{[]*report.Report{tolerated}, "47 of 54 rules, 8 vectors, 102 generated, 1 expected failure", "yellow"},
		{[]*report.Report{check(t, always(noSandbox), vectors(t))}, "2 of 54 rules, 8 vectors, 0 generated", "lightgrey"},
		{nil, "0 of 0 rules, 0 vectors, 0 generated", "lightgrey"},
	} {
		data, err := json.Marshal(report.BadgeOf(c.reports))
		want := fmt.Sprintf(`{"schemaVersion":1,"label":"slipstick","message":%q,"color":%q}`, c.message, c.color)
		if string(data) != want || err != nil {
			t.Errorf("%s, %v\nwant %s", data, err, want)
		}
	}
}
