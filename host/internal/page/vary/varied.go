package vary

import (
	"context"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// varied is a calculation with one or two inputs that take several values.
type varied struct {
	Controls varyControls
	Faults   []address.Fault // why there are no numbers
	Pictures []variedPicture
	Header   []string
	Rows     []variedRow
	Notes    []string // rejected values and warnings, each with its number of occurrences
	Count    int      // of calculations
	CSV      string   // URL

	along, family *variation      // family is nil if one input varies
	drawn         []variedOutput  // outputs to draw
	answers       []batch.Row     // of the first curve, then of the next curve
	words         *address.Values // for texts about faults of inputs
	digits        wording.Precision
	warnings      func(*calc.Answer) []sdk.Warning // in the units of the reader
	problem       *problem.Problem
}

// variedPicture is the picture of an output.
type variedPicture struct {
	ID, Title string
	SVG       template.HTML // "" if there is no number to draw
}

// variedRow has the results for one value.
type variedRow struct {
	At    string
	Cells []wording.Number
	Note  string
}

// variedOutput is an output to draw, with its own unit and its shown unit.
type variedOutput struct {
	at    int // in the Spec
	field sdk.Field
	unit  show.Unit
}

// vary computes the variations that the view asks for. The result has the faults that prevent them.
func (p *Pages) vary(r *http.Request, a *calc.Answer, v *address.View) *varied {
	of := readingOf(v, a)
	out := &varied{words: address.ReadQuery(a.Success.Spec, ""), digits: v.Digits, warnings: func(a *calc.Answer) []sdk.Warning {
		warnings, _ := p.notes(a, of)
		return warnings
	}}
	if out.read(a, v) && out.choose(a, v) {
		out.answer(p, r, a)
	}
	if len(out.Faults) > 0 && out.problem == nil {
		out.problem = faultProblem(out.Faults[0])
	}
	for _, one := range []*variation{out.along, out.family} {
		if one != nil {
			one.show(of)
		}
	}
	out.Controls = newVaryControls(a, v, out, of)
	if len(out.Faults) == 0 {
		out.chooseUnits(of)
		out.draw(a)
		out.tabulate()
		out.note()
		if query, ok := address.QueryOf(a.Success.Spec, a.Sent(), v.Named()); ok {
			out.CSV = p.Link(variedPath(a.Release)) + "&" + query
		}
	}
	return out
}

// answer computes the variations, unless the client has reached its limit.
func (o *varied) answer(p *Pages, r *http.Request, a *calc.Answer) {
	inputs := o.inputs(a)
	o.problem = p.Charge(r, len(inputs))
	if o.problem == nil {
		o.compute(r.Context(), p, a, inputs)
	}
	if o.problem != nil {
		o.fail(address.VaryKey, "%s %s", wording.AsSentence(o.problem.Detail), o.problem.Suggestion)
	}
}

// faultProblem returns the problem for a program with an invalid key.
func faultProblem(f address.Fault) *problem.Problem {
	return problem.New(problem.CodeInvalidQuery, "Change "+f.Key+" in the URL, or remove it.", "%s", strings.TrimSuffix(f.Text, "."))
}

// variedPath returns the URL of the numbers, without the inputs and the keys vary.
func variedPath(r *catalog.Release) string {
	return "/api/v1/capabilities/" + r.Capability + "/vary?" + address.VersionKey + "=" + url.QueryEscape(r.Version)
}

func (o *varied) fail(key, format string, args ...any) bool {
	o.Faults = append(o.Faults, address.Fault{Key: key, Text: fmt.Sprintf(format, args...)})
	return false
}

// read reads the inputs to vary.
func (o *varied) read(a *calc.Answer, v *address.View) bool {
	if len(v.Vary) > 2 {
		return o.fail(address.VaryKey, "The URL varies %d inputs, and a plot shows at most two. Remove one.", len(v.Vary))
	}
	var err error
	spec := a.Release.Spec.At(a.Success.Outcome.Inputs)
	o.along, err = readVariation(spec, a.Sent(), v.Vary[0], maxPoints)
	if err != nil {
		return o.fail(address.VaryKey, "%s", err.Error())
	}
	if len(v.Vary) == 1 {
		return true
	}
	o.family, err = readVariation(spec, a.Sent(), v.Vary[1], maxFamily)
	if err != nil {
		return o.fail(address.VaryKey, "%s", err.Error())
	}
	if o.family.Field.Name == o.along.Field.Name {
		return o.fail(address.VaryKey, "%s is varied twice. Choose another second input, or none.", wording.Labels{}.Field(o.along.Field))
	}
	return true
}

// choose chooses the outputs to draw: the outputs that the view names, or the main output.
func (o *varied) choose(a *calc.Answer, v *address.View) bool {
	spec := a.Release.Spec.At(a.Success.Outcome.Inputs)
	names := v.Show
	if len(names) == 0 {
		names = MainOutput(spec, a)
		if names == nil {
			return o.fail(address.ShowKey, "This calculator has no numeric result to plot.")
		}
	}
	if len(names) > maxDrawn {
		return o.fail(address.ShowKey, "The URL has %d results, and a plot shows at most %d. Remove some.", len(names), maxDrawn)
	}
	for _, name := range names {
		at := slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return f.Name == name })
		if at < 0 || !wording.IsNumber(&spec.Outputs[at]) {
			return o.fail(address.ShowKey, "There is no numeric result %q. Choose one from the list.", request.Clip(name))
		}
		if slices.ContainsFunc(o.drawn, func(d variedOutput) bool { return d.at == at }) {
			return o.fail(address.ShowKey, "%s appears twice. Give each result once.", wording.Labels{}.Field(&spec.Outputs[at]))
		}
		o.drawn = append(o.drawn, variedOutput{at: at, field: spec.Outputs[at]})
	}
	return true
}

// MainOutput returns the name of the first headline that is a number, nil if there is none.
func MainOutput(spec *sdk.Spec, a *calc.Answer) []string {
	o, r := &a.Success.Outcome, show.NewReading(new(address.View), spec, a.Sent())
	for _, q := range show.Headlines(r.Outputs(o.Result), r.Inputs(o.Inputs)) {
		if q.Number != nil {
			return []string{q.Name}
		}
	}
	return nil
}

// inputs returns the inputs of all calculations: the sent inputs with their varied values.
func (o *varied) inputs(a *calc.Answer) []strictjson.Value {
	var list []strictjson.Value
	families := []*strictjson.Value{nil}
	if o.family != nil {
		families = families[:0]
		for i := range o.family.Values {
			families = append(families, &o.family.Values[i])
		}
	}
	for _, second := range families {
		for i := range o.along.Values {
			in := replaced(a.Sent(), o.along.Field, o.along.Values[i])
			if second != nil {
				in = replaced(in, o.family.Field, *second)
			}
			list = append(list, in)
		}
	}
	return list
}

// replaced returns the inputs with another value of a field.
func replaced(in strictjson.Value, f *sdk.Field, v strictjson.Value) strictjson.Value {
	out := strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{{Name: f.Name, Value: v}}}
	for _, m := range in.Members {
		if m.Name != f.Name && !slices.Contains(f.Aliases, m.Name) {
			out.Members = append(out.Members, m)
		}
	}
	return out
}

// compute computes the rows with the version of the answer.
func (o *varied) compute(ctx context.Context, p *Pages, a *calc.Answer, inputs []strictjson.Value) {
	pins := []versions.Pin{{Place: versions.InForm, Name: address.VersionKey, Value: a.Release.Version}}
	rows, err := batch.Rows(ctx, p.Service, a.Release.Capability, pins, inputs)
	if err != nil {
		o.problem = problem.Of(err)
		p.Report(ctx, o.problem)
		return
	}
	for i := range rows {
		if failure := rows[i].Problem; failure != nil && failure.Status() >= http.StatusInternalServerError {
			o.problem = failure
			p.Report(ctx, failure)
			return
		}
	}
	o.answers, o.Count = rows, len(rows)
	for i := range o.drawn {
		if !o.drawn[i].sameUnit(rows) {
			o.fail(address.VaryKey, "The unit of %s depends on %s, so a plot has no axis for it. Vary another input.", wording.Labels{}.Field(&o.drawn[i].field), wording.Labels{}.Field(o.last().Field))
		}
	}
}

// last returns the input that the query names last.
func (o *varied) last() *variation {
	if o.family != nil {
		return o.family
	}
	return o.along
}

// sameUnit reports whether all answers have the output in its unit.
func (d *variedOutput) sameUnit(rows []batch.Row) bool {
	if d.field.UnitBy == nil {
		return true
	}
	for _, row := range rows {
		if row.Answer == nil {
			continue
		}
		if s := &row.Answer.Success; s.Spec.At(s.Outcome.Inputs).Outputs[d.at].Unit != d.field.Unit {
			return false
		}
	}
	return true
}

// chooseUnits chooses the unit of each output for its largest number.
func (o *varied) chooseUnits(r *show.Reading) {
	for i := range o.drawn {
		d, largest := &o.drawn[i], 0.0
		for k := range o.answers {
			if x, ok := d.number(&o.answers[k]); ok {
				largest = max(largest, math.Abs(x))
			}
		}
		d.unit = r.ShownIn(&d.field, largest)
	}
}

// number returns the number of the output in the shown unit.
func (d *variedOutput) number(row *batch.Row) (shown float64, ok bool) {
	if row.Answer == nil {
		return 0, false
	}
	result := row.Answer.Success.Outcome.Result
	if d.at >= len(result) || result[d.at].Kind() != value.Number {
		return 0, false
	}
	return d.unit.Of(result[d.at].Number()), true
}
