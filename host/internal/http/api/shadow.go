package api

import (
	"encoding/json"
	"net/http"

	"github.com/slipstick/slipstick/host/internal/http/web"
)

// getShadow answers GET /api/v1/shadow.
func (s *server) getShadow(w http.ResponseWriter, _ *http.Request) error {
	body, err := json.Marshal(s.options.Shadow())
	if err != nil {
		return err
	}
	web.SetNoStore(w.Header())
	web.WriteJSON(w, http.StatusOK, append(body, '\n'))
	return nil
}
