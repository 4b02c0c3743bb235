// Package report answers one question: what did the conformance suite find? It owns the
// document that is published with a release: its types, how it is read, and how it is
// written for programs, for people (see [Report.WriteText]), for CI systems (see
// [WriteJUnit]) and as a badge (see [BadgeOf]).
package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
)

// Outcome is what became of a rule, or of all.
type Outcome string

// The outcomes. NotVerified needs evidence that is missing because another rule
// failed, HarnessError evidence that the suite or the machine could not gather.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	NotApplicable Outcome = "not_applicable"
	NotVerified   Outcome = "not_verified"
	HarnessError  Outcome = "harness_error"
)

// Report is what the suite found. It passed if every rule did, or does not apply.
type Report struct {
	Suite         string         `json:"suite"`
	Requirements  string         `json:"requirements"` // the set
	Capability    string         `json:"capability_id"`
	Version       string         `json:"calculation_version"`
	SpecDigest    string         `json:"spec_digest"` // of its Spec as JSON, see DigestOf
	EngineDigests []string       `json:"engine_digests"`
	Passed        bool           `json:"passed"`
	Outcome       Outcome        `json:"outcome"` // Pass, Fail or HarnessError
	Vectors       Count          `json:"vectors"`
	Generated     GeneratedCount `json:"generated"`
	Rules         []Result       `json:"rules"` // in the order of the set
	Coverage      []Reach        `json:"coverage"`

	VectorResults []VectorResult `json:"vector_results"` // in the order of the vectors

	// Stale are expected failures that did not come, see Expect. Any is a fault.
	Stale []string `json:"stale_expectations,omitempty"`
}

// Count says how many vectors or generated requests there are, and how many the
// engine answered as expected in every respect.
type Count struct {
	Total  int `json:"total"`
	Passed int `json:"passed"`
}

// GeneratedCount counts generated requests, of which some may not be sent in time.
type GeneratedCount struct {
	Count
	Asked int `json:"asked,omitempty"` // before their time was up
}

// Result is the judgement by one rule. A rule that failed has findings; one that was
// not judged has a reason. Passed is also true of a rule that does not apply.
type Result struct {
	ID       string    `json:"id"`
	Rule     string    `json:"rule"`
	Cites    string    `json:"cites"`
	Outcome  Outcome   `json:"outcome"`
	Reason   string    `json:"reason,omitempty"`
	Passed   bool      `json:"passed"`
	Checks   int       `json:"checks"`
	Findings []Finding `json:"findings"`

	// Expected is the reason why this failure is tolerated for now, see Expect.
	Expected string `json:"expected_failure,omitempty"`
}

// Finding is one violation of a rule.
type Finding struct {
	Subject Subject `json:"subject"` // where
	Found   string  `json:"found"`
	Want    string  `json:"want"`
}

// NewFinding makes the texts of an engine fit for one line of a terminal.
func NewFinding(subject Subject, found, want string) Finding {
	return Finding{subject.fit(), OneLine(found), OneLine(want)}
}

// Reach says how often the vectors and the generated requests reached one thing that
// the Spec declares.
type Reach struct {
	What      string  `json:"what"` // input, enum value, output, error or warning
	Name      string  `json:"name"` // an enum value is input=value
	Vectors   int     `json:"vectors"`
	Generated int     `json:"generated"`
	By        Subject `json:"by"` // the first that reached it; zero if none did
}

// VectorResult says whether the engine answered one vector as expected in every
// respect. If not, findings of the rules say why.
type VectorResult struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`    // how the expectation was made, such as "mpmath"
	Expects string `json:"expects"` // result or rejection
	Passed  bool   `json:"passed"`
}

// Parse reads a report. Members that it does not know are ignored, since reports of later
// suites may have more.
func Parse(data []byte) (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	return r, nil
}

// Document is a report and the bytes as which it is stored and signed.
type Document struct {
	*Report
	JSON []byte
}

// Read reads a document, as Parse does. It keeps the bytes.
func Read(data []byte) (*Document, error) {
	r, err := Parse(data)
	if err != nil {
		return nil, err
	}
	return &Document{r, data}, nil
}

// Document prints the report as it is published.
func (r *Report) Document() (*Document, error) {
	data, err := r.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return &Document{r, data}, nil
}

// AppendJSON appends the report as it is published: indented, with a line end.
func (r *Report) AppendJSON(dst []byte) ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return dst, err
	}
	return append(append(dst, data...), '\n'), nil
}

// Summary is what a list of evidence says of a report: what it is about, and found.
type Summary struct {
	EngineDigests []string `json:"engine_digests"`
	Passed        bool     `json:"passed"`
	Vectors       Count    `json:"vectors"`
}

// Summary returns what a list of evidence says of the report.
func (r *Report) Summary() Summary { return Summary{r.EngineDigests, r.Passed, r.Vectors} }

// Applies reports whether there was anything to judge.
func (r *Result) Applies() bool { return r.Outcome != NotApplicable }

// RulesPassed counts the rules that the engine kept, of [Report.RulesApplied].
func (r *Report) RulesPassed() int {
	return r.countRules(func(one *Result) bool { return one.Applies() && one.Passed })
}

// RulesApplied counts the rules that there was something to judge by.
func (r *Report) RulesApplied() int { return r.countRules((*Result).Applies) }

func (r *Report) countRules(counts func(*Result) bool) int {
	n := 0
	for i := range r.Rules {
		if counts(&r.Rules[i]) {
			n++
		}
	}
	return n
}

// FailedVectors are the ids of the vectors that were not answered as expected: those
// that the report names as failed, and those that it has findings about. Reports of old
// suites have findings alone.
func (r *Report) FailedVectors() map[string]bool {
	failed := map[string]bool{}
	for _, v := range r.VectorResults {
		if !v.Passed {
			failed[v.ID] = true
		}
	}
	for i := range r.Rules {
		for _, f := range r.Rules[i].Findings {
			if f.Subject.Vector != "" {
				failed[f.Subject.Vector] = true
			}
		}
	}
	return failed
}

// Conclude sets the outcome of all rules. A fault of the engine counts more than one of the
// machine.
func (r *Report) Conclude() {
	r.Outcome = r.sum(func(one *Result) Outcome { return one.Outcome })
	r.Passed = r.Outcome == Pass
}

// sum is the outcome of all rules: a fault of the engine counts more than one of the
// machine.
func (r *Report) sum(of func(*Result) Outcome) Outcome {
	sum := Pass
	for i := range r.Rules {
		switch of(&r.Rules[i]) {
		case Fail, NotVerified:
			return Fail
		case HarnessError:
			sum = HarnessError
		}
	}
	return sum
}

// DigestOf tells Specs apart: engines for several platforms of one version have the same.
func DigestOf(s *sdk.Spec) string {
	data, err := json.Marshal(s)
	if err != nil {
		return "" // no engine that runs has such a Spec
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(data))
}
