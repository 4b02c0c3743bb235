package page

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/versions"
)

// embedPage is a calculator in a frame of another site: form, results, first picture, and the way to
// the whole sheet.
type embedPage struct {
	layout
	Group, Tool, Version string
	Form                 *form
	Sheet                *sheet
	Whole                string // address of the page, with the inputs
}

// getEmbed answers GET /embed/{group}/{tool}, with the query of the page.
func (p *Pages) getEmbed(w http.ResponseWriter, r *http.Request) error {
	pins := pinsOf(r)
	entry, release, err := p.find(w, r, pins)
	if err != nil || release == nil {
		return err
	}
	if err := checkLength(r); err != nil {
		return err
	}
	s := p.withPresets(release, readAddress(typed.Arithmetic, &release.Spec, r))
	whole := p.calculator(entry, release, s)
	if s.asks() {
		p.answer(r, whole, s, pins)
	}
	if whole.failed != nil {
		return whole.failed
	}
	page := &embedPage{
		layout: p.layout(release.Spec.Title, release.Spec.Summary, calc.PagePath(&release.Spec), asset{}),
		Group:  release.Spec.Group, Tool: release.Spec.Tool, Version: release.Version, Form: whole.Form, Sheet: whole.Sheet,
		Whole: p.address(calc.PagePath(&release.Spec)),
	}
	page.Form.Action = p.link("/embed/" + page.Group + "/" + page.Tool)
	if query := s.query(); query != "" {
		page.Whole += "?" + query
	}
	html, err := execute("embed", page)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=60")
	h.Set(versions.HeaderName, release.Version)
	h.Set("Slipstick-Engine-Digest", release.EngineDigest)
	web.WriteFrame(w, r, http.StatusOK, html, p.options.Embed)
	return nil
}

// failEmbed answers with a page about the problem, which the frame shows.
func (p *Pages) failEmbed(w http.ResponseWriter, r *http.Request, problem *calc.Problem) {
	html, err := execute("embed-failure", struct {
		layout
		Detail, Suggestion string
	}{p.layout(problem.Title(), "", "", asset{}), asSentence(problem.Detail), problem.Suggestion})
	if err != nil {
		p.options.Log.Error("page failed", "path", r.URL.Path, "error", err)
		http.Error(w, problem.Title(), problem.Status())
		return
	}
	web.WriteFrame(w, r, problem.Status(), html, p.options.Embed)
}
