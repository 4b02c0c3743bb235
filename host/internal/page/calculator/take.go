package calculator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/plot"
	"github.com/slipstick/slipstick/host/internal/page/show"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/take"
	"github.com/slipstick/slipstick/host/internal/page/vary"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/formula"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// takeable is a file for export.
type takeable struct {
	File string // its name in the URL
	Text string // of the link
	Path string // its URL; "" in takeables
}

// takeables lists the files of every calculation, in the order of the menu.
var takeables = []takeable{
	{File: "results.csv", Text: "CSV"}, {File: "results.xlsx", Text: "Excel"}, {File: "formula.tex", Text: "LaTeX"},
	{File: "result.json", Text: "JSON"}, {File: "call.sh", Text: "curl"}, {File: "call.py", Text: "Python"},
	{File: "call.mjs", Text: "JavaScript"}, {File: "call.go", Text: "Go"},
	{File: "call.txt", Text: "Spreadsheet cell"}, {File: "call.ts", Text: "Office Script"}, {File: "call.gs", Text: "Apps Script"},
}

// exports returns the menu of a calculation with the inputs and the view of the query. It is empty if they are too long for
// a URL.
func (p *Pages) exports(r *catalog.Release, query string) []takeable {
	path := p.exportPath(r, query)
	if path == "" {
		return nil
	}
	list := make([]takeable, len(takeables))
	for i, t := range takeables {
		t.Path = strings.Replace(path, "{file}", t.File, 1)
		list[i] = t
	}
	return list
}

// exportPath returns the URL of the files of a calculation, with {file} for the name of the file. The URL pins the version,
// because a file names the version that computed it.
func (p *Pages) exportPath(r *catalog.Release, query string) string {
	query = address.VersionKey + "=" + url.QueryEscape(r.Version) + "&" + query
	if len(query) > site.MaxQuery {
		return ""
	}
	return p.Link(catalog.PagePath(&r.Spec)) + "/export/{file}?" + query
}

// getExport answers GET /calc/{group}/{tool}/export/{file}. The query is the query of the page with a pinned version.
func (p *Pages) getExport(w http.ResponseWriter, r *http.Request) error {
	if err := site.CheckLength(r); err != nil {
		return err
	}
	pins, err := web.Pins(r)
	if err != nil {
		return err
	}
	_, release, err := p.Find(w, r, pins)
	if err != nil || release == nil {
		return err
	}
	s := address.Read(typed.Numbers, &release.Spec, r, nil)
	if problem := s.View.Problem(); problem != nil {
		return problem
	}
	a, err := s.Calculate(r.Context(), p.Service, pins)
	if err != nil {
		return err
	}
	file := r.PathValue("file")
	data, err := p.export(r.Context(), file, a, s)
	if err != nil {
		return err
	}
	p.writeExport(w, a, file, data)
	return nil
}

// export returns the content of a file.
func (p *Pages) export(ctx context.Context, file string, a *calc.Answer, s *address.Values) ([]byte, error) {
	var b bytes.Buffer
	var err error
	name, kind, _ := strings.Cut(file, ".")
	switch {
	case file == "results.csv":
		err = take.CSV(&b, p.taken(a, s))
	case file == "results.xlsx":
		c := p.taken(a, s)
		c.Plots, err = p.tables(ctx, a, s)
		if err == nil {
			err = take.XLSX(&b, c)
		}
	case file == "formula.tex":
		err = take.LaTeX(&b, p.taken(a, s))
	case file == "result.json":
		return a.AppendJSON(nil), nil
	case name == "call" && exportTypes[kind] == plainText && kind != "tex":
		err = take.Program(&b, take.Language(kind), p.callOf(a))
	case kind == "svg":
		return p.svgFile(ctx, name, a, s)
	default:
		return nil, problem.New(problem.CodeNotFound, "Use a link in the Export menu of the page.", "there is no file %.60q of a calculation", file)
	}
	return b.Bytes(), err
}

const plainText = "text/plain; charset=utf-8"

// exportTypes has the media types of files. Browsers show text, so that readers can copy it.
var exportTypes = map[string]string{
	"csv": site.CSVMedia, "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"json": "application/json; charset=utf-8", "svg": "image/svg+xml", "tex": plainText, "sh": plainText, "py": plainText, "mjs": plainText, "go": plainText,
	"txt": plainText, "ts": plainText, "gs": plainText,
}

func (p *Pages) writeExport(w http.ResponseWriter, a *calc.Answer, file string, data []byte) {
	_, kind, _ := strings.Cut(file, ".")
	disposition := "attachment"
	if exportTypes[kind] == plainText || kind == "json" {
		disposition = "inline"
	}
	h := w.Header()
	h.Set("Content-Type", exportTypes[kind])
	h.Set("Content-Disposition", disposition+`; filename="`+a.Release.Spec.Tool+"-"+file+`"`)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=60")
	h.Set(versions.HeaderName, a.Release.Version)
	h.Set("Slipstick-Engine-Digest", a.Release.EngineDigest)
	_, _ = w.Write(data) // a client that has disconnected needs no answer
}

// taken returns the content that all files share, without plots.
func (p *Pages) taken(a *calc.Answer, s *address.Values) *take.Calculation {
	r, sheet := a.Release, p.newSheet(a, &s.View)
	c := &take.Calculation{
		Title: sheet.Title, Tool: sheet.Tool, Version: sheet.Version, Engine: r.EngineDigest,
		Address: p.Address(catalog.PagePath(&r.Spec)) + "?" + s.Query(), Assumptions: sheet.Assumed,
		Inputs: quantitiesToTake(sheet.Inputs), Results: quantitiesToTake(sheet.Outputs),
	}
	for _, w := range sheet.Warnings {
		c.Warnings = append(c.Warnings, w.Detail)
	}
	if f := a.Success.Formula(); f != nil {
		c.Formula = f.LaTeX
		if text := p.about.Resolved(r, f); text != nil {
			c.Formula = text.LaTeX(r.Spec.Typeset)
		}
	}
	c.Steps = stepsToTake(p.Service.Steps(a, formula.StepWork, sheet.reading.Steps()).Steps, &r.Spec)
	return c
}

// stepsToTake returns steps, each call before the steps of the calculation that it calls.
func stepsToTake(list []response.Step, spec *sdk.Spec) (taken []take.Step) {
	for i := range list {
		s := &list[i]
		if s.Called == nil {
			taken = append(taken, take.Step{Math: s.LaTeX(spec.Typeset), Because: s.BecauseLaTeX(spec.Typeset), Note: s.Note})
			continue
		}
		taken = append(taken, take.Step{Note: s.Text})
		taken = append(taken, stepsToTake(s.Called.Steps, calledSpec(spec, s.Called))...)
	}
	return taken
}

func quantitiesToTake(list []show.Quantity) (taken []take.Quantity) {
	for _, q := range list {
		one := take.Quantity{Name: q.Name, Label: q.Label, Unit: q.Unit, Of: q.FullUnit}
		switch {
		case q.Number == nil:
			one.Value, one.SI = take.Words(q.Text), take.Words(q.Full)
		case q.Entered != "":
			number, unit, _ := strings.Cut(q.Entered, " ")
			one.Value, one.Unit, one.SI = take.Read(number), unit, take.Read(q.Full)
		default:
			one.Value, one.SI = take.Read(q.Exact), take.Read(q.Full)
		}
		taken = append(taken, one)
	}
	return taken
}

// tables returns the numbers of all plots in the units of the reader. If these are not the units of the Spec, columns in the
// units of the Spec follow.
func (p *Pages) tables(ctx context.Context, a *calc.Answer, s *address.Values) (list []take.Table, err error) {
	for i := range a.Release.Spec.Plots {
		declared := &a.Release.Spec.Plots[i]
		figure, err := p.Service.Draw(ctx, a, declared.ID)
		if err != nil {
			return nil, err
		}
		shown, converted := p.inUnitsOf(a, s, declared, figure)
		columns, err := numbersOf(shown, converted)
		if err != nil {
			return nil, err
		}
		if shown != declared {
			own, err := numbersOf(declared, figure)
			if err != nil {
				return nil, err
			}
			for k := range own {
				columns[k] = append(columns[k], own[k]...)
			}
		}
		list = append(list, take.Table{Title: declared.Title, Header: columns[0], Rows: columns[1:]})
	}
	return list, nil
}

func numbersOf(declared *sdk.Plot, figure *sdk.Figure) ([][]string, error) {
	var b bytes.Buffer
	if err := plot.CSV(&b, declared, figure); err != nil {
		return nil, err
	}
	return csv.NewReader(&b).ReadAll()
}

// inUnitsOf returns a plot in the units of the reader.
func (p *Pages) inUnitsOf(a *calc.Answer, s *address.Values, declared *sdk.Plot, figure *sdk.Figure) (*sdk.Plot, *sdk.Figure) {
	r := show.NewReading(&s.View, a.Success.Spec.At(a.Success.Outcome.Inputs), a.Sent())
	x, y := r.Axes(declared, figure)
	return show.Exactly(declared, figure, x, y)
}

// svgFile draws a plot as a file without external styles, in light colours.
func (p *Pages) svgFile(ctx context.Context, id string, a *calc.Answer, s *address.Values) ([]byte, error) {
	declared := plotOf(&a.Release.Spec, id)
	if declared == nil {
		return nil, problem.New(problem.CodeNotFound, "Use a link below a plot of the page.", "%s %s has no plot %.60q", a.Release.Capability, a.Release.Version, id)
	}
	figure, err := p.Service.Draw(ctx, a, declared.ID)
	if err != nil {
		return nil, err
	}
	shown, converted := p.inUnitsOf(a, s, declared, figure)
	by := a.Release.Spec.Tool + "@" + a.Release.Version
	return plot.File(shown, converted, &plot.FileOptions{
		Colors: lightColors, Caption: by,
		About: by + ", engine " + a.Release.EngineDigest + ", " + p.Address(catalog.PagePath(&a.Release.Spec)) + "?" + s.Query(),
	}), nil
}

// lightColors has the colours of pages on paper: for each name the first colour of the stylesheet.
var lightColors = func() map[string]string {
	colors := map[string]string{}
	for _, found := range regexp.MustCompile(`(--[a-z0-9-]+): (#[0-9a-f]+);`).FindAllStringSubmatch(site.Read("base.css"), -1) {
		colors[found[1]] = cmp.Or(colors[found[1]], found[2])
	}
	return colors
}()

// callOf returns the request that computes the answer again, with all inputs that the engine used.
func (p *Pages) callOf(a *calc.Answer) *take.Call {
	spec, inputs := a.Success.Spec, a.Success.Outcome.Inputs
	query := url.Values{}
	for i := range spec.Inputs {
		if inputs[i].Kind() != value.Absent {
			query.Set(spec.Inputs[i].Name, outputs.Text(&spec.Inputs[i], inputs[i]))
		}
	}
	query.Set(address.VersionKey, a.Release.Version)
	number := "/api/v1/value/" + spec.Tool + "?" + query.Encode()
	if names := vary.MainOutput(spec.At(inputs), a); names != nil {
		number += "&output=" + names[0]
	}
	table := url.Values{"id": {spec.Tool}, "decimal": {"point"}, address.VersionKey: {a.Release.Version}}
	return &take.Call{
		Tool: spec.Tool, Version: a.Release.Version, Engine: a.Release.EngineDigest, URL: p.Address("/api/v1/calc/" + spec.Tool),
		Inputs: string(response.AppendRecord(nil, spec.Inputs, inputs)), Value: p.Address(number), Table: p.Address("/api/v1/batch?" + table.Encode()),
	}
}
