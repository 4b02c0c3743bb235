package about

import (
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
)

// Formula is a formula as pages show it.
type Formula struct {
	Label      string
	Expression string
	Math       template.HTML
}

// halfOfSymbols is the approximate number of characters that fit into half of the width of a page.
const halfOfSymbols = 60

// Narrow reports whether every line of the formula fits into half of the width of a page.
func (f *Formula) Narrow() bool { return wording.Longest(f.Expression, "; ") <= halfOfSymbols }

// Formula returns a formula of the release. Facts typesets the formulas of the Spec once for all pages.
func (p *Releases) Formula(r *catalog.Release, f *sdk.Formula) *Formula {
	d, _ := p.Describe(r)
	formulas := d.facts.Formulas
	for i := range r.Spec.Formulas {
		if r.Spec.Formulas[i].ID == f.ID {
			return &formulas[i]
		}
	}
	return p.typeset(r, f)
}

// typeset returns a formula as MathML if the release has the text of the formula. Otherwise the result has only the
// expression that the engine sends.
func (p *Releases) typeset(r *catalog.Release, f *sdk.Formula) *Formula {
	shown := &Formula{Label: f.Label, Expression: f.Expression}
	if text := p.Resolved(r, f); text != nil {
		shown.Math = mathOf(&r.Spec, text)
	}
	return shown
}

// whole returns all formulas of the release in one, with their cases; nil if it has one formula or no text.
func (p *Releases) whole(r *catalog.Release) *Formula {
	text := p.Service.Text(r)
	if text == nil || len(r.Spec.Formulas) < 2 {
		return nil
	}
	return &Formula{Expression: text.Line(), Math: mathOf(&r.Spec, text)}
}

// mathOf returns the MathML of a text, with the names that choices have on forms.
func mathOf(spec *sdk.Spec, text *formula.Text) template.HTML {
	var names []string
	for _, f := range slices.Concat(spec.Inputs, spec.Outputs) {
		for _, choice := range f.Enum {
			if name := wording.FormatChoice(choice); name != choice {
				names = append(names, mathWord(choice), mathWord(name))
			}
		}
	}
	return template.HTML(strings.NewReplacer(names...).Replace(text.MathML(spec.Typeset))) //nolint:gosec // every text in it is escaped
}

// mathWord returns a choice as [formula.Text.MathML] writes it.
func mathWord(choice string) string {
	return "<mtext>" + html.EscapeString(strings.NewReplacer(" ", "\u00a0", "_", "\u00a0").Replace(choice)) + "</mtext>"
}

// Resolved returns the text of a formula, nil if the release has none.
func (p *Releases) Resolved(r *catalog.Release, f *sdk.Formula) *formula.Text {
	text := p.Service.Text(r)
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

// Font returns the URL of the font for formulas, "" if no formula needs it.
func (p *Releases) Font(formulas []Formula) string {
	for i := range formulas {
		if formulas[i].Math != "" {
			return p.FormulaFont()
		}
	}
	return ""
}
