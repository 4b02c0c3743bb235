// Package server answers one question: what does one running host do from its start to its
// end? It listens, answers from what is published, follows changes of the registry, and drains
// requests under way before it ends.
package server

import (
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/archive/recheck"
	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/calc/catalog"
	"github.com/slipstick/slipstick/host/internal/calc/shadow"
	"github.com/slipstick/slipstick/host/internal/engine/confine"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/http/web"
	"github.com/slipstick/slipstick/host/internal/http/web/conn"
	"github.com/slipstick/slipstick/host/internal/platform/memory"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
	"github.com/slipstick/slipstick/host/internal/platform/telemetry"
	"github.com/slipstick/slipstick/host/internal/source"
	"github.com/slipstick/slipstick/host/internal/source/agree"
)

// Config determines what a host serves, to whom, and how. Source.Registry, Source.Data and
// Addr are required; everything else may be zero.
type Config struct {
	Addr    string // HOST:PORT to listen on; port 0 picks a free one
	BaseURL string // public address without a slash at the end; "" for http:// and the address listened on

	Source  source.Options
	Follow  time.Duration // how often to look whether the registry has changed; 0 never looks
	Engines Engines
	Clients Clients
	Drain   Drain

	Embed     []string // origins whose pages may have calculators in frames
	Snapshots Snapshots
	Ledger    Ledger
	Shadow    Shadow
	Recheck   Recheck
	Reports   Reports
	Reloader  Reloader // nil: nothing is read again
}

// Engines determines how engines run.
type Engines struct {
	Confine confine.Options
	Timeout time.Duration // of one calculation; 5 s
	Cache   int64         // bytes of results to keep; 0 keeps none
	Warm    bool          // start those of current versions with the host, and keep them
	Unary   bool          // make every call a gRPC call

	IdleStop time.Duration // time after which an unused process ends, unless it is kept warm; 5 min if zero
}

// Clients determines what clients may do.
type Clients struct {
	Limits  limit.Limits // calls in a window, by surface
	Trusted []netip.Prefix
	Bounds  Bounds
	NoFront bool // net/http reads every request
}

// Snapshots determines where frozen calculations are stored.
type Snapshots struct {
	Redis     string   // URL of the store of short ids and shared limits; "": short ids are kept in Source.Data
	Embed     bool     // give ids that carry their snapshots; short ones are still read
	Size      int64    // bytes that the file in Source.Data may have; [snapshot.DefaultSize] if zero
	Ephemeral bool     // accept a store that may lose them
	Keys      []string // seeds of the keys that sign, oldest first; none: one that is kept in Source.Data
}

// Ledger determines whether and how what was answered is recorded. Without Dir nothing is.
type Ledger struct {
	Dir    string
	Inputs ledger.Inputs
	Sync   time.Duration // how often records are put on the disk; 1 s if zero
	Close  time.Duration // age at which a segment is closed and can be proved; 10 min if zero
	Keep   time.Duration // how long records are kept; 0: for ever
	Queue  int           // bytes of records that may wait for the disk; 16 MiB if zero

	// Timestamp is the address of an authority (RFC 3161) that says when segments were closed; "" for
	// none.
	Timestamp string
}

// Reports determines what a host logs and traces.
type Reports struct {
	Log      *slog.Logger // discarded if nil
	Requests bool         // log every request, not only failures
	Traces   string       // URL of an OTLP collector; "" for none
	Profile  string       // file of a CPU profile, until the host is closed; "" for none
}

// Server is one running host.
type Server struct {
	config Config
	watched
	releases
	store
	clients
	interfaces
	closers []func() // in the order in which what they close was opened
}

// watched is how a host is watched.
type watched struct {
	log     *slog.Logger
	metrics *telemetry.Metrics
	tracer  *telemetry.Tracer
}

// releases are what is served, and what runs it.
type releases struct {
	engines *pool.Pool
	service *calc.Service
	shadow  *shadow.Shadow // nil if nothing is compared
	recheck *recheck.Checker
	follows atomic.Pointer[source.Following] // nil while the host starts
	guard   *source.Guard                    // of the log of the registry
	summary Summary
}

// store is where snapshots are kept.
type store struct {
	client    redis.Client // nil if none is configured
	snapshots *snapshot.Store
	file      *snapshot.File   // in which snapshots are kept; nil if they are kept elsewhere
	agreed    *agree.Agreement // nil without Redis
	ledger    *ledger.Ledger   // nil if none is kept
}

// clients is what they may do.
type clients struct {
	limiter  *limit.Limiter
	trusted  *limit.Proxies
	capacity *capacity
}

// interfaces are what answers.
type interfaces struct {
	listener  net.Listener
	handler   http.Handler
	direct    *web.Direct    // answers calculations beside the handler
	front     *conn.Front    // while Run serves, unless it is not wanted
	http      *http.Server   // while Run serves
	bounded   *conn.Listener // while Run serves
	readiness readiness
	ending
}

// Summary is what a host serves when it begins.
type Summary struct {
	Capabilities, Releases int
	Out                    []string // what is out of service and why, a line for each
}

// New returns a host that is ready to answer: its address is taken, its registry read and
// its engines checked. It bounds the memory of this process. Close ends it.
//
// An error may be a [source.SettingError], [source.LockError], [source.LogError] or
// [LossError].
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

// limitMemory keeps the host within its share of the memory that it and its engines have.
func (s *Server) limitMemory() {
	switch limit, err := memory.Limit(); {
	case err != nil:
		s.log.Warn("how much memory this host may use is not known; set GOMEMLIMIT", "error", err)
	case limit > 0:
		s.log.Info("memory is limited", "bytes", limit)
	}
}

// profile writes a CPU profile, if one is wanted.
func (s *Server) profile() error {
	end, err := telemetry.Profile(s.config.Reports.Profile)
	if err != nil {
		return &source.SettingError{Err: err}
	}
	s.closers = append(s.closers, end)
	return nil
}

// trace sends traces to the collector, if there is one.
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
			s.log.Warn("some traces were not sent", "error", err)
		}
	})
	return nil
}

// manyReleases is how many releases leave so much garbage when they are read that it is worth
// a collection of its own: without requests it would stay for long.
const manyReleases = 250

// publish reads the registry, makes the engines ready and takes their releases into
// service.
func (s *Server) publish(ctx context.Context) error {
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
	if s.summary.Releases > manyReleases {
		go debug.FreeOSMemory()
	}
	s.guard = from.Guard()
	s.guard.Observe(s.metrics)
	follow := &source.FollowOptions{Every: s.config.Follow, Log: s.log, Metrics: s.metrics}
	if s.agreed != nil {
		follow.Agreed = s.agreed
	}
	s.follows.Store(source.Follow(from, list, down, rechecked{s.service, s.recheck}, s.engines, follow))
	return nil
}

// startEngines makes ready what runs engines, and says what of the catalog cannot run.
func (s *Server) startEngines(ctx context.Context, catalog *catalog.Catalog) (err error) {
	o := &s.config.Engines
	s.engines, err = pool.New(&pool.Options{
		Confine: &o.Confine, Log: s.log, Metrics: s.metrics, Tracer: s.tracer,
		Unary: o.Unary, IdleStop: o.IdleStop, Programs: s.config.Source.Data,
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

// Addr is the address that the host listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Sandbox is what confines the engines.
func (s *Server) Sandbox() *confine.Sandbox { return s.engines.Sandbox() }

// Summary returns what the host served at its start.
func (s *Server) Summary() Summary { return s.summary }

// Handler answers requests, without the bounds on connections that Run keeps.
func (s *Server) Handler() http.Handler { return s.handler }

// Run answers on the address, and follows the registry, until the context ends. Then it
// drains. It is called once.
func (s *Server) Run(ctx context.Context) error {
	defer s.follow(context.WithoutCancel(ctx))() // also while it drains, because it answers then
	defer s.join(context.WithoutCancel(ctx))()
	defer s.startRecheck(ctx)()
	s.bounded = s.capacity.listen(s.listener, &s.draining)
	s.capacity.count(s.metrics, s.bounded)
	s.http = newHTTPServer(s.tracer.Middleware(s.handler), s.bounded, s.log)
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

// openFront lets the front answer on the connections of the listener, and returns a listener
// for all others. The front makes no spans, so it stays closed while traces are sent.
func (s *Server) openFront(l *conn.Listener) net.Listener {
	if s.config.Clients.NoFront || s.config.Reports.Traces != "" {
		return l
	}
	s.front = conn.NewFront(l, s.direct, s.http)
	return s.front
}

// Close ends the engines, closes the listener and releases everything else.
func (s *Server) Close() {
	for _, closer := range slices.Backward(s.closers) {
		closer()
	}
	s.closers = nil
}
