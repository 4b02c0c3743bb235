package calculator

import (
	"html/template"
	"net/url"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// steps is the worked calculation, for people to check.
type steps struct {
	Given []step // inputs and constants
	Lines []step
	Texts []string // of all steps
	More  *more    // if set, the lines are calls only

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
	Note    string
	Called  *called // nil if the line calls no calculation
}

// called is a calculation that a line calls, with its worked steps.
type called struct {
	Title, Version, Digest string

	Call    string // of the line, such as a = beam(length=L)
	Value   string // of all results
	Because string

	Path     string // of its calculator with its inputs; "" if this service does not publish it
	Assumed  []string
	Warnings []sdk.Warning
	Steps    steps
}

// callWork limits the work for the calls of a sheet without a request. It takes some milliseconds, and usually less than one.
const callWork = 4 * formula.LittleStepWork

// steps returns the worked steps of an answer for its reader, nil if there are none. If the reader did not ask for them, it
// returns only steps that take little work. Readers open a page more often than they read its steps.
func (p *Pages) steps(a *calc.Answer, r *show.Reading) *steps {
	work := formula.LittleStepWork
	if r.View.Steps {
		work = formula.StepWork
	}
	worked := p.Service.Steps(a, work, r.Steps())
	list := worked.Steps
	warnings := wording.WarningsInWords(&a.Release.Spec, worked.Warnings)
	switch {
	case list == nil:
		return nil
	case !worked.Whole && !r.View.Steps:
		s := &steps{More: moreSteps(a, r.View), Warnings: warnings}
		for _, one := range p.Service.Called(a, callWork, r.Steps()) {
			s.add(p.step(&one, &a.Release.Spec, true))
		}
		return s
	}
	s := &steps{Warnings: warnings}
	for i := range list {
		one := &list[i]
		shown := p.step(one, &a.Release.Spec, true)
		if f, v := inputOf(&a.Release.Spec, a.Success.Outcome.Inputs, one.Field); v.Kind() == value.List && one.Kind != formula.ResultStep && address.HasTable(f) {
			shown.Listing = r.Listing(f, v)
		}
		s.add(shown)
	}
	return s
}

// step returns a step of a calculation of the Spec. A recorded step has only its text.
func (p *Pages) step(one *response.Step, spec *sdk.Spec, computed bool) step {
	shown := step{Kind: one.Kind, Text: one.Text}
	switch {
	case one.Called != nil:
		shown.Called = p.called(one.Called, calledSpec(spec, one.Called), computed)
		shown.Called.Call, shown.Called.Value, shown.Called.Because = one.Name+" = "+one.Rule, one.Value, one.Because
	case computed:
		shown.Name, shown.Note = one.Name, one.Note
		shown.Math = template.HTML(one.MathML(spec.Typeset))         //nolint:gosec // every text in it is escaped
		shown.Because = template.HTML(one.BecauseHTML(spec.Typeset)) //nolint:gosec // every text in it is escaped
	}
	return shown
}

// called returns a called calculation. Its Spec has the names of its steps.
func (p *Pages) called(c *response.Called, spec *sdk.Spec, computed bool) *called {
	of := &called{Title: c.Title, Version: c.Version, Digest: c.Digest, Path: p.calledPath(c), Assumed: wording.AllInWords(spec, c.Assumptions)}
	for _, w := range c.Warnings {
		of.Warnings = append(of.Warnings, sdk.Warning(w))
	}
	of.Warnings = wording.WarningsInWords(spec, of.Warnings)
	for i := range c.Steps {
		of.Steps.add(p.step(&c.Steps[i], spec, computed))
	}
	return of
}

// calledPath returns the path of the calculator with the inputs of a called calculation. The query names the version,
// because the page can compute with a later one.
func (p *Pages) calledPath(c *response.Called) string {
	entry, err := p.Service.Catalog().Find(c.Capability)
	if err != nil || entry.Version(c.Version) == nil {
		return ""
	}
	spec := &entry.Version(c.Version).Spec
	path := p.Link(catalog.PagePath(spec)) + "?" + address.VersionKey + "=" + url.QueryEscape(c.Version)
	inputs, err := strictjson.ParseObject(c.Inputs)
	if err != nil {
		return path
	}
	if query, ok := address.QueryOf(spec, inputs, new(address.View)); ok {
		path += "&" + query
	}
	return path
}

// calledSpec returns the Spec of a called calculation. It is empty if the caller is not known.
func calledSpec(caller *sdk.Spec, c *response.Called) *sdk.Spec {
	for _, u := range caller.Uses {
		if u.ID == c.Capability && u.Spec != nil {
			return u.Spec
		}
	}
	return new(sdk.Spec)
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
	if one.Called != nil {
		for _, text := range one.Called.Steps.Texts {
			s.Texts = append(s.Texts, "  "+text)
		}
	}
	if one.Kind == formula.GivenStep || one.Kind == formula.DefaultStep {
		s.Given = append(s.Given, one)
	} else {
		s.Lines = append(s.Lines, one)
	}
}

// snapshotSteps returns the steps of a record, which has them as text; nil if it has none. The Spec is of its release.
func (p *Pages) snapshotSteps(list []response.Step, spec *sdk.Spec) *steps {
	if list == nil {
		return nil
	}
	s := new(steps)
	for i := range list {
		s.add(p.step(&list[i], spec, false))
	}
	return s
}
