package vary

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/versions"
)

// secondField is the control of one input of the second set, next to the first value.
type secondField struct {
	ID, Name, Label string
	Symbol          template.HTML
	First           string // value in the first set
	Value           string
	Placeholder     string
	Unit            string // if the reader cannot choose a unit
	Units           []wording.UnitOption
	Options         []wording.Option // if the input is a choice
	Long            bool             // the value is a list
	Differs         bool
	Error           string
}

// compareInputs computes a second set of inputs with the version of an answer.
func (p *Pages) compareInputs(r *http.Request, a *calc.Answer, v *address.View) *comparison {
	c := &comparison{ID: "compare-inputs", Title: "Two sets of inputs", A: side{Name: "A", In: "A"}, B: side{Name: "B", In: "B"}}
	query, ok := address.QueryOf(a.Success.Spec, a.Sent(), new(address.View))
	if !ok {
		c.fail(address.WithPrefix, "These inputs are too long for a URL, so the page cannot compare them with a second set.")
		return c
	}
	first := address.ReadQuery(a.Success.Spec, query)
	second := p.secondSet(c, first, v.With)
	if c.problem == nil {
		c.askSecond(p, r, a, second)
	}
	c.Second = p.secondFields(first, second, c, v.Units)
	if c.Ready() {
		c.fill(p, v, a)
		c.Inputs = nil // the controls show them
		c.Pictures = p.sideBySide(r.Context(), c, show.NewReading(v, a.Success.Spec.At(a.Success.Outcome.Inputs), a.Sent()))
	}
	return c
}

// firstPair returns a second set with one input, which has its value of the first set.
func (p *Pages) firstPair(a *calc.Answer, name string) []address.Pair {
	query, ok := address.QueryOf(a.Success.Spec, a.Sent(), new(address.View))
	if !ok {
		return nil
	}
	s := address.ReadQuery(a.Success.Spec, query)
	i := s.Spec.Input(name)
	return []address.Pair{{Key: name, Value: s.Values[i].Text()}}
}

// secondSet returns the first set with the changes that the URL asks for.
func (p *Pages) secondSet(c *comparison, first *address.Values, with []address.Pair) *address.Values {
	second := first.Clone()
	seen := map[string]bool{}
	for _, w := range with {
		name, isUnit := strings.CutSuffix(w.Key, address.UnitSuffix)
		i := first.Spec.Input(name)
		if i < 0 {
			c.fail(address.WithPrefix+request.Clip(w.Key), "There is no input %q for the second set. Remove it.", request.Clip(name))
			continue
		}
		f := &first.Spec.Inputs[i]
		if key := f.Name + map[bool]string{true: address.UnitSuffix}[isUnit]; seen[key] {
			c.fail(address.WithPrefix+request.Clip(w.Key), "%s has two values in the second set. Give one value.", wording.Labels{}.Field(f))
		} else {
			seen[key] = true
		}
		if isUnit {
			second.ChangeUnit(i, w.Value)
		} else {
			second.Change(i, w.Value)
		}
	}
	second.Understand()
	return second
}

// askSecond computes with the second set. It records faults of the set for the controls.
func (c *comparison) askSecond(p *Pages, r *http.Request, a *calc.Answer, second *address.Values) {
	var failure *problem.Problem
	if fault := second.Faults(); fault != nil {
		failure = problem.Of(fault)
	} else {
		failure = c.ask(r.Context(), p, r, calc.Request{
			ID: a.Release.Spec.Tool, Inputs: second.Inputs(), Pins: []versions.Pin{{Place: versions.InForm, Name: address.VersionKey, Value: a.Release.Version}},
		})
	}
	switch {
	case c.problem != nil: // ask has recorded it
	case failure == nil:
		c.first = a
	default:
		detail, suggestion := second.WordsOf(failure)
		c.wrong = second.ItemsOf(failure)
		if len(c.wrong) > 0 {
			detail, suggestion = "Correct the marked inputs.", ""
		}
		c.Faults = append(c.Faults, address.Fault{Text: strings.TrimSpace("B gives no result. " + detail + " " + suggestion)})
		c.problem = failure
	}
}

// secondFields returns the controls of the second set.
func (p *Pages) secondFields(first, second *address.Values, c *comparison, system customary.System) []secondField {
	var list []secondField
	for i := range first.Spec.Inputs {
		f, a, b := &first.Spec.Inputs[i], &first.Values[i], &second.Values[i]
		one := secondField{
			ID: "w-" + f.Name, Name: address.WithControl + f.Name, Label: wording.Label(f), Symbol: show.SymbolOf(f.Symbol),
			First: entered(first.Spec, f, a, system), Value: b.Text(), Long: f.Type == sdk.TypeArray || f.Type == sdk.TypeObject,
		}
		unit := b.Unit()
		if b.Text() != "" {
			unit = cmp.Or(unit, f.Unit)
		}
		if f.Default != "" {
			one.Placeholder = "default " + byDefault(first.Spec, f, system)
		}
		if wording.IsChoice(f) {
			one.Options = wording.OptionsOf(f, b.Text(), false)
		} else {
			one.Units = wording.UnitsOf(first.Spec, f, unit, system)
			if one.Units == nil {
				one.Unit = wording.UnitText(f)
			}
		}
		one.Differs = one.First != entered(first.Spec, f, b, system)
		for _, item := range c.wrong {
			if item.Field == f.Name {
				one.Error = item.Text
			}
		}
		list = append(list, one)
	}
	return list
}

// byDefault returns the default of an input with its unit, in the usual unit of the system.
func byDefault(spec *sdk.Spec, f *sdk.Field, system customary.System) string {
	q, ok := customary.OfField(spec, f)
	x, err := strconv.ParseFloat(f.Default, 64)
	if !ok || err != nil {
		return strings.TrimSpace(f.Default + " " + formula.FormatUnit(f.Unit))
	}
	q.Field = f.Name
	u := customary.Preset(system, q)
	return plain(q.Convert(x, u)) + " " + formula.FormatUnit(u.ID)
}

// entered returns the value of an input in a set, with its unit.
func entered(spec *sdk.Spec, f *sdk.Field, v *address.Value, system customary.System) string {
	text := v.Text()
	switch {
	case wording.IsChoice(f) && text == "" && f.Default == "", text == "" && f.Default == "":
		return "–"
	case wording.IsChoice(f) && text == "":
		return wording.ChoiceText(f, f.Default)
	case wording.IsChoice(f):
		if value, ok := f.EnumValue(text); ok {
			text = value
		}
		return wording.ChoiceText(f, text)
	case text == "":
		return byDefault(spec, f, system)
	}
	unit := v.Unit()
	if unit == "" && f.UnitBy == nil && (wording.IsNumber(f) || f.Type == sdk.TypeArray) {
		unit = f.Unit
	}
	return strings.TrimSpace(text + " " + formula.FormatUnit(unit))
}

// sidePictures is one plot of both calculations: one picture, or two if the plots cannot overlay each other.
type sidePictures struct {
	Title string
	Both  template.HTML
	A, B  template.HTML
}

// sideBySide draws the plots of both calculations.
func (p *Pages) sideBySide(ctx context.Context, c *comparison, r *show.Reading) []sidePictures {
	var list []sidePictures
	for i := range c.first.Release.Spec.Plots {
		declared := &c.first.Release.Spec.Plots[i]
		a, err := p.Service.Draw(ctx, c.first, declared.ID)
		if err != nil {
			p.Report(ctx, problem.Of(err))
			continue
		}
		b, err := p.Service.Draw(ctx, c.second, declared.ID)
		if err != nil {
			p.Report(ctx, problem.Of(err))
			continue
		}
		one := sidePictures{Title: declared.Title}
		draw := func(f *sdk.Figure, id string, width float64) template.HTML {
			x, y := r.Axes(declared, f)
			shown, converted := show.Drawn(declared, f, x, y)
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

// overlaid returns a plot with the curves of both, nil if a plot shows more than quantities. It leaves out supports, because
// they would hide each other.
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
			curve.Label = name + ": " + curve.Label
			if quantities == 1 && curve.Style != sdk.Guide {
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
