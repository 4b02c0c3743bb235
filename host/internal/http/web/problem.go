package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
)

// writeProblem writes a problem of the route with the headers of its status. The caller's preference selects
// the error body of spec 7.2, the form of RFC 9457, or a page.
func (s *server) writeProblem(w http.ResponseWriter, r *http.Request, route *Route, p *problem.Problem) {
	if route.Fail != nil && !route.HTML {
		route.Fail(w, r, p)
		return
	}
	setProblem(w.Header(), p)
	switch Media(r, s.formsOfProblem(r, route)...) {
	case HTML:
		if route.Fail != nil {
			route.Fail(w, r, p)
			return
		}
		page, err := s.options.FailurePage(p)
		if err == nil {
			WritePage(w, r, p.Status(), page)
			return
		}
		s.options.Log.Error("an error page failed", "path", r.URL.Path, "error", err)
	case Problem:
		write(w, p.Status(), mediaProblem, p.AppendProblemJSON(nil, s.baseURL))
		return
	}
	writePacked(w, r, p.Status(), p.AppendJSON(nil, s.baseURL), nil, calc.Ending{})
}

// setProblem sets the headers of a problem's status.
func setProblem(h http.Header, p *problem.Problem) {
	SetRetry(h, p)
	switch p.Status() {
	case http.StatusUnsupportedMediaType:
		h.Set("Accept", h.Get("Accept-Post")) // CheckBody has set it
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close")
	}
	SetReceipt(h, p.Receipt)
	SetNoStore(h)
	Vary(h, "Accept")
}

// formsOfProblem returns the possible media types of a problem. The first is for a caller without a preference.
// Below /api/ problems are for programs.
func (s *server) formsOfProblem(r *http.Request, route *Route) []string {
	hasPage := (s.options.FailurePage != nil || route.Fail != nil) && !strings.HasPrefix(r.URL.Path, "/api/")
	switch {
	case hasPage && route.HTML:
		return []string{HTML, JSON, Problem}
	case hasPage && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		return []string{JSON, Problem, HTML}
	}
	return []string{JSON, Problem}
}

// SetRetry sets the header Retry-After, if the problem has a time to wait.
func SetRetry(h http.Header, p *problem.Problem) {
	if status := p.Status(); status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		h.Set("Retry-After", strconv.Itoa(max(1, p.RetryAfter)))
	}
}
