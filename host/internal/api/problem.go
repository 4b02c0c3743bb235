package api

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/web"
)

// getProblem answers the type URIs of problems.
func (s *server) getProblem(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.service.Catalog().Code(r.PathValue("slug"))
	if err != nil {
		return err
	}
	return web.WriteDescription(w, r, doc)
}
