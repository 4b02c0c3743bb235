package api

import (
	"net/http"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/web"
)

// postCalculation answers POST /api/v1/calc and /api/v1/calc/{id}.
func (s *server) postCalculation(w http.ResponseWriter, r *http.Request) error {
	scratch := calc.NewScratch()
	defer scratch.Free()
	req, err := web.ReadRequest(w, r, r.PathValue("id"), scratch)
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

// answers reuses the memory of answers.
var answers = sync.Pool{New: func() any { return new([]byte) }}

// maxKept is the maximum size in bytes of a buffer that is kept for reuse.
const maxKept = 256 << 10
