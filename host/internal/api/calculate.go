package api

import (
	"net/http"
	"sync"

	"github.com/slipstick/slipstick/host/internal/web"
)

// postCalculation answers POST /api/v1/calc and /api/v1/calc/{id}.
func (s *server) postCalculation(w http.ResponseWriter, r *http.Request) error {
	req, err := web.ReadRequest(w, r, r.PathValue("id"))
	if err != nil {
		return err
	}
	answer, err := s.service.Calculate(r.Context(), req)
	if err != nil {
		return err
	}
	web.SetRelease(w.Header(), s.service.BaseURL(), answer.Release)
	web.SetNoStore(w.Header())
	body := answers.Get().(*[]byte)
	*body = answer.AppendJSON((*body)[:0])
	web.WriteJSON(w, http.StatusOK, *body)
	if cap(*body) <= maxKept {
		answers.Put(body)
	}
	return nil
}

// answers is memory of answers, which is used again.
var answers = sync.Pool{New: func() any { return new([]byte) }}

// maxKept bounds what is kept for later.
const maxKept = 256 << 10
