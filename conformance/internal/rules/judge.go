package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/slipstick/slipstick/conformance/internal/observe"
	"github.com/slipstick/slipstick/conformance/report"
	"github.com/slipstick/slipstick/conformance/requirements"
)

// evidence is what rules judge: what was seen of an engine, and what several rules would
// otherwise work out again.
type evidence struct {
	*observe.Seen
	schema *jsonschema.Schema // of the outputs, once it is needed
	legal  []error            // what is wrong with each first answer to a generated request, once it is needed
}

// Judge judges what was seen of an engine by the rules of a set. The caller adds what it
// alone knows: the suite, and the engines that were judged.
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
	r.Conclude()
	return r
}

// judgeRule judges by one rule, after those before it.
func judgeRule(rule requirements.Rule, o *evidence, before []report.Result) report.Result {
	result := report.Result{ID: rule.ID, Rule: rule.Rule, Cites: rule.Cites, Findings: []report.Finding{}}
	way := judges[rule.ID]
	harness := o.Harness
	if !o.needsEngine(way.needs) {
		harness = nil
	}
	stopped := harness != nil && o.Stopped != nil
	missing := o.missing(way.needs)
	if failed := failedOf(before, way.after); missing == "" && len(failed) > 0 {
		missing = "it would tell nothing new: see " + strings.Join(failed, ", ")
	}
	if missing == "" && (!stopped || way.needs == nothing) {
		var j judgement
		j.guard(func() { way.look(o, &j) })
		result.Checks, result.Findings = j.checks, append(result.Findings, j.findings...)
		if j.checks == 0 && (j.spoiled || way.needs == answers && o.incomplete()) {
			missing = "no answer could be judged: see the rules that failed"
		}
	}
	switch {
	case len(result.Findings) > 0:
		result.Outcome = report.Fail
	case harness != nil && (missing != "" || stopped || way.needs == nothing):
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

// failedOf are those of the rules that failed.
func failedOf(results []report.Result, ids []string) []string {
	var failed []string
	for i := range results {
		if one := &results[i]; one.Outcome == report.Fail && slices.Contains(ids, one.ID) {
			failed = append(failed, one.ID)
		}
	}
	return failed
}

// countPassed counts the vectors that nothing can be said against.
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

// agreed reports whether nothing can be said against the answer to a vector.
func agreed(o *evidence, i int) bool {
	var j judgement
	judgeVector(o, i, &j)
	a := &o.Answers[i]
	return (a.Kind == observe.Answered || a.Kind == observe.Rejected) && len(j.findings) == 0
}

// judgement collects what one rule has to say.
type judgement struct {
	checks   int
	findings []report.Finding
	spoiled  bool // a check was left out because of a fault that another rule reports
}

// check counts a check, and is a finding unless ok.
func (j *judgement) check(ok bool, subject report.Subject, found, want string) {
	j.checks++
	if !ok {
		j.fail(subject, found, want)
	}
}

// fail adds a finding to a check that was counted.
func (j *judgement) fail(subject report.Subject, found, want string) {
	j.findings = append(j.findings, report.NewFinding(subject, found, want))
}

// guard keeps a Spec or an outcome that cannot even be looked at from ending the
// suite.
func (j *judgement) guard(look func()) {
	defer func() {
		if p := recover(); p != nil {
			j.fail(report.Subject{Name: "Spec and outcomes"}, fmt.Sprintf("judging them panicked: %v", p), "a Spec and outcomes that fit each other")
		}
	}()
	look()
}
