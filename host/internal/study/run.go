package study

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/study/analysis"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
)

// points returns the number of points of a sweep, and a function with the position of a point on an axis. The last axis runs
// fastest.
func (s *Study) points() (n int, at func(point, axis int) int) {
	if s.Plan.Zip {
		return len(s.axes[0]), func(point, _ int) int { return point }
	}
	strides := make([]int, len(s.axes))
	n = 1
	for k := len(s.axes) - 1; k >= 0; k-- {
		strides[k], n = n, n*len(s.axes[k])
	}
	return n, func(point, axis int) int { return point / strides[axis] % len(s.axes[axis]) }
}

func (s *Study) sweep(ctx context.Context, m *model, r *Result) error {
	n, place := s.points()
	if err := m.admit(n); err != nil {
		return err
	}
	r.Rows = make([]Row, n)
	answered := 0
	err := m.compute(ctx, n, func(i int, row value.Values) {
		for k, at := range s.changed {
			row[at] = s.axes[k][place(i, k)]
		}
	}, func(i int, numbers []float64, rejected *sdk.Error) {
		r.Rows[i].At = s.at(i, place)
		if rejected != nil {
			r.Rows[i].Code = rejected.Code
			return
		}
		answered++
		r.Rows[i].Result = slices.Clone(numbers)
	})
	if err == nil && answered == 0 {
		err = analysis.ErrAllRejected
	}
	return err
}

// at returns the values of a point as JSON.
func (s *Study) at(point int, place func(point, axis int) int) []json.RawMessage {
	values := []json.RawMessage{}
	for k := range s.axes {
		values = append(values, response.AppendValue(nil, &s.spec.Inputs[s.changed[k]], s.axes[k][place(point, k)]))
	}
	return values
}

// compare sweeps two releases. A plan without axes compares one calculation.
func (s *Study) compare(ctx context.Context, m *model, r *Result, text []byte) error {
	other := *s
	other.Release, other.spec, other.base, other.notices = s.Against, s.Against.Spec.At(s.other), s.other, s.others
	other.changed, other.outputs = nil, nil
	for _, a := range s.Plan.Vary {
		at := other.spec.Input(a.Input)
		if at < 0 {
			return fault(problem.CodeInvalidPlan, "vary."+a.Input, "Vary an input that both versions have.", "version %s has no input %s", s.Against.Version, a.Input)
		}
		other.changed = append(other.changed, at)
	}
	for k, name := range s.Plan.Output {
		at := slices.IndexFunc(other.spec.Outputs, func(f sdk.Field) bool { return f.Name == name })
		if unit := other.spec.Outputs[at].Unit; unit != r.Outputs[k].Unit {
			return fault(problem.CodeInvalidPlan, "output", "Compare another output.", "%s is in %s in version %s, and in %s in version %s", name, r.Outputs[k].Unit, r.Version, unit, s.Against.Version)
		}
		other.outputs = append(other.outputs, at)
	}
	n, _ := s.points()
	if err := m.admit(2 * n); err != nil {
		return err
	}
	first := s.sweep(ctx, m.admitted(), r)
	if first != nil && first != analysis.ErrAllRejected {
		return first
	}
	m2 := &model{study: &other, options: new(Options), base: other.base, series: batch.NewSeries(ctx, s.service, s.Against, text)}
	defer m2.series.End()
	var r2 Result
	second := other.sweep(ctx, m2, &r2)
	if second != nil && second != analysis.ErrAllRejected || first != nil && second != nil {
		return second
	}
	for i := range r.Rows {
		row, from := &r.Rows[i], &r2.Rows[i]
		row.Against, row.Other = from.Result, from.Code
		for k := range min(len(row.Result), len(row.Against)) {
			row.Difference = append(row.Difference, row.Against[k]-row.Result[k])
		}
	}
	m2.report(r)
	return nil
}

// admitted returns the model after the caller has admitted all its calculations.
func (m *model) admitted() *model {
	m.options = new(Options)
	return m
}

func (s *Study) seek(ctx context.Context, m *model, r *Result) error {
	p := &s.Plan
	unknown, output := p.Unknown, p.Output[0]
	found, err := (&analysis.Goal{From: p.Bracket[0], To: p.Bracket[1], Wanted: *p.Goal}).Seek(ctx, m)
	if err != nil {
		return err
	}
	best, below, above := found.Best, found.Below, found.Above
	switch found.Found {
	case analysis.NoChange:
		return fault(problem.CodeNoBracket, "bracket", "Widen "+s.words.Part("bracket")+" until "+output+" passes the goal between its ends; a sweep shows where.",
			"%s is %v at %s = %v and %v at %s = %v: both are on the same side of the goal %v",
			output, below.Answer.Values[0], unknown, below.Input, above.Answer.Values[0], unknown, above.Input, *p.Goal)
	case analysis.Jump:
		return fault(problem.CodeGoalJumped, "goal", "Choose another goal, or another model of the calculation.",
			"%s jumps over the goal %v: it is %v at %s = %v and %v at the next number, %v",
			output, *p.Goal, below.Answer.Values[0], unknown, below.Input, above.Answer.Values[0], above.Input)
	case analysis.Refused:
		rejected := best.Answer.Rejected
		return fault(rejected.Code, "bracket", "Narrow "+s.words.Part("bracket")+" to values that the calculation accepts. "+rejected.Suggestion,
			"the calculation is rejected at %s = %v: %s", unknown, best.Input, rejected.Detail)
	}
	value := best.Answer.Values[0]
	r.Goal = &Goal{Trial: trial(&best), Exact: value == *p.Goal, Difference: value - *p.Goal, Below: trial(&below), Above: trial(&above)}
	return nil
}

// estimates returns the values of the changed inputs.
func (s *Study) estimates() []float64 {
	var list []float64
	for _, at := range s.changed {
		x, _ := number(s.base[at])
		list = append(list, x)
	}
	return list
}

func (s *Study) sensitivity(ctx context.Context, m *model, r *Result) error {
	at := s.estimates()
	slopes, err := analysis.Slopes(ctx, m, at, nil)
	if err != nil {
		return err
	}
	var ends [][]float64
	for i := range at {
		for _, by := range []float64{-s.Plan.Change, s.Plan.Change} {
			p := slices.Clone(at)
			p[i] += float64(by * p[i])
			if rejected := s.outside(p); rejected != nil {
				return fault(rejected.Code, rejected.Field, rejected.Suggestion, "%s", rejected.Detail)
			}
			ends = append(ends, p)
		}
	}
	answers, err := m.Answer(ctx, ends)
	if err != nil {
		return err
	}
	for o, name := range s.Plan.Output {
		of := SensitivityOf{Output: name, Value: slopes.Values[o]}
		for i, slope := range slopes.Slopes[o] {
			e := Effect{Input: s.Plan.Vary[i].Input, Estimate: at[i], Derivative: slope.Derivative, Error: slope.Error, Elasticity: orNil(slope.Elasticity)}
			if at[i] != 0 { // a relative change of 0 has no effect
				e.Low, e.High = end(ends[2*i][i], &answers[2*i], o), end(ends[2*i+1][i], &answers[2*i+1], o)
			}
			of.Inputs = append(of.Inputs, e)
		}
		slices.SortStableFunc(of.Inputs, func(a, b Effect) int { return cmp.Compare(b.Swing(), a.Swing()) })
		r.Sensitivity = append(r.Sensitivity, of)
	}
	return nil
}

// end returns an end of a bar in a tornado chart.
func end(input float64, a *analysis.Answer, output int) *Trial {
	t := &Trial{Input: input}
	if a.Rejected != nil {
		t.Code = a.Rejected.Code
	} else {
		t.Output = &a.Values[output]
	}
	return t
}

// inputs returns the uncertain inputs for the law of propagation.
func (s *Study) inputs() []analysis.Input {
	var list []analysis.Input
	for _, u := range s.Plan.Uncertain {
		in := analysis.Input{Estimate: u.at.Mean(), Standard: u.at.StandardDeviation(), Freedom: math.Inf(1)}
		if u.Freedom != nil && u.at.Kind != analysis.Student {
			in.Freedom = *u.Freedom
		}
		list = append(list, in)
	}
	return list
}

// probability returns the probability of the plan, as a decimal and as binary64.
func (p *Plan) probability() (*big.Rat, float64) {
	exact, _ := new(big.Rat).SetString(string(p.Probability)) // Read has checked it
	x, _ := exact.Float64()
	return exact, x
}

func (s *Study) budget(ctx context.Context, m *model, r *Result) error {
	inputs := s.inputs()
	found, err := analysis.Propagate(ctx, m, inputs, s.Plan.correlation(), s.Plan.SecondOrder)
	if err != nil {
		return err
	}
	_, p := s.Plan.probability()
	for o, name := range s.Plan.Output {
		u := &found.Of[o]
		b := Budget{Output: name, Estimate: found.Values[o], Standard: u.Standard, Freedom: orNil(u.Freedom)}
		if s.Plan.SecondOrder {
			b.SecondOrder = &u.SecondOrder
		}
		b.Factor, b.Expanded, b.Interval = expanded(b.Estimate, u, p)
		for i, in := range inputs {
			slope := found.Slopes[o][i]
			c := Contribution{
				Input: s.Plan.Uncertain[i].Input, Estimate: in.Estimate, Standard: in.Standard, Freedom: orNil(in.Freedom),
				Derivative: slope.Derivative, Error: slope.Error, Contribution: u.Contributions[i],
			}
			if s.Plan.Correlation == nil && u.Standard > 0 {
				part := u.Contributions[i] / u.Standard
				c.Share = orNil(part * part)
			}
			b.Inputs = append(b.Inputs, c)
		}
		r.Budget = append(r.Budget, b)
	}
	if len(r.Budget) > 1 {
		for _, row := range found.Correlation {
			var list []*float64
			for _, x := range row {
				list = append(list, orNil(x))
			}
			r.Together = append(r.Together, list)
		}
	}
	return nil
}

// expanded returns the coverage factor, the expanded uncertainty and the interval. It cuts degrees of freedom to a whole
// number, as JCGM 100, G.6.4 demands.
func expanded(estimate float64, u *analysis.Uncertainty, p float64) (k, expanded float64, in Interval) {
	freedom := math.Inf(1)
	if !math.IsNaN(u.Freedom) {
		freedom = math.Max(math.Floor(u.Freedom), math.Min(u.Freedom, 1))
	}
	k = analysis.CoverageFactor(p, freedom)
	expanded = float64(k * u.Standard)
	return k, expanded, Interval{estimate - expanded, estimate + expanded}
}

func (s *Study) draw(ctx context.Context, m *model, r *Result) error {
	p := &s.Plan
	exact, part := p.probability()
	draws := &analysis.MonteCarlo{
		Correlation: p.correlation(), Draws: p.Draws, Digits: cmp.Or(p.Digits, 2), Most: p.MaxDraws, Probability: exact, Seed: *p.Seed, Histogram: p.Bins,
	}
	for _, u := range p.Uncertain {
		draws.Inputs = append(draws.Inputs, u.at)
	}
	if p.Draws > 0 {
		if err := m.admit(p.Draws); err != nil {
			return err
		}
	}
	found, err := draws.Run(ctx, m)
	if err != nil {
		return err
	}
	// The law of propagation needs few calculations compared to the draws. If it fails, the result does not have it.
	slopes := &model{study: s, options: new(Options), base: s.base, series: m.series}
	first, err := analysis.Propagate(ctx, slopes, s.inputs(), draws.Correlation, false)
	if ctx.Err() != nil {
		return err
	}
	for o, name := range p.Output {
		d := &found.Outputs[o]
		one := Drawn{
			Output: name, Draws: d.Draws, Mean: d.Mean, Standard: d.Standard,
			Symmetric: Interval(d.Symmetric), Shortest: Interval(d.Shortest),
			Histogram: &Histogram{d.Low, d.Width, d.Counts},
		}
		if reached := d.Reached; !math.IsInf(reached[0], 0) {
			one.Stability = &Stability{d.Tolerance, 2 * reached[0], 2 * reached[1], 2 * reached[2], 2 * reached[3], d.Stable}
		}
		if err == nil {
			u := &first.Of[o]
			f := &First{Estimate: first.Values[o], Standard: u.Standard}
			_, _, f.Interval = expanded(f.Estimate, u, part)
			f.Low, f.High, f.Valid = analysis.Validated(analysis.Interval(f.Interval), d.Symmetric, d.Standard, cmp.Or(p.Digits, 1))
			if _, beyond := nonFinite(reflect.ValueOf(f), nil); !beyond {
				one.First = f
			}
		}
		r.Drawn = append(r.Drawn, one)
	}
	return nil
}
