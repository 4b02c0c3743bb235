// Package api is the REST face of the calculation service.
package api

import (
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/slipstick/slipstick/host/internal/calc"
)

// handler answers one request. A returned error is written as a problem, so a
// handler writes nothing before it has its whole answer.
type handler func(w http.ResponseWriter, r *http.Request) error

// resource is what one address answers, by method. HEAD goes with GET, and OPTIONS
// everywhere.
type resource map[string]handler

type server struct {
	service *calc.Service
	log     *slog.Logger
}

// New returns the REST interface of the service. Failures that are not the
// caller's are reported to the log.
func New(service *calc.Service, log *slog.Logger) http.Handler {
	s := &server{service: service, log: log}
	mux := http.NewServeMux()
	catalog := resource{http.MethodGet: s.getCatalog}
	entry := resource{http.MethodGet: s.getEntry}
	for pattern, res := range map[string]resource{
		"/api/v1/calc":                            {http.MethodGet: s.getCatalog, http.MethodPost: s.postCalculation},
		"/api/v1/calc/{id}":                       {http.MethodGet: s.getEntry, http.MethodPost: s.postCalculation},
		"/api/v1/capabilities":                    catalog,
		"/api/v1/capabilities/{id}":               entry,
		"/api/v1/capabilities/{id}/schema/input":  {http.MethodGet: s.getInputSchema},
		"/api/v1/capabilities/{id}/schema/output": {http.MethodGet: s.getOutputSchema},
		"/api/v1/capabilities/{id}/evidence":      {http.MethodGet: s.getEvidence},
	} {
		mux.Handle(pattern, s.serve(res))
	}
	nothing := s.adapt(notFound)
	mux.Handle("/", nothing)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allowOrigins(w.Header())
		if path.Clean(r.URL.Path) != r.URL.Path { // the mux would redirect, which loses a POST
			nothing.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serve dispatches by method.
func (s *server) serve(res resource) http.Handler {
	methods := []string{http.MethodOptions}
	for m := range res {
		methods = append(methods, m)
	}
	if res[http.MethodGet] != nil {
		methods = append(methods, http.MethodHead)
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")
	return s.adapt(func(w http.ResponseWriter, r *http.Request) error {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if h, ok := res[method]; ok {
			return h(w, r)
		}
		w.Header().Set("Allow", allow)
		if method == http.MethodOptions {
			w.Header().Set("Access-Control-Max-Age", "7200")
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
		return calc.NewProblem(calc.CodeMethodNotAllowed, "Use one of "+allow+".", "%.20q is not supported here", r.Method)
	})
}

// adapt writes the errors of a handler, and those of its bugs.
func (s *server) adapt(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.log.Error("handler panicked", "method", r.Method, "path", r.URL.Path, "panic", p)
				s.writeProblem(w, calc.NewProblem(calc.CodeInternalError, "", "the service failed to answer"))
			}
		}()
		err := h(w, r)
		if err == nil {
			return
		}
		problem := calc.ProblemOf(err)
		if problem.Status() >= 500 {
			s.log.Error("request failed", "method", r.Method, "path", r.URL.Path, "code", problem.Code, "error", problem.Cause)
		}
		s.writeProblem(w, problem)
	})
}

func notFound(_ http.ResponseWriter, r *http.Request) error {
	return calc.NewProblem(calc.CodeNotFound, "GET /api/v1/calc lists what can be calculated.", "there is nothing at %.100q", r.URL.Path)
}

// allowOrigins opens the answer to pages of any origin, errors included.
func allowOrigins(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Accept, Service-Spec-Version")
	h.Set("Access-Control-Expose-Headers", "Service-Spec-Version, Slipstick-Engine-Digest, Allow, ETag, Retry-After")
	h.Set("X-Content-Type-Options", "nosniff")
}
