package page

import (
	"html/template"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// formulaText is a formula for people.
type formulaText struct {
	Label      string
	Expression string
	Math       template.HTML
}

// formula returns a formula as MathML, if it can be converted. It is made of the text of the
// release, or if there is none, of the LaTeX that the engine sends.
func (p *Pages) formula(r *calc.Release, f *sdk.Formula) *formulaText {
	shown := &formulaText{Label: f.Label, Expression: f.Expression}
	if text := p.service.Text(r); text != nil {
		var outputs []string
		for _, s := range r.Spec.Symbols() {
			if s.Output != "" {
				outputs = append(outputs, s.Name)
			}
		}
		shown.Math = template.HTML(text.Resolved(f.ID, outputs...).MathML(r.Spec.Typeset)) //nolint:gosec // every text in it is escaped
		return shown
	}
	if p.options.Formulas != nil && f.LaTeX != "" {
		shown.Math, _ = p.options.Formulas.MathML(f.LaTeX, true) // or else the plain expression
	}
	return shown
}

// steps is a calculation worked for people to check.
type steps struct {
	Given []step // and the constants
	Lines []step
	Texts []string // of all
}

// step is one line.
type step struct {
	Kind    formula.StepKind
	Text    string
	Math    template.HTML
	Because template.HTML
	Note    string
}

// steps returns the worked steps of an answer, nil if there are none.
func (p *Pages) steps(a *calc.Answer) *steps {
	list := p.service.Steps(a)
	if list == nil {
		return nil
	}
	s, typeset := new(steps), a.Release.Spec.Typeset
	for i := range list {
		one := &list[i]
		shown := step{
			Kind: one.Kind, Text: one.Text, Note: one.Note,
			Math:    template.HTML(one.MathML(typeset)),      //nolint:gosec // every text in it is escaped
			Because: template.HTML(one.BecauseHTML(typeset)), //nolint:gosec // likewise
		}
		s.add(shown)
	}
	return s
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
