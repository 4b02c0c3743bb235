package vary

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	found "github.com/slipstick/slipstick/host/internal/study"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
)

// inUnits returns the result of a study in the units of the reader. The result itself stays in the units of the Spec.
func inUnits(result *found.Result, of *show.Reading) *found.Result {
	r := *result
	inputs, outputs := make([]show.Unit, len(r.Inputs)), make([]show.Unit, len(r.Outputs))
	r.Inputs, r.Outputs = slices.Clone(r.Inputs), slices.Clone(r.Outputs)
	for i := range r.Inputs {
		inputs[i] = show.Unit{ID: r.Inputs[i].Unit}
		if at := of.Spec.Input(r.Inputs[i].Name); at >= 0 && of.Spec.Inputs[at].Unit == r.Inputs[i].Unit {
			inputs[i] = of.InputIn(at, 0)
			r.Inputs[i].Unit = inputs[i].ID
		}
	}
	for i := range r.Outputs {
		outputs[i] = show.Unit{ID: r.Outputs[i].Unit}
		at := slices.IndexFunc(of.Spec.Outputs, func(f sdk.Field) bool { return f.Name == r.Outputs[i].Name && f.Unit == r.Outputs[i].Unit })
		if at >= 0 {
			outputs[i] = of.ShownIn(&of.Spec.Outputs[at], largest(result, i))
			r.Outputs[i].Unit = outputs[i].ID
		}
	}
	input := func(name string) *show.Unit {
		at := slices.IndexFunc(r.Inputs, func(q found.Quantity) bool { return q.Name == name })
		if at < 0 {
			return new(show.Unit)
		}
		return &inputs[at]
	}
	r.Rows = slices.Clone(r.Rows)
	for k := range r.Rows {
		row := &r.Rows[k]
		row.At = slices.Clone(row.At)
		for i := range min(len(row.At), len(inputs)) {
			if x, err := strconv.ParseFloat(string(row.At[i]), 64); err == nil && inputs[i].Converts() {
				row.At[i] = json.RawMessage(strconv.FormatFloat(inputs[i].Of(x), 'g', -1, 64))
			}
		}
		row.Result, row.Against, row.Difference = each(row.Result, outputs, (*show.Unit).Of), each(row.Against, outputs, (*show.Unit).Of), each(row.Difference, outputs, (*show.Unit).Step)
	}
	if r.Goal != nil && len(inputs) > 0 && len(outputs) > 0 {
		g := *r.Goal
		g.Trial, g.Below, g.Above = trial(g.Trial, &inputs[0], &outputs[0]), trial(g.Below, &inputs[0], &outputs[0]), trial(g.Above, &inputs[0], &outputs[0])
		g.Difference = outputs[0].Step(g.Difference)
		r.Goal = &g
	}
	r.Sensitivity = slices.Clone(r.Sensitivity)
	for i := range r.Sensitivity {
		of, out := &r.Sensitivity[i], &outputs[i]
		of.Value, of.Inputs = out.Of(of.Value), slices.Clone(of.Inputs)
		for k := range of.Inputs {
			e := &of.Inputs[k]
			in := input(e.Input)
			e.Estimate, e.Derivative, e.Error = in.Of(e.Estimate), out.Step(e.Derivative)/in.Step(1), out.Step(e.Error)/in.Step(1)
			if e.Low != nil {
				e.Low = new(trial(*e.Low, in, out))
			}
			if e.High != nil {
				e.High = new(trial(*e.High, in, out))
			}
		}
	}
	r.Budget = slices.Clone(r.Budget)
	for i := range r.Budget {
		b, out := &r.Budget[i], &outputs[i]
		b.Estimate, b.Standard, b.Expanded, b.Interval = out.Of(b.Estimate), out.Step(b.Standard), out.Step(b.Expanded), interval(b.Interval, out)
		if b.SecondOrder != nil {
			b.SecondOrder = new(out.Step(*b.SecondOrder))
		}
		b.Inputs = slices.Clone(b.Inputs)
		for k := range b.Inputs {
			c := &b.Inputs[k]
			in := input(c.Input)
			c.Estimate, c.Standard, c.Contribution = in.Of(c.Estimate), in.Step(c.Standard), out.Step(c.Contribution)
			c.Derivative, c.Error = out.Step(c.Derivative)/in.Step(1), out.Step(c.Error)/in.Step(1)
		}
	}
	r.Drawn = slices.Clone(r.Drawn)
	for i := range r.Drawn {
		d, out := &r.Drawn[i], &outputs[i]
		d.Mean, d.Standard, d.Symmetric, d.Shortest = out.Of(d.Mean), out.Step(d.Standard), interval(d.Symmetric, out), interval(d.Shortest, out)
		if d.Histogram != nil {
			d.Histogram = &found.Histogram{Low: out.Of(d.Histogram.Low), Width: out.Step(d.Histogram.Width), Counts: d.Histogram.Counts}
		}
		if f := d.First; f != nil {
			d.First = &found.First{
				Estimate: out.Of(f.Estimate), Standard: out.Step(f.Standard), Interval: interval(f.Interval, out),
				Low: out.Step(f.Low), High: out.Step(f.High), Valid: f.Valid,
			}
		}
		if t := d.Stability; t != nil {
			d.Stability = &found.Stability{
				Tolerance: out.Step(t.Tolerance), Mean: out.Step(t.Mean), Standard: out.Step(t.Standard), Low: out.Step(t.Low), High: out.Step(t.High), Stable: t.Stable,
			}
		}
	}
	return &r
}

func each(list []float64, in []show.Unit, convert func(*show.Unit, float64) float64) []float64 {
	list = slices.Clone(list)
	for i := range list {
		list[i] = convert(&in[i], list[i])
	}
	return list
}

func trial(t found.Trial, in, out *show.Unit) found.Trial {
	t.Input = in.Of(t.Input)
	if t.Output != nil {
		t.Output = new(out.Of(*t.Output))
	}
	return t
}

func interval(i found.Interval, u *show.Unit) found.Interval {
	return found.Interval{Low: u.Of(i.Low), High: u.Of(i.High)}
}

// largest returns the largest number of an output in a result, which decides on its unit.
func largest(r *found.Result, i int) (most float64) {
	see := func(x float64) { most = max(most, math.Abs(x)) }
	for _, row := range r.Rows {
		if i < len(row.Result) {
			see(row.Result[i])
		}
	}
	switch {
	case r.Goal != nil && r.Goal.Output != nil:
		see(*r.Goal.Output)
	case r.Sensitivity != nil:
		see(r.Sensitivity[i].Value)
	case r.Budget != nil:
		see(r.Budget[i].Estimate)
	case r.Drawn != nil:
		see(r.Drawn[i].Mean)
	}
	return most
}

// settled returns the controls of a study as a URL has them: plain numbers with units. A number without a unit is in the unit
// in which the page shows its quantity. Texts that are not numbers stay, and the study explains them.
func settled(asked map[string]string, of *show.Reading, language address.Language) map[string]string {
	level := typed.Arithmetic
	if language().Grouped {
		level |= typed.CommaGroups
	}
	list := map[string]string{}
	for name, text := range asked {
		list[name] = text
		f, unit := studiedField(name, asked, of)
		if f == nil || text == "" {
			continue
		}
		if r, err := typed.Read(f, text, level); err == nil {
			if r.Unit != "" {
				unit = r.Unit
			}
			list[name] = strings.TrimSpace(r.Literal + " " + unit)
		}
	}
	return list
}

// studiedField returns the field with the quantity of a control, and the unit of its bare numbers. It returns nil if the control
// has no quantity.
func studiedField(name string, asked map[string]string, of *show.Reading) (f *sdk.Field, unit string) {
	input := ""
	switch {
	case name == "first", name == "last":
		input = asked["vary"]
	case name == "from", name == "to":
		input = asked["unknown"]
	case strings.HasPrefix(name, "width."):
		input = strings.TrimPrefix(name, "width.")
	case name == "goal":
		at := slices.IndexFunc(of.Spec.Outputs, func(f sdk.Field) bool { return f.Name == asked["output"] })
		if at < 0 || of.Spec.Outputs[at].UnitBy != nil {
			return nil, ""
		}
		shown := of.ShownIn(&of.Spec.Outputs[at], 0)
		return &of.Spec.Outputs[at], shown.ID
	}
	at := of.Spec.Input(input)
	if at < 0 || of.Spec.Inputs[at].UnitBy != nil {
		return nil, ""
	}
	shown := of.InputIn(at, 0)
	return &of.Spec.Inputs[at], shown.ID
}
