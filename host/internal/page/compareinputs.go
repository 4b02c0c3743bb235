package page

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/versions"
)

// secondField is the control of one input of the second set, beside the first.
type secondField struct {
	ID, Name, Label string
	Symbol          template.HTML
	First           string // as it was entered
	Value           string
	Placeholder     string
	Unit            string // where there is no choice
	Units           []unitOption
	Options         []option // of a choice
	Long            bool     // a list
	Differs         bool
	Error           string
}

// compareInputs computes a second set of inputs with the version of an answer.
func (p *Pages) compareInputs(r *http.Request, a *calc.Answer, v *view) *comparison {
	c := &comparison{ID: "compare-inputs", Title: "Two sets of inputs", A: side{Name: "A", In: "A"}, B: side{Name: "B", In: "B"}}
	query, ok := queryOf(a.Success.Spec, a.Sent(), new(view))
	if !ok {
		c.fail(withPrefix, "These inputs fit into no address, so there is no second set to compare them with.")
		return c
	}
	first := readQuery(a.Success.Spec, query)
	second := p.secondSet(c, first, v.With)
	if c.problem == nil {
		c.askSecond(p, r, a, second)
	}
	c.Second = p.secondFields(first, second, c, v.Units)
	if c.Ready() {
		c.fill(p, v, a)
		c.Inputs = nil // the controls show them
		c.Pictures = p.sideBySide(r.Context(), c, newReading(v, a.Success.Spec.At(a.Success.Outcome.Inputs), a.Sent()))
	}
	return c
}

// sameAgain is a second set with one input as it is in the first.
func (p *Pages) sameAgain(a *calc.Answer, name string) []viewPair {
	query, ok := queryOf(a.Success.Spec, a.Sent(), new(view))
	if !ok {
		return nil
	}
	s := readQuery(a.Success.Spec, query)
	i := s.spec.Input(name)
	return []viewPair{{name, s.values[i].text()}}
}

// secondSet returns the first set with what the address changes in it.
func (p *Pages) secondSet(c *comparison, first *formValues, with []viewPair) *formValues {
	second := &formValues{spec: first.spec, values: slices.Clone(first.values)}
	seen := map[string]bool{}
	for _, w := range with {
		name, isUnit := strings.CutSuffix(w.Key, unitSuffix)
		i := first.spec.Input(name)
		if i < 0 {
			c.fail(withPrefix+request.Clip(w.Key), "There is no input %q for a second set. Leave it out.", request.Clip(name))
			continue
		}
		f, e := &first.spec.Inputs[i], &second.values[i]
		if key := f.Name + map[bool]string{true: unitSuffix}[isUnit]; seen[key] {
			c.fail(withPrefix+request.Clip(w.Key), "%s is given twice for the second set. Give one value.", labels{}.Field(f))
		} else {
			seen[key] = true
		}
		switch {
		case isUnit:
			e.units = typed.Units{"": w.Value}
		case strings.TrimSpace(w.Value) == "":
			e.names, e.texts = nil, nil
		default:
			e.names, e.texts, e.hint = []string{f.Name}, []string{typed.FromAddress(f, w.Value)}, ""
		}
	}
	for i := range second.values {
		second.understand(i)
	}
	return second
}

// askSecond computes with the second set. Whatever is wrong with it is said beside the controls.
func (c *comparison) askSecond(p *Pages, r *http.Request, a *calc.Answer, second *formValues) {
	var problem *calc.Problem
	if fault := second.faults(); fault != nil {
		problem = calc.ProblemOf(fault)
	} else {
		problem = c.ask(r.Context(), p, r, calc.Request{
			ID: a.Release.Spec.Tool, Inputs: second.inputs(), Pins: []versions.Pin{{Place: versions.InForm, Name: versionKey, Value: a.Release.Version}},
		})
	}
	switch {
	case c.problem != nil: // it is said already
	case problem == nil:
		c.first = a
	default:
		detail, suggestion := second.wordsOf(problem)
		c.wrong = second.itemsOf(problem)
		if len(c.wrong) > 0 {
			detail, suggestion = "What has to be changed is marked.", ""
		}
		c.Faults = append(c.Faults, viewFault{Text: strings.TrimSpace("B gives no result. " + detail + " " + suggestion)})
		c.problem = problem
	}
}

// secondFields returns the controls of the second set.
func (p *Pages) secondFields(first, second *formValues, c *comparison, system customary.System) []secondField {
	var list []secondField
	for i := range first.spec.Inputs {
		f, a, b := &first.spec.Inputs[i], &first.values[i], &second.values[i]
		one := secondField{
			ID: "w-" + f.Name, Name: withControl + f.Name, Label: label(f), Symbol: symbolOf(f.Symbol),
			First: entered(f, a), Value: b.text(), Long: f.Type == sdk.TypeArray || f.Type == sdk.TypeObject,
		}
		unit := b.unit()
		if b.text() != "" {
			unit = cmp.Or(unit, f.Unit)
		}
		if f.Default != "" {
			one.Placeholder = "default " + f.Default
		}
		if isChoice(f) {
			one.Options = optionsOf(f, b.text(), false)
		} else if one.Units = unitsOf(first.spec, f, unit, system); one.Units == nil {
			one.Unit = unitText(f)
		}
		one.Differs = one.First != entered(f, b)
		for _, item := range c.wrong {
			if item.Field == f.Name {
				one.Error = item.Text
			}
		}
		list = append(list, one)
	}
	return list
}

// entered returns what stands for an input in a set, with its unit.
func entered(f *sdk.Field, v *formValue) string {
	text := v.text()
	switch {
	case isChoice(f) && text == "" && f.Default == "", text == "" && f.Default == "":
		return "–"
	case isChoice(f) && text == "":
		return choiceText(f, f.Default)
	case isChoice(f):
		if value, ok := f.EnumValue(text); ok {
			text = value
		}
		return choiceText(f, text)
	case text == "":
		text = f.Default
	}
	unit := v.unit()
	if unit == "" && f.UnitBy == nil && (isNumber(f) || f.Type == sdk.TypeArray) {
		unit = f.Unit
	}
	return strings.TrimSpace(text + " " + formula.FormatUnit(unit))
}

// sidePictures is one plot of both: one picture, or two where they cannot lie over each other.
type sidePictures struct {
	Title string
	Both  template.HTML
	A, B  template.HTML
}

// sideBySide draws the plots of both calculations.
func (p *Pages) sideBySide(ctx context.Context, c *comparison, r *reading) []sidePictures {
	var list []sidePictures
	for i := range c.first.Release.Spec.Plots {
		declared := &c.first.Release.Spec.Plots[i]
		a, err := p.service.Draw(ctx, c.first, declared.ID)
		if err != nil {
			p.report(ctx, calc.ProblemOf(err))
			continue
		}
		b, err := p.service.Draw(ctx, c.second, declared.ID)
		if err != nil {
			p.report(ctx, calc.ProblemOf(err))
			continue
		}
		one := sidePictures{Title: declared.Title}
		draw := func(f *sdk.Figure, id string, width float64) template.HTML {
			x, y := r.axes(declared, f)
			shown, converted := drawn(declared, f, x, y)
			return plot.SVG(shown, converted, &plot.Options{ID: id + declared.ID, Width: width})
		}
		if both := overlaid(a, b); both != nil {
			one.Both = draw(both, "both-", 0)
		} else {
			one.A, one.B = draw(a, "a-", 420), draw(b, "b-", 420)
		}
		list = append(list, one)
	}
	return list
}

// overlaid returns a figure with the curves of both, nil if they show more than quantities. Supports
// are left out: those of both would hide each other.
func overlaid(a, b *sdk.Figure) *sdk.Figure {
	both := new(sdk.Figure)
	for k, f := range []*sdk.Figure{a, b} {
		name := []string{"A", "B"}[k]
		if len(f.Arrows)+len(f.Couples) > 0 {
			return nil
		}
		quantities := 0
		for _, curve := range f.Curves {
			if curve.Style == sdk.Load || curve.Style == sdk.Member {
				return nil
			}
			if curve.Style != sdk.Guide {
				quantities++
			}
		}
		for _, curve := range f.Curves {
			if curve.Label = name + ": " + curve.Label; quantities == 1 && curve.Style != sdk.Guide {
				curve.Label = name
			}
			both.Curves = append(both.Curves, curve)
		}
		for _, point := range f.Points {
			if point.Label != "" {
				point.Label = name + ": " + point.Label
			}
			both.Points = append(both.Points, point)
		}
	}
	return both
}
