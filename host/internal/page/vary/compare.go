package vary

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/conformance/compare"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// comparison is two calculations next to each other, A and B. A difference is B minus A.
type comparison struct {
	ID, Title string
	Lead      string
	A, B      side
	Faults    []address.Fault
	Words     []versionWords // changes of versions, as their Specs describe them
	Notes     []string       // why the two calculations can have different inputs
	Inputs    []comparedField
	Outputs   []comparedField
	Warnings  []onlyIn
	Assumed   []onlyIn
	Formulas  []about.Formula // formulas of A and B, if they differ
	Pictures  []sidePictures
	Second    []secondField // controls of the second set
	Post      string        // version that the controls must ask for, "" for the current one
	Close     string

	first, second *calc.Answer
	wrong         []address.ProblemItem // faults in the second set
	problem       *problem.Problem
}

// side is one of the two calculations.
type side struct {
	Name, In        string // Version 2.0.0, or A; In is the name within a sentence
	Digests         bool
	Engine, Release string
	Note            string
	Shown           bool // the page shows its sheet
}

// versionWords is the description of changes in the Spec of a version.
type versionWords struct{ Version, Text string }

// onlyIn is a text that only one calculation has.
type onlyIn struct{ Side, Text, Code string }

// comparedField compares one input or output.
type comparedField struct {
	Quantity   show.Quantity // for its label
	A, B       comparedValue
	Difference *show.Difference
	Same       string // instead of a difference
	Differs    bool
}

// comparedValue is the value of one side.
type comparedValue struct {
	Number  *wording.Number
	Text    string
	Full    string // with all digits, if Number has fewer
	Unit    string
	Default bool
}

func (c *comparison) fail(key, format string, args ...any) {
	c.Faults = append(c.Faults, address.Fault{Key: key, Text: fmt.Sprintf(format, args...)})
	if c.problem == nil {
		c.problem = faultProblem(c.Faults[0])
	}
}

// Ready reports whether both calculations have results.
func (c *comparison) Ready() bool { return c.first != nil && c.second != nil }

// Equal reports whether no result differs.
func (c *comparison) Equal() bool {
	return !slices.ContainsFunc(c.Outputs, func(f comparedField) bool { return f.Differs })
}

// addComparisons adds the comparisons that the view asks for.
func (p *Pages) addComparisons(r *http.Request, s *Studies, a *calc.Answer, v *address.View, current bool) {
	if len(v.Compare) > 0 {
		c := p.compareVersions(r, a, v)
		c.Close = p.studied(a, v, func(o *address.Study) { o.Compare = nil })
		s.Compared = append(s.Compared, c)
		s.note(c.problem)
	}
	if len(v.With) > 0 {
		c := p.compareInputs(r, a, v)
		c.Close = p.studied(a, v, func(o *address.Study) { o.With = nil })
		if !current {
			c.Post = a.Release.Version
		}
		s.Compared = append(s.Compared, c)
		s.note(c.problem)
	} else if name := firstVaried(a); name != "" && current {
		s.Study.Second = p.studied(a, v, func(o *address.Study) { o.With = p.firstPair(a, name) })
	}
}

// ask computes the second calculation, which counts against the client's API limit. It returns the problem of the
// calculation.
func (c *comparison) ask(ctx context.Context, p *Pages, r *http.Request, req calc.Request) *problem.Problem {
	c.problem = p.Charge(r, 1)
	if c.problem != nil {
		c.Faults = append(c.Faults, address.Fault{Text: wording.AsSentence(c.problem.Detail) + " " + c.problem.Suggestion})
		return c.problem
	}
	answer, err := p.Service.Calculate(ctx, req)
	if err == nil {
		c.second = answer
		return nil
	}
	failure := problem.Of(err)
	p.Report(ctx, failure)
	return failure
}

// fill compares the two calculations. It uses the units of the calculation that the page shows.
func (c *comparison) fill(p *Pages, v *address.View, page *calc.Answer) {
	a, b := &c.first.Success, &c.second.Success
	sa, sb := a.Spec.At(a.Outcome.Inputs), b.Spec.At(b.Outcome.Inputs)
	shown := show.NewReading(v, sa, page.Sent())
	c.Inputs = c.fields(shown, sa.Inputs, sb.Inputs, a.Outcome.Inputs, b.Outcome.Inputs, inputUnit)
	c.Outputs = c.fields(shown, sa.Outputs, sb.Outputs, a.Outcome.Result, b.Outcome.Result, (*show.Reading).ShownIn)
	warningsA, assumedA := p.notes(c.first, shown)
	warningsB, assumedB := p.notes(c.second, shown)
	c.Warnings = c.only(warningTexts(warningsA), warningTexts(warningsB))
	c.Assumed = c.only(texts(assumedA), texts(assumedB))
	fa, fb := a.Formula(), b.Formula()
	if fa != nil && fb != nil && fa.Expression != fb.Expression {
		c.Formulas = []about.Formula{*p.about.Formula(c.first.Release, fa), *p.about.Formula(c.second.Release, fb)}
	}
}

// unitOf returns the unit for numbers of a field.
type unitOf func(r *show.Reading, f *sdk.Field, largest float64) show.Unit

// inputUnit returns the unit for numbers of an input.
func inputUnit(r *show.Reading, f *sdk.Field, largest float64) show.Unit {
	if at := r.Spec.Input(f.Name); at >= 0 && r.Spec.Inputs[at].Unit == f.Unit {
		return r.InputIn(at, largest)
	}
	return r.ShownIn(f, largest)
}

// fields compares the fields of both calculations, in the order of A.
func (c *comparison) fields(r *show.Reading, fa, fb []sdk.Field, a, b value.Values, unit unitOf) []comparedField {
	var list []comparedField
	for _, pair := range compare.Match(fa, fb) {
		if was, is := pair.Values(a, b); was.Kind() != value.Absent || is.Kind() != value.Absent {
			list = append(list, c.field(r, cmp.Or(pair.Was, pair.Is), cmp.Or(pair.Is, pair.Was), was, is, unit))
		}
	}
	return list
}

func (c *comparison) field(r *show.Reading, f, g *sdk.Field, a, b value.Value, of unitOf) comparedField {
	if x, ok := show.InUnitOf(b.Number(), g, f); ok && b.Kind() == value.Number {
		b, g = value.NumberOf(x), f
	}
	unit := of(r, f, max(math.Abs(a.Number()), math.Abs(b.Number())))
	one := comparedField{
		Quantity: show.Quantity{Name: f.Name, Label: wording.Label(f), Symbol: show.SymbolOf(f.Symbol)}, Differs: true,
		A: compared(r, f, a, unit), B: compared(r, g, b, unit),
	}
	switch {
	case a.Kind() == value.Absent:
		one.Same = "only in " + c.B.In
	case b.Kind() == value.Absent:
		one.Same = "only in " + c.A.In
	case f.Unit != g.Unit:
		one.Same = "different quantities"
	case a.Equal(b):
		one.Same, one.Differs = "equal", false
	case a.Kind() != value.Number || b.Kind() != value.Number:
		one.Same = "differs"
	default:
		d, _ := show.DifferenceOf(a.Number(), b.Number(), unit, r.View.Digits)
		one.Difference = &d
	}
	return one
}

// compared returns the value of one side. A number is in the unit.
func compared(r *show.Reading, f *sdk.Field, v value.Value, unit show.Unit) comparedValue {
	switch v.Kind() {
	case value.Absent:
		return comparedValue{Text: "–"}
	case value.Number:
		if !unit.Takes(f) {
			unit = show.UnitOf(f)
		}
		x := unit.Of(v.Number())
		one := comparedValue{Number: new(r.View.Digits.FormatField(f, x)), Unit: unit.Text(), Default: isDefault(f, v)}
		if full := wording.Shortest(x); full != strings.Replace(one.Number.Mantissa, "−", "-", 1) {
			one.Full = full
		}
		return one
	}
	q := show.NewQuantity(f, v)
	return comparedValue{Text: q.Text, Unit: q.Unit, Default: q.Default}
}

func isDefault(f *sdk.Field, v value.Value) bool {
	d, err := f.DefaultValue()
	return err == nil && d.Kind() != value.Absent && d.Equal(v)
}

// only returns the texts that only one calculation has.
func (c *comparison) only(a, b []onlyIn) []onlyIn {
	var list []onlyIn
	for _, t := range a {
		if !slices.Contains(b, t) {
			list = append(list, onlyIn{c.A.Name, t.Text, t.Code})
		}
	}
	for _, t := range b {
		if !slices.Contains(a, t) {
			list = append(list, onlyIn{c.B.Name, t.Text, t.Code})
		}
	}
	return list
}

// notes returns all warnings and assumptions of an answer in the units of a reader.
func (p *Pages) notes(a *calc.Answer, r *show.Reading) (warnings []sdk.Warning, assumed []string) {
	o, all := &a.Success.Outcome, a.Success.Assumptions()
	own := len(all) - len(a.Success.Presets) - len(a.Success.Conversions)
	noted, assumptions := p.Service.Notes(a, r.Steps())
	return slices.Concat(noted, a.Success.AllWarnings()[len(o.Warnings):]), slices.Concat(all[:own-len(o.Assumptions)], assumptions, all[own:])
}

func warningTexts(warnings []sdk.Warning) []onlyIn {
	var list []onlyIn
	for _, w := range warnings {
		list = append(list, onlyIn{Text: strings.TrimSpace(w.Detail + " " + w.Suggestion), Code: w.Code})
	}
	return list
}

func texts(lines []string) []onlyIn {
	var list []onlyIn
	for _, text := range lines {
		list = append(list, onlyIn{Text: text})
	}
	return list
}

// Largest returns the result with the largest relative difference.
func (c *comparison) Largest() *comparedField {
	var found *comparedField
	most := 0.0
	for i := range c.Outputs {
		f := &c.Outputs[i]
		if f.Difference == nil || f.Difference.Relative == nil {
			continue
		}
		if x := math.Abs(f.Difference.Ratio); found == nil || x > most {
			found, most = f, x
		}
	}
	return found
}
