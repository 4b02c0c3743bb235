package web

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/conns"
)

// Observation describes one answer, for metrics.
type Observation struct {
	Route    string // pattern of the address, "" if there is none
	Method   string
	Status   int
	Code     string // of the problem, "" if there was none
	Duration time.Duration
}

// recorder remembers what was answered, and limits how many bytes wait for the client.
type recorder struct {
	http.ResponseWriter
	status int
	budget *conns.Budget // bytes of answers that are being written
	client netip.Prefix
}

// Write implements [http.ResponseWriter]. The bytes count against the budget until the client
// has received them. If the budget is exhausted, the connection is aborted, so that the
// client notices that the answer is incomplete.
func (w *recorder) Write(p []byte) (int, error) {
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
	}
	w.ResponseWriter.WriteHeader(status)
}

// checkBacklog refuses a request of a client that has too many unread answers. Requests for
// the health of the service are exempt.
func (w *recorder) checkBacklog(route string) error {
	switch {
	case route == "/livez" || route == "/readyz" || route == "/metrics" || !w.budget.Exhausted(w.client):
		return nil
	}
	return calc.Overloaded("Read the answers to earlier requests, then try again.", "too many bytes of answers wait until they are taken")
}

func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Answered is the error of a handler that has already written the answer to a problem, such
// as a page that shows its form again. The problem is only logged and counted.
type Answered struct{ Problem *calc.Problem }

func (a *Answered) Error() string { return a.Problem.Error() }

// adapt turns an endpoint into a handler of net/http. It counts the call against its limit,
// writes the error that the endpoint returns, recovers panics, and observes the answer.
func (s *server) adapt(pattern string, e *endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, budget: s.options.Answers}
		if rec.budget != nil {
			rec.client = s.options.Clients.Of(r)
		}
		id := requestID(r)
		w.Header()["X-Request-Id"] = []string{id}
		code := s.answer(rec, r, pattern, e, id)
		o := Observation{pattern, r.Method, max(rec.status, http.StatusOK), code, time.Since(start)}
		if s.options.Observe != nil {
			s.options.Observe(o)
		}
		if s.options.LogRequests {
			s.options.Log.Info("request", "id", id, "method", r.Method, "path", r.URL.Path, "route", pattern,
				"status", o.Status, "code", code, "duration", o.Duration, "peer", r.RemoteAddr)
		}
	})
}

// answer runs the endpoint and writes its error. It returns the error's code, "" for none.
func (s *server) answer(w *recorder, r *http.Request, pattern string, e *endpoint, id string) (code string) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.options.Log.Error("handler panicked", "id", id, "method", r.Method, "path", r.URL.Path, "panic", p)
			problem := calc.ProblemOf(nil)
			code = problem.Code
			if w.status == 0 {
				s.writeProblem(w, r, problem)
			}
		}
	}()
	fail := s.writeProblem
	err := w.checkBacklog(pattern)
	if err == nil {
		err = s.checkLimit(w, r, e.Surface)
	}
	if err == nil {
		route := e.preferred(w, r)
		if route.Fail != nil {
			fail = route.Fail
		}
		err = route.Handler(w, r)
	}
	if err == nil {
		return ""
	}
	problem, written := problemOf(err)
	if problem.Status() >= http.StatusInternalServerError && r.Context().Err() == nil { // a caller who has left causes no failure of ours
		s.options.Log.Error("request failed", "id", id, "method", r.Method, "path", r.URL.Path, "code", problem.Code, "error", problem.Cause)
	}
	if !written {
		fail(w, r, problem)
	}
	return problem.Code
}

// problemOf returns the problem of an error, and whether its answer has been written.
func problemOf(err error) (p *calc.Problem, written bool) {
	var answered *Answered
	if errors.As(err, &answered) {
		return answered.Problem, true
	}
	return calc.ProblemOf(err), false
}

// preferred returns the route of the form that the caller prefers: page or data. A Vary
// header tells caches that the answer depends on this preference.
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

// checkLimit refuses a call beyond the client's limit. Headers tell the client how many calls
// remain.
func (s *server) checkLimit(w http.ResponseWriter, r *http.Request, surface string) error {
	if surface == "" {
		return nil
	}
	d := s.options.Clients.Allow(r, surface)
	d.SetHeader(w.Header())
	if d.Allowed {
		return nil
	}
	return calc.RateLimited(d.Limit, d.RetryAfterSeconds())
}

// maxRequestID is the maximum length of a request id that a caller chooses.
const maxRequestID = 64

// requestID returns the caller's id of the request if it is a plain word, else a new id.
func requestID(r *http.Request) string {
	lines := r.Header["X-Request-Id"]
	if len(lines) == 0 || !plainWord(lines[0]) {
		return newID()
	}
	return lines[0]
}

func plainWord(s string) bool {
	for _, c := range []byte(s) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= maxRequestID
}

// A new id is a random prefix, chosen once per process, and a counter. An id only has to be
// unique, not secret.
var (
	process = rand.Text()[:16]
	counted atomic.Uint64
)

func newID() string {
	const digits = 10
	id := make([]byte, 0, len(process)+1+digits)
	id = append(append(id, process...), '-')
	n := counted.Add(1)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		id = append(id, "0123456789abcdef"[n>>shift&15])
	}
	return string(id)
}
