package study

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk/value"
)

// Units chooses the units of a reader. The largest number of a quantity in the result can decide on its unit.
type Units interface {
	// Input returns the unit of an input that the study changes, and Output the unit of an output.
	Input(q *Quantity, largest float64) customary.Shown
	Output(q *Quantity, largest float64) customary.Shown

	// Texts shows the numbers in texts of warnings, nil if they keep their units.
	Texts() calc.Reader
}

// converter converts the numbers of a result.
type converter struct {
	inputs, outputs []customary.Shown
	lost            bool // a number is beyond binary64 in its unit
}

// In returns the result in the units of a reader, for display. It reports false if binary64 cannot have a number of the result in
// its unit. The result itself stays in the units of the Spec.
func (r *Result) In(u Units) (in *Result, ok bool) {
	var c converter
	shown := *r
	shown.Inputs, shown.Outputs = slices.Clone(r.Inputs), slices.Clone(r.Outputs)
	for i := range r.Inputs {
		q := &shown.Inputs[i]
		c.inputs = append(c.inputs, u.Input(q, r.largestInput(i)))
		q.Unit = c.inputs[i].ID
	}
	for i := range r.Outputs {
		q := &shown.Outputs[i]
		c.outputs = append(c.outputs, u.Output(q, r.largestOutput(i)))
		q.Unit = c.outputs[i].ID
	}
	shown.Rows = c.rows(r.Rows)
	if r.Goal != nil {
		g := *r.Goal
		g.Trial, g.Below, g.Above = c.trial(g.Trial, 0, 0), c.trial(g.Below, 0, 0), c.trial(g.Above, 0, 0)
		g.Difference = c.step(&c.outputs[0], g.Difference)
		shown.Goal = &g
	}
	shown.Sensitivity = slices.Clone(r.Sensitivity)
	for i := range shown.Sensitivity {
		c.sensitivity(r, &shown.Sensitivity[i], i)
	}
	shown.Budget = slices.Clone(r.Budget)
	for i := range shown.Budget {
		c.budget(r, &shown.Budget[i], i)
	}
	shown.Drawn = slices.Clone(r.Drawn)
	for i := range shown.Drawn {
		c.drawn(&shown.Drawn[i], &c.outputs[i])
	}
	shown.Warnings, shown.Rejected = slices.Clone(r.Warnings), slices.Clone(r.Rejected)
	if reader := u.Texts(); reader != nil {
		for _, list := range [][]Tally{shown.Warnings, shown.Rejected} {
			for i := range list {
				if t := &list[i]; t.in != nil {
					t.Detail, t.Suggestion = t.in(reader)
				}
			}
		}
	}
	return &shown, !c.lost
}

func (c *converter) kept(x, converted float64, exact bool) float64 {
	if math.IsInf(converted, 0) || converted == 0 && x != 0 && exact {
		c.lost = true
	}
	return converted
}

// of returns a number in the unit, and step a difference of two numbers.
func (c *converter) of(u *customary.Shown, x float64) float64 {
	return c.kept(x, u.Of(x), !u.HasZero())
}

func (c *converter) step(u *customary.Shown, x float64) float64 { return c.kept(x, u.Step(x), true) }

// slope returns a derivative of an output by an input.
func (c *converter) slope(out, in *customary.Shown, x float64) float64 {
	return c.kept(x, c.step(out, x)/in.Step(1), true)
}

func (c *converter) interval(u *customary.Shown, i Interval) Interval {
	return Interval{Low: c.of(u, i.Low), High: c.of(u, i.High)}
}

func (c *converter) trial(t Trial, input, output int) Trial {
	t.Input = c.of(&c.inputs[input], t.Input)
	if t.Output != nil {
		t.Output = new(c.of(&c.outputs[output], *t.Output))
	}
	return t
}

func (c *converter) rows(rows []Row) []Row {
	rows = slices.Clone(rows)
	each := func(list []float64, convert func(*customary.Shown, float64) float64) []float64 {
		list = slices.Clone(list)
		for i := range list {
			list[i] = convert(&c.outputs[i], list[i])
		}
		return list
	}
	for k := range rows {
		row := &rows[k]
		row.At = slices.Clone(row.At)
		for i := range min(len(row.At), len(c.inputs)) {
			if x, err := strconv.ParseFloat(string(row.At[i]), 64); err == nil && c.inputs[i].Converts() {
				row.At[i] = json.RawMessage(value.AppendNumber(nil, c.of(&c.inputs[i], x)))
			}
		}
		row.Result, row.Against, row.Difference = each(row.Result, c.of), each(row.Against, c.of), each(row.Difference, c.step)
	}
	return rows
}

func (c *converter) sensitivity(r *Result, of *SensitivityOf, i int) {
	out := &c.outputs[i]
	of.Value, of.Inputs = c.of(out, of.Value), slices.Clone(of.Inputs)
	for k := range of.Inputs {
		e := &of.Inputs[k]
		at := r.input(e.Input)
		if at < 0 {
			continue
		}
		in := &c.inputs[at]
		e.Estimate, e.Derivative, e.Error = c.of(in, e.Estimate), c.slope(out, in, e.Derivative), c.slope(out, in, e.Error)
		for _, end := range []**Trial{&e.Low, &e.High} {
			if *end != nil {
				*end = new(c.trial(**end, at, i))
			}
		}
	}
}

func (c *converter) budget(r *Result, b *Budget, i int) {
	out := &c.outputs[i]
	b.Estimate, b.Standard, b.Expanded, b.Interval = c.of(out, b.Estimate), c.step(out, b.Standard), c.step(out, b.Expanded), c.interval(out, b.Interval)
	if b.SecondOrder != nil {
		b.SecondOrder = new(c.step(out, *b.SecondOrder))
	}
	b.Inputs = slices.Clone(b.Inputs)
	for k := range b.Inputs {
		of := &b.Inputs[k]
		of.Contribution = c.step(out, of.Contribution)
		if at := r.input(of.Input); at >= 0 {
			in := &c.inputs[at]
			of.Estimate, of.Standard = c.of(in, of.Estimate), c.step(in, of.Standard)
			of.Derivative, of.Error = c.slope(out, in, of.Derivative), c.slope(out, in, of.Error)
		}
	}
}

func (c *converter) drawn(d *Drawn, out *customary.Shown) {
	d.Mean, d.Standard, d.Symmetric, d.Shortest = c.of(out, d.Mean), c.step(out, d.Standard), c.interval(out, d.Symmetric), c.interval(out, d.Shortest)
	if h := d.Histogram; h != nil {
		d.Histogram = &Histogram{Low: c.of(out, h.Low), Width: c.step(out, h.Width), Counts: h.Counts}
	}
	if f := d.First; f != nil {
		d.First = &First{
			Estimate: c.of(out, f.Estimate), Standard: c.step(out, f.Standard), Interval: c.interval(out, f.Interval),
			Low: c.step(out, f.Low), High: c.step(out, f.High), Valid: f.Valid,
		}
	}
	if t := d.Stability; t != nil {
		d.Stability = &Stability{c.step(out, t.Tolerance), c.step(out, t.Mean), c.step(out, t.Standard), c.step(out, t.Low), c.step(out, t.High), t.Stable}
	}
}

// input returns the index of a changed input, -1 if there is none.
func (r *Result) input(name string) int {
	return slices.IndexFunc(r.Inputs, func(q Quantity) bool { return q.Name == name })
}

// largestInput returns the largest number of a changed input in the result.
func (r *Result) largestInput(i int) (most float64) {
	see := func(x float64) { most = max(most, math.Abs(x)) }
	for _, row := range r.Rows {
		if x, err := strconv.ParseFloat(string(row.At[i]), 64); err == nil {
			see(x)
		}
	}
	switch {
	case r.Goal != nil:
		see(r.Goal.Input)
	case r.Sensitivity != nil:
		for _, e := range r.Sensitivity[0].Inputs {
			if e.Input == r.Inputs[i].Name {
				see(e.Estimate)
			}
		}
	case r.Budget != nil:
		for _, c := range r.Budget[0].Inputs {
			if c.Input == r.Inputs[i].Name {
				see(c.Estimate)
			}
		}
	}
	return most
}

// largestOutput returns the largest number of an output in the result.
func (r *Result) largestOutput(i int) (most float64) {
	see := func(x float64) { most = max(most, math.Abs(x)) }
	for _, row := range r.Rows {
		for _, numbers := range [][]float64{row.Result, row.Against} {
			if i < len(numbers) {
				see(numbers[i])
			}
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
