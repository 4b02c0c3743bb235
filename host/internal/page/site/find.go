package site

import (
	"net/http"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/search"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/versions"
)

// Find finds the calculator and the release that a URL means. If it has redirected the client to the correct URL, the release
// is nil.
func (s *Site) Find(w http.ResponseWriter, r *http.Request, pins []versions.Pin) (*catalog.Entry, *catalog.Release, error) {
	entry, shown, err := s.FindEntry(w, r)
	if err != nil || shown == nil {
		return nil, nil, err
	}
	web.Vary(w.Header(), versions.HeaderName)
	release, err := entry.Release(pins)
	return entry, release, err
}

// FindEntry finds the capability of the calculator that a URL means, and its current release. If it has redirected the
// client to the correct URL, the release is nil.
func (s *Site) FindEntry(w http.ResponseWriter, r *http.Request) (entry *catalog.Entry, shown *catalog.Release, err error) {
	group, tool := r.PathValue("group"), r.PathValue("tool")
	entry, err = s.Service.Catalog().Find(tool)
	if err != nil {
		return nil, nil, s.Missing(tool)
	}
	shown = entry.Shown()
	if shown == nil {
		return nil, nil, problem.Unavailable(entry.ID, "", entry.Problem)
	}
	if group == shown.Spec.Group && tool == shown.Spec.Tool {
		return entry, shown, nil
	}
	to := s.Link(catalog.PagePath(&shown.Spec)) + strings.TrimPrefix(r.URL.Path, "/calc/"+group+"/"+tool)
	if r.URL.RawQuery != "" && len(r.URL.RawQuery) <= MaxQuery {
		to += "?" + r.URL.RawQuery
	}
	Redirect(w, to, http.StatusPermanentRedirect)
	return nil, nil, nil
}

// Missing returns the problem of a tool that does not exist, with similar names.
func (s *Site) Missing(tool string) error {
	problem := problem.New(problem.CodeEngineNotFound, "Search for it in the list of calculators.", "there is no calculator %.100q", tool)
	problem.AcceptableIDs = s.Search().Nearest(tool, maxNearest)
	return problem
}

const maxNearest = 6

// Search returns the search index of the catalog.
func (s *Site) Search() *search.Index { return s.found.Of(s.Service.Catalog()) }

// Redirect redirects to a path on this server.
func Redirect(w http.ResponseWriter, path string, status int) {
	w.Header().Set("Location", path)
	w.WriteHeader(status)
}

// Pinned returns the release that a request for CSV means, and the pins of the request.
func (s *Site) Pinned(r *http.Request) ([]versions.Pin, *catalog.Release, error) {
	entry, err := s.Service.Catalog().Find(r.PathValue("id"))
	if err != nil {
		return nil, nil, err
	}
	pins, err := web.Pins(r)
	if err != nil {
		return nil, nil, err
	}
	release, err := entry.Release(pins)
	return pins, release, err
}
