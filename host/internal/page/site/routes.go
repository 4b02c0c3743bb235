package site

import (
	"net/http"

	limits "github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Routes are the feeds, and the pages about problems. The pages fail like the API, because
// programs use these addresses too.
func (s *Site) Routes() []web.Route {
	return append(s.feedRoutes(), web.Route{Method: http.MethodGet, Pattern: "/problems/{slug}", Page: true, Query: ForeignQuery, Handler: s.getProblem})
}

// CalculatorPath is the pattern of the URL of a calculator.
const CalculatorPath = "/calc/{group}/{tool}"

// QuestionKey is the key of what is searched for.
const QuestionKey = "q"

// The queries of pages. Keys that mean nothing here are ignored, because links get them from
// mail and social networks.
var (
	ForeignQuery    = web.Query{Others: web.Foreign}
	PinnedQuery     = web.Query{Parameters: web.PinParameters, Others: web.Foreign}
	CalculatorQuery = web.Query{Parameters: web.PinParameters, Others: web.Open} // the rest is judged with the Spec
)

// Get returns the route of a page.
func Get(pattern string, query web.Query, h web.Handler) web.Route {
	return web.Route{Method: http.MethodGet, Pattern: pattern, Surface: limits.Page, HTML: true, Query: query, Handler: h}
}

// Post returns the route of a form, whose page may have further keys in its query.
func Post(pattern, surface string, h web.Handler) web.Route {
	return web.Route{Method: http.MethodPost, Pattern: pattern, Surface: surface, HTML: true, Query: web.Query{Others: web.Open}, Handler: h}
}

// GetNumbers returns the route of numbers that a page links to, at an API endpoint.
func GetNumbers(pattern string, query web.Query, h web.Handler) web.Route {
	return web.Route{Method: http.MethodGet, Pattern: pattern, Surface: limits.Page, Query: query, Handler: h}
}

// getProblem answers GET /problems/{slug}.
func (s *Site) getProblem(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.Service.Catalog().Code(r.PathValue("slug"))
	if err != nil {
		return err
	}
	html, err := s.Problem(doc)
	return WriteKept(w, r, html, err)
}
