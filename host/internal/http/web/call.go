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
)

// Call is one request as the rules of its route see it: plain values, whoever has read the
// request.
type Call struct {
	ID     string // of the request: the caller's, or a new one
	Method string
	Path   string
	Route  string       // pattern of the address, "" if there is none
	Peer   string       // address of the connection
	Client netip.Prefix // whose limits the call counts against

	start time.Time
}

// Observation describes one answer, for metrics.
type Observation struct {
	Route    string // pattern of the address, "" if there is none
	Method   string
	Status   int
	Code     string // of the problem, "" if there was none
	Duration time.Duration
}

// Answered is the error of a handler that has already written the answer to a problem, such
// as a page that shows its form again. The problem is only logged and counted.
type Answered struct{ Problem *problem.Problem }

func (a *Answered) Error() string { return a.Problem.Error() }

// rules are what every call is under. They know nothing of how a request is read and an
// answer written, so they are the same for what net/http reads and for what [Direct] answers.
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

// ends reports whether answers are the last of their connections.
func ends(ending *atomic.Bool) bool { return ending != nil && ending.Load() }

// begin gives the call its id: the one that its caller sent, if that is a plain word.
func (r *rules) begin(c *Call, sent string) {
	c.start, c.ID = time.Now(), sent
	if !plainWord(sent) {
		c.ID = newID()
	}
}

// admit refuses a call of a client that has too many unread answers, and one beyond the
// client's limit. The decision tells the client how many calls remain.
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

// checkBacklog refuses a call of a client that has too many unread answers. Calls that ask
// for the health of the service are exempt.
func (r *rules) checkBacklog(c *Call) error {
	switch {
	case c.Route == "/livez" || c.Route == "/readyz" || c.Route == "/metrics" || !r.options.Answers.Exhausted(c.Client):
		return nil
	}
	return problem.Overloaded("Read the answers to earlier requests, then try again.", "too many bytes of answers wait until they are taken")
}

// failed returns the problem of an error, and whether its answer has been written. Failures
// of ours are logged; a caller who has left causes none.
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

// end counts the answer that was made at the time, and logs the request.
func (r *rules) end(c *Call, at time.Time, status int, code string) {
	o := Observation{c.Route, c.Method, status, code, at.Sub(c.start)}
	if r.options.Observe != nil {
		r.options.Observe(o)
	}
	if r.options.LogRequests {
		r.options.Log.Info("request", "id", c.ID, "method", c.Method, "path", c.Path, "route", c.Route,
			"status", o.Status, "code", code, "duration", o.Duration, "peer", c.Peer)
	}
}

// maxRequestID is the maximum length of a request id that a caller chooses.
const maxRequestID = 64

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
