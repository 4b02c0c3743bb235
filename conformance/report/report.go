// Package report has the report of the conformance suite about one engine. It owns the JSON
// document that is published with a release. Use [Parse] to read one. Write it with
// [Report.AppendJSON] for programs, [Report.WriteText] for people, and [WriteJUnit] for CI systems.
// [BadgeOf] sums reports up for a badge. [Report.Expect] tolerates known failures for a while,
// without a change of the judgement.
package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/slipstick/slipstick/sdk"
)

// Outcome is the result of one rule, or of all rules together.
type Outcome string

// The outcomes.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	NotApplicable Outcome = "not_applicable" // there is nothing to judge
	NotVerified   Outcome = "not_verified"   // evidence is missing because another rule failed
	HarnessError  Outcome = "harness_error"  // the suite or the machine could not gather the evidence
)

// Report has the findings of the suite about one engine. The engine passed if every rule
// passed or does not apply.
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
	Proofs        []Proof        `json:"proofs,omitempty"` // of the outputs that are numbers, in their order; none without a Definition

	VectorResults []VectorResult `json:"vector_results"` // in the order of the vectors

	// Stale lists expectations that no longer apply, as sentences, see Expect. The run fails
	// if there is one.
	Stale []string `json:"stale_expectations,omitempty"`
}

// Count is the number of vectors or generated requests, and how many of them the engine
// answered as expected in every respect.
type Count struct {
	Total  int `json:"total"`
	Passed int `json:"passed"`
}

// GeneratedCount counts generated requests. Some of them may not be sent in time.
type GeneratedCount struct {
	Count
	Asked int `json:"asked,omitempty"` // sent before the time was over
}

// Result is the result of one rule. A rule that failed has findings. A rule that was not
// judged has a reason. Passed is also true for a rule that does not apply.
type Result struct {
	ID       string    `json:"id"`
	Rule     string    `json:"rule"`
	Cites    string    `json:"cites"`
	Outcome  Outcome   `json:"outcome"`
	Reason   string    `json:"reason,omitempty"`
	Passed   bool      `json:"passed"`
	Checks   int       `json:"checks"` // number of checks made
	Findings []Finding `json:"findings"`
	Notes    []string  `json:"notes,omitempty"` // listed, and not faults

	// Expected is the reason for which this failure is tolerated, see Expect; "" if it is not.
	Expected string `json:"expected_failure,omitempty"`
}

// Finding is one violation of a rule.
type Finding struct {
	Subject Subject `json:"subject"` // where
	Found   string  `json:"found"`
	Want    string  `json:"want"`
}

// NewFinding returns a finding. It makes all texts safe for one line of a terminal, since they
// may contain texts of an engine.
func NewFinding(subject Subject, found, want string) Finding {
	return Finding{subject.fit(), OneLine(found), OneLine(want)}
}

// Reach counts how often vectors and generated requests reached one entry that the Spec
// declares.
type Reach struct {
	What      string  `json:"what"` // input, enum value, output, error or warning
	Name      string  `json:"name"` // an enum value is input=value
	Vectors   int     `json:"vectors"`
	Generated int     `json:"generated"`
	By        Subject `json:"by"` // the first request that reached it; zero if none did
}

// VectorResult is whether the engine answered one vector as expected in every respect. If
// it did not, findings of the rules explain why.
type VectorResult struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`    // how the expectation was made, such as "mpmath"
	Expects string `json:"expects"` // result or rejection
	Passed  bool   `json:"passed"`
}

// Parse reads a report. It ignores unknown members, since the reports of later suites may
// have more. It does not check whether the report is consistent.
func Parse(data []byte) (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	return r, nil
}

// Document is a report with its stored and signed bytes.
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

// Document returns the report in its published form.
func (r *Report) Document() (*Document, error) {
	data, err := r.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return &Document{r, data}, nil
}

// AppendJSON appends the report in its published form: indented, with a line end.
func (r *Report) AppendJSON(dst []byte) ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return dst, err
	}
	return append(append(dst, data...), '\n'), nil
}

// Summary is the part of a report that a list of evidence shows.
type Summary struct {
	EngineDigests []string    `json:"engine_digests"`
	Passed        bool        `json:"passed"`
	Vectors       Count       `json:"vectors"`
	Proofs        *ProofCount `json:"proofs,omitempty"` // nil for an engine without a Definition
}

// Summary returns the part of the report that a list of evidence shows.
func (r *Report) Summary() Summary {
	return Summary{r.EngineDigests, r.Passed, r.Vectors, r.CountProofs()}
}

// Applies reports whether the rule has anything to judge.
func (r *Result) Applies() bool { return r.Outcome != NotApplicable }

// RulesPassed counts the rules in [Report.RulesApplied] that passed.
func (r *Report) RulesPassed() int {
	return r.countRules(func(one *Result) bool { return one.Applies() && one.Passed })
}

// RulesApplied counts the rules that apply to the engine.
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

// FailedVectors returns the ids of the vectors that were not answered as expected. Their
// result is negative, or a finding is about them. Reports of older suites have only findings.
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

// Conclude sets Outcome and Passed from the results of all rules.
func (r *Report) Conclude() {
	r.Outcome = r.sum(func(one *Result) Outcome { return one.Outcome })
	r.Passed = r.Outcome == Pass
}

// sum returns the outcome of all rules together. A fault of the engine takes precedence over
// a fault of the machine.
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

// DigestOf returns the digest of a Spec as JSON, as sha256:<hex>. The engines of one version
// have the same Spec on all platforms, so reports about them can be recognized by it.
func DigestOf(s *sdk.Spec) string {
	data, err := json.Marshal(s)
	if err != nil {
		return "" // the Spec of a running engine has a JSON form
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(data))
}
