package api

import (
	"crypto/rand"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/conns"
)

// Observation is what there is to know about one answer.
type Observation struct {
	Route    string // pattern of the address, "" if there is none
	Method   string
	Status   int
	Code     string // of the problem, "" if there was none
	Duration time.Duration
}

// recorder remembers what was answered, and bounds what waits until it is taken.
type recorder struct {
	http.ResponseWriter
	status int
	room   *conns.Budget // bytes of answers
	client netip.Prefix
}

// Write implements [http.ResponseWriter]. While the client does not take them, the bytes
// are held; when there is no room for that, the answer is cut off so that it can be
// seen.
func (w *recorder) Write(p []byte) (int, error) {
	n := int64(len(p))
	if !w.room.Try(w.client, n) {
		panic(http.ErrAbortHandler)
	}
	defer w.room.Give(w.client, n)
	return w.ResponseWriter.Write(p)
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// crowded refuses a request of a client for which too many answers wait already, but for
// those that tell how the service is.
func (w *recorder) crowded(route string) error {
	switch {
	case route == "/livez" || route == "/readyz" || route == "/metrics" || !w.room.Exhausted(w.client):
		return nil
	}
	return calc.Overloaded("Read the answers to earlier requests, then try again.", "too many bytes of answers wait until they are taken")
}

func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// adapt makes an endpoint a handler of net/http: it counts the call against its
// limit, writes errors and those of bugs, and tells of the answer.
func (s *server) adapt(route string, e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, room: s.options.Room.Answers}
		if rec.room != nil {
			rec.client = s.client(r)
		}
		id := requestID(r)
		w.Header()["X-Request-Id"] = []string{id}
		code := s.answer(rec, r, route, e, id)
		o := Observation{route, r.Method, max(rec.status, http.StatusOK), code, time.Since(start)}
		if s.options.Observe != nil {
			s.options.Observe(o)
		}
		if s.options.LogRequests {
			s.options.Log.Info("request", "id", id, "method", r.Method, "path", r.URL.Path, "route", route,
				"status", o.Status, "code", code, "duration", o.Duration, "peer", r.RemoteAddr)
		}
	})
}

// answer runs the endpoint and writes its error, and returns the error's code.
func (s *server) answer(w *recorder, r *http.Request, route string, e endpoint, id string) (code string) {
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
	err := w.crowded(route)
	if err == nil {
		err = s.limited(w, r, e.surface)
	}
	if err == nil {
		err = e.handler(w, r)
	}
	if err == nil {
		return ""
	}
	problem := calc.ProblemOf(err)
	if problem.Status() >= 500 && r.Context().Err() == nil { // nobody waits for an answer else
		s.options.Log.Error("request failed", "id", id, "method", r.Method, "path", r.URL.Path, "code", problem.Code, "error", problem.Cause)
	}
	s.writeProblem(w, r, problem)
	return problem.Code
}

// maxRequestID bounds the request id that a caller may choose.
const maxRequestID = 64

// requestID is the caller's id of the request if it is a plain word, else a new one.
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

// New ids are a random word of this process and a count: an id tells requests apart,
// and need not be secret.
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
