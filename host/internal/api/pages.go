package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/web"
)

// Pages is the face for people, who have a browser. Where an address serves programs and
// people, what is asked for decides. Each method returns a whole page, but Result, which
// returns the part that shows an answer.
type Pages interface {
	Gets() map[string]http.Handler  // addresses of its own, by pattern
	Posts() map[string]http.Handler // those that take forms

	Result(ctx context.Context, a *calc.Answer) ([]byte, error)
	Snapshot(ctx context.Context, s snapshot.Snapshot) ([]byte, error)
	Evidence(r *calc.Release) ([]byte, error)
	Problem(doc calc.CodeDoc) ([]byte, error)
	Failure(p *calc.Problem) ([]byte, error)

	// Write answers with what the others made, under the headers of pages.
	Write(w http.ResponseWriter, r *http.Request, status int, html []byte)
}

// forPeople reports whether the answer should be a page and not JSON, and tells caches
// that it depends on what is asked for.
func (s *server) forPeople(w http.ResponseWriter, r *http.Request) bool {
	web.Vary(w.Header(), "Accept")
	return s.options.Pages != nil && web.Media(r, web.JSON, web.HTML) == web.HTML
}

// pages are the addresses of the pages, with what their calls count against.
func (s *server) pages() map[string]resource {
	all := map[string]resource{}
	if s.options.Pages == nil {
		return all
	}
	for pattern, h := range s.options.Pages.Gets() {
		surface := surfacePage
		if strings.HasPrefix(pattern, "/assets/") {
			surface = ""
		}
		all[pattern] = resource{http.MethodGet: {handler: passed(h), surface: surface}}
	}
	for pattern, h := range s.options.Pages.Posts() {
		surface := surfacePage
		if strings.HasSuffix(pattern, "/freeze") {
			surface = surfaceShare
		}
		if all[pattern] == nil {
			all[pattern] = resource{}
		}
		all[pattern][http.MethodPost] = endpoint{passed(h), surface}
	}
	return all
}

// failuresArePages reports whether a browser may have gone to the address: one of those
// for people. Elsewhere problems are for programs.
func (s *server) failuresArePages(r *http.Request) bool {
	return s.options.Pages != nil && !strings.HasPrefix(r.URL.Path, "/api/") && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// failurePage answers with a page about the problem, if there is one.
func (s *server) failurePage(w http.ResponseWriter, r *http.Request, p *calc.Problem) bool {
	html, err := s.options.Pages.Failure(p)
	if err != nil {
		return false
	}
	s.options.Pages.Write(w, r, p.Status(), html)
	return true
}
