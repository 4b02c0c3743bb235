package report

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/slipstick/slipstick/sdk/request/strictjson"
)

// Expectation tolerates the failure of one rule by one engine for a while, so that CI still
// notices further failures. It changes no judgement: a report with a failure has not passed,
// and an engine that fails is not published.
type Expectation struct {
	Capability string
	Rule       string
	Reason     string
	Until      string // the last day, such as 2026-12-31; "" for no end
}

// String returns the rule and the capability.
func (e Expectation) String() string { return e.Rule + " of " + e.Capability }

// ParseExpected reads a JSON array of expected failures:
//
//	[{"capability": "thermo.radiation.grey_surface", "rule": "vectors-results",
//	  "reason": "issue 12: P7 is wrong in the source", "until": "2026-12-31"}]
//
// All members except until are required. Unknown members and repeated entries are errors.
func ParseExpected(data []byte) ([]Expectation, error) {
	document, err := strictjson.Parse(data)
	if err != nil {
		return nil, err
	}
	if document.Kind != strictjson.Array {
		return nil, fmt.Errorf("it is %s, not an array of expected failures", document.Kind)
	}
	list := make([]Expectation, 0, len(document.Items))
	for i, item := range document.Items {
		e, err := expectationOf(item)
		if err != nil {
			return nil, fmt.Errorf("entry %d %w", i+1, err)
		}
		if slices.ContainsFunc(list, func(o Expectation) bool { return o.Capability == e.Capability && o.Rule == e.Rule }) {
			return nil, fmt.Errorf("entry %d repeats %s", i+1, e)
		}
		list = append(list, e)
	}
	return list, nil
}

// ReadExpected reads a file of expected failures; "" names none.
func ReadExpected(path string) ([]Expectation, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := ParseExpected(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// Unused returns the expected failures of engines without a report.
func Unused(list []Expectation, reports []*Report) (unused []Expectation) {
	for _, e := range list {
		if !slices.ContainsFunc(reports, func(r *Report) bool { return r.Capability == e.Capability }) {
			unused = append(unused, e)
		}
	}
	return unused
}

func expectationOf(item strictjson.Value) (Expectation, error) {
	var e Expectation
	if item.Kind != strictjson.Object {
		return e, fmt.Errorf("is %s, not an object", item.Kind)
	}
	members := map[string]*string{"capability": &e.Capability, "rule": &e.Rule, "reason": &e.Reason, "until": &e.Until}
	for _, m := range item.Members {
		to, known := members[m.Name]
		if !known {
			return e, fmt.Errorf("has the unknown member %q; the members are capability, rule, reason and until", m.Name)
		}
		if m.Value.Kind != strictjson.String {
			return e, fmt.Errorf("has a %s that is %s, not a string", m.Name, m.Value.Kind)
		}
		*to = m.Value.Text
	}
	if e.Capability == "" || e.Rule == "" || e.Reason == "" {
		return e, fmt.Errorf("needs a capability, a rule and a reason")
	}
	if _, err := time.Parse(time.DateOnly, e.Until); e.Until != "" && err != nil {
		return e, fmt.Errorf("has an until %q that is not a date such as 2026-12-31", e.Until)
	}
	return e, nil
}

// Expect marks the failures that the list expects of this engine, and sets Stale to the
// entries that no longer apply. An entry is stale if its rule did not fail or is not in the
// set, or if its last day is over. Today is the date for that comparison.
//
// Expect returns the outcome of the run. It is Pass if every failure is expected and no entry
// is stale, otherwise Fail or HarnessError.
func (r *Report) Expect(list []Expectation, today time.Time) Outcome {
	r.Stale = nil
	for _, e := range list {
		if e.Capability == r.Capability {
			if why := r.tolerate(e, today); why != "" {
				r.Stale = append(r.Stale, e.String()+" "+why)
			}
		}
	}
	if len(r.Stale) > 0 {
		return Fail
	}
	expected := r.tolerated() > 0
	return r.sum(func(one *Result) Outcome {
		if one.Expected != "" || expected && one.Outcome == NotVerified { // an expected failure may hide failures of other rules
			return Pass
		}
		return one.Outcome
	})
}

// tolerate marks one failure. If there is no failure, it returns why the entry is stale, or ""
// if that is not known.
func (r *Report) tolerate(e Expectation, today time.Time) (why string) {
	i := slices.IndexFunc(r.Rules, func(one Result) bool { return one.ID == e.Rule })
	if i < 0 {
		return fmt.Sprintf("is not a rule of the requirements %s: correct the entry", r.Requirements)
	}
	switch one := &r.Rules[i]; {
	case one.Passed:
		return "passes now: take the entry out"
	case one.Outcome == HarnessError:
		return "" // the rule was not judged, so it may still fail
	case e.Until != "" && today.Format(time.DateOnly) > e.Until:
		return fmt.Sprintf("was tolerated until %s: mend the engine, or set another date", e.Until)
	default:
		one.Expected = e.Reason
	}
	return ""
}

// tolerated counts the failures that are expected.
func (r *Report) tolerated() int {
	n := 0
	for i := range r.Rules {
		if r.Rules[i].Expected != "" {
			n++
		}
	}
	return n
}
