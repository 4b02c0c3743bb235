package text

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// CodeLengthMismatch rejects lists of different lengths.
const CodeLengthMismatch = "LENGTH_MISMATCH"

// Engine computes a document: rules, ranges, definitions, checks that reject, results, and then warnings and
// assumptions. Results are the binary64 numbers nearest to the exact ones. An Engine is safe for concurrent
// use, except for a function of [Engine.Repeat].
type Engine struct {
	document *Document
	spec     sdk.Spec
	text     *formula.Text
	symbols  []string // of the inputs
	results  []int    // of the outputs: indexes of outcomes, or below 0 of inputs
	derived  []derived
	formulas []ofFormula
	rules    []rule
	lookups  []lookup

	calculations []*calculation // that the formula can call
	calls        []call
	nest         int // calculations that call one another
	allSteps     int // with the steps within them

	outcomes []string         // names of definitions
	program  *formula.Program // of all outcomes, and later the values in texts of checks
	count    int              // of outcomes
	fast     bool             // the program has a fast path
	isMutant bool             // texts of checks have no values
	vectors  []boundVector
	rows     []Vector         // of the file of vectors
	checks   []*check         // checks of what is sent come first
	sent     *formula.Program // of the conditions that decide about what is sent
	ofSent   int              // how many they are

	drawings []*drawing
	draw     func(context.Context, string, *sdk.Outcome) (*sdk.Figure, error) // of the plots that are not in the document
}

// derived is an input whose default is the formula.
type derived struct{ input, outcome int }

// ofFormula is a definition with cases that belong to formulas.
type ofFormula struct {
	*formula.Definition
	outcome int
}

// check is a check with its texts.
type check struct {
	*Check
	holds            string       // name of the definition of its condition
	outcome          int          // of the condition
	field            string       // of a rejection
	severity         sdk.Severity // of a warning
	text, suggestion message
}

// rule is a rule with the indexes of its inputs.
type rule struct {
	*Rule
	inputs []int
}

// Spec implements [sdk.Engine].
func (e *Engine) Spec() sdk.Spec { return e.spec }

// Calculate implements [sdk.Engine].
func (e *Engine) Calculate(ctx context.Context, in value.Values) (sdk.Outcome, error) {
	a := e.newAnswer()
	defer a.evaluation.Close()
	o, err := a.calculate(ctx, in)
	if err != nil {
		return sdk.Outcome{}, err
	}
	return *o, nil
}

// Repeat implements [sdk.Repeater].
func (e *Engine) Repeat() func(context.Context, value.Values) (*sdk.Outcome, error) {
	return e.newAnswer().calculate
}

// answer is one calculation with its memory, which the next one uses again.
type answer struct {
	engine     *Engine
	evaluation *formula.Evaluation
	in         value.Values
	all        []formula.Outcome

	result, inputs value.Values
	outcome        sdk.Outcome
	notes          []*check // whose texts belong to the outcome
	messages       messages
	shown          Shown // nil: texts have the units of the document
}

func (e *Engine) newAnswer() *answer {
	a := &answer{engine: e, evaluation: e.program.Evaluation(), all: make([]formula.Outcome, e.count), result: make(value.Values, len(e.results))}
	if len(e.derived) > 0 {
		a.inputs = make(value.Values, len(e.spec.Inputs))
	}
	return a
}

// calculate computes the outcome of some inputs.
func (a *answer) calculate(ctx context.Context, in value.Values) (*sdk.Outcome, error) {
	o, _, err := a.calculateWithin(ctx, in, formula.MaxWork)
	return o, err
}

// calculateWithin is calculate with at most so much work. It returns the rest.
func (a *answer) calculateWithin(ctx context.Context, in value.Values, most int) (o *sdk.Outcome, rest int, err error) {
	defer func() {
		if p := recover(); p != nil {
			o, err = nil, fmt.Errorf("the evaluation failed: %v", p)
		}
	}()
	err = ctx.Err()
	if err != nil {
		return nil, most, err
	}
	e := a.engine
	a.in = in
	for i := range e.rules {
		rejection := e.rules[i].broken(&e.spec, in)
		if rejection != nil {
			return nil, most, rejection
		}
	}
	err = e.spec.CheckRanges(in, in)
	if err != nil {
		return nil, most, cmp.Or(e.rejectSent(a), err)
	}
	_, rest = a.evaluation.EvaluateWithin(a.all, in, most)
	err = e.reject(a)
	if err == nil {
		err = e.failedStep(a)
	}
	if err == nil {
		err = a.finish()
	}
	if err != nil {
		return nil, rest, err
	}
	return &a.outcome, rest, nil
}

// finish makes the outcome of the values of all definitions.
func (a *answer) finish() error {
	e, o := a.engine, &a.outcome
	clear(a.result)
	*o = sdk.Outcome{Result: a.result, Inputs: a.in, Assumptions: o.Assumptions[:0], Warnings: o.Warnings[:0]}
	var open error // of the first result that is not decided
	for i := range e.results {
		err := e.result(o, i, a)
		switch {
		case err == nil:
		case e.results[i] >= 0 && a.all[e.results[i]].State == formula.Undecided:
			open = cmp.Or(open, err)
		default:
			return err
		}
	}
	if len(e.derived) > 0 {
		copy(a.inputs, a.in)
		o.Inputs = a.inputs
	}
	for _, d := range e.derived {
		v := a.all[d.outcome].Value
		if o.Inputs[d.input].Kind() == value.Absent && finite(v) { // no result needs an infinite one
			o.Inputs[d.input] = v
		}
	}
	o.Formula = e.formula(a)
	err := cmp.Or(e.spec.Finish(a.in, o), open, e.notes(o, a)) // a number beyond binary64 decides over what is not known
	e.addSteps(o, a)
	return err
}

// formula returns the id of the formula that the case of an output belongs to.
func (e *Engine) formula(a *answer) string {
	for _, f := range e.formulas {
		at := a.all[f.outcome].Case
		if at >= 0 && f.Cases[at].ID != "" {
			return f.Cases[at].ID
		}
	}
	return ""
}

// isOfSent reports whether a check decides about which inputs are sent together. It comes before the ranges.
func (c *check) isOfSent() bool {
	return c.Kind == Reject && (c.Code.Text == sdk.CodeMissingRequiredInput || c.Code.Text == sdk.CodeConflictingInputs)
}

// rejectSent returns the rejection of the first check of what is sent that holds, for inputs outside of their ranges.
// A condition that cannot be computed for them does not hold.
func (e *Engine) rejectSent(a *answer) error {
	if e.ofSent == 0 {
		return nil
	}
	holds := make([]formula.Outcome, e.ofSent)
	e.sent.Evaluate(holds, a.in)
	for i := range holds {
		if holds[i].Value.Bool() {
			a.evaluation.Evaluate(a.all, a.in) // for the values in its texts
			return a.rejection(e.checks[i])
		}
	}
	return nil
}

// rejection returns the rejection of a check.
func (a *answer) rejection(c *check) error {
	a.messages.reset()
	a.write(c)
	a.messages.end()
	rejection := sdk.Reject(c.Code.Text, c.field, "%s", a.messages.next(&c.text))
	return rejection.Suggest(a.messages.next(&c.suggestion))
}

// reject returns the rejection of the first check whose condition holds. A condition without a value does not hold,
// unless it cannot be computed.
func (e *Engine) reject(a *answer) error {
	for _, c := range e.checks {
		if c.Kind != Reject {
			continue
		}
		v := &a.all[c.outcome]
		switch {
		case v.Value.Bool():
			return a.rejection(c)
		case v.State == formula.Fault || v.State == formula.Undecided:
			return e.unknown(v, c.holds, c.Condition.Text)
		}
	}
	return nil
}

// unknown returns the rejection of inputs for which a value cannot be computed, or cannot be decided.
func (e *Engine) unknown(v *formula.Outcome, name, what string) error {
	if v.Cause != nil {
		return e.stepRejection(v.Cause)
	}
	code, suggestion, why := sdk.CodeUndefined, "Give other inputs.", v.Why
	field := e.inputOf(name)
	if v.State == formula.Undecided {
		code, suggestion = sdk.CodeUndecided, "Give slightly different inputs."
	}
	if v.Most != "" {
		field, suggestion = e.toReduce(v.Most, field)
		why += ". Most of the work is for " + e.nameOf(v.Most)
	}
	return sdk.Reject(code, field, "%s has no value for these inputs: %s", what, why).Suggest(suggestion)
}

// inputOf returns the name of the first input that a definition depends on.
func (e *Engine) inputOf(name string) string {
	return e.firstOf(e.text.Sent([]string{name}, nil).Needed)
}

// firstOf returns the name of the first input with one of some symbols.
func (e *Engine) firstOf(symbols []string) string {
	for i, symbol := range e.symbols {
		if slices.Contains(symbols, symbol) {
			return e.spec.Inputs[i].Name
		}
	}
	return ""
}

// toReduce returns the input that callers can change so that a definition takes less work, and what to send. The input
// is otherwise if no input determines how often the definition repeats a computation.
func (e *Engine) toReduce(definition, otherwise string) (field, suggestion string) {
	field = e.firstOf(e.text.Repeats(definition))
	switch {
	case field == "" && otherwise == "":
		return "", "Give other inputs."
	case field == "":
		return otherwise, "Give another value of " + otherwise + ", such as one with fewer digits."
	case e.spec.Inputs[e.spec.Input(field)].Type == sdk.TypeArray:
		return field, "Give fewer items in " + field + "."
	}
	return field, "Give a smaller value of " + field + "."
}

// nameOf returns the name of a definition, or of a condition, for people.
func (e *Engine) nameOf(definition string) string {
	for _, c := range e.checks {
		if c.holds == definition {
			return "the condition " + c.Condition.Text
		}
	}
	return definition
}

// result sets an output.
func (e *Engine) result(o *sdk.Outcome, i int, a *answer) error {
	f, at := &e.spec.Outputs[i], e.results[i]
	if at < 0 { // an input that is also an output, and has no definition
		o.Result[i] = a.in[-1-at]
		return nil
	}
	v := &a.all[at]
	switch v.State {
	case formula.Fault, formula.Undecided:
		return e.unknown(v, e.document.Outputs[i].Symbol.Text, f.Name)
	case formula.Absent:
		if !f.Required {
			return nil
		}
		noValue := fmt.Errorf("the document gives no value for the output %s, which is not marked by ?", f.Name)
		return cmp.Or(e.noRow(e.document.Outputs[i].Symbol.Text), noValue)
	}
	if v.Vanishes {
		o.Warnings = append(o.Warnings, underflow(f.Name))
	}
	o.Result[i] = v.Value
	if !finite(o.Result[i]) {
		return nil // Finish rejects it
	}
	return sdk.CheckValues(e.spec.Outputs[i:i+1], o.Result[i:i+1])
}

// finite reports whether all numbers of a value are within binary64.
func finite(v value.Value) bool {
	return !math.IsInf(v.Number(), 0) && !slices.ContainsFunc(v.Items(), func(item value.Value) bool { return !finite(item) })
}

// underflow returns the warning of a result that is not 0, and rounds to 0.
func underflow(name string) sdk.Warning {
	return sdk.Warning{
		Code: sdk.WarnResultUnderflow, Severity: sdk.Caution,
		Detail:     name + " is not zero but smaller than any binary64 number, and was rounded to zero.",
		Suggestion: "Use inputs of larger magnitude if the value matters.",
	}
}

// notes adds the warnings and assumptions whose conditions hold.
func (e *Engine) notes(o *sdk.Outcome, a *answer) error {
	a.notes = a.notes[:0]
	a.messages.reset()
	for _, c := range e.checks {
		if c.Kind == Reject {
			continue
		}
		v := &a.all[c.outcome]
		switch {
		case v.State == formula.Fault || v.State == formula.Undecided:
			return e.unknown(v, c.holds, c.Condition.Text)
		case v.Value.Bool():
			a.notes = append(a.notes, c)
			a.write(c)
		}
	}
	a.messages.end()
	for _, c := range a.notes {
		text, suggestion := a.messages.next(&c.text), a.messages.next(&c.suggestion)
		if c.Kind == Assume {
			o.Assumptions = append(o.Assumptions, text)
		} else {
			o.Warnings = append(o.Warnings, sdk.Warning{Code: c.Code.Text, Severity: c.severity, Detail: text, Suggestion: suggestion})
		}
	}
	return nil
}

// broken returns the rejection of inputs that break the rule, or nil.
func (r *rule) broken(spec *sdk.Spec, in value.Values) *sdk.Error {
	n := 0
	for _, at := range r.inputs {
		if in[at].Kind() != value.Absent {
			n++
		}
	}
	switch r.Kind {
	case Exactly, AtLeast, AtMost:
		if n < r.Count && r.Kind != AtMost || n > r.Count && r.Kind != AtLeast {
			return r.count(spec, in)
		}
		return nil
	case SameLength:
		return r.lengths(spec, in)
	}
	if in[r.inputs[0]].Kind() == value.Absent {
		return nil
	}
	subject := spec.Inputs[r.inputs[0]].Name
	for _, at := range r.inputs[1:] {
		name, isSent := spec.Inputs[at].Name, in[at].Kind() != value.Absent
		if r.Kind == Needs && !isSent {
			return sdk.Missing(name, "%s is needed with %s", name, subject)
		}
		if r.Kind == Excludes && isSent {
			return sdk.Conflict(name, "%s cannot be combined with %s", name, subject).Suggest("Leave out one of them.")
		}
	}
	return nil
}

// count returns the rejection of too few or too many inputs.
func (r *rule) count(spec *sdk.Spec, in value.Values) *sdk.Error {
	var all, sent, absent []string
	for _, at := range r.inputs {
		name := spec.Inputs[at].Name
		all = append(all, name)
		if in[at].Kind() == value.Absent {
			absent = append(absent, name)
		} else {
			sent = append(sent, name)
		}
	}
	last := len(all) - 1
	wanted := fmt.Sprintf("%s %s of %s and %s", r.Kind, numeral(r.Count), strings.Join(all[:last], ", "), all[last])
	given := "none is given"
	switch len(sent) {
	case 0:
	case 1:
		given = "only " + sent[0] + " is given"
	default:
		given = strings.Join(sent, ", ") + " are given"
	}
	text, constraint := "the calculation needs "+wanted+", and "+given, "give "+wanted
	if len(sent) < r.Count {
		e := sdk.Missing(absent[0], "%s", text).Suggest(fmt.Sprintf("Give %s of %s.", numeral(r.Count-len(sent)), strings.Join(absent, ", ")))
		return listed(e, absent, constraint)
	}
	e := sdk.Conflict(sent[r.Count], "%s", text).Suggest(fmt.Sprintf("Leave out %s of %s.", numeral(len(sent)-r.Count), strings.Join(sent, ", ")))
	return listed(e, sent, constraint)
}

// lengths returns the rejection of lists of different lengths, or nil.
func (r *rule) lengths(spec *sdk.Spec, in value.Values) *sdk.Error {
	first := -1
	for _, at := range r.inputs {
		switch {
		case in[at].Kind() != value.List:
		case first < 0:
			first = at
		case len(in[at].Items()) != len(in[first].Items()):
			a, b := spec.Inputs[first].Name, spec.Inputs[at].Name
			return sdk.Reject(CodeLengthMismatch, b, "%s has %d items, and %s %d", b, len(in[at].Items()), a, len(in[first].Items())).
				Suggest("Give lists of the same length.")
		}
	}
	return nil
}

func listed(e *sdk.Error, names []string, constraint string) *sdk.Error {
	for _, name := range names {
		e.Invalid = append(e.Invalid, sdk.InvalidParameter{Name: name, Constraint: constraint})
	}
	return e
}

// numeral is a small number as a word.
func numeral(n int) string {
	words := []string{"none", "one", "two", "three", "four"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// Fast reports whether the fast path decides the outcome for the inputs. Otherwise the exact evaluator does.
func (e *Engine) Fast(in value.Values) bool {
	return e.program.Evaluate(make([]formula.Outcome, e.count), in)
}
