package calculator

import (
	"html/template"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// steps is the worked calculation, for people to check.
type steps struct {
	Given []step // inputs and constants
	Lines []step
	Texts []string // of all steps
	More  *more    // if set, there are no lines

	Warnings []sdk.Warning // results where the formula and the engine differ
}

// more asks for steps that take much work.
type more struct {
	Link    string // on the page of a snapshot: its URL with the steps
	Post    string // on the page of a version that is not current: the target of the form that asks for them
	Version string
}

func moreSteps(a *calc.Answer, v *address.View) *more {
	asking := *v
	asking.Steps = true
	return &more{Link: "?" + asking.Query(), Version: a.Release.Version}
}

// step is one line of a worked calculation.
type step struct {
	Kind    formula.StepKind
	Text    string
	Name    string
	Listing *show.Listing // of an input with rows, instead of Math
	Math    template.HTML
	Because template.HTML
	Shown   *wording.InUnit // a result in the unit of the reader, nil if the line has it
	Note    string
}

// steps returns the worked steps of an answer for its reader, nil if there are none. If the reader did not ask for them, it
// returns only steps that take little work. Readers open a page more often than they read its steps.
func (p *Pages) steps(a *calc.Answer, r *show.Reading) *steps {
	work := formula.LittleStepWork
	if r.View.Steps {
		work = formula.StepWork
	}
	worked := p.Service.Steps(a, work)
	list := worked.Steps
	warnings := wording.WarningsInWords(&a.Release.Spec, worked.Warnings)
	switch {
	case list == nil:
		return nil
	case !worked.Whole && !r.View.Steps:
		return &steps{More: moreSteps(a, r.View), Warnings: warnings}
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
			shown.Shown = r.InOtherUnit(one.Field, x)
		}
		if f, v := inputOf(&a.Release.Spec, a.Success.Outcome.Inputs, one.Field); v.Kind() == value.List && one.Kind != formula.ResultStep && address.HasTable(f) {
			shown.Listing = show.ExactListing(f, v)
		}
		s.add(shown)
	}
	return s
}

// inputOf returns an input and its value. The value is absent if there is no input of the name.
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

// snapshotSteps returns the steps of a record, which has them as text; nil if it has none.
func snapshotSteps(list []formula.Step) *steps {
	if list == nil {
		return nil
	}
	s := new(steps)
	for i := range list {
		s.add(step{Kind: list[i].Kind, Text: list[i].Text})
	}
	return s
}
