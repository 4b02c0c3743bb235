package page

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/slipstick/slipstick/host/internal/archive/freeze"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// calculatorPage is the page of a calculator, with a sheet if there is a result.
type calculatorPage struct {
	layout
	Summary string
	Group   string
	Form    *form
	Sheet   *sheet
	About   about
	Trust   trust
	Linked  *graph
	Related []link      // other calculators
	Named   string      // version that the address names, if another version computed
	Unclear []viewFault // keys of the address that say how to show the result, and cannot be followed

	failed *calc.Problem // why there is no result, nil if the inputs are to blame
}

// getCalculator answers GET /calc/{group}/{tool}.
func (p *Pages) getCalculator(w http.ResponseWriter, r *http.Request) error {
	pins := pinsOf(r)
	entry, release, err := p.find(w, r, pins)
	if err != nil || release == nil {
		return err
	}
	if len(r.URL.RawQuery) > maxQuery {
		return p.refuseQuery(w, r, entry, release)
	}
	s := p.withPresets(release, readAddress(typed.Arithmetic, &release.Spec, r))
	page := p.calculator(entry, release, s)
	status := http.StatusOK
	if s.asks() {
		if s.settled && s.faults() == nil && s.broken == nil {
			redirect(w, p.link(calc.PagePath(&release.Spec))+"?"+s.query(), http.StatusSeeOther)
			return nil
		}
		status = p.answer(r, page, s, pins)
	}
	if named := first(s.versions); page.Sheet != nil && named != "" && named != page.Sheet.Version {
		page.Named = named
	}
	return p.writeCalculator(w, r, status, page)
}

// postCalculator answers POST /calc/{group}/{tool}: a form that asks for a version.
func (p *Pages) postCalculator(w http.ResponseWriter, r *http.Request) error {
	entry, release, s, pins, err := p.readForm(w, r)
	if err != nil || release == nil {
		return err
	}
	page := p.calculator(entry, release, s)
	status := http.StatusOK
	if s.asks() {
		status = p.answer(r, page, s, pins)
	}
	return p.writeCalculator(w, r, status, page)
}

// postFreeze answers POST /calc/{group}/{tool}/freeze and leads to the snapshot.
func (p *Pages) postFreeze(w http.ResponseWriter, r *http.Request) error {
	entry, release, s, pins, err := p.readForm(w, r)
	if err != nil || release == nil {
		return err
	}
	if p.options.Snapshots == nil {
		return calc.NewProblem(calc.CodeNotFound, "Copy the link of the page instead.", "this service makes no snapshots")
	}
	a, err := p.calculate(r.Context(), s, pins)
	if err != nil {
		page := p.calculator(entry, release, s)
		return p.writeCalculator(w, r, p.refuse(page, s, calc.ProblemOf(err)), page)
	}
	snap, err := freeze.Create(r.Context(), p.options.Snapshots, a)
	if err != nil {
		return err
	}
	if snap.Fallback {
		p.options.Log.Warn("snapshot store failed; an embedded id was given", "error", snap.Cause)
	}
	w.Header().Set("Cache-Control", "no-store")
	to := p.link("/s/" + snap.ID)
	if query := s.view.query(); query != "" {
		to += "?" + query
	}
	redirect(w, to, http.StatusSeeOther)
	return nil
}

// redirect leads to the path on this host.
func redirect(w http.ResponseWriter, path string, status int) {
	w.Header().Set("Location", path)
	w.WriteHeader(status)
}

// find finds the calculator at the address. If find has redirected the caller to the right
// address, the release is nil.
func (p *Pages) find(w http.ResponseWriter, r *http.Request, pins []versions.Pin) (*calc.Entry, *calc.Release, error) {
	entry, shown, err := p.findEntry(w, r)
	if err != nil || shown == nil {
		return nil, nil, err
	}
	web.Vary(w.Header(), versions.HeaderName)
	release, err := entry.Release(pins)
	return entry, release, err
}

// findEntry finds the capability of the calculator at the address, and the release that describes
// it. If it has redirected the caller to the right address, the release is nil.
func (p *Pages) findEntry(w http.ResponseWriter, r *http.Request) (entry *calc.Entry, shown *calc.Release, err error) {
	group, tool := r.PathValue("group"), r.PathValue("tool")
	if entry, err = p.service.Catalog().Find(tool); err != nil {
		return nil, nil, p.missing(tool)
	}
	if shown = entry.Shown(); shown == nil {
		return nil, nil, calc.Unavailable(entry.ID, "", entry.Problem)
	}
	if group == shown.Spec.Group && tool == shown.Spec.Tool {
		return entry, shown, nil
	}
	to := p.link(calc.PagePath(&shown.Spec)) + strings.TrimPrefix(r.URL.Path, "/calc/"+group+"/"+tool)
	if r.URL.RawQuery != "" && len(r.URL.RawQuery) <= maxQuery {
		to += "?" + r.URL.RawQuery
	}
	redirect(w, to, http.StatusPermanentRedirect)
	return nil, nil, nil
}

// missing returns the problem of a tool that does not exist, with similar names.
func (p *Pages) missing(tool string) error {
	problem := calc.NewProblem(calc.CodeEngineNotFound, "Look for it by what it calculates.", "there is no calculator %.100q", tool)
	problem.AcceptableIDs = p.found.Of(p.service.Catalog()).Nearest(tool, maxNearest)
	return problem
}

const maxNearest = 6

// readForm reads a posted form for the version that it names, and returns its pins. The header
// of the request must not name another version.
func (p *Pages) readForm(w http.ResponseWriter, r *http.Request) (*calc.Entry, *calc.Release, *formValues, []versions.Pin, error) {
	if !isForm(r) {
		return nil, nil, nil, nil, calc.NewProblem(calc.CodeUnsupportedMediaType, "Send the form as a browser does.", "a form is application/x-www-form-urlencoded")
	}
	var body bytes.Buffer
	if err := web.ReadBody(w, r, &body, maxForm, "form"); err != nil {
		return nil, nil, nil, nil, err
	}
	pins := append(headerPins(r), readQuery(new(sdk.Spec), body.String()).pins(versions.InForm)...)
	entry, release, err := p.find(w, r, pins)
	if err != nil || release == nil {
		return nil, nil, nil, nil, err
	}
	if r.URL.RawQuery != "" { // a button of the form asks for more than its inputs
		body.WriteString("&" + r.URL.RawQuery)
	}
	s := p.withPresets(release, readPage(&release.Spec, body.String()))
	s.view.forgetUnknown()
	return entry, release, s, pins, nil
}

// calculator returns the page of the release with the form as it was filled in.
func (p *Pages) calculator(e *calc.Entry, r *calc.Release, s *formValues) *calculatorPage {
	page := &calculatorPage{
		layout:  p.layout(r.Spec.Title, r.Spec.Summary, calc.PagePath(&r.Spec), calculatorJS),
		Summary: r.Spec.Summary, Group: r.Spec.Group,
		Form: p.newForm(e, r, s), About: p.about(r), Trust: p.trust(r), Linked: p.graphOf(r, nil), Related: p.related(e),
	}
	page.Font, page.Feed = p.font(page.About.Formulas), p.link(calc.PagePath(&r.Spec)+atomFile)
	return page
}

// answer puts the result or the problem on the page, and returns the HTTP status.
func (p *Pages) answer(r *http.Request, page *calculatorPage, s *formValues, pins []versions.Pin) int {
	if problem := s.view.problem(); problem != nil && s.broken == nil {
		page.Unclear, page.failed = s.view.faults, problem
		return problem.Status()
	}
	a, err := p.calculate(r.Context(), s, pins)
	if err != nil {
		return p.refuse(page, s, calc.ProblemOf(err))
	}
	query := s.query()
	page.Sheet = p.newSheet(a, &s.view)
	page.Form.View = s.kept(true)
	page.Sheet.Plots, page.Sheet.Take = p.draw(r.Context(), a, page.Sheet.reading, query), p.takeAlong(a.Release, query)
	page.Sheet.Read = s.readBack()
	page.Sheet.Share, page.Foot = p.share(a.Release, query), page.Sheet.Foot()
	if page.failed = p.addStudies(r, page.Sheet, a, &s.view); page.failed != nil {
		return page.failed.Status()
	}
	if !s.view.study.empty() {
		page.Styles = append(page.Styles, p.asset(studyCSS))
		page.Scripts = append(page.Scripts, p.asset(varyJS))
	}
	return http.StatusOK
}

// refuse shows a problem on the page, and returns the HTTP status. If the inputs are at
// fault, the page itself has succeeded and the status is 200.
func (p *Pages) refuse(page *calculatorPage, s *formValues, problem *calc.Problem) int {
	page.Form.markFaults(problem, s, p.link("/problems/"+problem.Slug()))
	if status := problem.Status(); status != http.StatusBadRequest {
		page.failed = problem
		return status
	}
	return http.StatusOK
}

// calculate lets the service compute with the values. The error is a *calc.Problem, or an
// *sdk.Error if the values cannot be turned into a request.
func (p *Pages) calculate(ctx context.Context, s *formValues, pins []versions.Pin) (*calc.Answer, error) {
	if s.broken != nil {
		return nil, s.broken
	}
	if fault := s.faults(); fault != nil {
		return nil, fault
	}
	return p.service.Calculate(ctx, calc.Request{ID: s.spec.Tool, Inputs: s.inputs(), Pins: pins})
}

// refuseQuery answers a query that is too long with the empty form.
func (p *Pages) refuseQuery(w http.ResponseWriter, r *http.Request, e *calc.Entry, release *calc.Release) error {
	s := readQuery(&release.Spec, "")
	page := p.calculator(e, release, s)
	page.Form.Problem = &fieldProblem{
		Title: "The address is too long", Detail: "What follows the question mark has more than 4096 bytes, so none of it was read.",
		Suggestion: "Fill in the form, or send long lists to the API.",
	}
	return p.writeCalculator(w, r, http.StatusRequestURITooLong, page)
}

func (p *Pages) writeCalculator(w http.ResponseWriter, r *http.Request, status int, page *calculatorPage) error {
	if page.Sheet != nil {
		page.Linked = page.Sheet.Linked
	}
	html, err := execute("calculator", page)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if status == http.StatusOK && r.Method != http.MethodPost && page.Form.Problem == nil {
		h.Set("Cache-Control", "public, max-age=60")
	}
	if page.Sheet != nil {
		h.Set(versions.HeaderName, page.Sheet.Version)
		h.Set("Slipstick-Engine-Digest", page.Sheet.Trust.Engine)
	}
	if page.failed != nil {
		web.SetRetry(h, page.failed)
	}
	web.WritePage(w, r, status, html)
	if page.failed != nil {
		return &web.Answered{Problem: page.failed}
	}
	return nil
}
