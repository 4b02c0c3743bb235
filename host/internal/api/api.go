// Package api is the REST face of the calculation service.
package api

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/conns"
	"github.com/slipstick/slipstick/host/internal/smuggling"
	"github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/web"
)

// Limiter decides whether a client may call a surface now.
type Limiter interface {
	Allow(ctx context.Context, surface string, client netip.Prefix) limit.Decision
}

// Surfaces of the limits that REST counts.
const (
	surfaceCalc  = "calc"
	surfaceShare = "share"
	surfacePage  = "page"
)

// Options of the REST interface. The zero value has no limits and no snapshots.
type Options struct {
	Log         *slog.Logger                    // failures that are not the caller's; discarded if nil
	LogRequests bool                            // log every request too
	Limiter     Limiter                         // nil: no limits
	Trusted     *limit.Proxies                  // whose X-Forwarded-For counts; nil: none
	Snapshots   *snapshot.Store                 // nil: the addresses of snapshots do not exist
	Pages       Pages                           // nil: there are none
	Observe     func(Observation)               // told of every answer
	Ready       func(context.Context) Readiness // nil: always ready
	Document    func() []byte                   // the OpenAPI document of now; nil: the address does not exist
	Mounts      map[string]http.Handler         // further addresses to GET, by pattern
	Posts       map[string]http.Handler         // further addresses to POST to, which write their own errors

	ObserveLines func(calc.Tally) // told of the lines of batches that were answered
	Patience     time.Duration    // that a batch has with a caller who sends nothing; 30 s
	Room         Room
}

// Room is what clients may make the service hold. A nil Budget has no bounds.
type Room struct {
	Batches *conns.Budget // batches under way
	Rows    *conns.Budget // bytes of memory for rows of batches
	Answers *conns.Budget // bytes of answers that wait until they are taken
}

// handler answers one request. A returned error is written as a problem, so a
// handler writes nothing before it has its whole answer.
type handler func(w http.ResponseWriter, r *http.Request) error

// endpoint is a handler and the limit that its calls count against, "" for none.
type endpoint struct {
	handler
	surface string
}

// resource is what one address answers, by method. HEAD goes with GET, and OPTIONS
// everywhere.
type resource map[string]endpoint

type server struct {
	service *calc.Service
	options Options
}

// New returns the REST interface of the service.
func New(service *calc.Service, o *Options) http.Handler {
	s := &server{service: service}
	if o != nil {
		s.options = *o
	}
	if s.options.Log == nil {
		s.options.Log = slog.New(slog.DiscardHandler)
	}
	if s.options.Patience <= 0 {
		s.options.Patience = defaultPatience
	}
	mux := http.NewServeMux()
	for pattern, res := range s.routes() {
		mux.Handle(pattern, s.serve(pattern, res))
	}
	nothing := s.adapt("", endpoint{handler: notFound})
	ambiguous := s.adapt("", endpoint{handler: func(http.ResponseWriter, *http.Request) error {
		return calc.NewProblem(calc.CodeAmbiguousFraming, "Send one of the two headers.", "the request has a Content-Length and a Transfer-Encoding")
	}})
	whole := s.adapt("", endpoint{handler: func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS, POST")
		setPreflight(w.Header())
		w.WriteHeader(http.StatusNoContent)
		return nil
	}})
	mux.Handle("/", nothing)
	return compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setCommon(w.Header())
		if r.Method != http.MethodPost { // which is never embedded
			setEmbeddable(w.Header())
		}
		if len(r.TransferEncoding) > 0 || smuggling.Ambiguous(r) {
			w.Header().Set("Connection", "close") // nothing that was framed behind it is read
		}
		if smuggling.Ambiguous(r) {
			ambiguous.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodOptions && r.RequestURI == "*" {
			whole.ServeHTTP(w, r)
			return
		}
		if p := r.URL.Path; p != "/" && path.Clean(p) != strings.TrimSuffix(p, "/") {
			nothing.ServeHTTP(w, r) // the mux would redirect, which loses a POST
			return
		}
		if to, ok := withoutSlash(mux, r); ok {
			s.adapt("", endpoint{handler: redirect(to)}).ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

// routes are all addresses, by pattern.
func (s *server) routes() map[string]resource {
	all := s.resources()
	maps.Copy(all, s.pages())
	for pattern, h := range s.options.Mounts {
		all[pattern] = resource{http.MethodGet: {handler: mounted(h)}}
	}
	for pattern, h := range s.options.Posts {
		all[pattern] = resource{http.MethodPost: {handler: passed(h)}}
	}
	return all
}

// Routes returns the methods that each address of the interface answers, by pattern of
// net/http, without those that all answer: HEAD and OPTIONS.
func Routes(service *calc.Service, o *Options) map[string][]string {
	s := &server{service: service, options: *o}
	all := map[string][]string{}
	for pattern, res := range s.routes() {
		all[pattern] = slices.Sorted(maps.Keys(res))
	}
	return all
}

// compressed compresses all answers but those of batches, which go out as they come.
func compressed(h http.Handler) http.Handler {
	zipped := web.Compress(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == batchPath {
			h.ServeHTTP(w, r)
			return
		}
		zipped.ServeHTTP(w, r)
	})
}

func (s *server) resources() map[string]resource {
	get := func(h handler) resource { return resource{http.MethodGet: {handler: h}} }
	calculate := endpoint{s.postCalculation, surfaceCalc}
	all := map[string]resource{
		"/api/v1/calc":                            {http.MethodGet: {handler: s.getCatalog}, http.MethodPost: calculate},
		"/api/v1/calc/{id}":                       {http.MethodGet: {handler: s.getEntry}, http.MethodPost: calculate},
		batchPath:                                 {http.MethodPost: {s.postBatch, surfaceCalc}},
		"/api/v1/capabilities":                    get(s.getCatalog),
		"/api/v1/capabilities/{id}":               get(s.getEntry),
		"/api/v1/capabilities/{id}/schema/input":  get(s.getInputSchema),
		"/api/v1/capabilities/{id}/schema/output": get(s.getOutputSchema),
		"/api/v1/capabilities/{id}/evidence":      get(s.getEvidence),
		"/problems/{slug}":                        get(s.getProblem),
		"/livez":                                  get(s.getLive),
		"/readyz":                                 get(s.getReady),
	}
	if s.options.Document != nil {
		all["/openapi.json"] = get(func(w http.ResponseWriter, r *http.Request) error {
			writeCacheable(w, r, s.options.Document())
			return nil
		})
	}
	if s.options.Snapshots != nil {
		all["/api/v1/share"] = resource{http.MethodPost: {s.postSnapshot, surfaceShare}}
		all["/api/v1/share/{id}"] = resource{http.MethodGet: {s.getSnapshot, surfaceShare}}
		all[publicSnapshot] = resource{http.MethodGet: {s.getSnapshot, surfacePage}}
	}
	return all
}

// batchPath is the address of batches.
const batchPath = "/api/v1/batch"

// serve dispatches by method.
func (s *server) serve(pattern string, res resource) http.Handler {
	methods := []string{http.MethodOptions}
	handlers := map[string]http.Handler{}
	for m, e := range res {
		methods = append(methods, m)
		handlers[m] = s.adapt(pattern, e)
	}
	if h := handlers[http.MethodGet]; h != nil {
		methods = append(methods, http.MethodHead)
		handlers[http.MethodHead] = h
	}
	slices.Sort(methods)
	allow := strings.Join(methods, ", ")
	other := s.adapt(pattern, endpoint{handler: func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Allow", allow)
		if r.Method == http.MethodOptions {
			setPreflight(w.Header())
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
		return calc.NewProblem(calc.CodeMethodNotAllowed, "Use one of "+allow+".", "%.20q is not supported here", r.Method)
	}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := handlers[r.Method]; ok {
			h.ServeHTTP(w, r)
			return
		}
		other.ServeHTTP(w, r)
	})
}

func notFound(_ http.ResponseWriter, r *http.Request) error {
	return calc.NewProblem(calc.CodeNotFound, "GET /api/v1/calc lists what can be calculated.", "there is nothing at %.100q", r.URL.Path)
}

// mounted is a handler of net/http whose 404 is ours.
func mounted(h http.Handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		m := &missing{ResponseWriter: w}
		h.ServeHTTP(m, r)
		if m.missing {
			return notFound(w, r)
		}
		return nil
	}
}

// passed is a handler of net/http whose answers are its own.
func passed(h http.Handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		h.ServeHTTP(w, r)
		return nil
	}
}

// missing keeps back an answer that says not found.
type missing struct {
	http.ResponseWriter
	missing bool
}

func (m *missing) WriteHeader(status int) {
	if m.missing = status == http.StatusNotFound; !m.missing {
		m.ResponseWriter.WriteHeader(status)
	}
}

func (m *missing) Write(b []byte) (int, error) {
	if m.missing {
		return len(b), nil
	}
	return m.ResponseWriter.Write(b)
}

// limited refuses a call beyond the client's limit, and tells the client where it
// stands.
func (s *server) limited(w http.ResponseWriter, r *http.Request, surface string) error {
	if surface == "" || s.options.Limiter == nil {
		return nil
	}
	d := s.options.Limiter.Allow(r.Context(), surface, s.client(r))
	d.SetHeader(w.Header())
	if d.Allowed {
		return nil
	}
	return calc.RateLimited(d.Limit, d.RetryAfterSeconds())
}

// client is whom a request counts for.
func (s *server) client(r *http.Request) netip.Prefix {
	return s.options.Trusted.Client(r)
}

// Headers that every answer carries, errors included: pages of any origin may read it.
// Their values are shared, so they are set as they are and never appended to.
var (
	anyOrigin  = []string{"*"}
	exposed    = []string{"Service-Spec-Version, Slipstick-Engine-Digest, Allow, ETag, Location, Link, Deprecation, Sunset, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"}
	anyReader  = []string{"cross-origin"}
	noSniffing = []string{"nosniff"}
)

func setCommon(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = exposed
	h["X-Content-Type-Options"] = noSniffing
}

// setEmbeddable lets pages of any origin embed what is fetched without CORS.
func setEmbeddable(h http.Header) { h["Cross-Origin-Resource-Policy"] = anyReader }

// setPreflight sets what a browser asks about before it sends a request.
func setPreflight(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Accept, Service-Spec-Version, Traceparent, MCP-Protocol-Version, Mcp-Method, Mcp-Name")
	h.Set("Access-Control-Max-Age", "7200")
}
