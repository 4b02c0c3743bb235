package site

import (
	"net/http"

	limits "github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// Routes returns the routes of feeds, and of pages about problems. These pages fail like the API, because programs also use
// their URLs.
func (s *Site) Routes() []web.Route {
	return append(s.feedRoutes(), web.Route{Method: http.MethodGet, Pattern: "/problems/{slug}", Page: true, Query: ForeignQuery, Handler: s.getProblem})
}

// CalculatorPath is the pattern of the URL of a calculator.
const CalculatorPath = "/calc/{group}/{tool}"

// QuestionKey is the key of the query with the words to search for.
const QuestionKey = "q"

// Queries of pages. Pages ignore unknown keys, because mail programs and social networks add keys to links.
var (
	ForeignQuery    = web.Query{Others: web.Foreign}
	PinnedQuery     = web.Query{Parameters: web.PinParameters, Others: web.Foreign}
	CalculatorQuery = web.Query{Parameters: web.PinParameters, Others: web.Open} // package address checks the other keys against the Spec
)

// Get returns the route of a page.
func Get(pattern string, query web.Query, h web.Handler) web.Route {
	return web.Route{Method: http.MethodGet, Pattern: pattern, Surface: limits.Page, HTML: true, Query: query, Handler: h}
}

// Post returns the route of a form. The query of its page can have further keys.
func Post(pattern, surface string, h web.Handler) web.Route {
	return web.Route{Method: http.MethodPost, Pattern: pattern, Surface: surface, HTML: true, Query: web.Query{Others: web.Open}, Handler: h}
}

// GetNumbers returns the route of an API endpoint with numbers that a page links to.
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
	return WriteCacheable(w, r, html, err)
}
