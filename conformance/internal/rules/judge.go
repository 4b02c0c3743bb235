package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
)

// evidence is the input of the rules: the observations of an engine, and derived facts that
// several rules share. The derived facts are computed on first use.
type evidence struct {
	*observe.Seen
	schema *jsonschema.Resolved // of the outputs; nil until used
	legal  []error              // why each first answer to a generated request is illegal, nil if it is legal; nil until used
	passed []bool               // see casePassed; nil until used

	defined   *definition // see definition
	evaluated bool        // evaluation was attempted

	paper *written // see document
	bound bool     // binding the document was attempted
}

// Judge applies the rules of a set to the observations of an engine. The caller adds the
// version of the suite and the digests of the engines to the report.
func Judge(seen *observe.Seen, set *requirements.Set) *report.Report {
	o := &evidence{Seen: seen}
	r := &report.Report{
		Requirements: set.Name, EngineDigests: []string{},
		Vectors:   report.Count{Total: len(o.Vectors), Passed: countPassed(o)},
		Generated: countGenerated(o), Coverage: o.coverage(), Rules: []report.Result{},
		VectorResults: vectorResults(o),
	}
	if o.Spec != nil {
		r.Capability, r.Version, r.SpecDigest = o.Spec.Capability, o.Spec.Version, report.DigestOf(o.Spec)
	}
	for _, rule := range set.Rules {
		r.Rules = append(r.Rules, judgeRule(rule, o, r.Rules))
	}
	if o.defined != nil {
		r.Proofs = o.defined.proofs()
	}
	r.Conclude()
	return r
}

// judgeRule applies one rule, given the results of the earlier rules in the set.
//
// The first of these conditions that holds decides the outcome. If there are findings, it is
// Fail. If the machine could not gather evidence, it is HarnessError. If evidence is missing
// for another reason, it is NotVerified. If the rule has nothing to check, it is
// NotApplicable. Otherwise it is Pass.
func judgeRule(rule requirements.Rule, o *evidence, before []report.Result) report.Result {
	result := report.Result{ID: rule.ID, Rule: rule.Rule, Cites: rule.Cites, Findings: []report.Finding{}}
	way := judges[rule.ID] // a test makes sure that every rule has a judge
	harness := o.Harness
	if !o.needsEngine(way.needs) {
		harness = nil
	}
	stopped := harness != nil && o.Stopped != nil
	missing := o.missing(way.needs)
	if failed := failedOf(before, way.after); missing == "" && len(failed) > 0 {
		missing = "it gives no new information: see " + strings.Join(failed, ", ")
	}
	if way.ofDocument && o.Spec != nil && o.Spec.Document == "" {
		missing = "" // there is nothing to check
	} else if missing == "" && (!stopped || way.needs == none) {
		var j judgement
		j.guard(func() { way.look(o, &j) })
		result.Checks, result.Findings, result.Notes = j.checks, append(result.Findings, j.findings...), j.notes
		if j.checks == 0 && (j.spoiled || way.needs == answers && o.incomplete()) {
			missing = "no answer could be judged: see the rules that failed"
		}
	}
	switch {
	case len(result.Findings) > 0:
		result.Outcome = report.Fail
	case harness != nil && (missing != "" || stopped || way.needs == none):
		result.Outcome, result.Reason = report.HarnessError, report.OneLine(harness.Error())
	case missing != "":
		result.Outcome, result.Reason = report.NotVerified, missing
	case result.Checks == 0 && way.none != "":
		result.Outcome, result.Reason = report.NotApplicable, way.none
	default:
		result.Outcome = report.Pass
	}
	result.Passed = result.Outcome == report.Pass || result.Outcome == report.NotApplicable
	return result
}

// failedOf returns the ids of the given rules that failed.
func failedOf(results []report.Result, ids []string) []string {
	var failed []string
	for i := range results {
		if one := &results[i]; one.Outcome == report.Fail && slices.Contains(ids, one.ID) {
			failed = append(failed, one.ID)
		}
	}
	return failed
}

// countPassed counts the vectors whose first answer is as expected.
func countPassed(o *evidence) int {
	passed := 0
	for i := range o.Answers {
		if agreed(o, i) {
			passed++
		}
	}
	return passed
}

func vectorResults(o *evidence) []report.VectorResult {
	list := make([]report.VectorResult, 0, len(o.Vectors))
	for i := range o.Vectors {
		v := &o.Vectors[i]
		r := report.VectorResult{ID: v.ID, Kind: v.Kind, Expects: "result", Passed: i < len(o.Answers) && agreed(o, i)}
		if v.Rejection != nil {
			r.Expects = "rejection"
		}
		list = append(list, r)
	}
	return list
}

// agreed reports whether the first answer to a vector is definite and as expected in every
// respect.
func agreed(o *evidence, i int) bool {
	var j judgement
	judgeVector(o, i, &j)
	a := &o.Answers[i]
	return (a.Kind == observe.Answered || a.Kind == observe.Rejected) && len(j.findings) == 0
}

// judgement collects the results of one rule.
type judgement struct {
	checks   int // that were made, passed or failed
	findings []report.Finding
	notes    []string
	spoiled  bool // a check was left out because of a fault that another rule reports
}

// check counts a check. It adds a finding unless ok.
func (j *judgement) check(ok bool, subject report.Subject, found, want string) {
	j.checks++
	if !ok {
		j.fail(subject, found, want)
	}
}

// fail adds a finding. The caller has counted the check, if there was one.
func (j *judgement) fail(subject report.Subject, found, want string) {
	j.findings = append(j.findings, report.NewFinding(subject, found, want))
}

// note adds what is not a fault.
func (j *judgement) note(format string, args ...any) {
	j.notes = append(j.notes, report.OneLine(fmt.Sprintf(format, args...)))
}

// guard calls look and turns a panic into a finding. A Spec and an outcome that do not fit
// each other must not end the suite.
func (j *judgement) guard(look func()) {
	defer func() {
		if p := recover(); p != nil {
			j.fail(report.Subject{Name: "Spec and outcomes"}, fmt.Sprintf("judging them panicked: %v", p), "a Spec and outcomes that fit each other")
		}
	}()
	look()
}
