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

func (c *Clients) allow(ctx context.Context, client netip.Prefix, surface string) limit.Decision {
	if c == nil || c.Limiter == nil {
		return limit.Decision{Surface: surface, Allowed: true}
	}
	return c.Limiter.Allow(ctx, surface, client)
}

// clientOf returns the client of the request, the zero Prefix where no rule asks for it.
func (r *rules) clientOf(request *http.Request) netip.Prefix {
	if r.options.Answers == nil && (r.options.Clients == nil || r.options.Clients.Limiter == nil) {
		return netip.Prefix{}
	}
	return r.options.Clients.Of(request)
}
