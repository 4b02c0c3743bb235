package web

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/slipstick/slipstick/host/internal/limit"
)

// Limiter decides whether a client may call a surface now.
type Limiter interface {
	Allow(ctx context.Context, surface string, client netip.Prefix) limit.Decision
}

// Clients identifies the client of a request, and decides whether that client may call now.
// A nil *Clients trusts no proxy and sets no limits.
type Clients struct {
	Limiter Limiter        // nil: no limits
	Trusted *limit.Proxies // proxies whose X-Forwarded-For is believed; nil: none
}

// Of returns the client of the request.
func (c *Clients) Of(r *http.Request) netip.Prefix {
	if c == nil {
		return (*limit.Proxies)(nil).Client(r)
	}
	return c.Trusted.Client(r)
}

// Allow counts a call of the surface. Without a limit the call is allowed, and the decision
// contains no limit.
func (c *Clients) Allow(r *http.Request, surface string) limit.Decision {
	if c == nil || c.Limiter == nil {
		return limit.Decision{Surface: surface, Allowed: true}
	}
	return c.Limiter.Allow(r.Context(), surface, c.Of(r))
}
