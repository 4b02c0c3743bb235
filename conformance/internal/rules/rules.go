// Package rules judges by the observations whether an engine keeps each rule. Use [Judge] to get
// the report.
//
// The table judges has one entry for each rule of every set. To follow a rule, read its entry and
// the function that the entry names. The function reads fields of [observe.Seen]. The comments of
// these fields describe the calls.
package rules

import (
	"fmt"

	"github.com/slipstick/slipstick/sdk/verification"
)

// judge describes how one rule is applied. The wording of the rule is in package requirements.
// A rule is applied only if its evidence exists; otherwise every rule would report the same
// fault.
type judge struct {
	needs need
	after []string // rules whose failure makes this one pointless
	none  string   // reason if there is nothing to check; "" if there is always something
	look  func(*evidence, *judgement)

	ofDocument bool // it does not apply to other engines
}

// need is the evidence that a rule requires. From carried on, each need includes the earlier
// ones; answers and generated include aSpec.
type need uint8

const (
	none      need = iota
	aSpec          // an instance that described itself
	carried        // vectors, readable or not
	vectors        // vectors that can be read
	answers        // answers to vectors
	generated      // answers to generated requests
)

// needsEngine reports whether the evidence requires a running engine.
func (o *evidence) needsEngine(n need) bool {
	return n != carried && n != vectors || o.Unread
}

// missing explains which part of the needed evidence does not exist. It is "" if nothing is
// missing.
func (o *evidence) missing(n need) string {
	switch {
	case (n == aSpec || n >= answers) && o.Spec == nil:
		return "no instance described itself: see starts"
	case n >= carried && o.Unread:
		return "the engine carries its vectors, and did not start: see starts"
	case n >= vectors && o.VectorsErr != nil:
		return "the vectors could not be read: see vectors-parse"
	case n == generated && len(o.Generated.Cases) == 0:
		return "no request could be made: it takes a valid Spec, and a vector that is answered with a result"
	}
	return ""
}

// Rules that make rules about generated requests pointless if they fail. Legal are rules about
// the form of an answer; readings are rules about how a request is read.
var (
	legal    = []string{"finite", "outcome-valid", "output-schema", "declared-errors", "declared-warnings"}
	readings = []string{"vectors-rejections", "determinism", "generated-determinism"}
)

// numbers are rules that make rules about the Definition pointless if they fail. The engine
// then computes something that its author did not intend, or not always the same.
var numbers = []string{"vectors-results", "vectors-rejections", "determinism", "generated-determinism"}

// judges has an entry for every rule of every set.
var judges = map[string]judge{
	"starts":              {look: judgeStarts},
	"spec-valid":          {needs: aSpec, look: judgeSpec},
	"capability-id":       {needs: aSpec, look: judgeCapability},
	"calculation-version": {needs: aSpec, look: judgeVersion},
	"reserved-names":      {needs: aSpec, look: judgeReservedNames, none: "it has no inputs"},
	"units-known":         {needs: aSpec, look: judgeUnits, none: "no input has a unit"},
	"units-coherent":      {needs: aSpec, look: judgeCoherent, none: "contract 1.0.0 left units to the engine, or no field has one"},
	"constants":           {needs: aSpec, look: judgeConstants},

	"texts-own":          {needs: aSpec, look: judgeOwn, none: "contract 1.0.0 left texts to the engine, or it is a draft of version 0.x"},
	"references-present": {needs: aSpec, look: judgeReferences, none: leftToEngines},
	"keywords-present":   {needs: aSpec, look: judgeKeywords, none: leftToEngines},
	"sentences":          {needs: answers, look: judgeSentences, none: leftToEngines},
	"latex-parses":       {needs: aSpec, look: judgeLaTeX, none: leftToEngines + ", or nothing is written in it"},

	"tier-known":               {needs: aSpec, look: judgeTier},
	"tier-engine-tested":       judgeClaimOf(verification.EngineTested),
	"tier-internally-reviewed": judgeClaimOf(verification.InternallyReviewed),
	"tier-expert-verified":     judgeClaimOf(verification.ExpertVerified),

	"vectors-parse":      {needs: carried, look: judgeParse},
	"vectors-present":    {needs: vectors, look: judgePresence},
	"vectors-results":    {needs: answers, look: eachVector(judgeResult), none: "no vector expects a result"},
	"vectors-rejections": {needs: answers, look: eachVector(judgeRejection), none: "no vector expects a rejection"},

	"output-schema":     {needs: answers, look: judgeSchema, none: "no vector is answered with a result"},
	"outcome-valid":     {needs: answers, look: judgeOutcomes, none: "no vector is answered with a result"},
	"finite":            {needs: answers, look: judgeFinite, none: "no result has a number"},
	"declared-errors":   {needs: answers, look: judgeErrors, none: "the Spec declares no error codes, and no vector is rejected"},
	"declared-warnings": {needs: answers, look: judgeWarnings, none: "the Spec declares no warnings, and none is given"},
	"failures":          {needs: answers, look: judgeFailures, none: "there are no vectors"},
	"plots":             {needs: answers, look: judgePlots, none: "the Spec declares no plots"},
	"determinism":       {needs: answers, look: judgeDeterminism, none: "no vector reaches the engine"},
	"concurrency":       {needs: answers, look: judgeConcurrency, none: "no vector reaches the engine"},
	"deadline":          {needs: answers, look: judgeDeadline, none: "there are no vectors"},

	"generated-answers":     {needs: generated, after: []string{"failures", "deadline"}, look: eachCase(judgeCaseAnswer)},
	"generated-outcomes":    {needs: generated, after: legal, look: eachCase(judgeCaseOutcome)},
	"generated-determinism": {needs: generated, after: []string{"determinism"}, look: eachCase(rejudgeCase)},
	"ranges":                {needs: generated, after: readings, look: eachCase(judgeCaseRange), none: "no number has a range"},
	"ranges-inside":         {needs: generated, after: readings, look: eachCase(judgeCaseInside), none: "contract 1.0.0 left them to the engine, or no field inside a list or an object has a range"},
	"requests":              {needs: generated, after: readings, look: judgeRequests},
	"aliases":               {needs: generated, after: readings, look: eachCase(judgeAlias), none: "no input has another name, and no enum value another spelling"},
	"conversions":           {needs: generated, after: readings, look: eachCase(judgeConversion), none: "no input has a unit that others convert to"},
	"decimal-strings":       {needs: generated, after: readings, look: eachCase(judgeDecimal), none: "no input takes decimal strings"},

	"formula-present":  {needs: aSpec, look: judgeDefined, none: "contract 1.0.0 knows no Definition, or no output is a number"},
	"formula-values":   {needs: answers, after: numbers, look: eachOutput(judgeFormulaValue), none: noDefinition},
	"formula-presence": {needs: answers, after: numbers, look: eachOutput(judgeFormulaPresence), none: noDefinition},
	"formula-faults":   {needs: answers, after: numbers, look: eachOutput(judgeFormulaFault), none: noDefinition},
	"formula-branch":   {needs: answers, after: numbers, look: eachWorked(judgeFormulaBranch), none: "no case of a Definition has the id of a formula"},
	"formula-coverage": {needs: answers, after: numbers, look: judgeFormulaCoverage, none: noDefinition},
	"formula-proved":   {needs: answers, after: numbers, look: judgeFormulaProved, none: noDefinition},

	"document-same":    {ofDocument: true, needs: answers, look: judgeDocumentSame, none: noDocument},
	"document-decided": {ofDocument: true, needs: generated, look: eachDocument(judgeDocumentDecided), none: noDocument},
	"document-sources": {ofDocument: true, needs: answers, look: eachVector(judgeDocumentSource), none: noDocument},
	"document-reached": {ofDocument: true, needs: answers, after: numbers, look: eachDocument(judgeDocumentReached), none: noDocument + ", or it has no checks, rules and words"},
	"document-checks":  {ofDocument: true, needs: answers, after: numbers, look: eachDocument(judgeDocumentChecks), none: noDocument + ", or it has no checks"},
	"document-mutants": {ofDocument: true, needs: generated, after: numbers, look: eachDocument(judgeDocumentMutants), none: noDocument},
	"document-cells":   {ofDocument: true, needs: generated, after: numbers, look: eachDocument(judgeDocumentCells), none: noDocument + ", or it has no tables"},
}

const leftToEngines = "contract 1.0.0 left it to the engine"

const noDefinition = "it has no Definition"

// judgeClaimOf returns the judge of a claim to the tier.
func judgeClaimOf(t verification.Tier) judge {
	return judge{needs: aSpec, none: fmt.Sprintf("it does not claim %s", t),
		look: func(o *evidence, j *judgement) { judgeClaim(t, o, j) }}
}
