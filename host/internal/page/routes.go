package page

import (
	"net/http"
	"slices"

	"github.com/slipstick/slipstick/host/internal/archive/freeze"
	limits "github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/versions"
)

// Routes returns the routes of pages: those with addresses of their own, and those at
// addresses of the API.
func (p *Pages) Routes() []web.Route {
	routes := []web.Route{
		get("/{$}", indexQuery, p.getIndex),
		get("/calc/{group}", groupQuery, p.getGroup),
		get(calculatorPath, calculatorQuery, p.getCalculator),
		post(calculatorPath, limits.Page, p.postCalculator),
		post(calculatorPath+"/freeze", limits.Share, p.postFreeze),
		get(calculatorPath+"/rows", pinnedQuery, p.getMany),
		post(calculatorPath+"/rows", limits.Page, p.postMany),
		get(calculatorPath+"/export/{file}", calculatorQuery, p.getExport),
		getNumbers("/api/v1/capabilities/{id}/plots/{plot}", plotQuery, p.getPlot),
		getNumbers("/api/v1/capabilities/{id}/vary", calculatorQuery, p.getVariedNumbers),
		get(calculatorPath+"/vary", calculatorQuery, p.getVaried),
		get(calculatorPath+"/study", calculatorQuery, p.getStudy),
		getNumbers("/api/v1/capabilities/{id}/study", calculatorQuery, p.getStudyNumbers),
		{Method: http.MethodGet, Pattern: "/assets/{name}", Query: foreignQuery, Handler: getAsset},
	}
	if len(p.options.Embed) > 0 {
		embed := get("/embed/{group}/{tool}", calculatorQuery, p.getEmbed)
		embed.Fail = p.failEmbed
		routes = append(routes, embed)
	}
	return slices.Concat(routes, p.tableRoutes(), p.feedRoutes(), p.shadowRoutes(), p.shared())
}

// calculatorPath is the pattern of the URL of a calculator.
const calculatorPath = "/calc/{group}/{tool}"

// Keys of lists.
const (
	questionKey = "q"
	cursorKey   = "cursor"
	rowKey      = "row"
)

// The queries of pages. Keys that mean nothing here are ignored, because links get them from
// mail and social networks.
var (
	foreignQuery    = web.Query{Others: web.Foreign}
	groupQuery      = web.Query{Parameters: []web.Parameter{{Name: cursorKey}}, Others: web.Foreign}
	indexQuery      = web.Query{Parameters: []web.Parameter{{Name: questionKey, Many: true}, {Name: cursorKey}}, Others: web.Foreign}
	tablesQuery     = web.Query{Parameters: []web.Parameter{{Name: questionKey, Many: true}}, Others: web.Foreign}
	pinnedQuery     = web.Query{Parameters: web.PinParameters, Others: web.Foreign}
	tableQuery      = web.Query{Parameters: append([]web.Parameter{{Name: questionKey, Many: true}, {Name: rowKey}}, web.PinParameters...), Others: web.Foreign}
	calculatorQuery = web.Query{Parameters: web.PinParameters, Others: web.Open} // the rest is judged with the Spec
	plotQuery       = web.Query{Parameters: append([]web.Parameter{{Name: xUnitKey}, {Name: yUnitKey}}, web.PinParameters...), Others: web.Open}
)

// get returns the route of a page.
func get(pattern string, query web.Query, h web.Handler) web.Route {
	return web.Route{Method: http.MethodGet, Pattern: pattern, Surface: limits.Page, HTML: true, Query: query, Handler: h}
}

// post returns the route of a form, whose page may have further keys in its query.
func post(pattern, surface string, h web.Handler) web.Route {
	return web.Route{Method: http.MethodPost, Pattern: pattern, Surface: surface, HTML: true, Query: web.Query{Others: web.Open}, Handler: h}
}

// getNumbers returns the route of numbers that a page links to, at an API endpoint.
func getNumbers(pattern string, query web.Query, h web.Handler) web.Route {
	return web.Route{Method: http.MethodGet, Pattern: pattern, Surface: limits.Page, Query: query, Handler: h}
}

// shared returns the pages at addresses of the API. They fail like the API, because programs
// use these addresses too.
func (p *Pages) shared() []web.Route {
	routes := []web.Route{
		{Method: http.MethodPost, Pattern: "/api/v1/calc", Surface: limits.Calc, Page: true, Query: calculatorQuery, Handler: p.postResult},
		{Method: http.MethodPost, Pattern: "/api/v1/calc/{id}", Surface: limits.Calc, Page: true, Query: calculatorQuery, Handler: p.postResult},
		{Method: http.MethodGet, Pattern: "/api/v1/capabilities/{id}/evidence", Page: true, Query: pinnedQuery, Handler: p.getEvidence},
		{Method: http.MethodGet, Pattern: "/problems/{slug}", Page: true, Query: foreignQuery, Handler: p.getProblem},
	}
	if p.options.Snapshots != nil {
		routes = append(routes, web.Route{Method: http.MethodGet, Pattern: "/s/{id}", Surface: limits.Page, Page: true, Query: web.Query{Others: web.Open}, Handler: p.getSnapshot})
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
		return p.service.RequestError(r.PathValue("id"), err)
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
