package page

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	limits "github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// varied is a calculation with one input, or two, that take many values.
type varied struct {
	Controls varyControls
	Faults   []viewFault // why there are no numbers
	Pictures []picture   // without tables
	Header   []string
	Rows     []variedRow
	Notes    []string // refused values and warnings, each with how often
	Count    int      // of calculations
	CSV      string   // address

	along, family *variation // family is nil if one input varies
	drawn         []variedOutput
	answers       []calc.Row  // of the first curve, then of the next
	words         *formValues // which says what is wrong with inputs
	problem       *calc.Problem
}

// variedRow is what one value gives.
type variedRow struct {
	At    string
	Cells []number
	Note  string
}

// variedOutput is an output that is drawn: in own units, and as it is shown.
type variedOutput struct {
	at    int // in the Spec
	field sdk.Field
	unit  shownUnit
}

// charge counts calculations against the limit of the API, as a batch of them would be. It returns
// the problem of a client that may not make them now.
func (p *Pages) charge(r *http.Request, rows int) *calc.Problem {
	return p.options.Clients.Charge(r, limits.Calc, calc.RowCalls(rows))
}

// vary computes what the view varies about an answer. Whatever prevents it is in the result.
func (p *Pages) vary(r *http.Request, a *calc.Answer, v *view) *varied {
	out := &varied{words: readQuery(a.Success.Spec, "")}
	if out.read(a, v) && out.choose(p, a, v) {
		out.answer(p, r, a)
	}
	if len(out.Faults) > 0 && out.problem == nil {
		out.problem = faultProblem(out.Faults[0])
	}
	out.Controls = newVaryControls(a, v, out)
	if len(out.Faults) == 0 {
		out.chooseUnits(newReading(v, a.Success.Spec.At(a.Success.Outcome.Inputs), a.Sent()))
		out.draw(a)
		out.tabulate()
		out.note()
		if query, ok := queryOf(a.Success.Spec, a.Sent(), v); ok {
			out.CSV = p.link(variedPath(a.Release)) + "&" + query
		}
	}
	return out
}

// answer computes, if the client may.
func (o *varied) answer(p *Pages, r *http.Request, a *calc.Answer) {
	inputs := o.inputs(a)
	if o.problem = p.charge(r, len(inputs)); o.problem == nil {
		o.compute(r.Context(), p, a, inputs)
	}
	if o.problem != nil {
		o.fail(varyKey, "%s %s", asSentence(o.problem.Detail), o.problem.Suggestion)
	}
}

// faultProblem is what a program is answered about a key that cannot be followed.
func faultProblem(f viewFault) *calc.Problem {
	return calc.NewProblem(calc.CodeInvalidQuery, "Change "+f.Key+" in the address, or leave it out.", "%s", strings.TrimSuffix(f.Text, "."))
}

// variedPath returns the address of the numbers, without what is varied.
func variedPath(r *calc.Release) string {
	return "/api/v1/capabilities/" + r.Capability + "/vary?" + versionKey + "=" + url.QueryEscape(r.Version)
}

func (o *varied) fail(key, format string, args ...any) bool {
	o.Faults = append(o.Faults, viewFault{Key: key, Text: fmt.Sprintf(format, args...)})
	return false
}

// read reads which inputs are varied.
func (o *varied) read(a *calc.Answer, v *view) bool {
	if len(v.Vary) > 2 {
		return o.fail(varyKey, "%d inputs are varied at once, and a picture has room for two. Leave one out.", len(v.Vary))
	}
	var err error
	spec := a.Release.Spec.At(a.Success.Outcome.Inputs)
	if o.along, err = readVariation(spec, a.Sent(), v.Vary[0], maxPoints); err != nil {
		return o.fail(varyKey, "%s", err.Error())
	}
	if len(v.Vary) == 1 {
		return true
	}
	if o.family, err = readVariation(spec, a.Sent(), v.Vary[1], maxFamily); err != nil {
		return o.fail(varyKey, "%s", err.Error())
	}
	if o.family.Field.Name == o.along.Field.Name {
		return o.fail(varyKey, "%s is varied twice. Choose another second input, or none.", labels{}.Field(o.along.Field))
	}
	return true
}

// choose chooses the outputs that are drawn: those that the view names, or the one that a sheet
// shows largest.
func (o *varied) choose(p *Pages, a *calc.Answer, v *view) bool {
	spec := a.Release.Spec.At(a.Success.Outcome.Inputs)
	names := v.Show
	if len(names) == 0 {
		if names = p.mainOutput(spec, a); names == nil {
			return o.fail(showKey, "This calculator has no number to draw.")
		}
	}
	if len(names) > maxDrawn {
		return o.fail(showKey, "%d results are to be drawn: at most %d.", len(names), maxDrawn)
	}
	for _, name := range names {
		at := slices.IndexFunc(spec.Outputs, func(f sdk.Field) bool { return f.Name == name })
		if at < 0 || !isNumber(&spec.Outputs[at]) {
			return o.fail(showKey, "There is no result %q that is a number. Choose one from the list.", request.Clip(name))
		}
		if slices.ContainsFunc(o.drawn, func(d variedOutput) bool { return d.at == at }) {
			return o.fail(showKey, "%s is drawn twice. Name each result once.", labels{}.Field(&spec.Outputs[at]))
		}
		o.drawn = append(o.drawn, variedOutput{at: at, field: spec.Outputs[at]})
	}
	return true
}

func isNumber(f *sdk.Field) bool { return f.Type == sdk.TypeNumber || f.Type == sdk.TypeInteger }

// mainOutput returns the name of the number that people want first, nil if there is no number.
func (p *Pages) mainOutput(spec *sdk.Spec, a *calc.Answer) []string {
	o, r := &a.Success.Outcome, newReading(new(view), spec, a.Sent())
	for _, q := range headlines(p.outputs(r, o.Result), p.inputs(r, o.Inputs)) {
		if q.Number != nil {
			return []string{q.Name}
		}
	}
	return nil
}

// inputs returns the inputs of all calculations: those that were sent, with the varied ones
// replaced.
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

// compute asks the engine that computed the answer.
func (o *varied) compute(ctx context.Context, p *Pages, a *calc.Answer, inputs []strictjson.Value) {
	pins := []versions.Pin{{Place: versions.InForm, Name: versionKey, Value: a.Release.Version}}
	rows, err := p.service.Rows(ctx, a.Release.Capability, pins, inputs)
	if err != nil {
		o.problem = calc.ProblemOf(err)
		p.report(ctx, o.problem)
		return
	}
	for i := range rows {
		if problem := rows[i].Problem; problem != nil && problem.Status() >= http.StatusInternalServerError {
			o.problem = problem
			p.report(ctx, problem)
			return
		}
	}
	o.answers, o.Count = rows, len(rows)
	for i := range o.drawn {
		if !o.drawn[i].sameUnit(rows) {
			o.fail(varyKey, "%s has another unit for other values of %s, so there is no axis for it. Vary another input.", labels{}.Field(&o.drawn[i].field), labels{}.Field(o.last().Field))
		}
	}
}

// last is the input that was named last.
func (o *varied) last() *variation {
	if o.family != nil {
		return o.family
	}
	return o.along
}

// sameUnit reports whether all answers have the output in its unit.
func (d *variedOutput) sameUnit(rows []calc.Row) bool {
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

// chooseUnits chooses for each output the unit in which its largest number is easy to read.
func (o *varied) chooseUnits(r *reading) {
	for i := range o.drawn {
		d, largest := &o.drawn[i], 0.0
		for k := range o.answers {
			if x, ok := d.number(&o.answers[k]); ok {
				largest = max(largest, math.Abs(x))
			}
		}
		d.unit = r.shownIn(&d.field, largest)
	}
}

// number returns what an answer has for the output, in the shown unit and exactly.
func (d *variedOutput) number(row *calc.Row) (shown float64, ok bool) {
	if row.Answer == nil {
		return 0, false
	}
	result := row.Answer.Success.Outcome.Result
	if d.at >= len(result) || result[d.at].Kind() != value.Number {
		return 0, false
	}
	return d.unit.of(result[d.at].Number()), true
}
