package server

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

// limiter keeps the limits that are in force, in this process or for all hosts in one
// Redis.
type limiter struct {
	now atomic.Pointer[limiting]
}

// limiting is a limiter with its limits.
type limiting struct {
	limits limit.Limits
	local  *limit.Local
	shared *limit.Shared // nil without Redis
	before int64         // fallbacks of those that were in force before
}

// set puts the limits into force. They begin to count anew, in Redis they do not.
func (l *limiter) set(client redis.Client, limits limit.Limits) {
	next := &limiting{limits: limits, local: limit.NewLocal(limits, nil)}
	if was := l.now.Load(); was != nil {
		next.before = was.fallbacks()
	}
	if client != nil {
		next.shared = limit.NewShared(client, next.local)
	}
	l.now.Store(next)
}

func (l *limiting) fallbacks() int64 {
	if l.shared == nil {
		return l.before
	}
	return l.before + l.shared.Fallbacks()
}

// alone reports whether this process judged a call without Redis, which it should have asked, in
// the last d.
func (l *limiter) alone(d time.Duration) bool {
	shared := l.now.Load().shared
	return shared != nil && shared.Alone(d)
}

// limits are those that are in force.
func (l *limiter) limits() limit.Limits { return l.now.Load().limits }

// Allow implements [web.Limiter].
func (l *limiter) Allow(ctx context.Context, surface string, client netip.Prefix) limit.Decision {
	now := l.now.Load()
	if now.shared != nil {
		return now.shared.Allow(ctx, surface, client)
	}
	return now.local.Allow(ctx, surface, client)
}

// count shows the figures of the limits.
func (l *limiter) count(m *telemetry.Metrics) {
	m.Gauge("slipstick_limit_clients", "Clients that the limits of this process remember.", func() float64 { return float64(l.now.Load().local.Clients()) })
	m.Watch("slipstick_limit_evictions_total", "Clients that were forgotten for want of room.", func() float64 { return float64(l.now.Load().local.Evicted()) })
	if l.now.Load().shared == nil {
		return
	}
	m.Watch("slipstick_limit_fallbacks_total", "Calls that were judged by this process alone, because Redis did not answer.", func() float64 { return float64(l.now.Load().fallbacks()) })
	m.Gauge("slipstick_redis_up", "1 while Redis answers, 0 while limits are per process because it does not.", func() float64 {
		if l.now.Load().shared.Degraded() {
			return 0
		}
		return 1
	})
}
