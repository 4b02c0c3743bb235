package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slipstick/slipstick/host/internal/api"
	"github.com/slipstick/slipstick/host/internal/apidocs"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/formula"
	"github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/mcp"
	"github.com/slipstick/slipstick/host/internal/openapi"
	"github.com/slipstick/slipstick/host/internal/page"
	"github.com/slipstick/slipstick/host/internal/pool"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/telemetry"
	"github.com/slipstick/slipstick/host/internal/web"
)

// face is the HTTP side of a running host.
type face struct {
	service   *calc.Service
	engines   *engines
	metrics   *telemetry.Metrics
	client    redis.UniversalClient // nil if none is configured
	snapshots *snapshot.Store
	log       *slog.Logger
	room      *room
	draining  atomic.Bool
	base      string
	document  atomic.Pointer[[]byte] // the OpenAPI document of what is published

	registry registryState
	limiter  limiterNow
	trusted  *limit.Proxies
	guard    *guard // nil if there is no checkpoint

	readiness struct {
		sync.Mutex
		last  api.Readiness
		until time.Time
	}
}

func (f *face) handler(c *serveCmd, set settings) (http.Handler, error) {
	f.base = set.base
	if err := f.describe(); err != nil {
		return nil, err
	}
	f.countCache()
	f.registry.count(f.metrics)
	f.metrics.Watch("slipstick_snapshots_forged_total", "Records of the snapshot store that were not the ones their ids name, and were not shown.", func() float64 { return float64(f.snapshots.Forged()) })
	f.guard.count(f.metrics)
	f.limiter.set(f.client, set.limits)
	f.limiter.count(f.metrics)
	clients := &web.Clients{Limiter: counted{&f.limiter, f.metrics}, Trusted: f.trusted}
	pages := f.pages()
	routes := slices.Concat(
		api.Routes(f.service, &api.Options{
			Log: f.log, Snapshots: f.snapshots, Ready: f.ready, Document: func() []byte { return *f.document.Load() },
			Batches: api.Batches{Clients: clients, Places: f.room.Batches, Rows: f.room.Rows, Observe: f.countLines},
		}),
		pages.Routes(),
		mcp.New(f.service, f.snapshots, &mcp.Options{Log: f.log, Clients: clients}).Routes(),
		apidocs.Routes(),
		[]web.Route{{Method: http.MethodGet, Pattern: "/metrics", Handler: web.Passed(f.metrics.Handler())}},
	)
	return web.New(f.base, routes, &web.Options{
		Log: f.log, LogRequests: c.LogRequests, Clients: clients, Answers: f.room.Answers, FailurePage: pages.Failure,
		Observe: func(o web.Observation) {
			f.metrics.Request(o.Route, o.Method, o.Status, o.Code, o.Duration)
		},
	}), nil
}

// describe makes the OpenAPI document of what is published now.
func (f *face) describe() error {
	document, err := openapi.Document(f.service.Catalog(), f.base)
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, document); err != nil {
		return err
	}
	document = compact.Bytes()
	f.document.Store(&document)
	return nil
}

// pages are what browsers are shown.
func (f *face) pages() *page.Pages {
	o := &page.Options{Snapshots: f.snapshots, Log: f.log}
	if formulas, err := formula.New(); err == nil {
		o.Formulas = formulas
	} else {
		f.log.Warn("formulas are shown as plain text", "error", err)
	}
	return page.New(f.service, o)
}

// countCache shows the figures of the cache of results.
func (f *face) countCache() {
	stats := f.service.CacheStats
	f.metrics.Watch("slipstick_cache_hits_total", "Calculations that were answered from results kept.", func() float64 { return float64(stats().Hits) })
	f.metrics.Watch("slipstick_cache_misses_total", "Calculations that were not.", func() float64 { return float64(stats().Misses) })
	f.metrics.Watch("slipstick_cache_evictions_total", "Results that were given up for want of room.", func() float64 { return float64(stats().Evictions) })
	f.metrics.Gauge("slipstick_cache_entries", "Results kept.", func() float64 { return float64(stats().Entries) })
	f.metrics.Gauge("slipstick_cache_bytes", "Memory of the results kept, about.", func() float64 { return float64(stats().Bytes) })
}

func (f *face) countLines(t calc.Tally) {
	f.metrics.Lines("success", t.Succeeded)
	f.metrics.Lines("rejected", t.Rejected)
	f.metrics.Lines("limited", t.Limited)
	f.metrics.Lines("failed", t.Failed)
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

const (
	readyFor      = 2 * time.Second // how long one look is good for: anybody may ask
	checkDeadline = time.Second
)

// ready looks whether every current release answers, and the store.
func (f *face) ready(ctx context.Context) api.Readiness {
	if f.draining.Load() {
		return api.Readiness{Status: api.Unready}
	}
	f.readiness.Lock()
	defer f.readiness.Unlock()
	if now := time.Now(); now.After(f.readiness.until) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkDeadline)
		defer cancel()
		f.readiness.last = f.look(ctx)
		f.readiness.until = time.Now().Add(readyFor)
	}
	return f.readiness.last
}

func (f *face) look(ctx context.Context) api.Readiness {
	catalog := f.service.Catalog()
	r := api.Readiness{Status: api.Ready, Releases: f.engines.states(ctx, catalog)}
	well, revoked := 0, 0
	for _, state := range r.Releases {
		switch state {
		case string(pool.Running), string(pool.Idle):
			well++
		case stateRevoked: // as it should be, while another version of it can be asked
			revoked++
		}
	}
	if well+revoked < len(r.Releases) || slices.ContainsFunc(catalog.Entries(), (*calc.Entry).Revoked) {
		r.Status = api.Degraded
	}
	if r.Registry = f.registry.String(); r.Registry != "ok" {
		r.Status = api.Degraded
	}
	if f.client != nil {
		r.Store, r.Limits = "ok", "shared"
		if err := f.client.Ping(ctx).Err(); err != nil {
			r.Status, r.Store, r.Limits = api.Degraded, "cannot be reached", "per process"
		}
	}
	expired := false
	if r.Checkpoint, expired = f.guard.ready(); r.Checkpoint != "" && r.Checkpoint != "ok" {
		r.Status = api.Degraded
	}
	if well == 0 || expired {
		r.Status = api.Unready
	}
	return r
}
