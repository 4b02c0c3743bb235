package page

import (
	"html/template"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// formulaText is a formula for people.
type formulaText struct {
	Label      string
	Expression string
	Math       template.HTML
}

// formula returns a formula of the release. It is made once for all pages.
func (p *Pages) formula(r *calc.Release, f *sdk.Formula) *formulaText {
	formulas := p.about(r).Formulas
	for i := range r.Spec.Formulas {
		if r.Spec.Formulas[i].ID == f.ID {
			return &formulas[i]
		}
	}
	return p.typeset(r, f)
}

// typeset returns a formula as MathML, if the release has its text. If not, there is only the
// expression that the engine sends.
func (p *Pages) typeset(r *calc.Release, f *sdk.Formula) *formulaText {
	shown := &formulaText{Label: f.Label, Expression: f.Expression}
	if text := p.resolved(r, f); text != nil {
		shown.Math = template.HTML(text.MathML(r.Spec.Typeset)) //nolint:gosec // every text in it is escaped
	}
	return shown
}

// resolved returns the text of a formula, nil if the release has none.
func (p *Pages) resolved(r *calc.Release, f *sdk.Formula) *formula.Text {
	text := p.service.Text(r)
	if text == nil {
		return nil
	}
	var outputs []string
	for _, s := range r.Spec.Symbols() {
		if s.Output != "" {
			outputs = append(outputs, s.Name)
		}
	}
	return text.Resolved(f.ID, outputs...)
}

// steps is a calculation worked for people to check.
type steps struct {
	Given []step // and the constants
	Lines []step
	Texts []string // of all
	More  *more    // in place of all

	Warnings []sdk.Warning // where the formula gives another number than the engine
}

// more is how steps are asked for that take much work.
type more struct {
	Link    string // on the page of a snapshot: its address with them
	Post    string // on the page of a version that is not the current one: where its form asks for them
	Version string
}

func moreSteps(a *calc.Answer, v *view) *more {
	asking := *v
	asking.Steps = true
	return &more{Link: "?" + asking.query(), Version: a.Release.Version}
}

// step is one line.
type step struct {
	Kind    formula.StepKind
	Text    string
	Name    string
	Listing *listing // of an input with rows, in place of Math
	Math    template.HTML
	Because template.HTML
	Shown   *inUnit // a result in the unit of the reader, nil if that is the one of the line
	Note    string
}

// steps returns the worked steps of an answer for its reader, nil if there are none. Unasked they are
// shown only if they take little work: a page is opened more often than its steps are read.
func (p *Pages) steps(a *calc.Answer, r *reading) *steps {
	work := formula.LittleStepWork
	if r.view.Steps {
		work = formula.StepWork
	}
	worked := p.service.Steps(a, work)
	list := worked.Steps
	warnings := warningsInWords(&a.Release.Spec, worked.Warnings)
	switch {
	case list == nil:
		return nil
	case !worked.Whole && !r.view.Steps:
		return &steps{More: moreSteps(a, r.view), Warnings: warnings}
	}
	s, typeset := &steps{Warnings: warnings}, a.Release.Spec.Typeset
	for i := range list {
		one := &list[i]
		shown := step{
			Kind: one.Kind, Text: one.Text, Name: one.Name, Note: one.Note,
			Math:    template.HTML(one.MathML(typeset)),      //nolint:gosec // every text in it is escaped
			Because: template.HTML(one.BecauseHTML(typeset)), //nolint:gosec // every text in it is escaped
		}
		if x, err := strconv.ParseFloat(one.Value, 64); err == nil && one.Kind == formula.ResultStep {
			shown.Shown = r.elsewhere(one.Field, x)
		}
		if f, v := inputOf(&a.Release.Spec, a.Success.Outcome.Inputs, one.Field); v.Kind() == value.List && one.Kind != formula.ResultStep && hasTable(f) {
			shown.Listing = exactListing(f, v)
		}
		s.add(shown)
	}
	return s
}

// inputOf returns an input and its value, which is absent if there is none of that name.
func inputOf(spec *sdk.Spec, inputs value.Values, name string) (*sdk.Field, value.Value) {
	at := slices.IndexFunc(spec.Inputs, func(f sdk.Field) bool { return f.Name == name })
	if at < 0 || at >= len(inputs) {
		return nil, value.Value{}
	}
	return &spec.Inputs[at], inputs[at]
}

func (s *steps) add(one step) {
	s.Texts = append(s.Texts, one.Text)
	if one.Kind == formula.GivenStep || one.Kind == formula.DefaultStep {
		s.Given = append(s.Given, one)
	} else {
		s.Lines = append(s.Lines, one)
	}
}

// frozenSteps are those of a record, which has them as text; nil if it has none.
func frozenSteps(list []formula.Step) *steps {
	if list == nil {
		return nil
	}
	s := new(steps)
	for i := range list {
		s.add(step{Kind: list[i].Kind, Text: list[i].Text})
	}
	return s
}
