package page

import (
	"net/http"
	"slices"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/freeze"
	limits "github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/web"
	"github.com/slipstick/slipstick/versions"
)

// Routes returns the routes of pages: those with addresses of their own, and those at
// addresses of the API.
func (p *Pages) Routes() []web.Route {
	routes := []web.Route{
		p.get("/{$}", p.getIndex),
		p.get("/calc/{group}", p.getGroup),
		p.get("/calc/{group}/{tool}", p.getCalculator),
		{Method: http.MethodPost, Pattern: "/calc/{group}/{tool}", Surface: limits.Page, Handler: p.postCalculator, Fail: p.fail},
		{Method: http.MethodPost, Pattern: "/calc/{group}/{tool}/freeze", Surface: limits.Share, Handler: p.postFreeze, Fail: p.fail},
		p.get("/calc/{group}/{tool}/rows", p.getMany),
		{Method: http.MethodPost, Pattern: "/calc/{group}/{tool}/rows", Surface: limits.Page, Handler: p.postMany, Fail: p.fail},
		p.get("/calc/{group}/{tool}/export/{file}", p.getExport),
		{Method: http.MethodGet, Pattern: "/api/v1/capabilities/{id}/plots/{plot}", Surface: limits.Page, Handler: p.getPlot, Fail: p.failPlot},
		{Method: http.MethodGet, Pattern: "/api/v1/capabilities/{id}/vary", Surface: limits.Page, Handler: p.getVariedNumbers, Fail: p.failPlot},
		p.get("/calc/{group}/{tool}/vary", p.getVaried),
		p.get("/calc/{group}/{tool}/study", p.getStudy),
		{Method: http.MethodGet, Pattern: "/api/v1/capabilities/{id}/study", Surface: limits.Page, Handler: p.getStudyNumbers, Fail: p.failPlot},
		{Method: http.MethodGet, Pattern: "/assets/{name}", Handler: web.Passed(http.HandlerFunc(getAsset))},
	}
	if len(p.options.Embed) > 0 {
		routes = append(routes, web.Route{Method: http.MethodGet, Pattern: "/embed/{group}/{tool}", Surface: limits.Page, Handler: p.getEmbed, Fail: p.failEmbed})
	}
	return slices.Concat(routes, p.tableRoutes(), p.feedRoutes(), p.shadowRoutes(), p.shared())
}

func (p *Pages) get(pattern string, h web.Handler) web.Route {
	return web.Route{Method: http.MethodGet, Pattern: pattern, Surface: limits.Page, Handler: h, Fail: p.fail}
}

// shared returns the pages at addresses of the API. They fail like the API, because programs
// use these addresses too.
func (p *Pages) shared() []web.Route {
	routes := []web.Route{
		{Method: http.MethodPost, Pattern: "/api/v1/calc", Surface: limits.Calc, Page: true, Handler: p.postResult},
		{Method: http.MethodPost, Pattern: "/api/v1/calc/{id}", Surface: limits.Calc, Page: true, Handler: p.postResult},
		{Method: http.MethodGet, Pattern: "/api/v1/capabilities/{id}/evidence", Page: true, Handler: p.getEvidence},
		{Method: http.MethodGet, Pattern: "/problems/{slug}", Page: true, Handler: p.getProblem},
	}
	if p.options.Snapshots != nil {
		routes = append(routes, web.Route{Method: http.MethodGet, Pattern: "/s/{id}", Surface: limits.Page, Page: true, Handler: p.getSnapshot})
	}
	return routes
}

// postResult answers POST /api/v1/calc and /api/v1/calc/{id} with the part of a page that
// shows the answer.
func (p *Pages) postResult(w http.ResponseWriter, r *http.Request) error {
	if isForm(r) && r.PathValue("id") != "" {
		return p.postLive(w, r)
	}
	req, err := web.ReadRequest(w, r, r.PathValue("id"), nil)
	if err != nil {
		return err
	}
	answer, err := p.service.Calculate(r.Context(), req)
	if err != nil {
		return err
	}
	web.SetAnswer(w.Header(), p.service.BaseURL(), answer)
	web.SetNoStore(w.Header())
	html, err := p.Result(r, answer, req.Inputs)
	return writePage(w, r, html, err)
}

// getEvidence answers GET /api/v1/capabilities/{id}/evidence.
func (p *Pages) getEvidence(w http.ResponseWriter, r *http.Request) error {
	_, release, err := web.Find(p.service.Catalog(), r)
	if err != nil {
		return err
	}
	web.SetRelease(w.Header(), p.service.BaseURL(), release)
	web.Vary(w.Header(), versions.HeaderName)
	html, err := p.Evidence(release)
	return writeKept(w, r, html, err)
}

// getProblem answers GET /problems/{slug}.
func (p *Pages) getProblem(w http.ResponseWriter, r *http.Request) error {
	doc, err := p.service.Catalog().Code(r.PathValue("slug"))
	if err != nil {
		return err
	}
	html, err := p.Problem(doc)
	return writeKept(w, r, html, err)
}

// getSnapshot answers GET /s/{id}. The page contains more than the record, such as whether its
// version is still published, so caches may keep it for a minute only.
func (p *Pages) getSnapshot(w http.ResponseWriter, r *http.Request) error {
	snap, err := freeze.Get(r.Context(), p.options.Snapshots, r.PathValue("id"))
	if err != nil {
		return err
	}
	html, err := p.Snapshot(r.Context(), snap, r.URL.RawQuery)
	return writeKept(w, r, html, err)
}

// fail answers with a page about the problem.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, problem *calc.Problem) {
	html, err := p.Failure(problem)
	if err != nil {
		p.options.Log.Error("page failed", "path", r.URL.Path, "error", err)
		http.Error(w, problem.Title(), problem.Status())
		return
	}
	web.SetRetry(w.Header(), problem)
	web.SetNoStore(w.Header())
	web.WritePage(w, r, problem.Status(), html)
}
