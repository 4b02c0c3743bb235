package calculator

import (
	"bytes"
	"context"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/archive/share"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/about"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/trust"
	"github.com/slipstick/slipstick/host/internal/page/vary"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/versions"
)

// calculatorPage is the page of a calculator. It has a sheet if there is a result.
type calculatorPage struct {
	site.Layout
	Summary string
	Group   string
	Form    *form
	Sheet   *sheet
	Example *example // nil if there is a result, a problem, or no picture
	About   about.Facts
	Trust   trust.Summary
	Linked  *graph
	Related []link          // other calculators
	Rows    string          // URL of the page for many rows
	Named   string          // version that the URL names, if another version computed
	Unclear []address.Fault // keys of the view with an invalid value

	failed *problem.Problem // why there is no result, nil if the inputs are to blame
}

// getCalculator answers GET /calc/{group}/{tool}.
func (p *Pages) getCalculator(w http.ResponseWriter, r *http.Request) error {
	pins := address.PinsOf(r)
	entry, release, err := p.Find(w, r, pins)
	if err != nil || release == nil {
		return err
	}
	if len(r.URL.RawQuery) > site.MaxQuery {
		return p.refuseQuery(w, r, entry, release)
	}
	s := address.Read(typed.Arithmetic, &release.Spec, r, site.Speaks(w, r)).WithPresets(p.Service, release)
	page := p.calculator(r.Context(), entry, release, s)
	status := http.StatusOK
	if s.Asks() {
		if s.Settled && s.Faults() == nil && s.Broken == nil {
			site.Redirect(w, p.Link(catalog.PagePath(&release.Spec))+"?"+s.Settlement(), http.StatusSeeOther)
			return nil
		}
		status = p.answer(r, page, s, pins)
	} else {
		page.Example = p.example(r.Context(), release, page.Form, &s.View)
	}
	if named := s.Version(); page.Sheet != nil && named != "" && named != page.Sheet.Version {
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
	page := p.calculator(r.Context(), entry, release, s)
	status := http.StatusOK
	if s.Asks() {
		status = p.answer(r, page, s, pins)
	}
	return p.writeCalculator(w, r, status, page)
}

// postSnapshot answers POST /calc/{group}/{tool}/freeze: it creates a snapshot and redirects to it.
func (p *Pages) postSnapshot(w http.ResponseWriter, r *http.Request) error {
	entry, release, s, pins, err := p.readForm(w, r)
	if err != nil || release == nil {
		return err
	}
	if p.snapshots == nil {
		return problem.New(problem.CodeNotFound, "Copy the link of the page instead.", "this server does not store snapshots")
	}
	a, err := s.Calculate(r.Context(), p.Service, pins)
	if err != nil {
		page := p.calculator(r.Context(), entry, release, s)
		return p.writeCalculator(w, r, p.refuse(page, s, problem.Of(err)), page)
	}
	p.Service.AddCalled(a)
	snap, err := share.Create(r.Context(), p.snapshots, a)
	if err != nil {
		return err
	}
	if snap.Fallback {
		p.Log.Warn("the snapshot store failed; the new snapshot has an embedded id", "error", snap.Cause)
	}
	w.Header().Set("Cache-Control", "no-store")
	to := p.Link("/s/" + snap.ID)
	if query := s.View.Query(); query != "" {
		to += "?" + query
	}
	site.Redirect(w, to, http.StatusSeeOther)
	return nil
}

// readForm reads a posted form for the version that it names, and returns its pins. The header
// of the request must not name another version.
func (p *Pages) readForm(w http.ResponseWriter, r *http.Request) (*catalog.Entry, *catalog.Release, *address.Values, []versions.Pin, error) {
	if !isForm(r) {
		return nil, nil, nil, nil, problem.New(problem.CodeUnsupportedMediaType, "Send the form as application/x-www-form-urlencoded.", "the body is not a form")
	}
	var body bytes.Buffer
	if err := web.ReadBody(w, r, &body, address.MaxForm, "form"); err != nil {
		return nil, nil, nil, nil, err
	}
	pins := append(address.HeaderPins(r), address.ReadQuery(new(sdk.Spec), body.String()).Pins(versions.InForm)...)
	entry, release, err := p.Find(w, r, pins)
	if err != nil || release == nil {
		return nil, nil, nil, nil, err
	}
	if r.URL.RawQuery != "" { // a button of the form adds keys to its inputs
		body.WriteString("&" + r.URL.RawQuery)
	}
	s := address.ReadPage(&release.Spec, body.String(), site.Speaks(w, r)).WithPresets(p.Service, release)
	s.View.ForgetUnknown()
	return entry, release, s, pins, nil
}

// calculator returns the page of the release with a form that has the values.
func (p *Pages) calculator(ctx context.Context, e *catalog.Entry, r *catalog.Release, s *address.Values) *calculatorPage {
	r = p.about.In(r, s.View.Units)
	page := &calculatorPage{
		Layout:  p.Layout(r.Spec.Title, r.Spec.Summary, catalog.PagePath(&r.Spec), calculatorJS),
		Summary: r.Spec.Summary, Group: r.Spec.Group,
		Form: p.newForm(ctx, e, r, s), About: p.about.Facts(r, s.View.Units), Trust: p.trust.Of(r), Linked: p.graphOf(r, nil), Related: p.related(e),
	}
	page.Rows = page.Form.Action + "/rows"
	if query := s.View.OfUnits().Query(); query != "" {
		page.Rows += "?" + query
	}
	page.Font, page.Feed = p.about.Font(page.About.Formulas), p.Link(catalog.PagePath(&r.Spec)+site.AtomFile)
	return page
}

// answer puts the result or the problem on the page, and returns the HTTP status.
func (p *Pages) answer(r *http.Request, page *calculatorPage, s *address.Values, pins []versions.Pin) int {
	if problem := s.View.Problem(); problem != nil && s.Broken == nil {
		page.Unclear, page.failed = s.View.Faults, problem
		return problem.Status()
	}
	a, err := s.Calculate(r.Context(), p.Service, pins)
	if err != nil {
		return p.refuse(page, s, problem.Of(err))
	}
	query := s.Query()
	page.Sheet = p.newSheet(a, &s.View)
	page.Form.View = s.Kept(true)
	page.Sheet.Plots, page.Sheet.Take = p.draw(r.Context(), a, page.Sheet.reading, query), p.exports(a.Release, s.Named())
	page.Sheet.Read = readBackOf(s)
	page.Sheet.Share, page.Foot = p.share(a.Release, query), page.Sheet.Foot()
	page.Sheet.Studies = *p.vary.Studies(r, a, &s.View, page.Sheet.Current == "")
	page.failed = page.Sheet.Studies.Problem
	if page.failed != nil {
		return page.failed.Status()
	}
	if !s.View.Study.Empty() {
		page.Styles = append(page.Styles, p.Asset(vary.StudyCSS))
		page.Scripts = append(page.Scripts, p.Asset(vary.VaryJS))
	}
	return http.StatusOK
}

// refuse shows a problem on the page, and returns the HTTP status. If the inputs are at fault, the page itself is a
// success, so the status is 200.
func (p *Pages) refuse(page *calculatorPage, s *address.Values, problem *problem.Problem) int {
	page.Form.markFaults(problem, s, p.Link("/problems/"+problem.Slug()))
	if status := problem.Status(); status != http.StatusBadRequest {
		page.failed = problem
		return status
	}
	return http.StatusOK
}

// refuseQuery answers a query that is too long with the empty form.
func (p *Pages) refuseQuery(w http.ResponseWriter, r *http.Request, e *catalog.Entry, release *catalog.Release) error {
	s := address.ReadQuery(&release.Spec, "")
	page := p.calculator(r.Context(), e, release, s)
	page.Form.Problem = &address.FieldProblem{
		Title: "The URL is too long", Detail: "The query has more than 4096 bytes, so the page does not use it.",
		Suggestion: "Fill in the form, or send long lists to the API.",
	}
	return p.writeCalculator(w, r, http.StatusRequestURITooLong, page)
}

func (p *Pages) writeCalculator(w http.ResponseWriter, r *http.Request, status int, page *calculatorPage) error {
	if page.Sheet != nil {
		page.Linked = page.Sheet.Linked
	}
	html, err := templates.Execute("calculator", page)
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
