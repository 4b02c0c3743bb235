package limit

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// Limiter decides on the calls of a server, alone or together with the other servers that use
// one Redis. Its limits can be replaced at any time. It is safe for concurrent use.
type Limiter struct {
	client redis.Client
	count  func(surface string, allowed bool)
	now    atomic.Pointer[windows]
}

// windows are the counted calls under the current limits.
type windows struct {
	limits Limits
	local  *Local
	shared *Shared // nil without Redis
	before int64   // fallbacks under earlier limits
}

// NewLimiter returns a Limiter without any calls. The client is nil without Redis, and the caller closes it.
// NewLimiter calls count for every decision under a limit.
func NewLimiter(limits Limits, client redis.Client, count func(surface string, allowed bool)) *Limiter {
	l := &Limiter{client: client, count: count}
	l.Replace(limits)
	return l
}

// Replace replaces the limits. The windows of this process are empty afterwards. Redis keeps its windows.
func (l *Limiter) Replace(limits Limits) {
	next := &windows{limits: limits, local: NewLocal(limits, nil)}
	if l.now.Load() != nil {
		next.before = l.Fallbacks()
	}
	if l.client != nil {
		next.shared = NewShared(l.client, next.local)
	}
	l.now.Store(next)
}

// Allow decides on a call, which counts if it is allowed. The client must come from Client.
// Allow panics if the surface does not exist.
func (l *Limiter) Allow(ctx context.Context, surface string, client netip.Prefix) (d Decision) {
	if now := l.now.Load(); now.shared == nil {
		d, _ = now.local.reserve(surface, client)
	} else {
		d = now.shared.Allow(ctx, surface, client)
	}
	if d.Limit > 0 {
		l.count(surface, d.Allowed)
	}
	return d
}

// Limits returns the current limits.
func (l *Limiter) Limits() Limits { return l.now.Load().limits }

// Clients returns the number of clients in this process; see [Local.Clients].
func (l *Limiter) Clients() int { return l.now.Load().local.Clients() }

// Evicted returns how many clients were forgotten because the memory was full; see [Local.Evicted].
func (l *Limiter) Evicted() int64 { return l.now.Load().local.Evicted() }

// Shared reports whether all servers that use one Redis share the windows.
func (l *Limiter) Shared() bool { return l.client != nil }

// Degraded reports whether the last call of Redis failed.
func (l *Limiter) Degraded() bool {
	shared := l.now.Load().shared
	return shared != nil && shared.Degraded()
}

// Fallbacks returns how many calls were accepted without Redis.
func (l *Limiter) Fallbacks() int64 {
	now := l.now.Load()
	if now.shared == nil {
		return now.before
	}
	return now.before + now.shared.Fallbacks()
}

// FellBackWithin reports whether a call was accepted without Redis in the last d.
func (l *Limiter) FellBackWithin(d time.Duration) bool {
	shared := l.now.Load().shared
	return shared != nil && shared.FellBackWithin(d)
}
