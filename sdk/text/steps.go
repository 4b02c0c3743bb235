package text

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/enginefile"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// Step is a calculation that a document called.
type Step struct {
	Name    string        // of the definition
	Use     *sdk.Use      // which calculation
	Inputs  value.Values  // as they were sent, with their defaults
	Outcome *sdk.Outcome  // also of a step that rejected, without a result
	Rejects *sdk.Error    // why it rejected, nil if it did not
	Engine  *Engine       // that computed it
	Asked   formula.Asked // the call in the formula
}

// calculation is a calculation that a document calls by a name.
type calculation struct {
	name     string
	engine   *Engine
	defaults value.Values
}

// call is a step of a document.
type call struct {
	formula.Asked
	outcome int // of the definition
	of      *calculation
	use     int // index of the use in the Spec
}

// boundStep binds a document of a closure. It is nil if it has a mistake, which is reported at its use.
func (r *reader) boundStep(c *closure, u *Use) *Engine {
	source := c.document(u.ID.Text, u.Version.Text)
	key := source.ID + "@" + source.Version
	if e, known := c.bound[key]; known {
		return e
	}
	c.bound[key] = nil // a document that calls itself has no digest, and ends here
	e, err := bindIn(&reader{file: source.ID, lean: true}, &enginefile.Text{Document: []byte(source.Text)}, nil, c)
	if err != nil {
		r.wrong(u.ID, "%s %s next to the document has a mistake: %v", source.ID, source.Version, err)
		return nil
	}
	c.bound[key] = e
	return e
}

// boundPublished binds the document of a Spec in a Spec.
func (r *reader) boundPublished(u *Use, s *sdk.Spec) *Engine {
	if s == nil {
		r.wrong(u.ID, "the description of the engine lacks the calculation")
		return nil
	}
	e, err := BindPublished(s)
	if err != nil {
		r.wrong(u.ID, "%v", err)
	}
	return e
}

// addCalculation adds a calculation that the document calls.
func (r *reader) addCalculation(e *Engine, of *sdk.Use, step *Engine) {
	if step == nil {
		return // reported
	}
	of.Title, of.Spec = step.spec.Title, &step.spec
	c := &calculation{name: of.Name, engine: step}
	for i := range step.spec.Inputs {
		v, _ := step.spec.Inputs[i].DefaultValue() // Validate has checked it
		c.defaults = append(c.defaults, v)
	}
	e.calculations = append(e.calculations, c)
	e.nest = max(e.nest, step.nest+1)
	if e.nest > sdk.MaxNest {
		u := &e.document.Uses[len(e.spec.Uses)]
		r.wrong(u.ID, "more than %d calculations call one another", sdk.MaxNest)
	}
}

// callees returns the calculations for the formula.
func (e *Engine) callees() (list []formula.Callee) {
	for _, c := range e.calculations {
		of := c.engine.spec.Callee(c.name)
		of.Start = func() formula.Caller {
			return &caller{of: c, answer: c.engine.newAnswer(), inputs: make(value.Values, len(c.defaults))}
		}
		list = append(list, of)
	}
	return list
}

// complete gives a text of the document what its names mean: tables and calculations.
func (e *Engine) complete(text *formula.Text) (*formula.Text, error) {
	text, err := text.WithTables(e.spec.Tables)
	if err != nil {
		return nil, err
	}
	return text.WithCallees(e.callees()).OfDocument(!e.document.Binary64), nil
}

// steps collects the calls of the formula.
func (r *reader) steps(e *Engine, outcome func(name string) int) {
	for _, asked := range e.text.Calls() {
		at := slices.IndexFunc(e.calculations, func(c *calculation) bool { return c.name == asked.Callee })
		use := slices.IndexFunc(e.spec.Uses, func(u sdk.Use) bool { return u.Name == asked.Callee })
		of := e.calculations[at]
		e.calls = append(e.calls, call{asked, outcome(asked.Definition), of, use})
		e.allSteps += 1 + of.engine.allSteps
	}
	if e.allSteps > formula.MaxAsks {
		r.report(e.document.Formula.Place, 1, "the document has %d steps, with the steps within them: at most %d", e.allSteps, formula.MaxAsks)
	}
}

// unitsBy reports numbers whose unit depends on an input of the step. The same input of the document must decide it, or a
// word in the call.
func (r *reader) unitsBy(e *Engine, place func(*formula.Error)) {
	for i := range e.calls {
		c := &e.calls[i]
		for k := range c.of.engine.spec.Inputs {
			f := &c.of.engine.spec.Inputs[k]
			if f.UnitBy == nil || !slices.Contains(c.Fields, f.Name) {
				continue
			}
			of := e.inputAt(c, f.Name)
			isDecided := c.IsWord(f.UnitBy.Input) || !slices.Contains(c.Fields, f.UnitBy.Input)
			if of != nil && of.UnitBy != nil {
				choice := e.inputAt(c, f.UnitBy.Input)
				isDecided = choice != nil && choice.Name == of.UnitBy.Input && maps.Equal(of.UnitBy.Units, f.UnitBy.Units)
			}
			if !isDecided {
				place(c.Mistake(f.Name, "the unit of %s of %s depends on %s: give both from one input and its choice, or write %s=\"...\"", f.Name, c.Callee, f.UnitBy.Input, f.UnitBy.Input))
			}
		}
	}
}

// inputAt returns the input of the document that is an argument, nil if the argument is anything else.
func (e *Engine) inputAt(c *call, field string) *sdk.Field {
	names, alone := c.Names(field)
	if !alone {
		return nil
	}
	if at := slices.Index(e.symbols, names[0]); at >= 0 {
		return &e.spec.Inputs[at]
	}
	return nil
}

// caller computes a calculation for one step. It keeps the last outcome.
type caller struct {
	of      *calculation
	answer  *answer
	inputs  value.Values
	outcome *sdk.Outcome
	rejects *sdk.Error
}

// Call implements [formula.Caller]. An engine alone gives the same bits for the same inputs.
func (c *caller) Call(in value.Values, left int) (value.Values, int, error) {
	spec := &c.of.engine.spec
	c.outcome, c.rejects = nil, nil
	for i := range in {
		c.inputs[i] = in[i]
		if in[i].Kind() == value.Absent {
			c.inputs[i] = c.of.defaults[i]
		}
	}
	err := sdk.CheckValues(spec.Inputs, c.inputs)
	if err != nil {
		c.rejects = sdk.Reject(sdk.CodeStepRejected, "", "%v", err)
		return nil, left, c.rejects
	}
	c.outcome, left, err = c.answer.calculateWithin(context.Background(), c.inputs, left)
	if err != nil {
		c.rejects, _ = errors.AsType[*sdk.Error](err)
		return nil, left, err
	}
	return c.outcome.Result, left, nil
}

// failedStep returns the rejection of inputs for which a step rejects its own inputs, nil if none does.
func (e *Engine) failedStep(a *answer) error {
	for i := range e.calls {
		v := &a.all[e.calls[i].outcome]
		if v.Cause != nil {
			return e.stepRejection(v.Cause)
		}
	}
	return nil
}

// stepRejection returns the rejection because a step failed. It has the code of the step if callers sent the value that
// the step rejects.
func (e *Engine) stepRejection(failed *formula.CallError) error {
	c := &e.calls[slices.IndexFunc(e.calls, func(c call) bool { return c.Site == failed.Site })]
	use := &e.spec.Uses[c.use]
	rejection, ok := errors.AsType[*sdk.Error](failed.Err)
	if !ok {
		return fmt.Errorf("step %s, %s %s: %w", c.Definition, use.ID, use.Version, failed.Err)
	}
	names, alone := c.Names(rejection.Field)
	field := e.firstOf(e.text.Sent(names, nil).Needed)
	if alone && field != "" && slices.Contains(e.symbols, names[0]) && e.text.Definition(names[0]) == nil {
		return sdk.Reject(rejection.Code, field, "step %s, %s: %s", c.Definition, use.Title, rejection.Detail).Suggest(rejection.Suggestion)
	}
	return sdk.Reject(sdk.CodeStepRejected, field, "step %s, %s %s, rejects its inputs with %s: %s", c.Definition, use.Title, use.Version, rejection.Code, rejection.Detail).
		Suggest(rejection.Suggestion)
}

// addSteps adds the warnings and assumptions of steps. Steps of one calculation with the same text share a note.
func (e *Engine) addSteps(o *sdk.Outcome, a *answer) {
	var warnings, assumptions []note
	for i := range e.calls {
		c := &e.calls[i]
		of, isCalled := a.evaluation.Called(&c.Asked).(*caller)
		if !isCalled || a.all[c.outcome].State != formula.Known {
			continue
		}
		noted := of.notes(a.shown)
		for _, w := range noted.Warnings {
			warnings = with(warnings, note{[]string{c.Definition}, e.spec.Uses[c.use].Title, w})
		}
		for _, text := range noted.Assumptions {
			assumptions = with(assumptions, note{[]string{c.Definition}, e.spec.Uses[c.use].Title, sdk.Warning{Detail: text}})
		}
	}
	for _, n := range atMost(warnings, sdk.MaxNotes-len(o.Warnings), "warnings") {
		n.Detail = n.text()
		o.Warnings = append(o.Warnings, n.Warning)
	}
	for _, n := range atMost(assumptions, sdk.MaxNotes-len(o.Assumptions), "assumptions") {
		o.Assumptions = append(o.Assumptions, n.text())
	}
}

// notes returns the outcome of the last call with its notes for a reader. Without one, they are in the units of the document.
func (c *caller) notes(shown Shown) *sdk.Outcome {
	if shown == nil || len(c.outcome.Warnings)+len(c.outcome.Assumptions) == 0 {
		return c.outcome
	}
	warnings, assumptions, err := c.of.engine.Notes(context.Background(), c.inputs, formula.MaxWork, shown)
	if err != nil {
		return c.outcome
	}
	return &sdk.Outcome{Warnings: warnings, Assumptions: assumptions}
}

// note is a warning or an assumption of steps.
type note struct {
	steps []string
	title string // of their calculation
	sdk.Warning
}

// with adds a note, or its step to an equal note.
func with(list []note, n note) []note {
	for i := range list {
		if list[i].title == n.title && list[i].Warning == n.Warning {
			list[i].steps = append(list[i].steps, n.steps...)
			return list
		}
	}
	return append(list, n)
}

// atMost returns at most n notes. One that counts the others replaces the last ones.
func atMost(list []note, n int, what string) []note {
	if len(list) <= n || n < 1 {
		return list[:min(len(list), max(n, 0))]
	}
	rest := list[n-1:]
	last := rest[0]
	for _, other := range rest {
		if slices.Index(bySeverity, other.Severity) > slices.Index(bySeverity, last.Severity) {
			last.Severity = other.Severity
		}
	}
	last.steps, last.title = nil, ""
	last.Detail = fmt.Sprintf("Steps have %d more %s: calculate each step alone to see them.", len(rest), what)
	last.Suggestion = ""
	return append(slices.Clone(list[:n-1]), last)
}

// bySeverity are the severities in increasing order.
var bySeverity = []sdk.Severity{sdk.Info, sdk.Caution, sdk.Critical}

// maxNamed is how many steps a note names.
const maxNamed = 4

func (n *note) text() string {
	if len(n.steps) == 0 {
		return n.Detail
	}
	names := n.steps[:min(len(n.steps), maxNamed)]
	word := "Step "
	if len(n.steps) > 1 {
		word = "Steps "
	}
	more := ""
	if len(n.steps) > maxNamed {
		more = fmt.Sprintf(" and %d more", len(n.steps)-maxNamed)
	}
	return word + strings.Join(names, ", ") + more + ", " + n.title + ": " + n.Detail
}

// Steps computes the steps of the document for some inputs, in the order of its formula.
func (e *Engine) Steps(ctx context.Context, in value.Values) ([]Step, error) {
	list, _, err := e.StepsWithin(ctx, in, formula.MaxWork)
	return list, err
}

// StepsWithin is Steps with a limit on the work, in the units of [formula.MaxWork]. It returns the work that
// is left.
func (e *Engine) StepsWithin(ctx context.Context, in value.Values, most int) (list []Step, rest int, err error) {
	a := e.newAnswer()
	_, rest, err = a.calculateWithin(ctx, in, most)
	for i := range e.calls {
		c := &e.calls[i]
		of, isCalled := a.evaluation.Called(&c.Asked).(*caller)
		if isCalled && (a.all[c.outcome].State == formula.Known || a.all[c.outcome].Cause != nil) {
			list = append(list, Step{c.Definition, &e.spec.Uses[c.use], slices.Clone(of.inputs), of.outcome, of.rejects, of.of.engine, c.Asked})
		}
	}
	return list, rest, err
}

// Differs returns how an outcome for the inputs of the step differs from the step, "" if all bits are equal.
func (s *Step) Differs(o *sdk.Outcome, err error) string {
	if sdk.CheckValues(s.Engine.spec.Inputs, s.Inputs) != nil {
		return "" // callers cannot send these
	}
	if err != nil {
		rejection, ok := errors.AsType[*sdk.Error](err)
		if ok && s.Rejects != nil && s.Rejects.Code == rejection.Code {
			return ""
		}
		return err.Error()
	}
	if s.Rejects != nil {
		return "a result, and not " + s.Rejects.Code
	}
	for i := range o.Result {
		if !o.Result[i].Equal(s.Outcome.Result[i]) {
			return fmt.Sprintf("%s is %v, and not %v", s.Engine.spec.Outputs[i].Name, o.Result[i], s.Outcome.Result[i])
		}
	}
	return ""
}

// Formula returns the formula of a Spec, with all that its names mean. It is nil if the Spec has none.
func Formula(s *sdk.Spec) (*formula.Text, error) {
	if !slices.ContainsFunc(s.Uses, func(u sdk.Use) bool { return u.Spec != nil }) {
		return s.Text()
	}
	e, err := BindPublished(s)
	if err != nil {
		return nil, err
	}
	text, err := s.Text()
	if err != nil {
		return nil, err
	}
	return e.complete(text)
}
