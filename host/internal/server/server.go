// Package server runs one server from its start to its end. [New] opens the registry, the stores
// and the engines. [Server.Run] serves requests, follows changes of the registry, and drains
// connections before it returns. [Config] has the settings.
package server

import (
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/recheck"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/http/web/conn"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/source/agree"
)

// Program describes the program to its users.
type Program struct {
	Name    string // release and revision
	Licence string // name of its licence, "" if there is none
}

// Config has the settings of a server. Source.Registry, Source.Data and Addr are required; all
// other fields can be zero.
type Config struct {
	Program Program

	Addr    string // HOST:PORT to listen on; port 0 picks a free one
	BaseURL string // public URL without a slash at the end; "" for http:// and the address of the listener

	Source  source.Options
	Follow  time.Duration // interval at which the registry is checked for changes; 0: never
	Engines Engines
	Clients Clients
	Drain   Drain

	Embed     []string // origins that can embed calculators in frames
	Snapshots Snapshots
	Ledger    Ledger
	Shadow    Shadow
	Recheck   Recheck
	Reports   Reports
	Reloader  Reloader // nil: settings are not reloaded
}

// Engines are the settings of engines.
type Engines struct {
	Confine sandbox.Options
	Timeout time.Duration // of one calculation; 5 s
	Cache   int64         // bytes of results in the cache; 0: no cache
	Warm    bool          // start the engines of current versions at the start of the server, and keep them running
	Unary   bool          // make every call a unary gRPC call
	Log     process.LogOptions

	IdleStop time.Duration // time after which an unused process ends, unless it is kept warm; 5 min if zero
}

// Clients are the limits of clients.
type Clients struct {
	Limits  limit.Limits // calls in a window, by surface
	Trusted []netip.Prefix
	Bounds  Bounds
	NoFront bool // net/http reads every request
}

// Snapshots are the settings of the snapshot store.
type Snapshots struct {
	Redis     string   // URL of the store of short ids and shared limits; "": short ids are stored in Source.Data
	Embed     bool     // make embedded ids; short ids are still read
	Size      int64    // maximum size in bytes of the file in Source.Data; [snapshot.DefaultSize] if zero
	Ephemeral bool     // accept a store that can lose snapshots
	Keys      []string // seeds of the signing keys, oldest first; none: a key in Source.Data
}

// Ledger are the settings of the ledger. Without Dir there is no ledger.
type Ledger struct {
	Dir    string
	Inputs ledger.Inputs
	Sync   time.Duration // interval at which records are synced to the disk; 1 s if zero
	Close  time.Duration // age at which a segment is closed and provable; 10 min if zero
	Keep   time.Duration // time for which records are kept; 0: forever
	Queue  int           // maximum bytes of records that wait for the disk; 16 MiB if zero

	// Timestamp is the URL of a timestamp authority (RFC 3161) for closed segments; "" for none.
	Timestamp string
}

// Reports are the settings of logs and traces.
type Reports struct {
	Log      *slog.Logger // discarded if nil
	Requests bool         // log every request, not only failures
	Traces   string       // URL of an OTLP collector; "" for none
	Profile  string       // file for a CPU profile from the start to [Server.Close]; "" for none
}

// Server is one running server.
type Server struct {
	config Config
	watched
	releases
	store
	clients
	interfaces
	closers []func() // in the order of opening
}

// watched has the outputs for operators: log, metrics and traces.
type watched struct {
	log     *slog.Logger
	metrics *telemetry.Metrics
	tracer  *telemetry.Tracer
}

// releases are the published releases, and what runs and checks them.
type releases struct {
	engines *pool.Pool
	service *calc.Service
	shadow  *shadow.Shadow // nil if nothing is compared
	recheck *recheck.Checker
	follows atomic.Pointer[source.Following] // nil during the start
	guard   *source.Guard                    // guards the transparency log of the registry
	summary Summary
}

// store has the stores: Redis, snapshots and the ledger.
type store struct {
	client    redis.Client // nil if none is configured
	snapshots *snapshot.Store
	file      *snapshot.File   // file of the snapshots; nil if snapshots are stored elsewhere
	agreed    *agree.Agreement // nil without Redis
	ledger    *ledger.Ledger   // nil if there is no ledger
}

// clients has the limits of clients.
type clients struct {
	limiter  *limit.Limiter
	trusted  *limit.Proxies
	capacity *capacity
}

// interfaces are the handlers of requests.
type interfaces struct {
	listener  net.Listener
	handler   http.Handler
	direct    *web.Direct    // serves calculations in addition to the handler
	front     *conn.Front    // set while Run serves, unless it is disabled
	http      *http.Server   // set while Run serves
	bounded   *conn.Listener // set while Run serves
	readiness readiness
	ending
}

// Summary lists the releases at the start of a server.
type Summary struct {
	Capabilities, Releases int
	Out                    []string // a line for each release out of service, with the reason
}

// New returns a server that is ready to serve: it listens on its address, has read its registry,
// and has checked its engines. New limits the memory of this process. [Server.Close] ends the
// server.
//
// The error can be a [source.SettingError], [source.LockError], [source.LogError] or [LossError].
func New(ctx context.Context, c *Config) (_ *Server, err error) {
	s := &Server{config: *c, watched: watched{c.Reports.Log, telemetry.NewMetrics(), new(telemetry.Tracer)}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.config.Source.Log = s.log
	memory.CollectAt(memory.Ample)
	if err := s.profile(); err != nil {
		return nil, err
	}
	if err := s.listen(); err != nil {
		return nil, err
	}
	s.limitMemory()
	s.ending.init()
	if err := s.trace(ctx); err != nil {
		return nil, err
	}
	if err := s.openSnapshots(ctx); err != nil {
		return nil, err
	}
	if err := s.openLedger(); err != nil {
		return nil, err
	}
	s.agree(ctx)
	if err := s.publish(ctx); err != nil {
		return nil, err
	}
	s.handler = s.newHandler()
	return s, nil
}

// limitMemory limits the memory of the server to its share. Its engines need the rest.
func (s *Server) limitMemory() {
	switch limit, err := memory.Limit(); {
	case err != nil:
		s.log.Warn("the server does not know its memory limit; set GOMEMLIMIT", "error", err)
	case limit > 0:
		s.log.Info("memory is limited", "bytes", limit)
	}
}

// profile starts a CPU profile, if it is configured.
func (s *Server) profile() error {
	end, err := telemetry.Profile(s.config.Reports.Profile)
	if err != nil {
		return &source.SettingError{Err: err}
	}
	s.closers = append(s.closers, end)
	return nil
}

// trace starts to send traces to the collector, if one is configured.
func (s *Server) trace(ctx context.Context) (err error) {
	if s.config.Reports.Traces == "" {
		return nil
	}
	s.tracer, err = telemetry.NewTracer(ctx, s.config.Reports.Traces)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if err := s.tracer.Close(ctx); err != nil {
			s.log.Warn("the server could not send some traces; check OTEL_EXPORTER_OTLP_ENDPOINT", "error", err)
		}
	})
	return nil
}

// publish reads the registry, starts the engines, and puts their releases into service.
func (s *Server) publish(ctx context.Context) error {
	s.config.Source.AddLibrary(ctx, s.log)
	from, err := source.Open(&s.config.Source)
	if err != nil {
		return err
	}
	list, down, err := from.First(ctx, &s.config.Source)
	if err != nil {
		return err
	}
	catalog := catalog.New(list)
	if err := s.startEngines(ctx, catalog); err != nil {
		return err
	}
	s.openShadow()
	s.openRecheck()
	o := &s.config.Engines
	s.service = calc.New(catalog, s.engines, &calc.Options{
		BaseURL: s.config.BaseURL, MCP: true, Timeout: o.Timeout, Cache: o.Cache, Down: s.engines.Down, Current: s.agreed.Current,
		Ledger: s.recorder(), Shadow: s.watching(), Samples: s.recheck,
	})
	working, rest := context.WithCancel(context.WithoutCancel(ctx))
	s.closers = append(s.closers, rest)
	go memory.ReleaseIdle(working) // reading many releases leaves much garbage
	s.guard = from.Guard()
	s.guard.Observe(s.metrics)
	follow := &source.FollowOptions{Every: s.config.Follow, Log: s.log, Metrics: s.metrics}
	if s.agreed != nil {
		follow.Agreed = s.agreed
	}
	s.follows.Store(source.Follow(from, list, down, rechecked{s.service, s.recheck}, s.engines, follow))
	return nil
}

// startEngines starts the pool of engines, and lists the releases that cannot run in the Summary.
func (s *Server) startEngines(ctx context.Context, catalog *catalog.Catalog) (err error) {
	o := &s.config.Engines
	s.engines, err = pool.New(&pool.Options{
		Confine: &o.Confine, Log: s.log, Metrics: s.metrics, Tracer: s.tracer,
		EngineLog: o.Log, Unary: o.Unary, IdleStop: o.IdleStop, Programs: s.config.Source.Data,
	})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, s.engines.Close)
	down := s.engines.Check(catalog)
	if o.Warm {
		maps.Copy(down, s.engines.StartCurrent(ctx, catalog))
	}
	s.summary.Capabilities, s.summary.Releases, s.summary.Out = catalog.Summary(down)
	return nil
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Sandbox returns the sandbox of the engines.
func (s *Server) Sandbox() *sandbox.Sandbox { return s.engines.Sandbox() }

// Summary returns the releases at the start of the server.
func (s *Server) Summary() Summary { return s.summary }

// Handler returns the handler of all requests, without the limits on connections that [Server.Run]
// applies.
func (s *Server) Handler() http.Handler { return s.handler }

// Run serves requests and follows the registry until the context ends. Then it drains connections.
// It must be called only once.
func (s *Server) Run(ctx context.Context) error {
	defer s.follow(context.WithoutCancel(ctx))() // also during the drain, because requests are still served then
	defer s.join(context.WithoutCancel(ctx))()
	defer s.startRecheck(ctx)()
	s.bounded = s.capacity.listen(s.listener, &s.draining)
	s.capacity.count(s.metrics, s.bounded)
	s.http = newHTTPServer(s.handler, s.bounded, s.log)
	accepted := conn.Watch(s.openFront(s.bounded), web.Refuse(s.config.BaseURL))
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(accepted) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return s.drain(context.WithoutCancel(ctx))
}

// openFront starts the front, which serves usual requests on the connections of the listener. It
// returns a listener for all other requests.
func (s *Server) openFront(l *conn.Listener) net.Listener {
	if s.config.Clients.NoFront {
		return l
	}
	s.front = conn.NewFront(l, s.direct, s.http)
	return s.front
}

// Close ends the engines, and closes the listener and everything else.
func (s *Server) Close() {
	for _, closer := range slices.Backward(s.closers) {
		closer()
	}
	s.closers = nil
}
