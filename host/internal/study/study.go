// Package study reads and runs studies of a release: sweeps, comparisons, goals, sensitivity and uncertainty. [Read] reads a
// plan. [Study.Run] lets the calculation service compute the points of the plan, and passes the answers to package analysis.
// Interfaces show the [Result].
//
// Read resolves the pin of a plan once. A result has its complete plan, so [Recompute] can repeat it byte-identically.
package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/study/analysis"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// Study is a plan that is ready to run.
type Study struct {
	Plan    Plan
	Release *catalog.Release
	Against *catalog.Release // other release of a comparison, nil for other kinds

	service *calc.Service
	words   Words
	spec    *sdk.Spec     // with the units that the inputs choose
	base    value.Values  // inputs at the centre of the study
	other   value.Values  // base for Against
	notices []sdk.Warning // warnings about the release, and about tables of its inputs
	others  []sdk.Warning // notices for Against
	changed []int         // inputs in the order of the plan
	outputs []int
	axes    [][]value.Value // of a sweep
}

// Options of a run. The zero value is usable.
type Options struct {
	// Admit is called with a number of calculations before the study makes them. It returns why the study must not make them.
	Admit func(calculations int) error

	// Reader gives the units of the numbers in problems. If it is nil, they are the units of the author.
	Reader calc.Reader
}

// Memory estimates the memory of a run in bytes. A run keeps each draw twice, once in a sorted list, and each row of a sweep
// with its texts.
func (s *Study) Memory() int64 {
	const fixed, draw, row = 4 << 20, 16, 400
	n := int64(fixed + draw*len(s.outputs)*max(s.Plan.Draws, s.Plan.MaxDraws))
	if s.axes != nil {
		points, _ := s.points()
		n += int64(row * points)
	}
	return n
}

// Run runs the study. The error is a *problem.Problem, or the error of the context.
func (s *Study) Run(ctx context.Context, o *Options) (*Result, error) {
	if o == nil {
		o = new(Options)
	}
	r := &Result{
		Status: "success", Kind: s.Plan.Kind, Capability: s.Release.Capability, Tool: s.spec.Tool, Version: s.Release.Version,
		Release: s.Release.Digest, Plan: s.Plan, Rejected: []Tally{}, Warnings: []Tally{},
	}
	for _, i := range s.changed {
		r.Inputs = append(r.Inputs, quantity(&s.spec.Inputs[i]))
	}
	for _, i := range s.outputs {
		r.Outputs = append(r.Outputs, quantity(&s.spec.Outputs[i]))
	}
	if r.Inputs == nil {
		r.Inputs = []Quantity{}
	}
	text, err := r.AppendJSON(nil) // the result so far: only the plan
	if err != nil {
		return nil, err
	}
	m := &model{study: s, options: o, base: s.base, series: batch.NewSeries(ctx, s.service, s.Release, text)}
	defer m.series.End()
	switch s.Plan.Kind {
	case Sweep:
		err = s.sweep(ctx, m, r)
	case Compare:
		r.AgainstRelease = s.Against.Digest
		err = s.compare(ctx, m, r, text)
	case GoalSeek:
		err = s.seek(ctx, m, r)
	case Sensitivity:
		err = s.sensitivity(ctx, m, r)
	case GUM:
		err = s.budget(ctx, m, r)
	case MonteCarlo:
		err = s.draw(ctx, m, r)
	}
	if err != nil {
		return nil, s.problemOf(err, m)
	}
	m.report(r)
	r.Warnings = append(r.Warnings, r.notices...)
	if err := r.check(); err != nil {
		return nil, err
	}
	return r, nil
}

func quantity(f *sdk.Field) Quantity {
	return Quantity{Name: f.Name, Label: cmp.Or(f.Label, strings.ReplaceAll(f.Name, "_", " ")), Unit: f.Unit}
}

// problemOf returns the problem of a failed study.
func (s *Study) problemOf(err error, m *model) error {
	var rejected *analysis.RejectedError
	switch {
	case errors.As(err, &rejected):
		rejection := m.forReader(rejected.Rejection)
		p := problem.Of(rejection)
		if rejected.Input < 0 {
			p.Field = cmp.Or(p.Field, "inputs")
			return p
		}
		name := s.Plan.changed()[rejected.Input]
		return fault(problem.CodeNoDerivative, name, "Change the inputs so that they lie within what the calculation takes, or leave "+name+" out.",
			"the calculation is rejected on both sides of %s, however near, so there is no derivative; the first time: %s", name, rejection.Detail)
	case errors.Is(err, analysis.ErrAllRejected):
		return m.allRejected()
	}
	return err
}

// changed returns the names of the inputs of a point, in their order.
func (p *Plan) changed() []string {
	var names []string
	for _, a := range p.Vary {
		names = append(names, a.Input)
	}
	for _, u := range p.Uncertain {
		names = append(names, u.Input)
	}
	if p.Unknown != "" {
		names = append(names, p.Unknown)
	}
	return names
}

func fault(code, field, suggestion, format string, args ...any) *problem.Problem {
	p := problem.New(code, suggestion, format, args...)
	p.Field = field
	return p
}

// pieceRows is the maximum number of rows in one call of the engine.
const pieceRows = 2048

// model computes points with an engine. A point has the inputs that the study changes.
type model struct {
	study   *Study
	options *Options
	base    value.Values
	series  *batch.Series
	known   bool // all calculations are admitted

	asked    int
	rejected tallies
	warnings tallies
	rows     []value.Values
}

// admit asks Admit for all calculations of the model at once.
func (m *model) admit(calculations int) error {
	m.known = true
	return m.ask(calculations)
}

// ask asks Admit for further calculations. The problem of a study that is too large names the member of the plan that
// determines its size.
func (m *model) ask(calculations int) error {
	if m.options.Admit == nil {
		return nil
	}
	err := m.options.Admit(calculations)
	if p, ok := errors.AsType[*problem.Problem](err); ok && p.Code == problem.CodeStudyTooLarge {
		p.Field = m.study.Plan.sizedBy()
	}
	return err
}

// sizedBy returns the member of the plan that determines the number of calculations.
func (p *Plan) sizedBy() string {
	switch {
	case p.Digits > 0:
		return "digits"
	case p.Kind == MonteCarlo:
		return "draws"
	case p.Kind == GUM:
		return "uncertain"
	case p.Kind == GoalSeek:
		return "bracket"
	}
	return "vary"
}

// Answer implements [analysis.Model].
func (m *model) Answer(ctx context.Context, points [][]float64) ([]analysis.Answer, error) {
	answers := make([]analysis.Answer, len(points))
	inside := make([]int, 0, len(points)) // indexes of the points with finite numbers
	for i, p := range points {
		if rejected := m.study.outside(p); rejected != nil {
			answers[i].Rejected = rejected
			m.rejected.add(rejected.Code, rejected.Field, rejected.Detail, rejected.Suggestion)
		} else {
			inside = append(inside, i)
		}
	}
	m.asked += len(points) - len(inside)
	values := make([]float64, len(points)*len(m.study.outputs))
	err := m.compute(ctx, len(inside), func(i int, row value.Values) {
		for k, at := range m.study.changed {
			row[at] = value.NumberOf(points[inside[i]][k])
		}
	}, func(i int, numbers []float64, rejected *sdk.Error) {
		i = inside[i]
		if rejected != nil {
			answers[i].Rejected = rejected
			return
		}
		own := values[i*len(numbers) : (i+1)*len(numbers)]
		copy(own, numbers)
		answers[i].Values = own
	})
	return answers, err
}

// compute computes n rows. put sets the inputs of a row, and take gets its result. The numbers are valid until take returns.
func (m *model) compute(ctx context.Context, n int, put func(i int, row value.Values), take func(i int, numbers []float64, rejected *sdk.Error)) error {
	if !m.known {
		if err := m.ask(n); err != nil {
			return err
		}
	}
	if m.rows == nil {
		width := len(m.base)
		memory := make(value.Values, width*min(n, pieceRows))
		for i := 0; i < len(memory); i += width {
			m.rows = append(m.rows, memory[i:i+width:i+width])
		}
	}
	numbers := make([]float64, len(m.study.outputs))
	for from := 0; from < n; {
		rows := m.rows[:min(len(m.rows), n-from)]
		for i, row := range rows {
			copy(row, m.base)
			put(from+i, row)
		}
		results, err := m.series.Compute(ctx, rows)
		if err != nil {
			return err
		}
		for i := range results {
			rejected := m.read(numbers, rows[i], &results[i].Outcome, results[i].Err)
			if rejected != nil {
				m.reject(rows[i], rejected)
			}
			take(from+i, numbers, rejected)
		}
		from += len(rows)
	}
	m.asked += n
	return nil
}

// read reads the numbers of the plan from an outcome of a row.
func (m *model) read(numbers []float64, row value.Values, o *sdk.Outcome, err error) *sdk.Error {
	var rejected *sdk.Error
	if errors.As(err, &rejected) {
		return rejected
	}
	for i, w := range o.Warnings {
		if first := m.warnings.add(w.Code, "", w.Detail, w.Suggestion); first != nil {
			first.in = m.study.warning(row, o, i)
		}
	}
	for k, at := range m.study.outputs {
		x, ok := number(o.Result[at])
		if !ok {
			name := m.study.spec.Outputs[at].Name
			return sdk.Reject(problem.CodeNoNumber, name, "the result has no number %s for these inputs", name).Suggest("Use another output, or other inputs.")
		}
		numbers[k] = x
	}
	return nil
}

// warning returns a function that returns the texts of a warning of a calculation for a reader.
func (s *Study) warning(row value.Values, o *sdk.Outcome, i int) func(calc.Reader) (detail, suggestion string) {
	inputs := slices.Clone(row)
	kept := &sdk.Outcome{Warnings: slices.Clone(o.Warnings), Assumptions: slices.Clone(o.Assumptions)}
	return func(reader calc.Reader) (string, string) {
		warnings, _ := s.service.NotesOf(s.Release, inputs, kept, reader)
		return warnings[i].Detail, warnings[i].Suggestion
	}
}

// forReader returns a rejection with its texts in the units of the reader of problems.
func (m *model) forReader(e *sdk.Error) *sdk.Error {
	at := slices.IndexFunc(m.rejected, func(t Tally) bool { return t.Code == e.Code && t.Detail == e.Detail && t.in != nil })
	if at < 0 || m.options.Reader == nil {
		return e
	}
	shown := *e
	shown.Detail, shown.Suggestion = m.rejected[at].in(m.options.Reader)
	return &shown
}

// reject counts a rejection of the row.
func (m *model) reject(row value.Values, e *sdk.Error) {
	first := m.rejected.add(e.Code, e.Field, e.Detail, e.Suggestion)
	if first == nil {
		return
	}
	inputs, s := slices.Clone(row), m.study
	first.in = func(reader calc.Reader) (string, string) {
		shown := s.service.RejectionOf(s.Release, inputs, e, reader)
		return shown.Detail, shown.Suggestion
	}
}

// allRejected returns the problem of a study without accepted calculations.
func (m *model) allRejected() *problem.Problem {
	if len(m.rejected) == 0 {
		return fault(problem.CodeAllRejected, "draws", "Use more draws.", "nothing was computed")
	}
	first, count := m.rejected[0], 0
	for _, t := range m.rejected {
		count += t.Count
	}
	which := fmt.Sprintf("each of the %d calculations was rejected", m.asked)
	if count < m.asked {
		which = fmt.Sprintf("all but one of the %d calculations were rejected", m.asked)
	}
	if first.in != nil && m.options.Reader != nil {
		first.Detail, first.Suggestion = first.in(m.options.Reader)
	}
	field := cmp.Or(first.Field, "inputs")
	if names := m.study.Plan.changed(); first.Field == "" && len(names) > 0 {
		field = names[0]
	}
	return fault(problem.CodeAllRejected, field, "Use another region. "+first.Suggestion,
		"%s; the first with %s: %s", which, first.Code, first.Detail)
}

// report adds the counts to the result.
func (m *model) report(r *Result) {
	r.Calculations += m.asked
	for _, list := range []struct {
		to   *[]Tally
		from tallies
	}{{&r.Rejected, m.rejected}, {&r.Warnings, m.warnings}} {
		for _, t := range list.from {
			if at := slices.IndexFunc(*list.to, func(one Tally) bool { return one.Code == t.Code }); at >= 0 {
				(*list.to)[at].Count += t.Count
			} else {
				*list.to = append(*list.to, t)
			}
		}
	}
	for _, w := range m.study.notices {
		at := slices.IndexFunc(r.notices, func(one Tally) bool { return one.Code == w.Code && one.Detail == w.Detail })
		if at < 0 {
			at = len(r.notices)
			r.notices = append(r.notices, Tally{Code: w.Code, Detail: w.Detail, Suggestion: w.Suggestion})
		}
		r.notices[at].Count += m.asked
	}
}
