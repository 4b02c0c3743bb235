package server

import (
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// count registers the metrics of the server.
func (s *Server) count() {
	s.countCache()
	s.countLedger()
	s.countShadow()
	s.countRechecks()
	s.countLimits()
	s.metrics.Gauge("slipstick_draining", "1 while this server drains connections before it ends; otherwise 0.", func() float64 {
		if s.draining.Load() {
			return 1
		}
		return 0
	})
	s.metrics.Watch("slipstick_snapshots_forged_total", "Reads of snapshots that were refused, because the record in the store does not belong to its id.", func() float64 { return float64(s.snapshots.Forged()) })
}

func (s *Server) countCache() {
	stats := s.service.CacheStats
	s.metrics.Watch("slipstick_cache_hits_total", "Calculations with a result from the result cache.", func() float64 { return float64(stats().Hits) })
	s.metrics.Watch("slipstick_cache_misses_total", "Calculations with a result that was not in the result cache.", func() float64 { return float64(stats().Misses) })
	s.metrics.Watch("slipstick_cache_evictions_total", "Results that were removed from the result cache because it was full.", func() float64 { return float64(stats().Evictions) })
	s.metrics.Gauge("slipstick_cache_entries", "Number of results in the result cache.", func() float64 { return float64(stats().Entries) })
	s.metrics.Gauge("slipstick_cache_bytes", "Approximate memory of the result cache, in bytes.", func() float64 { return float64(stats().Bytes) })
}

// observe counts a response.
func (s *Server) observe(o web.Observation) {
	s.metrics.Request(o.Route, o.Method, o.Status, o.Code, o.Duration)
}

// observeLines counts the lines of a batch.
func (s *Server) observeLines(t batch.Tally) {
	s.metrics.Lines("success", t.Succeeded)
	s.metrics.Lines("rejected", t.Rejected)
	s.metrics.Lines("limited", t.Limited)
	s.metrics.Lines("failed", t.Failed)
}

// countLimits registers the metrics of the limiter.
func (s *Server) countLimits() {
	l := s.limiter
	s.metrics.Gauge("slipstick_limit_clients", "Number of clients that the rate limiter of this server tracks.", func() float64 { return float64(l.Clients()) })
	s.metrics.Watch("slipstick_limit_evictions_total", "Clients that the rate limiter of this server stopped tracking because it tracked too many.", func() float64 { return float64(l.Evicted()) })
	if !l.Shared() {
		return
	}
	s.metrics.Watch("slipstick_limit_fallbacks_total", "Calls for which this server applied rate limits alone, because Redis did not respond.", func() float64 { return float64(l.Fallbacks()) })
	s.metrics.Gauge("slipstick_redis_up", "1 if Redis responds; 0 if it does not, and each server applies rate limits alone.", func() float64 {
		if l.Degraded() {
			return 0
		}
		return 1
	})
}
