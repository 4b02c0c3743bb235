package web

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/calc/problem"
	"github.com/slipstick/slipstick/host/internal/http/limit"
)

// Limiter decides whether a client may call a surface now.
type Limiter interface {
	Allow(ctx context.Context, surface string, client netip.Prefix) limit.Decision
}

// Clients identifies the client of a request, and decides whether that client may call now.
// A nil *Clients trusts no proxy and sets no limits.
type Clients struct {
	Limiter Limiter        // nil: no limits
	Trusted *limit.Proxies // proxies with a trusted X-Forwarded-For; nil: none
}

// Of returns the client of the request.
func (c *Clients) Of(r *http.Request) netip.Prefix {
	return c.proxies().Client(r)
}

func (c *Clients) proxies() *limit.Proxies {
	if c == nil {
		return nil
	}
	return c.Trusted
}

// Allow counts a call of the surface. Without a limit the call is allowed, and the decision
// contains no limit.
func (c *Clients) Allow(r *http.Request, surface string) limit.Decision {
	return c.allow(r.Context(), c.Of(r), surface)
}

// Charge counts calls of the surface. It returns a problem if the client may not make them now.
func (c *Clients) Charge(r *http.Request, surface string, calls int) *problem.Problem {
	return c.charge(r, surface, calls, calls)
}

// charge counts more calls of a request that makes total calls altogether. If no window is large enough for all
// of them, the problem is permanent.
func (c *Clients) charge(r *http.Request, surface string, calls, total int) *problem.Problem {
	for range calls {
		d := c.Allow(r, surface)
		switch {
		case d.Limit > 0 && total > d.Limit:
			return batch.StudyTooLarge(total, d.Limit)
		case !d.Allowed:
			return problem.RateLimited(d.Limit, d.RetryAfterSeconds())
		}
	}
	return nil
}

// Counter returns a function that counts the calculations of a request like the calculations of a batch. The
// request itself already counted as the first call.
func (c *Clients) Counter(r *http.Request, surface string) func(calculations int) error {
	counted := 0
	return func(calculations int) error {
		before := max(1, batch.RowCalls(counted))
		counted += calculations
		total := max(1, batch.RowCalls(counted))
		if problem := c.charge(r, surface, total-before, total); problem != nil {
			return problem
		}
		return nil
	}
}

func (c *Clients) allow(ctx context.Context, client netip.Prefix, surface string) limit.Decision {
	if c == nil || c.Limiter == nil {
		return limit.Decision{Surface: surface, Allowed: true}
	}
	return c.Limiter.Allow(ctx, surface, client)
}

// clientOf returns the client of the request, or the zero Prefix if no rule needs it.
func (r *rules) clientOf(request *http.Request) netip.Prefix {
	if r.options.Answers == nil && (r.options.Clients == nil || r.options.Clients.Limiter == nil) {
		return netip.Prefix{}
	}
	return r.options.Clients.Of(request)
}
