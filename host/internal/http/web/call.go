package web

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

// Call is the part of a request that the rules of its route need. It does not depend on how the request was
// read.
type Call struct {
	ID     string // request id: the caller's, or a new one
	Method string
	Path   string
	Route  string       // pattern of the route, "" if there is none
	Peer   string       // address of the connection
	Client netip.Prefix // client that the call counts against

	start time.Time
	ended func(status int, code string) // ends its span; nil if there is none
}

// Observation describes one answer, for metrics.
type Observation struct {
	Route    string // pattern of the route, "" if there is none
	Method   string
	Status   int
	Code     string // code of the problem, "" if there was none
	Duration time.Duration
}

// Answered is the error of a handler that has already written a problem, such as a page that shows its form
// again. The problem is only logged and counted.
type Answered struct{ Problem *problem.Problem }

func (a *Answered) Error() string { return a.Problem.Error() }

// rules are the rules for every call. They do not depend on how a request is read and an answer is written. So
// they are the same for net/http and for [Direct].
type rules struct {
	baseURL string
	options Options
}

func newRules(baseURL string, o *Options) rules {
	r := rules{baseURL: baseURL}
	if o != nil {
		r.options = *o
	}
	if r.options.Log == nil {
		r.options.Log = slog.New(slog.DiscardHandler)
	}
	return r
}

// ends reports whether every answer is the last answer of its connection.
func ends(ending *atomic.Bool) bool { return ending != nil && ending.Load() }

// start sets the id of the call: the id that its caller sent, if that is a plain word, or else a new one. It starts
// the span of the call if traces are on.
func (r *rules) start(ctx context.Context, c *Call, sent string, parent func() telemetry.Parent) context.Context {
	c.start, c.ID = time.Now(), sent
	if !plainWord(sent) {
		c.ID = newID()
	}
	if r.options.Tracer.On() {
		ctx, c.ended = r.options.Tracer.Request(ctx, c.Method, c.Route, c.Path, parent())
	}
	return ctx
}

// aborted ends the span of a call whose answer was not completed.
func (c *Call) aborted() {
	if c.ended != nil {
		c.ended(0, "aborted")
	}
}

// admit refuses a call of a client with too many unread answers, and a call beyond the client's limit. The
// decision contains the number of remaining calls.
func (r *rules) admit(ctx context.Context, c *Call, surface string) (limit.Decision, error) {
	if err := r.checkBacklog(c); err != nil || surface == "" {
		return limit.Decision{}, err
	}
	d := r.options.Clients.allow(ctx, c.Client, surface)
	if !d.Allowed {
		return d, problem.RateLimited(d.Limit, d.RetryAfterSeconds())
	}
	return d, nil
}

// checkBacklog refuses a call of a client with too many unread answers. Health checks are exempt.
func (r *rules) checkBacklog(c *Call) error {
	switch {
	case c.Route == "/livez" || c.Route == "/readyz" || c.Route == "/metrics" || !r.options.Answers.Exhausted(c.Client):
		return nil
	}
	return problem.Overloaded("Read the answers to earlier requests, then try again.", "too many responses wait for slow clients")
}

// failed returns the problem of an error, and whether its answer was already written. It logs internal
// failures, but not a caller who has left.
func (r *rules) failed(ctx context.Context, c *Call, err error) (p *problem.Problem, written bool) {
	var answered *Answered
	written = errors.As(err, &answered)
	if written {
		p = answered.Problem
	} else {
		p = problem.Of(err)
	}
	if p.Status() >= http.StatusInternalServerError && ctx.Err() == nil {
		r.options.Log.Error("request failed", "id", c.ID, "method", c.Method, "path", c.Path, "code", p.Code, "error", p.Cause)
	}
	return p, written
}

// panicked logs a panic, and returns the problem to answer with.
func (r *rules) panicked(c *Call, cause any) *problem.Problem {
	r.options.Log.Error("handler panicked", "id", c.ID, "method", c.Method, "path", c.Path, "panic", cause)
	return problem.Of(nil)
}

// end counts and logs the answer that was made at the time.
func (r *rules) end(c *Call, at time.Time, status int, code string) {
	o := Observation{c.Route, c.Method, status, code, at.Sub(c.start)}
	if c.ended != nil {
		c.ended(status, code)
	}
	if r.options.Observe != nil {
		r.options.Observe(o)
	}
	if r.options.LogRequests {
		r.options.Log.Info("request", "id", c.ID, "method", c.Method, "path", c.Path, "route", c.Route,
			"status", o.Status, "code", code, "duration", o.Duration, "peer", c.Peer)
	}
}

// maxRequestID is the maximum length of a request id that a caller sends.
const maxRequestID = 64

func plainWord(s string) bool {
	for _, c := range []byte(s) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= maxRequestID
}

// A new id is a random prefix, chosen once per process, and a counter. An id only has to be unique, not secret.
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
