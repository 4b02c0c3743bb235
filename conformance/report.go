package conformance

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	Suite         string   `json:"suite"`
	Requirements  string   `json:"requirements"` // the set
	Capability    string   `json:"capability_id"`
	Version       string   `json:"calculation_version"`
	SpecDigest    string   `json:"spec_digest"` // of its Spec as JSON, see DigestOf
	EngineDigests []string `json:"engine_digests"`
	Passed        bool     `json:"passed"`
	Outcome       Outcome  `json:"outcome"` // Pass, Fail or HarnessError
	Vectors       Count    `json:"vectors"`
	Generated     Count    `json:"generated"`
	Rules         []Result `json:"rules"` // in the order of the set
	Coverage      []Reach  `json:"coverage"`

	VectorResults []VectorResult `json:"vector_results"` // in the order of the vectors

	// Stale are expected failures that did not come, see Expect. Any is a fault.
	Stale []string `json:"stale_expectations,omitempty"`
}

// Count says how many vectors or generated requests there are, and how many the
// engine answered as expected in every respect.
type Count struct {
	Total  int `json:"total"`
	Passed int `json:"passed"`
	Asked  int `json:"asked,omitempty"` // of generated requests: before their time was up
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
	Subject string `json:"subject"` // where, such as "vector P001, result.delta"
	Found   string `json:"found"`
	Want    string `json:"want"`
}

func newReport(o *observed, set *Requirements, digests []string) *Report {
	r := &Report{
		Suite: Suite, Requirements: set.Set, EngineDigests: append([]string{}, digests...),
		Vectors:   Count{Total: len(o.vectors), Passed: countPassed(o)},
		Generated: countGenerated(o), Coverage: o.coverage(), Rules: []Result{},
	}
	r.VectorResults = vectorResults(o)
	if o.spec != nil {
		r.Capability, r.Version, r.SpecDigest = o.spec.Capability, o.spec.Version, DigestOf(o.spec)
	}
	for _, rule := range set.Rules {
		r.Rules = append(r.Rules, r.judge(rule, o))
	}
	r.Outcome = r.sum(func(one *Result) Outcome { return one.Outcome })
	r.Passed = r.Outcome == Pass
	return r
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

// judge judges by one rule, after those before it.
func (r *Report) judge(rule Rule, o *observed) Result {
	result := Result{ID: rule.ID, Rule: rule.Rule, Cites: rule.Cites, Findings: []Finding{}}
	way := judges[rule.ID]
	harness := o.harness
	if !o.needsEngine(way.needs) {
		harness = nil
	}
	stopped := harness != nil && o.stopped != nil
	missing := o.missing(way.needs)
	if failed := r.failed(way.after); missing == "" && len(failed) > 0 {
		missing = "it would tell nothing new: see " + strings.Join(failed, ", ")
	}
	if missing == "" && (!stopped || way.needs == nothing) {
		missing = result.look(way, o)
	}
	switch {
	case len(result.Findings) > 0:
		result.Outcome = Fail
	case harness != nil && (missing != "" || stopped || way.needs == nothing):
		result.Outcome, result.Reason = HarnessError, clean(harness.Error())
	case missing != "":
		result.Outcome, result.Reason = NotVerified, missing
	case result.Checks == 0 && way.none != "":
		result.Outcome, result.Reason = NotApplicable, way.none
	default:
		result.Outcome = Pass
	}
	result.Passed = result.Outcome == Pass || result.Outcome == NotApplicable
	return result
}

// look takes down what there is to find, and returns why nothing could be judged.
func (r *Result) look(way judge, o *observed) (missing string) {
	var j judgement
	j.guard(func() { way.look(o, &j) })
	r.Checks, r.Findings = j.checks, append(r.Findings, j.findings...)
	if j.checks == 0 && (j.spoiled || way.needs == answers && o.incomplete()) {
		return "no answer could be judged: see the rules that failed"
	}
	return ""
}

// failed are those of the rules that failed.
func (r *Report) failed(ids []string) []string {
	var failed []string
	for i := range r.Rules {
		if one := &r.Rules[i]; one.Outcome == Fail && slices.Contains(ids, one.ID) {
			failed = append(failed, one.ID)
		}
	}
	return failed
}

// ErrHarness is wrapped by what an Open returns when it could not be tried whether the
// engine starts: no jail, no processes or files left. The engine is not blamed.
var ErrHarness = errors.New("not the engine's fault")

// countPassed counts the vectors that nothing can be said against.
func countPassed(o *observed) int {
	passed := 0
	for i := range o.answers {
		if agreed(o, i) {
			passed++
		}
	}
	return passed
}

// judgement collects what one rule has to say.
type judgement struct {
	checks   int
	findings []Finding
	spoiled  bool // a check was left out because of a fault that another rule reports
}

// check counts a check, and is a finding unless ok.
func (j *judgement) check(ok bool, subject, found, want string) {
	j.checks++
	if !ok {
		j.fail(subject, found, want)
	}
}

// fail adds a finding to a check that was counted.
func (j *judgement) fail(subject, found, want string) {
	j.findings = append(j.findings, Finding{clean(subject), clean(found), clean(want)})
}

// DigestOf tells Specs apart: engines for several platforms of one version have the same.
func DigestOf(s *sdk.Spec) string {
	data, err := json.Marshal(s)
	if err != nil {
		return "" // no engine that runs has such a Spec
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(data))
}
