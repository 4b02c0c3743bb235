package calc

import (
	"context"
	"slices"

	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/response"
	documents "github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// maxCalled is the maximum number of calculations in the steps of an answer, with the calculations that they call.
const maxCalled = formula.MaxAsks

// addCalled adds the calculations that the document of the Spec calls.
func (t *text) addCalled(spec *sdk.Spec) {
	for i := range spec.Uses {
		if u := &spec.Uses[i]; u.Spec != nil {
			if t.called == nil {
				t.called = map[string]*text{}
			}
			t.called[u.ID] = newText(u.Spec)
		}
	}
	if t.called == nil {
		return
	}
	engine, err := documents.BindPublished(spec)
	if err == nil { // [documents.Formula] has bound it
		t.engine = engine
	}
}

// AddCalled adds the calculations that a sheet called to its answer, without the other worked steps. A snapshot has
// them. AddCalled has no effect on an answer that has steps, and on a release that calls no calculation.
func (s *Service) AddCalled(a *Answer) {
	if a.stepped {
		return
	}
	a.Success.Steps = s.Called(a, formula.StepWork, nil)
	a.stepped = a.Success.Steps != nil
}

// Called returns the calculations that a sheet called, without the other worked steps. It is nil if there are none, or
// if they take more than the given work. The reader is as in [Service.Steps].
func (s *Service) Called(a *Answer, work int, reader Reader) []response.Step {
	isCall := func(u sdk.Use) bool { return u.Spec != nil }
	if a.asked == nil || !slices.ContainsFunc(a.Release.Spec.Uses, isCall) {
		return nil
	}
	t := s.now.Load().text(a.Release)
	if t.engine == nil {
		return nil
	}
	w := worker{left: work, whole: true, brief: true, reader: reader}
	return w.calledBy(t, t.engine, a.asked)
}

// worker works a calculation through, with the calculations that it calls.
type worker struct {
	left  int  // work
	whole bool // no step is missing
	count int  // calculations that were called
	brief bool // only the calls are steps

	reader Reader // nil: numbers are in the units of the Spec
}

// steps returns the steps of one calculation, and the result of its formula.
func (w *worker) steps(t *text, spec *sdk.Spec, inputs, result value.Values, given []formula.Given) ([]response.Step, *formula.Result) {
	r := t.read.EvaluateBriefly(spec.FormulaInputs(inputs), spec.FormulaOutputs(result), w.left)
	o := &formula.StepOptions{Given: given, Results: results(spec, t, result, w.reader), Units: t.unitsAt(spec)}
	if w.reader != nil {
		o.Symbols, o.Shown = t.symbols, t.shownTo(w.reader, spec)
	}
	lines, whole := formula.Steps(t.read, r, o)
	w.left, w.whole = r.Rest(), w.whole && whole
	var called []response.Step
	if t.engine != nil {
		called = w.calledBy(t, t.engine, inputs)
	}
	list := make([]response.Step, 0, len(lines))
	for i := range lines {
		line := &lines[i]
		at := slices.IndexFunc(called, func(c response.Step) bool { return c.Name == line.Name && line.Kind == formula.ComputedStep })
		switch {
		case at >= 0:
			one := called[at]
			one.Because, one.Note = line.Because, line.Note
			setText(&one)
			list = append(list, one)
			called = slices.Delete(called, at, at+1)
			continue
		case line.Kind == formula.ResultStep: // no result needs the rest of the calls
			list = append(list, called...)
			called = nil
		}
		list = append(list, response.Step{Step: *line})
	}
	return append(list, called...), r
}

// shownTo returns the units of numbers for a reader.
func (t *text) shownTo(reader Reader, spec *sdk.Spec) formula.Shown {
	fields := map[string]*sdk.Field{}
	for i := range spec.Outputs {
		fields[t.output(&spec.Outputs[i])] = &spec.Outputs[i]
	}
	for i := range spec.Inputs {
		fields[t.symbols[i].Name] = &spec.Inputs[i]
	}
	return func(name, unit string, x float64) (float64, string) {
		return reader.InFormula(spec, fields[name], unit, x)
	}
}

// calledBy returns the calculations that a document calls for some inputs, in the order of its formula.
func (w *worker) calledBy(t *text, engine *documents.Engine, inputs value.Values) (list []response.Step) {
	calls, left, err := engine.StepsWithin(context.Background(), inputs, w.left)
	w.left = left
	if err != nil {
		w.whole = false
		return nil
	}
	for i := range calls {
		if c := &calls[i]; c.Outcome != nil && w.count < maxCalled {
			w.count++
			list = append(list, w.called(t.called[c.Use.ID], c))
		} else {
			w.whole = false
		}
	}
	return list
}

// called returns the step of a called calculation, with the steps of that calculation.
func (w *worker) called(t *text, c *documents.Step) response.Step {
	all := c.Engine.Spec()
	spec := all.At(c.Inputs)
	called := &response.Called{
		Capability: c.Use.ID, Version: c.Use.Version, Title: c.Use.Title, Digest: c.Use.Digest,
		Inputs:   response.AppendRecord(nil, spec.Inputs, c.Inputs),
		Result:   response.AppendRecord(nil, spec.Outputs, c.Outcome.Result),
		Warnings: []response.Warning{},
	}
	warnings, assumptions := c.Outcome.Warnings, c.Outcome.Assumptions
	if w.reader != nil {
		warnings, assumptions = notesFor(w.reader, c.Engine, spec, c.Inputs, c.Outcome)
		spec = documents.ReadFor(spec, shownIn(w.reader, spec))
	}
	called.Assumptions = slices.Concat([]string{}, spec.Assumptions, assumptions)
	for _, one := range warnings {
		called.Warnings = append(called.Warnings, response.Warning(one))
	}
	switch {
	case t == nil || t.read == nil || w.left == 0:
		w.whole = false
	case !w.brief:
		isArgument := func(i int) bool { return slices.Contains(c.Asked.Fields, spec.Inputs[i].Name) }
		called.Steps, _ = w.steps(t, spec, c.Inputs, c.Outcome.Result, given(spec, t, c.Inputs, w.reader, isArgument))
	case t.engine != nil:
		called.Steps = w.calledBy(t, c.Engine, c.Inputs)
	}
	step := response.Step{Called: called, Step: formula.Step{
		Kind: formula.CalledStep, Name: c.Name, Rule: c.Asked.String(), Value: (&texts{spec, w.reader}).item(&sdk.Field{Fields: spec.Outputs}, value.RecordOf(c.Outcome.Result...)),
	}}
	setText(&step)
	return step
}

// setText sets the whole line of a call.
func setText(step *response.Step) {
	step.Text = step.Name + " = " + step.Rule + " = " + step.Value + ", by " + step.Called.Title + " " + step.Called.Version
	if step.Because != "" {
		step.Text += ", because " + step.Because
	}
	if step.Note != "" {
		step.Text += " (" + step.Note + ")"
	}
}
