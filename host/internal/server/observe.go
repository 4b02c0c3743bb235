package server

import (
	"context"
	"net/netip"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
)

// count shows the figures of what the host holds.
func (s *Server) count() {
	s.countCache()
	s.countLedger()
	s.countShadow()
	s.countRechecks()
	s.limiter.count(s.metrics)
	s.metrics.Gauge("slipstick_draining", "1 from the signal to end until the end, else 0.", func() float64 {
		if s.draining.Load() {
			return 1
		}
		return 0
	})
	s.metrics.Watch("slipstick_snapshots_forged_total", "Records of the snapshot store that were not the ones their ids name, and were not shown.", func() float64 { return float64(s.snapshots.Forged()) })
}

func (s *Server) countCache() {
	stats := s.service.CacheStats
	s.metrics.Watch("slipstick_cache_hits_total", "Calculations that were answered from results kept.", func() float64 { return float64(stats().Hits) })
	s.metrics.Watch("slipstick_cache_misses_total", "Calculations that were not.", func() float64 { return float64(stats().Misses) })
	s.metrics.Watch("slipstick_cache_evictions_total", "Results that were given up for want of room.", func() float64 { return float64(stats().Evictions) })
	s.metrics.Gauge("slipstick_cache_entries", "Results kept.", func() float64 { return float64(stats().Entries) })
	s.metrics.Gauge("slipstick_cache_bytes", "Memory of the results kept, about.", func() float64 { return float64(stats().Bytes) })
}

// observe counts an answer.
func (s *Server) observe(o web.Observation) {
	s.metrics.Request(o.Route, o.Method, o.Status, o.Code, o.Duration)
}

// observeLines counts the lines of a batch.
func (s *Server) observeLines(t calc.Tally) {
	s.metrics.Lines("success", t.Succeeded)
	s.metrics.Lines("rejected", t.Rejected)
	s.metrics.Lines("limited", t.Limited)
	s.metrics.Lines("failed", t.Failed)
}

// counted counts the decisions of a limiter.
type counted struct {
	web.Limiter
	metrics *telemetry.Metrics
}

func (c counted) Allow(ctx context.Context, surface string, client netip.Prefix) limit.Decision {
	d := c.Limiter.Allow(ctx, surface, client)
	if d.Limit > 0 {
		c.metrics.Limit(surface, d.Allowed)
	}
	return d
}
