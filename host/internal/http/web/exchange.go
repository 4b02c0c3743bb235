package web

import (
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

// recorder records the status of the answer, and limits how many bytes wait for the client.
type recorder struct {
	http.ResponseWriter
	status int
	budget *limit.Budget // bytes of answers that are being written
	client netip.Prefix
	ending *atomic.Bool // see Options
}

// Write implements [http.ResponseWriter]. The bytes count against the budget until the client
// has received them. If the budget is exhausted, the connection is aborted, so that the
// client notices that the answer is incomplete.
func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 && ends(w.ending) {
		w.WriteHeader(http.StatusOK)
	}
	n := int64(len(p))
	if !w.budget.TryAcquire(w.client, n) {
		panic(http.ErrAbortHandler)
	}
	defer w.budget.Release(w.client, n)
	return w.ResponseWriter.Write(p)
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		if ends(w.ending) {
			w.Header().Set("Connection", "close")
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// adapt turns an endpoint into a handler of net/http. It counts the call against its limit, writes the error
// that the endpoint returns, recovers panics, and observes the answer.
func (s *server) adapt(pattern string, e *endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &Call{Method: r.Method, Path: r.URL.Path, Route: pattern, Peer: r.RemoteAddr, Client: s.clientOf(r)}
		ctx := s.start(r.Context(), c, r.Header.Get("X-Request-Id"), func() telemetry.Parent {
			return telemetry.Parent{Traceparent: r.Header.Get("Traceparent"), Tracestate: r.Header.Get("Tracestate")}
		})
		w.Header()["X-Request-Id"] = []string{c.ID}
		r = r.WithContext(calc.WithCall(ctx, c.ID))
		rec := &recorder{ResponseWriter: w, budget: s.options.Answers, client: c.Client, ending: s.options.Ending}
		code := s.answer(rec, r, c, e)
		s.end(c, time.Now(), max(rec.status, http.StatusOK), code)
	})
}

// answer runs the endpoint and writes its error. It returns the error's code, or "" if there is none.
func (s *server) answer(w *recorder, r *http.Request, c *Call, e *endpoint) (code string) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				c.aborted()
				panic(p)
			}
			problem := s.panicked(c, p)
			code = problem.Code
			if w.status == 0 {
				s.writeProblem(w, r, &e.Route, problem)
			}
		}
	}()
	d, err := s.admit(r.Context(), c, e.Surface)
	d.SetHeader(w.Header())
	route := e.preferred(w, r)
	if err == nil {
		err = route.Query.check(r.URL.RawQuery)
	}
	if err == nil {
		err = route.Handler(w, r)
	}
	if err == nil {
		return ""
	}
	problem, written := s.failed(r.Context(), c, err)
	if !written {
		s.writeProblem(w, r, route, problem)
	}
	return problem.Code
}

// preferred returns the route of the form that the caller prefers: page or data. The Vary header informs caches
// that the answer depends on this preference.
func (e *endpoint) preferred(w http.ResponseWriter, r *http.Request) *Route {
	if e.page == nil || e.Page {
		return &e.Route
	}
	Vary(w.Header(), "Accept")
	if Media(r, JSON, HTML) == HTML {
		return e.page
	}
	return &e.Route
}
