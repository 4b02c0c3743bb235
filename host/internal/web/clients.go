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

// Clients say whom a request counts for, and whether that client may call now. A nil
// *Clients trusts no proxy and limits nobody.
type Clients struct {
	Limiter Limiter        // nil: no limits
	Trusted *limit.Proxies // whose X-Forwarded-For counts; nil: none
}

// Of is whom the request counts for.
func (c *Clients) Of(r *http.Request) netip.Prefix {
	if c == nil {
		return (*limit.Proxies)(nil).Client(r)
	}
	return c.Trusted.Client(r)
}

// Allow counts a call of the surface. Without a limit the call is allowed, and the
// decision has none.
func (c *Clients) Allow(r *http.Request, surface string) limit.Decision {
	if c == nil || c.Limiter == nil {
		return limit.Decision{Surface: surface, Allowed: true}
	}
	return c.Limiter.Allow(r.Context(), surface, c.Of(r))
}
