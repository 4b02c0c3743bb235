package web

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/versions"
)

// Direct answers calculations without net/http: it takes a whole request in memory and returns a whole answer.
// It applies the same rules as the handler of New with the same Options, and its answers are byte-identical.
type Direct struct {
	rules
	service          *calc.Service
	pattern, surface string
	vary             []string // values of the header Vary of a success
}

// NewDirect returns a Direct for POST requests to the pattern, with the capability as {id}. The calls count
// against the limit of the surface. The routes are the routes of New. If one of them is a page with the same
// pattern, answers vary with the Accept header.
func NewDirect(service *calc.Service, pattern, surface string, routes []Route, o *Options) *Direct {
	d := &Direct{newRules(service.BaseURL(), o), service, pattern, surface, []string{"Accept-Encoding"}}
	if slices.ContainsFunc(routes, func(r Route) bool { return r.Page && r.Method == http.MethodPost && r.Pattern == pattern }) {
		d.vary = append(d.vary, "Accept")
	}
	return d
}

// Pattern returns the pattern of the URLs, as in [Route].
func (d *Direct) Pattern() string { return d.pattern }

// Answers returns the budget for bytes of answers that clients have not read yet.
func (d *Direct) Answers() *limit.Budget { return d.options.Answers }

// Calculation is a request for a calculation, in the bytes that were read from a connection. It declares its
// body as JSON, and accepts JSON.
type Calculation struct {
	Path      []byte // matches the pattern
	RequestID []byte // request id of the caller; can be empty
	Parent    []byte // traceparent of the caller; can be empty
	State     []byte // its tracestate
	Pin       []byte // Service-Spec-Version
	Forwarded []byte // X-Forwarded-For, its lines joined by commas
	Body      []byte

	Pinned bool // Pin was sent; it can be empty
	Gzip   bool // the caller accepts compressed answers
	Close  bool // the caller wants the connection to end after the answer
	More   bool // at least a part of another request was received
}

// Answer is the whole answer to a calculation.
type Answer struct {
	Text   []byte       // valid until the memory is used again
	Client netip.Prefix // client that gets the answer
	Made   time.Time
	Last   bool // the connection ends after it
}

// Memory is the memory for one calculation at a time. The zero value is ready.
type Memory struct {
	text   []byte
	packed []byte
}

// maxPooled is the maximum size in bytes of an answer buffer that is kept for reuse.
const maxPooled = 64 << 10

// Trim releases the memory of a large answer.
func (m *Memory) Trim() {
	if cap(m.text) > maxPooled {
		m.text, m.packed = nil, nil
	}
}

// Answer answers the calculation. The answer is in the memory.
func (d *Direct) Answer(ctx context.Context, from *Caller, r *Calculation, m *Memory) Answer {
	c := Call{Method: http.MethodPost, Path: from.pathOf(r), Route: d.pattern, Peer: from.peer, Client: from.clientOf(r, d.options.Clients.proxies())}
	ctx = d.start(ctx, &c, string(r.RequestID), func() telemetry.Parent {
		return telemetry.Parent{Traceparent: string(r.Parent), Tracestate: string(r.State)}
	})
	h := head{id: c.ID, vary: d.vary}
	m.text = append(m.text[:0], emptyHead[:]...)
	h.problem = d.calculate(ctx, from, r, m, &c, &h)
	if h.problem != nil {
		m.text = h.problem.AppendJSON(m.text[:len(emptyHead)], d.baseURL)
	}
	if body := m.text[len(emptyHead):]; r.Gzip && len(body) >= minCompressed {
		h.gzip = true
		m.packed = appendPacked(m.packed[:0], body, h.kept, h.ending)
		m.text = append(m.text[:len(emptyHead)], m.packed...)
	}
	h.date, h.last = time.Now(), r.Close || from.ending.Load() || ends(d.options.Ending) && !r.More
	text := d.putHead(m, &h)
	d.end(&c, h.date, h.status(), h.code())
	return Answer{text, c.Client, h.date, h.last}
}

// calculate appends the body of a success to the memory.
func (d *Direct) calculate(ctx context.Context, from *Caller, r *Calculation, m *Memory, c *Call, h *head) (failure *problem.Problem) {
	defer func() {
		if p := recover(); p != nil {
			failure = d.panicked(c, p)
		}
	}()
	var err error
	h.limit, err = d.admit(ctx, c, d.surface)
	if err == nil {
		err = d.compute(ctx, c, r.Body, from.pinsOf(r), m, h)
	}
	if err != nil {
		failure, _ = d.failed(ctx, c, err)
	}
	return failure
}

func (d *Direct) compute(ctx context.Context, c *Call, body []byte, pins []versions.Pin, m *Memory, h *head) error {
	scratch := calc.NewScratch()
	defer scratch.Free()
	id := c.Path[len(d.pattern)-len("{id}"):]
	req, err := calc.Read(id, body, scratch)
	if err != nil {
		return d.service.RequestError(id, err)
	}
	if req.Pins == nil {
		req.Pins = pins // not copied, because nothing appends to it in place
	} else {
		req.Pins = append(req.Pins, pins...)
	}
	req.Call, req.Received = c.ID, c.start
	answer, err := d.service.Calculate(ctx, req)
	if err != nil {
		return err
	}
	h.release, h.receipt = answer.Release, answer.Receipt
	m.text = answer.AppendJSON(m.text)
	h.kept, h.ending = answer.Kept(), answer.Ending()
	return nil
}
