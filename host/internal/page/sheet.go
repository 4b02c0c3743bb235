package page

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/value"
)

// sheet is one calculation: its inputs, its results, and how well they are verified.
type sheet struct {
	Root      string // before the paths of links
	Title     string
	Summary   string
	Tool      string
	Version   string
	Current   string // current version, if the sheet shows another one
	Path      string // of the page
	Page      string // public address of the page
	Share     string // public address with the same inputs; "" if no address can hold them
	Computed  time.Time
	Headlines []quantity
	Outputs   []quantity
	Inputs    []quantity
	Formula   *formulaText
	Steps     *steps
	Assumed   []string
	Warnings  []sdk.Warning
	Plots     []picture
	About     about
	Trust     trust
	Freezable bool
	Frozen    *frozen // of a snapshot

	Result json.RawMessage // the answer of the API
	Linked *graph
}

// MachineTime and ReadableTime return the time of the calculation for machines and people.
func (s *sheet) MachineTime() string  { return s.Computed.UTC().Format(time.RFC3339) }
func (s *sheet) ReadableTime() string { return s.Computed.UTC().Format("2 January 2006, 15:04 UTC") }

// Brief returns the first result in one line, as the API formats it.
func (s *sheet) Brief() string {
	if len(s.Headlines) == 0 {
		return ""
	}
	q := s.Headlines[0]
	if q.Number == nil {
		return q.Label + " " + q.Text
	}
	text := q.Label + " " + q.Number.Mantissa
	if q.Number.Exponent != "" {
		text += " × 10^" + q.Number.Exponent
	}
	if q.Unit != "" {
		text += " " + q.Unit
	}
	return text
}

// Convertible reports whether there are other units to show results in.
func (s *sheet) Convertible() bool {
	return slices.ContainsFunc(s.Outputs, func(q quantity) bool { return len(q.Others) > 0 })
}

// Varied reports whether an input was entered in a unit other than the one of the computation.
func (s *sheet) Varied() bool {
	return slices.ContainsFunc(s.Inputs, func(q quantity) bool { return q.Entered != "" })
}

// about holds what is the same for every calculation of a release.
type about struct {
	Formulas       []formulaText
	Assumptions    []string
	SignConvention string
	References     []sdk.Reference
	Limits         []limit
}

// limit is one bound of validity in words.
type limit struct{ Text, Doc, Warning string }

func (p *Pages) about(r *calc.Release) about {
	spec := &r.Spec
	a := about{Assumptions: spec.Assumptions, SignConvention: spec.SignConvention, References: spec.References}
	for i := range spec.Formulas {
		a.Formulas = append(a.Formulas, *p.formula(r, &spec.Formulas[i]))
	}
	for i := range spec.Limits {
		a.Limits = append(a.Limits, formatLimit(&spec.Limits[i]))
	}
	return a
}

func formatLimit(l *sdk.Limit) limit {
	text := l.Quantity
	if l.Min != nil {
		text = shortest(*l.Min) + " ≤ " + text
	}
	if l.Max != nil {
		text += " ≤ " + shortest(*l.Max)
	}
	if l.Unit != "" {
		text += " " + formula.FormatUnit(l.Unit)
	}
	return limit{text, l.Doc, l.Warning}
}

// newSheet returns the sheet of an answer without its plots.
func (p *Pages) newSheet(a *calc.Answer) *sheet {
	spec, r := a.Success.Spec, a.Release
	s := p.baseSheet(r)
	s.Computed = p.options.Now()
	s.fill(p, spec, a.Success.Outcome.Inputs, a.Success.Outcome.Result)
	s.Assumed, s.Warnings = a.Success.Assumptions(), a.Success.AllWarnings()
	noteEntered(s.Inputs, a.Success.Conversions)
	if f := a.Success.Formula(); f != nil {
		s.Formula = p.formula(r, f)
	}
	s.Steps = p.steps(a)
	s.Freezable = p.options.Snapshots != nil
	s.Result = a.AppendJSON(nil)
	s.Linked = p.graphOf(r, s)
	return s
}

// baseSheet returns a sheet with what all sheets of a release have in common.
func (p *Pages) baseSheet(r *calc.Release) *sheet {
	s := &sheet{
		Root: p.root, Title: r.Spec.Title, Summary: r.Spec.Summary, Tool: r.Spec.Tool, Version: r.Version,
		Path: calc.PagePath(&r.Spec), Page: p.address(calc.PagePath(&r.Spec)), About: p.about(r), Trust: p.trust(r),
	}
	if e, err := p.service.Catalog().Find(r.Capability); err == nil && e.Current != r.Version {
		s.Current = e.Current
	}
	return s
}

func (s *sheet) fill(p *Pages, spec *sdk.Spec, inputs, outputs value.Values) {
	spec = spec.At(inputs)
	s.Inputs, s.Outputs = p.quantities(spec.Inputs, inputs), p.quantities(spec.Outputs, outputs)
	for i, k := 0, 0; i < len(spec.Outputs) && i < len(outputs); i++ {
		if outputs[i].Kind() == value.Absent {
			continue
		}
		if outputs[i].Kind() == value.Number && !isDifference(&spec.Outputs[i]) {
			s.Outputs[k].Others = inOthers(outputs[i].Number(), spec.Outputs[i].Unit)
		}
		k++
	}
	s.Headlines = headlines(s.Outputs, s.Inputs)
}

// Result returns the part of a page that shows the answer, for scripts that replace it.
func (p *Pages) Result(ctx context.Context, a *calc.Answer) ([]byte, error) {
	s := p.newSheet(a)
	s.Plots = p.draw(ctx, a, inputsQuery(a))
	return execute("sheet", s)
}

func execute(name string, view any) ([]byte, error) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, view); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
