package server

import (
	"github.com/slipstick/slipstick/host/internal/calc/batch"
	"github.com/slipstick/slipstick/host/internal/http/web"
)

// count shows the figures of what the host holds.
func (s *Server) count() {
	s.countCache()
	s.countLedger()
	s.countShadow()
	s.countRechecks()
	s.countLimits()
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
func (s *Server) observeLines(t batch.Tally) {
	s.metrics.Lines("success", t.Succeeded)
	s.metrics.Lines("rejected", t.Rejected)
	s.metrics.Lines("limited", t.Limited)
	s.metrics.Lines("failed", t.Failed)
}

// countLimits registers the metrics of the limiter.
func (s *Server) countLimits() {
	l := s.limiter
	s.metrics.Gauge("slipstick_limit_clients", "Clients that the limits of this process remember.", func() float64 { return float64(l.Clients()) })
	s.metrics.Watch("slipstick_limit_evictions_total", "Clients that were forgotten for want of room.", func() float64 { return float64(l.Evicted()) })
	if !l.Shared() {
		return
	}
	s.metrics.Watch("slipstick_limit_fallbacks_total", "Calls that were judged by this process alone, because Redis did not answer.", func() float64 { return float64(l.Fallbacks()) })
	s.metrics.Gauge("slipstick_redis_up", "1 while Redis answers, 0 while limits are per process because it does not.", func() float64 {
		if l.Degraded() {
			return 0
		}
		return 1
	})
}
