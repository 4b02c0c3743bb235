package api

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// getProblem answers the type URIs of problems: a page for browsers, JSON for others.
func (s *server) getProblem(w http.ResponseWriter, r *http.Request) error {
	doc, ok := s.service.Catalog().Code(r.PathValue("slug"))
	if !ok {
		return calc.NewProblem(calc.CodeNotFound, "The last part of the address is a code in kebab case, such as invalid-number.",
			"there is no problem of this name")
	}
	if !s.forPeople(w, r) {
		return writeDescription(w, r, doc)
	}
	html, err := s.options.Pages.Problem(doc)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "public, max-age=60")
	s.options.Pages.Write(w, r, http.StatusOK, html)
	return nil
}
