package calculator

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/vary"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/value"
)

// sheet is one calculation: its inputs, its results, and its verification.
type sheet struct {
	Root        string // before the paths of links
	Title       string
	Summary     string
	Tool        string
	Version     string
	Current     string // current version, if the sheet shows another one
	Path        string // of the page
	Page        string // public URL of the page
	Share       string // public URL with the same inputs; "" if they are too long for a URL
	Computed    time.Time
	Headlines   []show.Quantity
	Checks      []check
	Outputs     []show.Quantity
	Inputs      []show.Quantity
	Formula     *about.Formula
	Steps       *steps
	Assumed     []string
	Warnings    []sdk.Warning
	Plots       []picture
	Uses        []use // links from results to other calculators
	About       about.Facts
	Trust       trust.Summary
	CanSnapshot bool
	Take        []takeable
	Snapshot    *about.Snapshot // nil if the sheet is not a snapshot
	vary.Studies

	Result json.RawMessage // the answer of the API
	Read   readBack        // of the form
	Linked *graph

	reading *show.Reading
}

// MachineTime and ReadableTime return the time of the calculation for machines and people.
func (s *sheet) MachineTime() string { return s.Computed.UTC().Format(time.RFC3339) }

func (s *sheet) ReadableTime() string { return s.Computed.UTC().Format("2 January 2006, 15:04 UTC") }

// Brief returns the first result in one line, with the number format of the API.
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
	for _, c := range s.Checks {
		text += ": " + strings.ToLower(c.Word)
	}
	return text
}

// Convertible reports whether there are other units to show results in.
func (s *sheet) Convertible() bool {
	return slices.ContainsFunc(s.Outputs, func(q show.Quantity) bool { return len(q.Others) > 0 })
}

// Converted reports whether an input was entered in another unit than the unit of the Spec.
func (s *sheet) Converted() bool { return slices.ContainsFunc(s.Inputs, show.Quantity.Converted) }

// newSheet returns the sheet of an answer without its plots.
func (p *Pages) newSheet(a *calc.Answer, v *address.View) *sheet {
	release := p.about.In(a.Release, v.Units)
	spec := &release.Spec
	s := p.baseSheet(release, v.Units)
	s.Computed = p.now()
	r := show.NewReading(v, spec.At(a.Success.Outcome.Inputs), a.Sent())
	s.fill(r, a.Success.Outcome.Inputs, a.Success.Outcome.Result)
	warnings, assumed := p.Service.Notes(a, r.Steps())
	s.Assumed = wording.AllInWords(spec, p.assumed(spec, a.Success.Presets, assumed))
	s.Warnings = wording.WarningsInWords(spec, slices.Concat(warnings, a.Success.AllWarnings()[len(a.Success.Outcome.Warnings):]))
	s.Checks = p.checks(release, s, a.Success.Outcome.Result)
	if f := a.Success.Formula(); f != nil {
		s.Formula = p.about.Formula(release, f)
	}
	s.work(p.steps(a, r))
	if s.Steps != nil && s.Steps.More != nil {
		s.Steps.More.Link = ""
		if s.Current != "" {
			s.Steps.More.Post = p.Link(s.Path) + "?" + address.StepsKey + "=1"
		}
	}
	s.Uses = p.uses(a)
	s.CanSnapshot = p.snapshots != nil
	s.Result = a.AppendJSON(nil)
	s.Linked = p.graphOf(release, s)
	return s
}

// work sets the worked steps, which can be nil, and adds their warnings.
func (s *sheet) work(worked *steps) {
	s.Steps = worked
	if worked != nil {
		s.Warnings = append(slices.Clip(s.Warnings), worked.Warnings...)
	}
}

// baseSheet returns a sheet with the data that all sheets of a release have in common, for readers of a system of units.
func (p *Pages) baseSheet(r *catalog.Release, system customary.System) *sheet {
	s := &sheet{
		Root: p.Root, Title: r.Spec.Title, Summary: r.Spec.Summary, Tool: r.Spec.Tool, Version: r.Version,
		Path: catalog.PagePath(&r.Spec), Page: p.Address(catalog.PagePath(&r.Spec)), About: p.about.Facts(r, system), Trust: p.trust.Of(r),
	}
	if e, err := p.Service.Catalog().Find(r.Capability); err == nil && e.Current != r.Version {
		s.Current = e.Current
	}
	return s
}

func (s *sheet) fill(r *show.Reading, inputs, outputs value.Values) {
	s.reading = r
	s.Inputs, s.Outputs = r.Inputs(inputs), r.Outputs(outputs)
	for i := range s.Outputs {
		s.Outputs[i].Doc = wording.Help(r.Spec, wording.FieldNamed(&sdk.Spec{Outputs: r.Spec.Outputs}, s.Outputs[i].Name))
	}
	s.Headlines = show.Headlines(s.Outputs, s.Inputs)
}

// result returns the part of a page that shows the answer to these inputs, for scripts that replace it. The query of the
// request chooses the view, as on a page.
func (p *Pages) result(r *http.Request, a *calc.Answer, inputs strictjson.Value) ([]byte, error) {
	query := r.URL.RawQuery
	v, err := address.ReadView(a.Success.Spec, query)
	if err != nil {
		return nil, err
	}
	s := p.newSheet(a, v)
	asked := inputsQuery(a, v)
	s.Plots, s.Take = p.draw(r.Context(), a, s.reading, asked), p.exports(a.Release, asked)
	s.Studies = *p.vary.Studies(r, a, v, s.Current == "")
	if address, ok := address.QueryOf(a.Success.Spec, inputs, v); ok {
		s.Share = p.share(a.Release, address)
	}
	return templates.Execute("sheet", s)
}
