package calc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/slipstick/slipstick/conformance/proof"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/response"
	documents "github.com/slipstick/slipstick/sdk/text"
	"github.com/slipstick/slipstick/sdk/value"
)

// text is what steps need of a release, or of a calculation that it calls. It is read once.
type text struct {
	read    *formula.Text // nil if there is none
	judge   *proof.Judge  // compares results with it
	symbols []formula.Symbol
	units   map[string]string

	engine *documents.Engine // nil if it calls no calculation
	called map[string]*text  // by the id of the calculation

	bind  sync.Once
	bound *documents.Engine // of a document, for its texts
}

// released names a release, also a copy with its texts in other units.
type released struct{ capability, version, digest string }

func (p *Publication) text(r *catalog.Release) *text {
	key := released{r.Capability, r.Version, r.Digest}
	if t, ok := p.texts.Load(key); ok {
		return t.(*text)
	}
	kept, _ := p.texts.LoadOrStore(key, newText(&r.Spec))
	return kept.(*text)
}

func newText(spec *sdk.Spec) *text {
	t := new(text)
	read, err := documents.Formula(spec)
	if err != nil || read == nil {
		return t
	}
	t.read, t.judge, t.symbols = read, proof.New(spec, read), spec.Symbols()
	t.units = read.Units(t.symbols)
	for _, s := range t.symbols {
		if s.Kind == formula.NumberField && !s.AnyUnit {
			t.units[s.Name] = s.Unit
		}
	}
	t.addCalled(spec)
	return t
}

// Reader shows the numbers of worked steps to a person.
type Reader interface {
	// InFormula returns a number of a formula in the unit of the reader. The unit is the SI unit of the number, and the
	// field is nil if the number has none. The number stays as it is if the returned unit is "".
	InFormula(spec *sdk.Spec, f *sdk.Field, unit string, x float64) (shown float64, in string)

	// Value returns a number of an input or a result in the unit of the reader.
	Value(spec *sdk.Spec, f *sdk.Field, x float64) (number, unit string)

	// InText returns a number of a text that has the unit, such as mm or K difference. The number is of the SI unit. The text
	// keeps its unit if the returned unit is "".
	InText(spec *sdk.Spec, unit string, x float64) (shown float64, in string)
}

// Notes returns the warnings and assumptions of the engine in the units of a reader. Engines that are not documents keep
// the texts of the answer, and so do documents that need more than little work.
func (s *Service) Notes(a *Answer, reader Reader) (warnings []sdk.Warning, assumptions []string) {
	return s.NotesOf(a.Release, a.asked, &a.Success.Outcome, reader)
}

// NotesOf is [Service.Notes] for the outcome of a calculation with these inputs, which are nil if they are not known.
func (s *Service) NotesOf(release *catalog.Release, inputs value.Values, o *sdk.Outcome, reader Reader) (warnings []sdk.Warning, assumptions []string) {
	spec := &release.Spec
	if inputs == nil || spec.Document == "" || len(o.Warnings)+len(o.Assumptions) == 0 {
		return o.Warnings, o.Assumptions
	}
	engine := s.now.Load().text(release).document(spec)
	if engine == nil {
		return o.Warnings, o.Assumptions
	}
	return notesFor(reader, engine, spec, inputs, o)
}

// RejectionFor returns the problem of a request with the texts of its document in the units of a reader. It is the problem
// itself if the engine has not rejected the inputs, or is not a document.
func (s *Service) RejectionFor(p *problem.Problem, req Request, reader Reader) *problem.Problem {
	resolved, err := Resolve(s.Publication(req.Pins).catalog, &req, nil)
	if !p.Rejected || err != nil {
		return p
	}
	e := &sdk.Error{Code: p.Code, Field: p.Field}
	inUnits := s.RejectionOf(resolved.Release, resolved.Inputs, e, reader)
	if inUnits == e {
		return p
	}
	shown := problem.Of(inUnits)
	shown.Receipt = p.Receipt
	return shown
}

// RejectionOf returns the rejection of the inputs with the texts of its document in the units of a reader. It is the
// rejection itself if the engine is not a document.
func (s *Service) RejectionOf(release *catalog.Release, inputs value.Values, e *sdk.Error, reader Reader) *sdk.Error {
	spec := &release.Spec
	if spec.Document == "" {
		return e
	}
	engine := s.now.Load().text(release).document(spec)
	if engine == nil {
		return e
	}
	_, _, err := engine.Notes(context.Background(), inputs, formula.LittleStepWork, shownIn(reader, spec))
	shown, rejected := errors.AsType[*sdk.Error](problem.Complete(spec, inputs, err))
	if !rejected || shown.Code != e.Code || shown.Field != e.Field {
		return e
	}
	return shown
}

// SpecFor returns a Spec with the texts of its document in the units of a reader. It is the Spec itself if no text changes.
func (s *Service) SpecFor(spec *sdk.Spec, reader Reader) *sdk.Spec {
	return documents.ReadFor(spec, shownIn(reader, spec))
}

// shownIn returns the units of the texts of a Spec for a reader.
func shownIn(reader Reader, spec *sdk.Spec) documents.Shown {
	return func(unit string, x float64) (float64, string) { return reader.InText(spec, unit, x) }
}

// notesFor returns the warnings and assumptions of an outcome in the units of a reader.
func notesFor(reader Reader, engine *documents.Engine, spec *sdk.Spec, in value.Values, o *sdk.Outcome) (warnings []sdk.Warning, assumptions []string) {
	warnings, assumptions, err := engine.Notes(context.Background(), in, formula.LittleStepWork, shownIn(reader, spec))
	sameCode := func(x, y sdk.Warning) bool { return x.Code == y.Code }
	if err != nil || len(assumptions) != len(o.Assumptions) || !slices.EqualFunc(warnings, o.Warnings, sameCode) {
		return o.Warnings, o.Assumptions
	}
	return warnings, assumptions
}

// document returns the engine of a document, nil if the Spec cannot be bound.
func (t *text) document(spec *sdk.Spec) *documents.Engine {
	t.bind.Do(func() {
		if t.engine != nil {
			t.bound = t.engine
		} else if e, err := documents.BindPublished(spec); err == nil {
			t.bound = e
		}
	})
	return t.bound
}

// AddSteps adds the worked steps of the calculation to its answer, and a warning if the formula
// gives another number than the engine. A release without a formula has a warning instead.
// Without a reader, numbers are in the units of the Spec, as in answers of the API.
func (s *Service) AddSteps(a *Answer, reader Reader) {
	a.stepped = true
	o := &a.Success.Outcome
	worked := s.Steps(a, formula.StepWork, reader)
	a.Success.Steps = worked.Steps
	o.Warnings = append(slices.Clip(o.Warnings), worked.Warnings...)
	if worked.Steps != nil {
		return
	}
	o.Warnings = append(o.Warnings, sdk.Warning{
		Code: problem.WarnStepsUnavailable, Severity: sdk.Info,
		Detail:     "Version " + a.Release.Version + " publishes no formula that steps could be made of.",
		Suggestion: "Ask for another version, or do without steps: the result is not affected.",
	})
}

// Worked is a calculation that was worked through by the formula of its release.
type Worked struct {
	Steps    []response.Step // nil if the release has no formula that they could be made of
	Whole    bool            // no step is missing
	Warnings []sdk.Warning   // one for each output that differs from what the formula gives
}

// Steps works the calculation through. The steps are complete unless they take more than the given work: see
// [formula.StepWork] and [formula.LittleStepWork]. Without a reader, numbers are in the units of the Spec.
func (s *Service) Steps(a *Answer, work int, reader Reader) Worked {
	t := s.now.Load().text(a.Release)
	if t.read == nil || a.asked == nil {
		return Worked{Whole: true}
	}
	spec, result := a.Release.Spec.At(a.asked), a.Success.Outcome.Result
	w := worker{left: work, whole: true, reader: reader}
	steps, r := w.steps(t, spec, a.asked, result, a.given(spec, t, reader))
	return Worked{steps, w.whole, differing(t.judge.Differences(r, a.asked, result), result)}
}

// differing returns a warning for each output that differs from the formula.
func differing(list []proof.Difference, result value.Values) (warnings []sdk.Warning) {
	for i := range list {
		d := &list[i]
		warnings = append(warnings, sdk.Warning{
			Code: problem.WarnFormulaDiffers, Severity: sdk.Critical, Detail: d.Text(result) + ".",
			Suggestion: "Do not use this result. Report the inputs to the operator of the service, who can withdraw this version.",
		})
	}
	return warnings
}

// unitsAt returns the units of names, also of those whose unit depends on an input.
func (t *text) unitsAt(spec *sdk.Spec) map[string]string {
	units := maps.Clone(t.units)
	add := func(name string, f *sdk.Field) {
		if f.UnitBy != nil {
			units[name] = f.Unit
		}
	}
	for i := range spec.Inputs {
		add(t.symbols[i].Name, &spec.Inputs[i])
	}
	for i := range spec.Outputs {
		add(t.output(&spec.Outputs[i]), &spec.Outputs[i])
	}
	return units
}

// output returns the name of an output.
func (t *text) output(f *sdk.Field) string {
	for _, s := range t.symbols {
		if s.Output == f.Name {
			return s.Name
		}
	}
	return f.Name
}

// given lists the inputs as they were sent.
func (a *Answer) given(spec *sdk.Spec, t *text, reader Reader) []formula.Given {
	sent := make([]bool, len(spec.Inputs))
	for i := range a.sent.Members {
		if at := spec.Input(a.sent.Members[i].Name); at >= 0 {
			sent[at] = true
		}
	}
	list := given(spec, t, a.asked, reader, func(i int) bool { return sent[i] })
	for i := range list {
		g := &list[i]
		for _, c := range a.Success.Conversions {
			if c.Field == g.Field {
				g.Value, g.Unit = c.Literal, c.From
			}
		}
	}
	return list
}

// given lists inputs. An input that was not sent has its default.
func given(spec *sdk.Spec, t *text, inputs value.Values, reader Reader, sent func(i int) bool) (list []formula.Given) {
	for i, v := range inputs {
		if v.Kind() == value.Absent {
			continue
		}
		f := &spec.Inputs[i]
		g := formula.Given{Field: f.Name, Name: t.symbols[i].Name, Value: literal(f, v), Default: !sent(i)}
		switch {
		case v.Kind() == value.List:
			g.Value = (&texts{spec, reader}).list(f, v)
		case v.Kind() == value.Number && reader != nil:
			g.Value, g.Unit = reader.Value(spec, f, v.Number())
		}
		list = append(list, g)
	}
	return list
}

// results lists the numbers that the engine answered.
func results(spec *sdk.Spec, t *text, result value.Values, reader Reader) []formula.Figure {
	var list []formula.Figure
	for i, v := range result {
		f := &spec.Outputs[i]
		if v.Kind() != value.Number && v.Kind() != value.Exact {
			continue
		}
		one := formula.Figure{Field: f.Name, Name: t.output(f), Value: literal(f, v), Unit: f.Unit, Headline: f.Headline}
		if v.Kind() == value.Number && reader != nil {
			one.Value, one.Unit = reader.Value(spec, f, v.Number())
		}
		list = append(list, one)
	}
	return list
}

// maxItems is how many items of a list steps show.
const maxItems = 4

// texts makes texts of the values of a calculation. The reader can be nil.
type texts struct {
	spec   *sdk.Spec
	reader Reader
}

// list is a list with the unit of each number. It shows the first items of a long one.
func (t *texts) list(f *sdk.Field, v value.Value) string {
	var items []string
	for i, item := range v.Items() {
		if i == maxItems-1 && len(v.Items()) > maxItems {
			items = append(items, fmt.Sprintf("... %d items", len(v.Items())))
			break
		}
		items = append(items, t.item(f.Items, item))
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func (t *texts) item(f *sdk.Field, v value.Value) string {
	switch v.Kind() {
	case value.List:
		return t.list(f, v)
	case value.Record:
		var fields []string
		for i, one := range v.Items() {
			if one.Kind() != value.Absent {
				fields = append(fields, f.Fields[i].Name+" "+t.item(&f.Fields[i], one))
			}
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case value.Number, value.Exact:
		number, unit := literal(f, v), f.Unit
		if v.Kind() == value.Number && t.reader != nil {
			number, unit = t.reader.Value(t.spec, f, v.Number())
		}
		return strings.TrimSpace(number + " " + unit)
	}
	return literal(f, v)
}

// literal is a value as answers write it, without quotes.
func literal(f *sdk.Field, v value.Value) string {
	if v.Kind() == value.Text || v.Kind() == value.Exact {
		return v.Text()
	}
	return string(response.AppendValue(nil, f, v))
}

// Text returns the formula of a release as text, nil if it has none. Steps and the MathML of
// formulas come from it.
func (s *Service) Text(r *catalog.Release) *formula.Text { return s.now.Load().text(r).read }
