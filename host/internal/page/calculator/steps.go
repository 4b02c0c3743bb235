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

func moreSteps(a *calc.Answer, v *address.View) *more {
	asking := *v
	asking.Steps = true
	return &more{Link: "?" + asking.Query(), Version: a.Release.Version}
}

// step is one line.
type step struct {
	Kind    formula.StepKind
	Text    string
	Name    string
	Listing *show.Listing // of an input with rows, in place of Math
	Math    template.HTML
	Because template.HTML
	Shown   *wording.InUnit // a result in the unit of the reader, nil if that is the one of the line
	Note    string
}

// steps returns the worked steps of an answer for its reader, nil if there are none. Unasked they are
// shown only if they take little work: a page is opened more often than its steps are read.
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
			shown.Shown = r.Elsewhere(one.Field, x)
		}
		if f, v := inputOf(&a.Release.Spec, a.Success.Outcome.Inputs, one.Field); v.Kind() == value.List && one.Kind != formula.ResultStep && address.HasTable(f) {
			shown.Listing = show.ExactListing(f, v)
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

// snapshotSteps are those of a record, which has them as text; nil if it has none.
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
