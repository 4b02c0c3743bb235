package tables

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/table"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/versions"
)

// Limits of a table on a page. The API and the command line accept longer tables.
const (
	maxTable      = 1 << 20 // bytes of the form
	maxTableRows  = 10_000
	maxTableShown = 200
)

// manyPage is the page for many rows: a form for a table, and the table with its results.
type manyPage struct {
	site.Layout
	Heading, Group, Calculator string // Calculator is a URL
	Action, Version            string
	Inputs                     []manyInput
	System                     string       // of units
	Opened                     bool         // by a link, so the page has no results
	Results                    []manyResult // results with a choice of units
	Form                       manyForm
	Problem                    *problem.Problem
	Detail, ProblemAt          string // of the problem; ProblemAt is the URL of its explanation

	Header  []string
	Rows    []manyRow
	Count   int // of all rows
	Without int // rows without a result
	Passing []string
}

// manyInput is an input that a column of the table can have.
type manyInput struct {
	Label, Names, Unit string
	Required           bool
}

// manyResult is a result and the units in which the table can have it.
type manyResult struct {
	Name, Label string
	Units       []wording.UnitOption
}

// manyRow is a row of the result.
type manyRow struct {
	Cells []string
	Wrong bool
}

// manyForm is the content of the form.
type manyForm struct {
	Table    string
	System   customary.System
	Units    map[string]string // by result
	Decimals typed.Decimals
	Version  string
	Download bool
}

// getMany answers GET /calc/{group}/{tool}/rows.
func (p *Pages) getMany(w http.ResponseWriter, r *http.Request) error {
	entry, release, err := p.Find(w, r, address.PinsOf(r))
	if err != nil || release == nil {
		return err
	}
	form := &manyForm{}
	if system, ok := customary.ReadSystem(r.URL.Query().Get(address.UnitsKey)); ok {
		form.System = system
	} else {
		form.suit(site.LanguageOf(w, r))
	}
	form.Table = p.template(r.Context(), release, form.System)
	page := p.many(entry, release, form)
	page.Opened = true
	page.Scripts = append(page.Scripts, p.Asset(site.RememberedJS))
	html, err := templates.Execute("many", page)
	return site.WriteCacheable(w, r, html, err)
}

// postMany answers POST /calc/{group}/{tool}/rows: a page with the results, or a file.
func (p *Pages) postMany(w http.ResponseWriter, r *http.Request) error {
	form, err := readMany(w, r)
	if err != nil {
		return err
	}
	pins := address.HeaderPins(r)
	if form.Version != "" {
		pins = append(pins, versions.Pin{Place: versions.InForm, Name: address.VersionKey, Value: form.Version})
	}
	entry, release, err := p.Find(w, r, pins)
	if err != nil || release == nil {
		return err
	}
	page := p.many(entry, release, form)
	answer, err := p.computeTable(r, page, release)
	if err != nil {
		page.Problem = problem.Of(err)
		if page.Problem.Status() >= http.StatusInternalServerError || page.Problem.Status() == http.StatusTooManyRequests {
			return page.Problem
		}
		page.Detail, page.ProblemAt = wording.AsSentence(page.Problem.Detail), p.Link("/problems/"+page.Problem.Slug())
		return p.writeMany(w, r, page.Problem.Status(), page)
	}
	if form.Download {
		writeTable(w, release, answer)
		return nil
	}
	if err := page.show(answer); err != nil {
		return err
	}
	web.SetRelease(w.Header(), p.Service.BaseURL(), release)
	return p.writeMany(w, r, http.StatusOK, page)
}

func (p *Pages) writeMany(w http.ResponseWriter, r *http.Request, status int, page *manyPage) error {
	html, err := templates.Execute("many", page)
	if err != nil {
		return err
	}
	web.SetNoStore(w.Header())
	web.WritePage(w, r, status, html)
	return nil
}

// writeTable answers with the table as a file.
func writeTable(w http.ResponseWriter, r *catalog.Release, answer []byte) {
	h := w.Header()
	h.Set("Content-Type", site.CSVMedia)
	h.Set("Content-Disposition", `attachment; filename="`+r.Spec.Tool+`-rows.csv"`)
	h.Set("Content-Length", strconv.Itoa(len(answer)))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	h.Set(versions.HeaderName, r.Version)
	h.Set("Slipstick-Engine-Digest", r.EngineDigest)
	web.SetNoStore(h)
	_, _ = w.Write(answer) // a client that has disconnected needs no answer
}

// many returns the page with a form and no results.
func (p *Pages) many(e *catalog.Entry, r *catalog.Release, form *manyForm) *manyPage {
	spec := &r.Spec
	path := catalog.PagePath(spec)
	page := &manyPage{
		Layout:  p.Layout("Batch: "+spec.Title, "Calculate a table. "+spec.Summary, path+"/rows", site.Asset{}),
		Heading: spec.Title, Group: spec.Group, Calculator: p.Link(path), Action: p.Link(path + "/rows"), Version: r.Version, Form: *form,
	}
	page.Styles = append(page.Styles, p.Asset(manyCSS))
	if e.Current == r.Version {
		page.Form.Version = ""
	}
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		unit := formula.FormatUnit(f.Unit)
		if f.UnitBy != nil {
			unit = f.UnitBy.String()
		}
		page.Inputs = append(page.Inputs, manyInput{wording.Label(f), strings.Join(append([]string{f.Name}, f.Aliases...), ", "), unit, f.Required})
	}
	page.System = form.System.Key()
	for i := range spec.Outputs {
		f := &spec.Outputs[i]
		if f.UnitBy != nil {
			continue
		}
		if options := wording.UnitsOf(spec, f, form.Units[f.Name], form.System); options != nil {
			page.Results = append(page.Results, manyResult{f.Name, wording.Label(f), options})
		}
	}
	return page
}

// suit fills in the form of a reader with the language.
func (f *manyForm) suit(language site.Language) {
	f.System = language.System
	if language.Grouped {
		f.Decimals = typed.Point
	}
}

// template returns a table that computes: the example of the calculator, as a header and one row. A release without an
// example has only a header.
func (p *Pages) template(ctx context.Context, r *catalog.Release, system customary.System) string {
	header, record := address.ReadQuery(&r.Spec, p.about.Example(ctx, r, system)).Record()
	records := [][]string{header, record}
	if len(header) == 0 {
		records = [][]string{headerOf(&r.Spec, system)}
	}
	var table bytes.Buffer
	_ = csv.NewWriter(&table).WriteAll(records) // writing to memory cannot fail
	return table.String()
}

// presetOf returns the unit in which people of the system usually enter the field.
func presetOf(spec *sdk.Spec, f *sdk.Field, system customary.System) string {
	q, measured := customary.Of(spec, f.Unit, wording.IsDifference(f))
	if !measured || f.UnitBy != nil {
		return f.Unit
	}
	q.Field = f.Name
	return customary.Preset(system, q).ID
}

// headerOf returns the header of a table with the usual inputs: without advanced inputs, and without optional ones that have a
// default. It has the units of the system.
func headerOf(spec *sdk.Spec, system customary.System) (cells []string) {
	for i := range spec.Inputs {
		f := &spec.Inputs[i]
		if f.Advanced || !f.Required && f.Default != "" {
			continue
		}
		cell := f.Name
		if unit := presetOf(spec, f, system); unit != "" {
			cell += " [" + unit + "]"
		}
		cells = append(cells, cell)
	}
	return cells
}

// readMany reads the form. A file has precedence over the text field.
func readMany(w http.ResponseWriter, r *http.Request) (*manyForm, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxTable)
	reader, err := r.MultipartReader()
	if err != nil {
		return nil, problem.New(problem.CodeUnsupportedMediaType, "Send the form as multipart/form-data.", "the body is not a form")
	}
	form := new(manyForm)
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err == nil {
			err = form.read(part)
		}
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, tooLong("1 MiB")
		}
		if err != nil {
			return nil, web.CutOff("form")
		}
	}
}

func tooLong(most string) *problem.Problem {
	return problem.New(problem.CodePayloadTooLarge, "Send it to POST /api/v1/batch, or use the command line. Both accept tables of any length.", "the table has more than %s", most)
}

func (f *manyForm) read(part *multipart.Part) error {
	data, err := io.ReadAll(part)
	if err != nil {
		return err
	}
	text := string(data)
	switch part.FormName() {
	case "file":
		if len(data) > 0 {
			f.Table = text
		}
	case "table":
		f.Table = cmp.Or(f.Table, text)
	case address.UnitsKey:
		f.System, _ = customary.ReadSystem(text)
	case "decimal":
		f.Decimals = typed.Decimals(text)
	case address.VersionKey:
		f.Version = text
	case "as":
		f.Download = text == "csv"
	default:
		if name, ok := strings.CutSuffix(part.FormName(), address.UnitSuffix); ok {
			if f.Units == nil {
				f.Units = map[string]string{}
			}
			f.Units[name] = text
		}
	}
	return nil
}

// options returns the options for reading the table. It refuses a decimal mark that the form does not offer.
func (f *manyForm) options() (*table.Options, error) {
	switch f.Decimals {
	case typed.Either, typed.Point, typed.Comma:
		o := &table.Options{Decimals: cmp.Or(f.Decimals, typed.ByFile)}
		for _, name := range slices.Sorted(maps.Keys(f.Units)) {
			o.Units = append(o.Units, name+"="+f.Units[name])
		}
		return o, nil
	}
	return nil, problem.New(problem.CodeInvalidQuery, "Choose a decimal separator from the list.", "the decimal separator is not point or comma")
}

// computeTable computes the table of the form. It counts the rows for the page, and against the client's API limit.
func (p *Pages) computeTable(r *http.Request, page *manyPage, release *catalog.Release) ([]byte, error) {
	o, err := page.Form.options()
	if err != nil {
		return nil, err
	}
	pins := []versions.Pin{{Place: versions.InForm, Name: address.VersionKey, Value: release.Version}}
	sheet, err := table.NewSheet(p.Service.Catalog(), release.Capability, pins, strings.NewReader(page.Form.Table), o)
	if err != nil {
		return nil, err
	}
	if failure := p.Charge(r, 1); failure != nil {
		return nil, failure
	}
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	var answer bytes.Buffer
	w, output, err := sheet.NewWriter(&answer, table.CSV)
	if err != nil {
		return nil, err
	}
	err = batch.Run(ctx, p.Service, sheet, output, w, &batch.Options{
		Pins: pins, Admit: func() *problem.Problem { return p.Charge(r, 1) },
		Observe: func(t batch.Tally) {
			page.Count += t.Rows()
			page.Without += t.Rejected + t.Failed
			if t.Failure != nil {
				p.Report(ctx, t.Failure)
			}
			if page.Count > maxTableRows {
				stop(tooLong("10,000 rows"))
			}
		},
	})
	page.Passing = sheet.Passing()
	return answer.Bytes(), errors.Join(err, w.Close())
}

// show reads the first rows of the answer. It leaves out columns about warnings and errors if they are empty.
func (page *manyPage) show(answer []byte) error {
	text := string(bytes.TrimPrefix(answer, []byte("\ufeff")))
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma = table.Separator([]byte(text))
	records, err := reader.ReadAll()
	if err != nil {
		return err
	}
	about := len(records[0]) - table.AboutRow
	page.Header, records = records[0], records[1:]
	blank := map[int]bool{}
	for k := about; k < len(page.Header); k++ {
		blank[k] = true
	}
	for i, record := range records {
		for k := about; k < len(record); k++ {
			blank[k] = blank[k] && record[k] == ""
		}
		if i < maxTableShown {
			page.Rows = append(page.Rows, manyRow{Cells: record, Wrong: record[about+1] != ""})
		}
	}
	page.Header = without(page.Header, blank)
	for i := range page.Rows {
		page.Rows[i].Cells = without(page.Rows[i].Cells, blank)
	}
	return nil
}

func without(cells []string, drop map[int]bool) []string {
	var kept []string
	for k, cell := range cells {
		if !drop[k] {
			kept = append(kept, cell)
		}
	}
	return kept
}

// Hidden returns the number of rows that the page does not show.
func (page *manyPage) Hidden() int { return max(0, page.Count-len(page.Rows)) }
