package conformance

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk"
)

// Rule is one thing that an engine must do to be published.
type Rule struct {
	ID    string // kebab case
	Rule  string // a sentence, "an engine must ..."
	Cites string // where the interface demands it
}

// Rules returns the rules in the order in which they are judged and reported.
func Rules() []Rule {
	list := make([]Rule, len(rules))
	for i := range rules {
		list[i] = rules[i].Rule
	}
	return list
}

// rule is a Rule with how it is judged. It is judged only where what it needs was
// seen, so that one fault is not reported by every rule.
type rule struct {
	Rule
	needs need
	judge func(*observed, *judgement)
}

type need uint8

const (
	nothing need = iota
	aSpec        // an instance that described itself
	vectors      // vectors that could be read
	answers      // both
)

func (o *observed) has(n need) bool {
	spec, read, whole := o.spec != nil, o.vectorsErr == nil, o.stopped == nil
	return n == nothing || whole && (n == aSpec && spec || n == vectors && read || n == answers && spec && read)
}

var rules = []rule{
	{Rule{"starts", "an engine must start, and start again, and describe itself by a Spec",
		"engine contract"}, nothing, judgeStarts},
	{Rule{"spec-valid", "an engine must describe itself by a Spec that sdk.Spec.Validate finds nothing wrong with",
		"engine contract"}, aSpec, judgeSpec},
	{Rule{"capability-id", "an engine must have a capability id of dotted lower-case words, the one that its vectors name",
		"spec 2.1, decision 1"}, aSpec, judgeCapability},
	{Rule{"calculation-version", "an engine must have a semantic version in canonical spelling, without build metadata",
		"spec 9, decision 8"}, aSpec, judgeVersion},
	{Rule{"reserved-names", "an engine must not name an input, or alias one, by a word that has a meaning of its own in a request",
		"decision 2"}, aSpec, judgeReservedNames},
	{Rule{"units-known", "an engine must give its inputs units of the units table, so that callers can send other units",
		"decision 10"}, aSpec, judgeUnits},
	{Rule{"constants", "an engine must describe itself alike in every instance and at every call",
		"spec 2.1 (capability_id and calculation_version are constants)"}, aSpec, judgeConstants},

	{Rule{"tier-known", "an engine must claim one of the four verification tiers, or nothing",
		"spec 2.1, 3"}, aSpec, judgeTier},
	tierRule("tier-engine-tested", sdk.EngineTested, "engine_tested true", "spec 2.1 rule 3"),
	tierRule("tier-internally-reviewed", sdk.InternallyReviewed,
		"engine_tested, internally_reviewed and source_checked true", "spec 2.1 rule 2"),
	tierRule("tier-expert-verified", sdk.ExpertVerified,
		"engine_tested, expert_reviewed and source_checked true, and a reviewer, a role and a date", "spec 2.1 rule 1"),

	{Rule{"vectors-parse", "an engine must come with vectors that can be read",
		"publishing"}, nothing, judgeParse},
	{Rule{"vectors-present", "an engine must come with at least one vector that expects a result",
		"verification record"}, vectors, judgePresence},
	{Rule{"vectors-results", "an engine must compute the result that each vector expects, within its tolerance",
		"verification record"}, answers, eachVector(judgeResult)},
	{Rule{"vectors-rejections", "an engine must reject what each vector expects to be rejected, with its code and field",
		"spec 7.3"}, answers, eachVector(judgeRejection)},

	{Rule{"output-schema", "an engine must give results that the output schema of its Spec accepts",
		"spec 2.1"}, answers, judgeSchema},
	{Rule{"outcome-valid", "an engine must answer values of the declared types, each required output, legal enums, and the inputs as they were sent",
		"spec 2.1"}, answers, judgeOutcomes},
	{Rule{"finite", "an engine must give only finite numbers, and never null in place of a value",
		"spec 1"}, answers, judgeFinite},
	{Rule{"declared-errors", "an engine must reject with declared codes and known fields only, and each declared code must be expected by a vector",
		"spec 7.3 rule 1"}, answers, judgeErrors},
	{Rule{"declared-warnings", "an engine must give only declared warnings, those that its vectors expect among them, and each declared code must be expected by a vector",
		"spec 2.1"}, answers, judgeWarnings},
	{Rule{"failures", "an engine must answer each vector with an outcome or an *sdk.Error, never with another error or a panic",
		"spec 7.1 (500)"}, answers, judgeFailures},

	{Rule{"plots", "an engine must draw each plot that it declares, for every result, with finite numbers and within the bounds of a figure",
		"decision 20"}, answers, judgePlots},

	{Rule{"determinism", "an engine must answer the same inputs alike at every call and in every instance",
		"spec 1 (snapshots), 2.2"}, answers, judgeDeterminism},
	{Rule{"concurrency", "an engine must answer as if it were alone when it is asked many things at once",
		"engine contract"}, answers, judgeConcurrency},
	{Rule{"deadline", "an engine must return by the deadline of a call, and at once when its context has ended",
		"engine contract"}, answers, judgeDeadline},
}

func tierRule(id string, t sdk.Tier, shows, cites string) rule {
	return rule{Rule{id, fmt.Sprintf("an engine must show what it claims: %s needs %s", t, shows), cites}, aSpec,
		func(o *observed, j *judgement) { judgeClaim(t, o, j) }}
}

// apply judges an engine by one rule.
func (r *rule) apply(o *observed) Result {
	result := Result{ID: r.ID, Rule: r.Rule.Rule, Cites: r.Cites, Findings: []Finding{}}
	if !o.has(r.needs) {
		return result
	}
	var j judgement
	j.guard(func() { r.judge(o, &j) })
	result.Checks = j.checks
	result.Findings = append(result.Findings, j.findings...)
	spoiled := j.spoiled || r.needs == answers && o.incomplete()
	result.Passed = len(j.findings) == 0 && (j.checks > 0 || !spoiled)
	return result
}

// guard keeps a Spec or an outcome that cannot even be looked at from ending the
// suite.
func (j *judgement) guard(look func()) {
	defer func() {
		if p := recover(); p != nil {
			j.fail("Spec and outcomes", fmt.Sprintf("judging them panicked: %v", p), "a Spec and outcomes that fit each other")
		}
	}()
	look()
}
