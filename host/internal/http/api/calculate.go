package api

import (
	"net/http"
	"net/url"
	"sync"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/tables/customary"
	"github.com/slipstick/slipstick/host/internal/tables/outputs"
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
	if err := format(r, answer); err != nil {
		return err
	}
	web.SetAnswer(w.Header(), s.service.BaseURL(), answer)
	web.SetNoStore(w.Header())
	body := answers.Get().(*[]byte)
	*body = answer.AppendJSON((*body)[:0])
	web.WriteAnswer(w, r, answer, *body)
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
		s.service.AddSteps(answer, nil)
	}
	return answer, err
}

// format writes the result for people in the units that the query asks for. Everything else of an answer has the units of
// the Spec.
func format(r *http.Request, a *calc.Answer) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	query := r.URL.Query()
	system, err := systemOf(query)
	if err != nil || !query.Has(unitKey) && system == customary.AsEntered {
		return err
	}
	choice, err := outputs.Choose(a.Success.Spec, nil, query[unitKey])
	if err == nil {
		a.Success.Formatted, err = choice.In(system).Formatted(&a.Success.Outcome)
	}
	if err != nil {
		return ofParameter(err)
	}
	return nil
}

// systemOf returns the system of units that the query asks for.
func systemOf(query url.Values) (customary.System, error) {
	text, err := oneOf(query, unitsKey, outputs.Systems...)
	return customary.System(text), err
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
