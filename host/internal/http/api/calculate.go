package api

import (
	"net/http"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// postCalculation answers POST /api/v1/calc and /api/v1/calc/{id}.
func (s *server) postCalculation(w http.ResponseWriter, r *http.Request) error {
	scratch := calc.NewScratch()
	defer scratch.Free()
	req, err := web.ReadRequest(w, r, r.PathValue("id"), scratch)
	if err != nil {
		return s.service.RequestError(r.PathValue("id"), err)
	}
	answer, err := s.calculate(w, r, req, limit.Calc)
	if err != nil {
		return err
	}
	web.SetAnswer(w.Header(), s.service.BaseURL(), answer)
	web.SetNoStore(w.Header())
	body := answers.Get().(*[]byte)
	*body = answer.AppendJSON((*body)[:0])
	web.WriteJSON(w, http.StatusOK, *body)
	if cap(*body) <= maxPooled {
		answers.Put(body)
	}
	return nil
}

// calculate answers the request. If the query asks for worked steps, it adds them and counts another call of
// the surface.
func (s *server) calculate(w http.ResponseWriter, r *http.Request, req calc.Request, surface string) (*calc.Answer, error) {
	stepped, err := wantsSteps(r)
	if err != nil {
		return nil, err
	}
	if stepped {
		d := s.options.Batches.Clients.Allow(r, surface)
		if d.Limit > 0 {
			d.SetHeader(w.Header())
		}
		if !d.Allowed {
			return nil, problem.RateLimited(d.Limit, d.RetryAfterSeconds())
		}
	}
	answer, err := s.service.Calculate(r.Context(), req)
	if err == nil && stepped {
		s.service.AddSteps(answer)
	}
	return answer, err
}

// wantsSteps reports whether the query parameter steps is true.
func wantsSteps(r *http.Request) (wanted bool, err error) {
	if r.URL.RawQuery == "" {
		return false, nil
	}
	text, err := oneOf(r.URL.Query(), stepsKey, "true", "false")
	return text == "true", err
}

// answers is a pool of buffers for answers.
var answers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the maximum size in bytes of a buffer that returns to the pool.
const maxPooled = 256 << 10
