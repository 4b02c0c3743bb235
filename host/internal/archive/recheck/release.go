package recheck

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/slipstick/slipstick/conformance"
	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/conformance/proof"
	"github.com/slipstick/slipstick/conformance/vector"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/record"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	documents "github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// state is the state of a release that differs.
type state struct {
	since    time.Time
	why      string
	cases    [][]byte // calculations that differed
	agreeing int      // consecutive rounds that agreed
}

// Kinds of checks.
const (
	again   = "again"   // another process recomputed the calculation
	formula = "formula" // the published formula was evaluated
	vectors = "vectors" // a reference vector was computed
)

// Results of checks.
const (
	agrees  = "agrees"
	differs = "differs"
	failed  = "failed" // the engine gave no result
)

// releaseCheck is one check of one release.
type releaseCheck struct {
	checker *Checker
	release *catalog.Release
	texts   [][]byte // calculations that are due
	cases   [][]byte // calculations that differed before
	vectors bool     // the vectors are due

	judge    *proof.Judge  // nil if there is no formula
	worked   time.Duration // time spent on evaluating the formula
	comparer *compare.Comparer

	found  [][]byte // calculations that differ now
	why    string   // the first difference
	lines  int      // log lines so far
	failed bool     // a calculation or vector had no result
}

// run does all checks of the release.
func (v *releaseCheck) run(ctx context.Context) {
	spec := &v.release.Spec
	if text, err := documents.Formula(spec); err == nil && text != nil {
		v.judge = proof.New(spec, text)
	}
	v.comparer = compare.New(spec, spec)
	v.recompute(ctx)
	if v.vectors {
		v.checkVectors(ctx)
	}
}

// sample is a kept calculation that is recomputed.
type sample struct {
	text    []byte
	inputs  value.Values
	was     record.Outcome
	differs bool // it is known to differ
}

// samples returns the calculations to recompute, in another order than the first time.
func (v *releaseCheck) samples() []sample {
	list := make([]sample, 0, len(v.cases)+len(v.texts))
	for i, text := range slices.Concat(v.cases, v.texts) {
		inputs, was, err := record.ParseCalculation(text)
		if err != nil {
			panic(err) // this package wrote it
		}
		list = append(list, sample{text, inputs, was, i < len(v.cases)})
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// recompute recomputes the calculations, and compares the outcomes.
func (v *releaseCheck) recompute(ctx context.Context) {
	list := v.samples()
	rows := make([]value.Values, len(list))
	for i := range list {
		rows[i] = list[i].inputs
	}
	now, err := v.checker.service.RecomputeAll(ctx, v.release, rows)
	if err != nil {
		v.failed = true
		return
	}
	for i := range now {
		if one := &list[i]; one.differs {
			v.compareDiffering(one, &now[i])
		} else if !v.compare(one, &now[i]) {
			v.found = append(v.found, one.text)
		}
	}
}

// compare compares a calculation with its recomputed outcome, and both with the formula. It reports
// whether all agree.
func (v *releaseCheck) compare(one *sample, now *calc.Recomputed) bool {
	right := v.worked > maxWorked || v.judged(one.inputs, &one.was)
	switch {
	case now.Err != nil:
		v.fail()
		return right
	case v.comparer.Compare(&one.was, &now.Outcome) == nil:
		v.count(again, agrees)
		return right
	}
	v.changed(one, now)
	v.judged(one.inputs, &now.Outcome)
	return false
}

// compareDiffering compares a calculation that is known to differ. The calculation agrees if its
// new outcome equals the first one. It also agrees if only the new outcome agrees with the formula.
func (v *releaseCheck) compareDiffering(one *sample, now *calc.Recomputed) {
	if now.Err != nil {
		v.fail()
		return
	}
	right := v.judged(one.inputs, &now.Outcome)
	switch {
	case v.comparer.Compare(&one.was, &now.Outcome) == nil, right && v.contradiction(one.inputs, &one.was) != nil:
		v.count(again, agrees)
	default:
		v.changed(one, now)
	}
}

func (v *releaseCheck) fail() {
	v.failed = true
	v.count(again, failed)
}

// changed reports two different outcomes of the same inputs.
func (v *releaseCheck) changed(one *sample, now *calc.Recomputed) {
	v.count(again, differs)
	v.report(again, "an engine computed another outcome from the same inputs", "two processes computed different outcomes from the same inputs",
		"inputs", v.inputs(one.inputs), "before", v.outcome(&one.was), "now", v.outcome(&now.Outcome))
}

// judged compares an outcome with the formula, and reports whether they agree.
func (v *releaseCheck) judged(inputs value.Values, o *record.Outcome) bool {
	if v.judge == nil || o.Code != "" {
		return true
	}
	d := v.contradiction(inputs, o)
	if d == nil {
		v.count(formula, agrees)
		return true
	}
	v.count(formula, differs)
	v.report(formula, "the result of an engine contradicts the published formula", "a result contradicts the published formula",
		"inputs", v.inputs(inputs), "result", v.outcome(o), "difference", d.Text(o.Result))
	return false
}

// contradiction returns the first output that differs from the formula, nil if there is none.
func (v *releaseCheck) contradiction(inputs value.Values, o *record.Outcome) *proof.Difference {
	if v.judge == nil || o.Code != "" {
		return nil
	}
	started := time.Now()
	list := v.judge.Differences(v.judge.Work(inputs, o.Result), inputs, o.Result)
	v.worked += time.Since(started)
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// checkVectors computes the reference vectors.
func (v *releaseCheck) checkVectors(ctx context.Context) {
	content, err := v.release.Content()
	if err != nil || content.Vectors == nil {
		return
	}
	list, err := vector.Parse(content.Vectors)
	if err != nil {
		return // the release was published before this version of the format
	}
	if len(list) > maxVectors {
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:maxVectors]
	}
	engine := one{v.checker.engines, v.release}
	answered, findings := conformance.Vectors(ctx, engine, &v.release.Spec, list, maxTime/2)
	different := map[string]bool{}
	for _, f := range findings {
		different[f.Subject.Vector] = true
		v.report(vectors, "the result of an engine contradicts a reference vector", "a result contradicts a reference vector of the version",
			"vector", f.Subject.Vector, "path", f.Subject.Path, "found", f.Found, "want", f.Want)
	}
	v.counts(vectors, agrees, answered-len(different))
	v.counts(vectors, differs, len(different))
	v.counts(vectors, failed, len(list)-answered)
	v.failed = v.failed || answered < len(list)
}

// one is the engine of one release, for the conformance suite.
type one struct {
	engines calc.Engines
	release *catalog.Release
}

func (o one) Spec() sdk.Spec { return o.release.Spec }

func (o one) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	return o.engines.Calculate(ctx, maxTime/2, o.release, in)
}

// report logs a difference, with the command that withdraws the version. At most maxLines
// differences of a check are logged.
func (v *releaseCheck) report(check, message, why string, args ...any) {
	if v.why == "" {
		v.why = why
	}
	r := v.release
	v.lines++
	if v.lines > maxLines {
		return
	}
	args = append([]any{"capability", r.Capability, "version", r.Version, "check", check}, args...)
	v.checker.options.Log.Error(message, append(args, "withdraw", Withdraw(r.Capability, r.Version))...)
}

// Withdraw returns the command that withdraws a version.
func Withdraw(capability, version string) string {
	return fmt.Sprintf(`slipstick yank %s %s --reason "wrong numbers"`, capability, version)
}

// inputs returns the inputs as JSON for the log.
func (v *releaseCheck) inputs(inputs value.Values) string {
	if v.checker.options.Hide {
		return "not logged"
	}
	return clip(response.AppendRecord(nil, v.release.Spec.Inputs, inputs))
}

// outcome returns an outcome as JSON for the log.
func (v *releaseCheck) outcome(o *record.Outcome) string {
	if o.Code != "" {
		text, _ := json.Marshal(map[string]string{"code": o.Code, "field": o.Field})
		return clip(text)
	}
	return clip(response.AppendRecord(nil, v.release.Spec.Outputs, o.Result))
}

// clip shortens a text for the log.
func clip(text []byte) string {
	const most = 2 << 10
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

func (v *releaseCheck) count(check, result string) { v.counts(check, result, 1) }

func (v *releaseCheck) counts(check, result string, n int) {
	c := v.checker
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 {
		c.counts[count{v.release.Capability, v.release.Version, check, result}] += uint64(n)
	}
}

// differing returns the state of a release that differs, nil if it does not differ.
func (c *Checker) differing(k key) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.states[k]
}

// conclude updates the state of the release after a check.
func (c *Checker) conclude(v *releaseCheck) {
	k, r := keyOf(v.release), v.release
	c.mu.Lock()
	s := c.states[k]
	over := false
	switch {
	case v.why != "":
		if s == nil {
			s = &state{since: time.Now(), why: v.why}
			c.states[k] = s
		}
		s.agreeing = 0
		for _, text := range v.found {
			known := slices.ContainsFunc(s.cases, func(was []byte) bool { return string(was) == string(text) })
			if !known && len(s.cases) < maxCases {
				s.cases = append(s.cases, text)
			}
		}
	case s != nil && !v.failed:
		s.agreeing++
		if s.agreeing >= agreeAfter {
			over = true
			delete(c.states, k)
		}
	}
	c.mu.Unlock()
	switch {
	case v.why != "":
		c.options.Differ(r)
	case over:
		c.options.Log.Info("the results of an engine agree again", "capability", r.Capability, "version", r.Version)
	}
}
