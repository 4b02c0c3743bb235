// Package web is the HTTP layer of the server: it routes requests to handlers, applies the rules for all
// requests, and writes answers.
//
// REST, MCP and the pages each declare their endpoints as a list of [Route] values. [New] makes one handler of
// all routes. [Direct] answers calculations in the same way without net/http. This package implements
// everything that the routes share: request ids, limits, recovery, logging, negotiation, compression, version
// pins, bodies, security headers and problems.
package web

import (
	"log/slog"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

// Handler answers one request. A returned error becomes the answer, so a handler must not write anything before
// its answer is complete.
type Handler func(w http.ResponseWriter, r *http.Request) error

// ErrorWriter answers a request that failed.
type ErrorWriter func(w http.ResponseWriter, r *http.Request, p *problem.Problem)

// Route is the answer of one URL pattern to one method. HEAD is answered like GET, and every pattern answers
// OPTIONS.
type Route struct {
	Method  string
	Pattern string // pattern of net/http, without a method
	Surface string // surface whose limit calls count against; "" for none
	Page    bool   // answers callers who prefer a page; another route with the same pattern answers the others
	HTML    bool   // answers are pages, so its problems are pages unless the caller prefers JSON
	Stream  bool   // the answer is sent while it is made, so it is not compressed; Pattern must have no wildcards
	Query   Query  // what the query can contain
	Handler Handler
	Fail    ErrorWriter // writes problems of the route, or problem pages of an HTML route; nil: the default
}

// Options are the options of New. The zero value has no limits.
type Options struct {
	Log         *slog.Logger                             // logs errors that the caller did not cause; discarded if nil
	LogRequests bool                                     // also log every request
	Clients     *Clients                                 // nil: no limits
	Answers     *limit.Budget                            // bytes of answers that clients have not read yet; nil: no bound
	Observe     func(Observation)                        // receives every answer
	Tracer      *telemetry.Tracer                        // makes a span for every request; nil: none
	Recorded    bool                                     // calls are recorded, so answers can have receipts
	Ending      *atomic.Bool                             // true: every answer is the last answer of its connection; nil: never
	FailurePage func(p *problem.Problem) ([]byte, error) // page that shows a problem to a browser; nil: JSON
}

// WrapHandler returns a Handler that calls a handler of net/http, which writes all answers itself.
func WrapHandler(h http.Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r)
		return nil
	}
}

// NotFound returns the problem of a URL that does not exist.
func NotFound(r *http.Request) error {
	return problem.New(problem.CodeNotFound, "GET /api/v1/calc lists what can be calculated.", "there is nothing at %.100q", r.URL.Path)
}

// endpoint is the answer of one pattern to one method: data, and possibly a page.
type endpoint struct {
	Route
	page *Route // nil if there is none
}

type server struct {
	rules
	mux     *http.ServeMux
	streams map[string]bool // URLs with uncompressed answers
}

// New returns a handler that answers the routes. The base URL is the public URL of the service.
func New(baseURL string, routes []Route, o *Options) http.Handler {
	s := &server{rules: newRules(baseURL, o), mux: http.NewServeMux(), streams: map[string]bool{}}
	for pattern, methods := range s.group(routes) {
		s.mux.Handle(pattern, s.dispatch(pattern, methods))
	}
	nothing := s.adapt("", internal(func(_ http.ResponseWriter, r *http.Request) error { return NotFound(r) }))
	s.mux.Handle("/", nothing)
	plain := s.guard(nothing)
	zipped := compress(plain)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.streams[r.URL.Path] {
			plain.ServeHTTP(w, r)
			return
		}
		zipped.ServeHTTP(w, r)
	})
}

// group groups the routes by pattern and method.
func (s *server) group(routes []Route) map[string]map[string]*endpoint {
	all := map[string]map[string]*endpoint{}
	for _, route := range routes {
		if all[route.Pattern] == nil {
			all[route.Pattern] = map[string]*endpoint{}
		}
		e := all[route.Pattern][route.Method]
		if e == nil {
			e = &endpoint{}
			all[route.Pattern][route.Method] = e
		}
		if route.Page {
			e.page = &route
		}
		// The order of the routes does not matter: a route that is not a page always replaces a page here.
		if !route.Page || e.Handler == nil {
			e.Route = route // a page without another route answers all callers
		}
		s.streams[route.Pattern] = s.streams[route.Pattern] || route.Stream
	}
	return all
}

// internal returns an endpoint that belongs to no server.
func internal(h Handler) *endpoint {
	return &endpoint{Route: Route{Query: Query{Others: Open}, Handler: h}}
}

// guard refuses requests with ambiguous framing, answers requests that the mux would answer wrongly, and passes
// all others to the mux.
func (s *server) guard(notFound http.Handler) http.Handler {
	ambiguous := s.adapt("", internal(func(http.ResponseWriter, *http.Request) error {
		return problem.New(problem.CodeAmbiguousFraming, "Send one of the two headers.", "the request has a Content-Length and a Transfer-Encoding")
	}))
	serverOptions := s.adapt("", internal(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS, POST")
		setPreflight(w.Header())
		w.WriteHeader(http.StatusNoContent)
		return nil
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setCommon(w.Header())
		if r.Method != http.MethodPost { // answers to POST are never embedded
			setEmbeddable(w.Header())
		}
		if len(r.TransferEncoding) > 0 || Ambiguous(r) {
			w.Header().Set("Connection", "close") // the rest of the connection must not be read as a request
		}
		switch p := r.URL.Path; {
		case Ambiguous(r):
			ambiguous.ServeHTTP(w, r)
		case r.Method == http.MethodOptions && r.RequestURI == "*":
			serverOptions.ServeHTTP(w, r)
		case p != "/" && path.Clean(p) != strings.TrimSuffix(p, "/"):
			notFound.ServeHTTP(w, r) // the mux would redirect, and clients would resend a POST as GET
		default:
			if to, ok := withoutSlash(s.mux, r); ok {
				s.adapt("", internal(redirect(to))).ServeHTTP(w, r)
				return
			}
			s.mux.ServeHTTP(w, r)
		}
	})
}

// dispatch returns a handler that selects the endpoint of a pattern by method.
func (s *server) dispatch(pattern string, methods map[string]*endpoint) http.Handler {
	handlers := map[string]http.Handler{}
	for method, e := range methods {
		handlers[method] = s.adapt(pattern, e)
	}
	if h := handlers[http.MethodGet]; h != nil {
		handlers[http.MethodHead] = h
	}
	known := slices.AppendSeq([]string{http.MethodOptions}, maps.Keys(handlers))
	slices.Sort(known)
	allow := strings.Join(known, ", ")
	other := s.adapt(pattern, internal(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Allow", allow)
		if r.Method == http.MethodOptions {
			setPreflight(w.Header())
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
		return problem.New(problem.CodeMethodNotAllowed, "Use one of "+allow+".", "%.20q is not supported here", r.Method)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := handlers[r.Method]; ok {
			h.ServeHTTP(w, r)
			return
		}
		other.ServeHTTP(w, r)
	})
}
