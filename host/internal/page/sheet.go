package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
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
	Uses      []use // of results in other calculators
	Vary      *varied
	Compared  []*comparison
	Study     studyLinks
	About     about
	Trust     trust
	Freezable bool
	Take      []takeable
	Frozen    *frozen // of a snapshot

	Result json.RawMessage // the answer of the API
	Read   readBack        // of the form
	Linked *graph

	reading *reading
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
	text := q.Label + " " + q.Number.String()
	if q.Unit != "" {
		text += " " + q.Unit
	}
	return text
}

// Convertible reports whether there are other units to show results in.
func (s *sheet) Convertible() bool {
	return slices.ContainsFunc(s.Outputs, func(q quantity) bool { return len(q.Others) > 0 })
}

// Converted reports whether an input was entered in another unit than the one it was computed in.
func (s *sheet) Converted() bool { return slices.ContainsFunc(s.Inputs, quantity.Converted) }

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

// about returns what pages say about a release. A release that cannot be read has all of it: it is
// in the Spec.
func (p *Pages) about(r *calc.Release) about {
	d, _ := p.describe(r)
	return d.about
}

func (p *Pages) newAbout(r *calc.Release) about {
	spec := &r.Spec
	a := about{Assumptions: allInWords(spec, spec.Assumptions), SignConvention: inWords(spec, spec.SignConvention), References: spec.References}
	for i := range spec.Formulas {
		a.Formulas = append(a.Formulas, *p.typeset(r, &spec.Formulas[i]))
	}
	for i := range spec.Limits {
		a.Limits = append(a.Limits, formatLimit(spec, &spec.Limits[i]))
	}
	return a
}

func formatLimit(spec *sdk.Spec, l *sdk.Limit) limit {
	text := quantityInWords(spec, l.Quantity)
	bound := func(x float64) string {
		return strings.TrimSpace(strings.Replace(shortest(x), "-", "−", 1) + " " + formula.FormatUnit(l.Unit))
	}
	switch {
	case l.Min != nil && l.Max != nil:
		text += ": from " + bound(*l.Min) + " to " + bound(*l.Max)
	case l.Min != nil:
		text += ": at least " + bound(*l.Min)
	case l.Max != nil:
		text += ": at most " + bound(*l.Max)
	}
	return limit{text, inWords(spec, l.Doc), l.Warning}
}

// newSheet returns the sheet of an answer without its plots.
func (p *Pages) newSheet(a *calc.Answer, v *view) *sheet {
	spec, release := a.Success.Spec, a.Release
	s := p.baseSheet(release)
	s.Computed = p.options.Now()
	r := newReading(v, spec.At(a.Success.Outcome.Inputs), a.Sent())
	s.fill(p, r, a.Success.Outcome.Inputs, a.Success.Outcome.Result)
	s.Assumed, s.Warnings = allInWords(spec, p.assumed(a)), warningsInWords(spec, a.Success.AllWarnings())
	if f := a.Success.Formula(); f != nil {
		s.Formula = p.formula(release, f)
	}
	s.work(p.steps(a, r))
	if s.Steps != nil && s.Steps.More != nil {
		s.Steps.More.Link = ""
		if s.Current != "" {
			s.Steps.More.Post = p.link(s.Path) + "?" + stepsKey + "=1"
		}
	}
	s.Uses = p.uses(a)
	s.Freezable = p.options.Snapshots != nil
	s.Result = a.AppendJSON(nil)
	s.Linked = p.graphOf(release, s)
	return s
}

// work shows the worked steps, which may be nil, and what they warn of.
func (s *sheet) work(worked *steps) {
	s.Steps = worked
	if worked != nil {
		s.Warnings = append(slices.Clip(s.Warnings), worked.Warnings...)
	}
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

func (s *sheet) fill(p *Pages, r *reading, inputs, outputs value.Values) {
	s.reading = r
	s.Inputs, s.Outputs = p.inputs(r, inputs), p.outputs(r, outputs)
	for i := range s.Outputs {
		s.Outputs[i].Doc = help(r.spec, fieldNamed(&sdk.Spec{Outputs: r.spec.Outputs}, s.Outputs[i].Name))
	}
	s.Headlines = headlines(s.Outputs, s.Inputs)
}

// Result returns the part of a page that shows the answer to these inputs, for scripts that
// replace it. The query of the request says how to show it, like that of a page.
func (p *Pages) Result(r *http.Request, a *calc.Answer, inputs strictjson.Value) ([]byte, error) {
	query := r.URL.RawQuery
	v, err := readView(a.Success.Spec, query)
	if err != nil {
		return nil, err
	}
	s := p.newSheet(a, v)
	asked := inputsQuery(a, v)
	s.Plots, s.Take = p.draw(r.Context(), a, s.reading, asked), p.takeAlong(a.Release, asked)
	p.addStudies(r, s, a, v)
	if address, ok := queryOf(a.Success.Spec, inputs, v); ok {
		s.Share = p.share(a.Release, address)
	}
	return execute("sheet", s)
}

func execute(name string, view any) ([]byte, error) {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, view); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
