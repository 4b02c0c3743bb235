// Package calc is the calculation service: which engine is meant, what it is
// given, and what the answer is. It knows no transport; REST, MCP and pages are
// faces of it.
package calc

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/cache"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/request"
	"github.com/slipstick/slipstick/sdk/request/strictjson"
	"github.com/slipstick/slipstick/sdk/response"
	"github.com/slipstick/slipstick/sdk/value"
	"github.com/slipstick/slipstick/versions"
)

// Engines runs calculations on engines of published releases. Its outcomes have
// been checked against the release's Spec.
type Engines interface {
	// Calculate computes on an engine that is exactly the release, within the limit. The
	// error is an *sdk.Error, a *Problem, or our own fault.
	Calculate(ctx context.Context, limit time.Duration, r *Release, in value.Values) (sdk.Outcome, error)

	// CalculateBatch computes one outcome per row of inputs. Errors of rows are as from
	// Calculate; the error is that of the whole batch. The rows are the caller's again
	// when it returns.
	CalculateBatch(ctx context.Context, limit time.Duration, r *Release, rows []value.Values) ([]response.Result, error)

	// Draw draws a plot of the release's Spec. The error is as from Calculate.
	Draw(ctx context.Context, limit time.Duration, r *Release, plot string, in value.Values) (*sdk.Figure, error)
}

// Options of a Service. The zero value is usable.
type Options struct {
	BaseURL string        // of the links in answers; without it answers have none
	MCP     bool          // the service speaks MCP at /mcp, and answers link to it
	Timeout time.Duration // of one calculation; 5 s
	Cache   int64         // bytes of results that are kept, about; 0 keeps none

	// Down tells why a release that was published does not run, as far as that is known
	// without starting it; nil if nothing is known against it.
	Down func(*Release) error
}

const defaultTimeout = 5 * time.Second

// Versions of the REST interface, carried by every answer.
const (
	APIVersion  = "v1"
	APIContract = "1.0.0" // semver of the API's own description
)

// Service answers calculations from what is published. It is safe for concurrent
// use.
type Service struct {
	catalog atomic.Pointer[Catalog]
	engines Engines
	options Options
	cache   *cache.Cache[*computed] // nil without one
}

// New returns a Service of the catalog that runs its calculations on engines.
func New(catalog *Catalog, engines Engines, o *Options) *Service {
	s := &Service{engines: engines}
	if o != nil {
		s.options = *o
	}
	if s.options.Timeout <= 0 {
		s.options.Timeout = defaultTimeout
	}
	if s.options.Cache > 0 {
		s.cache = cache.New[*computed](s.options.Cache)
	}
	s.Publish(catalog)
	return s
}

// Publish makes the catalog the one that requests from now on are answered from.
func (s *Service) Publish(catalog *Catalog) {
	for _, e := range catalog.entries {
		for _, r := range e.Releases {
			catalog.frames[r] = &response.Template{
				Spec: &r.Spec, Verification: r.Verification,
				APIVersion: APIVersion, APIContract: APIContract, Page: s.page(r), Warnings: standingWarnings(r), Links: s.links(r),
			}
		}
	}
	s.catalog.Store(catalog)
}

// Catalog returns what is published now.
func (s *Service) Catalog() *Catalog { return s.catalog.Load() }

// Available reports whether the release can be computed with: it is neither damaged nor
// revoked, and its engine is not known to fail.
func (s *Service) Available(r *Release) bool {
	return r.Available() && (s.options.Down == nil || s.options.Down(r) == nil)
}

// CacheStats are the figures of the cache of results.
func (s *Service) CacheStats() cache.Stats {
	if s.cache == nil {
		return cache.Stats{}
	}
	return s.cache.Stats()
}

// BaseURL is the public address of the service, without a slash at the end.
func (s *Service) BaseURL() string { return s.options.BaseURL }

// Request is one calculation. The inputs are a scanned JSON object.
type Request struct {
	ID     string // capability id or tool id
	Inputs strictjson.Value
	Pins   []versions.Pin // from every location of the request

	sameAs []strictjson.Member // ids in the body, which must mean the same capability
}

// Answer is a successful calculation.
type Answer struct {
	Release *Release
	Success response.Success

	asked value.Values // the inputs as they were sent, typed; nil in a batch
	kept  *computed    // nil in a batch
}

// AppendJSON appends the result's JSON object and a line end.
func (a *Answer) AppendJSON(dst []byte) []byte {
	if a.kept != nil && len(a.Success.Conversions) == 0 {
		return a.kept.appendJSON(dst, &a.Success)
	}
	return append(a.Success.AppendJSON(dst), '\n')
}

// Calculate answers the request: it finds the capability, resolves the pins to
// exactly one release, turns the inputs into typed values, computes, and completes
// the answer from the published release. Every error is a *Problem.
func (s *Service) Calculate(ctx context.Context, req Request) (*Answer, error) {
	answer, err := s.calculate(ctx, req)
	if err != nil {
		return nil, ProblemOf(err)
	}
	return answer, nil
}

func (s *Service) calculate(ctx context.Context, req Request) (*Answer, error) {
	catalog := s.Catalog()
	q, err := catalog.understand(&req, nil)
	if err != nil {
		return nil, err
	}
	frame := catalog.frames[q.release]
	kept, err := s.compute(ctx, q.release, frame, q.inputs)
	if err != nil {
		return nil, err
	}
	return &Answer{Release: q.release, asked: q.inputs, kept: kept, Success: response.Success{
		Template: frame, ID: req.ID, Outcome: kept.outcome, Conversions: q.conversions,
	}}, nil
}

// Draw draws a plot of the answer's calculation, by the engine that computed it. Every
// error is a *Problem.
func (s *Service) Draw(ctx context.Context, a *Answer, plot string) (*sdk.Figure, error) {
	f, err := s.engines.Draw(ctx, s.options.Timeout, a.Release, plot, a.asked)
	if err != nil {
		return nil, ProblemOf(completed(&a.Release.Spec, a.asked, err))
	}
	return f, nil
}

// question is what a request asks of an engine.
type question struct {
	release     *Release
	inputs      value.Values
	conversions []value.Conversion
}

// understand finds the release that the request means, and gives its inputs their types,
// in memory from the store if there is one.
func (c *Catalog) understand(req *Request, store *valueStore) (q question, err error) {
	entry, err := c.Find(req.ID)
	if err != nil {
		return q, err
	}
	for i := range req.sameAs {
		m := &req.sameAs[i]
		if other, err := c.Find(m.Value.Text); err != nil || other != entry {
			return q, sdk.Conflict(m.Name, "%s %q is another capability than %q", m.Name, request.Clip(m.Value.Text), req.ID).
				Suggest("Name the capability once.")
		}
	}
	if q.release, err = entry.Release(req.Pins); err != nil {
		return q, err
	}
	spec := &q.release.Spec
	q.inputs = store.take(len(spec.Inputs))
	q.conversions, err = request.ReadInto(q.inputs, spec, req.Inputs)
	return q, err
}

// PagePath is the path of the calculator's page of a Spec (spec 4).
func PagePath(spec *sdk.Spec) string { return "/calc/" + spec.Group + "/" + spec.Tool }

func (s *Service) page(r *Release) string {
	if s.options.BaseURL == "" {
		return ""
	}
	return s.options.BaseURL + PagePath(&r.Spec)
}

// links are the addresses that belong to an answer of the release.
func (s *Service) links(r *Release) []response.Link {
	if s.options.BaseURL == "" {
		return nil
	}
	capability := s.options.BaseURL + "/api/v1/capabilities/" + r.Capability
	version := "?calculation_version=" + r.Version // strict semver needs no escaping
	links := []response.Link{
		{Name: "schema_input", URI: capability + "/schema/input" + version},
		{Name: "schema_output", URI: capability + "/schema/output" + version},
		{Name: "evidence", URI: capability + "/evidence" + version},
		{Name: "openapi", URI: s.options.BaseURL + "/openapi.json"},
		{Name: "capabilities", URI: s.options.BaseURL + "/api/v1/capabilities"},
	}
	if s.options.MCP {
		links = append(links, response.Link{Name: "mcp", URI: s.options.BaseURL + "/mcp"})
	}
	return links
}
