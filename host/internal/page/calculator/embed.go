package calculator

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/page/address"
	"github.com/slipstick/slipstick/host/internal/page/site"
	"github.com/slipstick/slipstick/host/internal/page/wording"
	"github.com/slipstick/slipstick/host/internal/tables/typed"
	"github.com/slipstick/slipstick/versions"
)

// embedPage is a calculator in a frame of another site: form, results, first plot, and a link to the whole sheet.
type embedPage struct {
	site.Layout
	Group, Tool, Version string
	Form                 *form
	Sheet                *sheet
	Whole                string // URL of the calculator page, with the inputs
}

// getEmbed answers GET /embed/{group}/{tool}, with the query of the page.
func (p *Pages) getEmbed(w http.ResponseWriter, r *http.Request) error {
	pins := address.PinsOf(r)
	entry, release, err := p.Find(w, r, pins)
	if err != nil || release == nil {
		return err
	}
	if err := site.CheckLength(r); err != nil {
		return err
	}
	s := address.Read(typed.Arithmetic, &release.Spec, r, site.Speaks(w, r)).WithPresets(p.Service, release)
	whole := p.calculator(r.Context(), entry, release, s)
	if s.Asks() {
		p.answer(r, whole, s, pins)
	}
	if whole.failed != nil {
		return whole.failed
	}
	release = p.about.In(release, s.View.Units)
	page := &embedPage{
		Layout: p.Layout(release.Spec.Title, release.Spec.Summary, catalog.PagePath(&release.Spec), site.Asset{}),
		Group:  release.Spec.Group, Tool: release.Spec.Tool, Version: release.Version, Form: whole.Form, Sheet: whole.Sheet,
		Whole: p.Address(catalog.PagePath(&release.Spec)),
	}
	page.Form.Action = p.Link("/embed/" + page.Group + "/" + page.Tool)
	if query := s.Query(); query != "" {
		page.Whole += "?" + query
	}
	html, err := templates.Execute("embed", page)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=60")
	h.Set(versions.HeaderName, release.Version)
	h.Set("Slipstick-Engine-Digest", release.EngineDigest)
	web.WriteFrame(w, r, http.StatusOK, html, p.embed)
	return nil
}

// failEmbed answers with a page about the problem, for the frame to show.
func (p *Pages) failEmbed(w http.ResponseWriter, r *http.Request, failure *problem.Problem) {
	html, err := templates.Execute("embed-failure", struct {
		site.Layout
		Detail, Suggestion string
	}{p.Layout(failure.Title(), "", "", site.Asset{}), wording.AsSentence(failure.Detail), failure.Suggestion})
	if err != nil {
		p.Log.Error("page failed", "path", r.URL.Path, "error", err)
		http.Error(w, failure.Title(), failure.Status())
		return
	}
	web.WriteFrame(w, r, failure.Status(), html, p.embed)
}
