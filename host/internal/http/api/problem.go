package api

import (
	"net/http"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// getProblem answers GET of a problem's type URI.
func (s *server) getProblem(w http.ResponseWriter, r *http.Request) error {
	doc, err := s.service.Catalog().Code(r.PathValue("slug"))
	if err != nil {
		return err
	}
	return web.WriteDescription(w, r, doc)
}
