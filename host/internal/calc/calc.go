// Package calc is the calculation service. A [Service] reads the inputs of a request, has the engine
// compute or takes the result from its cache, and completes the answer. The package knows no
// transport: REST, MCP and pages call it.
package calc

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/cache"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
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
	// Calculate computes with the engine of exactly this release, within the time limit.
	// The error is an *sdk.Error, a *problem.Problem, or any other error for an internal failure.
	Calculate(ctx context.Context, limit time.Duration, r *catalog.Release, in value.Values) (sdk.Outcome, error)

	// CalculateBatch computes one outcome per row of inputs. The error of a row is as from
	// Calculate; the returned error concerns the whole batch. The rows may be reused when
	// it has returned.
	CalculateBatch(ctx context.Context, limit time.Duration, r *catalog.Release, rows []value.Values) ([]response.Result, error)

	// Draw draws a plot that the release's Spec declares. The error is as from Calculate.
	Draw(ctx context.Context, limit time.Duration, r *catalog.Release, plot string, in value.Values) (*sdk.Figure, error)
}

// Options of a Service. The zero value is usable.
type Options struct {
	BaseURL string        // of links in answers; without it answers have no links
	MCP     bool          // the service speaks MCP at /mcp, and answers link to it
	Timeout time.Duration // of one calculation; 5 s if zero
	Cache   int64         // approximate size of the result cache in bytes; 0 disables it

	// Down returns why a published release does not run, nil if no failure is known. It
	// does not start the engine.
	Down func(*catalog.Release) error

	// Current returns when the catalog that was published last is up to date. It is called for
	// each call without a pin, so it must be fast. nil: the catalog always is.
	Current func()

	Ledger Ledger // keeps records of answers; nil: there are no records
	Shadow Shadow // compares answers with the answers of other releases; nil: there is no comparison

	Samples Samples // of calculations, which are computed again later; nil: none are kept
}

const defaultTimeout = 5 * time.Second

// Versions of the REST interface, carried by every answer.
const (
	APIVersion  = "v1"
	APIContract = "1.0.0" // semver of the API's own description
)

// Service answers calculations from the published catalog. It is safe for concurrent use.
type Service struct {
	now     atomic.Pointer[Publication]
	engines Engines
	options Options
	cache   *cache.Cache[*computed] // nil without one
}

// New returns a Service that answers from the catalog and computes with the engines.
func New(catalog *catalog.Catalog, engines Engines, o *Options) *Service {
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

// Publish replaces the catalog. Requests that start later are answered from the new one.
func (s *Service) Publish(catalog *catalog.Catalog) {
	p := &Publication{catalog: catalog, service: s}
	if s.options.Shadow != nil {
		p.watches = s.options.Shadow.Watches(catalog)
	}
	s.now.Store(p)
}

func (s *Service) newTemplate(c *catalog.Catalog, r *catalog.Release) *response.Template {
	return &response.Template{
		Spec: &r.Spec, Verification: r.Verification,
		APIVersion: APIVersion, APIContract: APIContract, Page: s.page(r), Warnings: c.LifecycleWarnings(r), Links: s.links(r),
	}
}

// Catalog returns the current catalog.
func (s *Service) Catalog() *catalog.Catalog { return s.now.Load().catalog }

// Published returns the current Publication.
func (s *Service) Published() *Publication { return s.now.Load() }

// Publication returns the Publication that answers a calculation with these pins. Without pins, the
// service can first check that it is current.
func (s *Service) Publication(pins []versions.Pin) *Publication {
	if len(pins) == 0 && s.options.Current != nil {
		s.options.Current()
	}
	return s.now.Load()
}

// CatalogFor returns the catalog in which a calculation with these pins is looked up.
func (s *Service) CatalogFor(pins []versions.Pin) *catalog.Catalog {
	return s.Publication(pins).catalog
}

// RequestError returns the error of a request with a body that cannot be read. If the capability is
// unknown, it returns the problem of the id instead. The id is "" if the path has none.
func (s *Service) RequestError(id string, err error) error {
	if id == "" {
		return err
	}
	if _, unknown := s.CatalogFor(nil).Find(id); unknown != nil {
		return unknown
	}
	return err
}

// Available reports whether the release can be used: it is neither damaged nor revoked, and
// its engine is not known to fail.
func (s *Service) Available(r *catalog.Release) bool {
	return r.Available() && (s.options.Down == nil || s.options.Down(r) == nil)
}

// View returns the published capabilities as callers see them.
func (s *Service) View() catalog.View {
	return catalog.View{Catalog: s.Catalog(), BaseURL: s.BaseURL(), Available: s.Available}
}

// Ledger returns the ledger that records answers, or nil if there is none.
func (s *Service) Ledger() Ledger { return s.options.Ledger }

// CacheStats returns the statistics of the result cache.
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
	Tables catalog.Tables // for table values that name no version; nil: the current tables
	Call   string         // id of the call, for its record and log lines; "": the id in the context

	Received time.Time // when the call started; zero: now

	sameAs  []strictjson.Member // further ids in the body, which must name the same capability
	scratch *Scratch            // memory for its inputs and its answer; nil: they have memory of their own
}

// Answer is a successful calculation.
type Answer struct {
	Release *catalog.Release
	Success response.Success
	Receipt Receipt // of its record, if there is one

	asked    value.Values     // the typed inputs, before the engine completed them; nil in a batch
	sent     strictjson.Value // the inputs object
	computed *computed        // nil in a batch
	engine   *Engine          // nil in a batch

	stepped bool // Success has steps, or a warning that there are none
}

// Sent returns the inputs object as it was sent. It must not be changed.
func (a *Answer) Sent() strictjson.Value { return a.sent }

// AppendJSON appends the result's JSON object and a line end.
func (a *Answer) AppendJSON(dst []byte) []byte {
	if b := a.Kept(); b != nil {
		return append(dst, b.Text...)
	}
	if a.plain() {
		return a.computed.appendJSON(dst, &a.Success)
	}
	return append(a.Success.AppendJSON(dst), '\n')
}

// Kept returns the body of the answer if it is kept in memory, or else nil.
func (a *Answer) Kept() *Body {
	if !a.plain() {
		return nil
	}
	return a.computed.kept(&a.Success)
}

// Ending is the end of a body that other answers of the release have too. The zero value is none.
type Ending struct {
	Text     []byte                  // up to the line end, without it; must not be changed
	Deflated *atomic.Pointer[[]byte] // text and line end in the DEFLATE format, in whole bytes, once a caller needed it
}

// Ending returns the ending of the body.
func (a *Answer) Ending() Ending {
	text := a.Success.Ending()
	if text == nil || a.engine == nil {
		return Ending{}
	}
	return Ending{text, &a.engine.deflated[1+a.Success.Spec.Formula(a.Success.Outcome.Formula)]}
}

// plain reports whether the result and the id of the request decide the whole body.
func (a *Answer) plain() bool {
	return a.computed != nil && len(a.Success.Conversions) == 0 && len(a.Success.Presets) == 0 && !a.stepped && a.Success.Formatted == ""
}

// Calculate answers the request. It finds the capability, resolves the pins to exactly one
// release, and turns the inputs into typed values. It computes, and completes the answer with
// the facts of the published release. The ledger records the answer, and watches are notified. Every
// error is a *problem.Problem.
func (s *Service) Calculate(ctx context.Context, req Request) (*Answer, error) {
	publication := s.Publication(req.Pins)
	resolved, err := Resolve(publication.catalog, &req, nil)
	if err != nil {
		return nil, problem.Of(err)
	}
	engine := publication.Engine(resolved.Release)
	kept, hit, err := s.compute(ctx, req.Call, engine, resolved.Inputs)
	if err != nil {
		return nil, problem.Of(err)
	}
	receipt := s.record(ctx, engine, &req, &resolved, kept, hit)
	engine.notify(resolved.Inputs, outcomeOf(kept.outcome.Result, kept.rejection))
	if kept.rejection != nil {
		p := problem.Of(kept.rejection)
		p.Receipt = receipt
		return nil, p
	}
	used, notices := resolved.Presets.All()
	answer := req.scratch.newAnswer()
	*answer = Answer{Release: resolved.Release, Receipt: receipt, asked: resolved.Inputs, sent: req.Inputs, computed: kept, engine: engine, Success: response.Success{
		Template: engine.Template, ID: req.ID, Outcome: kept.outcome,
		Presets: used, Conversions: resolved.Conversions, Notices: notices,
	}}
	return answer, nil
}

// Draw draws a plot of the answer's calculation with the engine that computed it. Every
// error is a *problem.Problem.
func (s *Service) Draw(ctx context.Context, a *Answer, plot string) (*sdk.Figure, error) {
	f, err := s.engines.Draw(ctx, s.options.Timeout, a.Release, plot, a.asked)
	if err != nil {
		return nil, problem.Of(problem.Complete(&a.Release.Spec, a.asked, err))
	}
	return f, nil
}

// Resolved is a request as an engine receives it.
type Resolved struct {
	Release     *catalog.Release
	Inputs      value.Values
	Presets     *Presets // nil if there are none
	Conversions []value.Conversion
}

// Memory provides memory for the inputs of requests.
type Memory interface {
	Values(n int) value.Values
}

// Resolve finds the release that the request means, and types the inputs by its Spec. If memory is
// nil, the values are in the scratch memory of the request.
func Resolve(c *catalog.Catalog, req *Request, memory Memory) (resolved Resolved, err error) {
	entry, err := c.Find(req.ID)
	if err != nil {
		return resolved, err
	}
	for i := range req.sameAs {
		m := &req.sameAs[i]
		if other, err := c.Find(m.Value.Text); err != nil || other != entry {
			return resolved, sdk.Conflict(m.Name, "%s %q is another capability than %q", m.Name, request.Clip(m.Value.Text), req.ID).
				Suggest("Name the capability once.")
		}
	}
	resolved.Release, err = entry.Release(req.Pins)
	if err != nil {
		return resolved, err
	}
	spec := &resolved.Release.Spec
	if memory != nil {
		resolved.Inputs = memory.Values(len(spec.Inputs))
	} else {
		resolved.Inputs = req.scratch.values(len(spec.Inputs))
	}
	p := presets{catalog: c, tables: req.Tables}
	_, p.timestamps = versions.SplitTimes(req.Pins)
	inputs, err := p.apply(spec, req.Inputs)
	if err != nil {
		return resolved, err
	}
	if p.used != nil {
		resolved.Presets = &Presets{p.used, p.notices}
	}
	resolved.Conversions, err = request.ReadInto(resolved.Inputs, spec, inputs)
	return resolved, err
}

func (s *Service) page(r *catalog.Release) string {
	if s.options.BaseURL == "" {
		return ""
	}
	return s.options.BaseURL + catalog.PagePath(&r.Spec)
}

// links returns the links in answers of the release.
func (s *Service) links(r *catalog.Release) []response.Link {
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
