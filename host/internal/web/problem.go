package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// writeProblem writes the error body of spec 7.2, or the form of RFC 9457 if the caller asks
// for that, with the headers of its status.
func (s *server) writeProblem(w http.ResponseWriter, r *http.Request, p *calc.Problem) {
	setProblem(w.Header(), p)
	offers := []string{JSON, Problem}
	if s.showsPages(r) {
		offers = append(offers, HTML)
	}
	switch Media(r, offers...) {
	case HTML:
		if page, err := s.options.FailurePage(p); err == nil {
			WritePage(w, r, p.Status(), page)
			return
		}
	case Problem:
		write(w, p.Status(), mediaProblem, p.AppendProblemJSON(nil, s.baseURL))
		return
	}
	WriteJSON(w, p.Status(), p.AppendJSON(nil, s.baseURL))
}

// setProblem sets the headers of a problem's status.
func setProblem(h http.Header, p *calc.Problem) {
	switch p.Status() {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", strconv.Itoa(max(1, p.RetryAfter)))
	case http.StatusUnsupportedMediaType:
		h.Set("Accept", h.Get("Accept-Post")) // CheckBody has set it
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close")
	}
	SetReceipt(h, p.Receipt)
	SetNoStore(h)
	Vary(h, "Accept")
}

// showsPages reports whether the address is one that people open in a browser. At all other
// addresses problems are for programs.
func (s *server) showsPages(r *http.Request) bool {
	return s.options.FailurePage != nil && !strings.HasPrefix(r.URL.Path, "/api/") && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// SetRetry sets the header Retry-After, if the problem has a time to wait.
func SetRetry(h http.Header, p *calc.Problem) {
	if status := p.Status(); status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		h.Set("Retry-After", strconv.Itoa(max(1, p.RetryAfter)))
	}
}
