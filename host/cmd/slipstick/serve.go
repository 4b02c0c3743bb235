package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/redis/go-redis/v9"
	"golang.org/x/net/netutil"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/framing"
	"github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/telemetry"
)

type serveCmd struct {
	Addr    string `default:"127.0.0.1:8080" env:"SLIPSTICK_ADDR" help:"Address to listen on; port 0 picks a free one." placeholder:"HOST:PORT"`
	BaseURL string `name:"base-url" env:"SLIPSTICK_BASE_URL" help:"Public address of the service, for the links in answers. Never taken from a request. With a public one, web pages of any origin may speak MCP. Default: http:// and the address listened on." placeholder:"URL"`
	Data    string `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of what the host keeps: the keys that sign snapshots, and what it has seen of the registry." placeholder:"DIR"`

	origin
	Locked lockName `env:"SLIPSTICK_LOCKED" help:"Serve the versions of this lock file and no others, each with the digest that is locked. Default: slipstick.lock, when no file is named." placeholder:"FILE"`

	Redis              string   `env:"SLIPSTICK_REDIS" help:"Redis 7 for short snapshot ids and for limits shared by several hosts. Several addr= parameters make a cluster, master_name a failover set." placeholder:"redis://HOST:PORT/DB"`
	EphemeralSnapshots bool     `env:"SLIPSTICK_EPHEMERAL_SNAPSHOTS" help:"Accept a Redis that may lose snapshots, by eviction or restart."`
	SnapshotKey        []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Seed of the Ed25519 key that signs snapshots, 32 bytes in hex or base64. Of several, oldest first, the newest signs and all are accepted. Default: a key made and kept in the data directory. Better given by the environment than on the command line." placeholder:"SEED"`

	Limit        string   `default:"${limits}" env:"SLIPSTICK_LIMIT" help:"Calls per client address in 60 s, by surface; 0 is off, and what is not named keeps its default." placeholder:"SURFACE=N,..."`
	TrustedProxy []string `env:"SLIPSTICK_TRUSTED_PROXY" help:"Proxies whose X-Forwarded-For tells the client address. None by default: then the header means nothing." placeholder:"CIDR"`

	Timeout        time.Duration `default:"5s" env:"SLIPSTICK_TIMEOUT" help:"Time for one calculation."`
	Warm           bool          `env:"SLIPSTICK_WARM" help:"Start the engines of all current versions with the host and keep them, instead of starting each when it is first asked for and ending it when nobody has used it for five minutes."`
	Follow         time.Duration `default:"1s" env:"SLIPSTICK_FOLLOW" help:"How often to look whether the registry has changed: what is published, promoted, deprecated, yanked or revoked takes effect without a restart. 0 never looks."`
	Cache          int64         `default:"64" env:"SLIPSTICK_CACHE" help:"MiB of results to keep, so that equal inputs are computed once. 0 is off." placeholder:"MIB"`
	MaxConnections int           `default:"2000" env:"SLIPSTICK_MAX_CONNECTIONS" help:"Connections at once; more wait."`

	confinement
	trusting
	checkpointing

	LogFormat   string `enum:"text,json" default:"text" env:"SLIPSTICK_LOG_FORMAT" help:"Form of the log on stderr: text or json."`
	LogRequests bool   `env:"SLIPSTICK_LOG_REQUESTS" help:"Log every request, not only failures."`
	Traces      string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"OTLP collector to send OpenTelemetry traces to, over HTTP. Default: no traces." placeholder:"URL"`

	Unary      bool   `hidden:"" help:"Make every call of an engine a gRPC call of its own, to compare."`
	CPUProfile string `name:"cpuprofile" hidden:"" help:"Write a CPU profile to this file until the end." placeholder:"FILE"`

	Config kong.ConfigFlag `help:"JSON file of these settings, by flag name: {\"addr\": \"127.0.0.1:9000\"}. Flags and environment come before it." placeholder:"FILE"`
}

func (c *serveCmd) Help() string {
	return `Answers POST /api/v1/calc/{id}, and many at once POST /api/v1/batch, describes what is
published at GET /api/v1/calc, and freezes calculations at POST /api/v1/share. Agents speak
MCP at POST /mcp. /openapi.json describes the rest, /livez and /readyz?verbose tell how it
is, /metrics counts.

A release whose bytes are not the published ones, or whose engine does not start, is
reported and answered with 503, and an engine is tried again when it is asked for; the
others are served. Engines start when they are first asked for; with --warm those of
current versions start with the host, and those that do not are reported. When ready, one line beginning "slipstick: serving http://" goes to
stderr. SIGTERM or SIGINT lets the requests under way finish and then ends the engines.`
}

// Limits of the HTTP server.
const (
	readHeaderTimeout = 2 * time.Second
	readTimeout       = 5 * time.Second
	writeTimeout      = 15 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
	drainTimeout      = 10 * time.Second
)

// maxCache bounds the cache of results, in MiB.
const maxCache = 1 << 20

// collectAt lets the heap of a host, which is small, grow to five times what lives before
// it is collected: a request allocates some kilobytes, and collecting for each few
// hundred of them would cost more than the memory. GOGC in the environment decides
// otherwise.
const collectAt = 400

// settings are the flags of serve, understood.
type settings struct {
	base    string
	limits  limit.Limits
	trusted []netip.Prefix
}

func (c *serveCmd) settings() (settings, error) {
	var s settings
	var err error
	if s.base, err = c.baseURL(); err != nil {
		return s, err
	}
	if s.limits, err = limit.ParseLimits(c.Limit); err != nil {
		return s, fmt.Errorf("--limit: %w", err)
	}
	if s.trusted, err = limit.ParseTrusted(c.TrustedProxy); err != nil {
		return s, fmt.Errorf("--trusted-proxy: %w", err)
	}
	if c.Follow < 0 {
		return s, errors.New("--follow must not be negative")
	}
	if c.Timeout <= 0 || c.MaxConnections <= 0 {
		return s, errors.New("--timeout and --max-connections must be above zero")
	}
	if c.Cache < 0 || c.Cache > maxCache {
		return s, fmt.Errorf("--cache must lie between 0 and %d MiB", maxCache)
	}
	return s, nil
}

func (c *serveCmd) Run(ctx context.Context, s streams) error {
	set, err := c.settings()
	if err != nil {
		return &failure{exitMisuse, err}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	endProfile, err := startProfile(c.CPUProfile)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	defer endProfile()
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return &failure{exitInternal, fmt.Errorf("cannot listen: %w; is another server running? Choose another address with --addr", err)}
	}
	defer listener.Close()
	if set.base == "" {
		set.base = "http://" + listener.Addr().String()
	}
	log := c.logger(s)
	tracer := new(telemetry.Tracer)
	if c.Traces != "" {
		if tracer, err = telemetry.NewTracer(ctx, c.Traces); err != nil {
			return err
		}
		defer closeTracer(ctx, tracer, log)
	}
	client, err := c.redis(log)
	if err != nil {
		return &failure{exitMisuse, err}
	}
	if client != nil {
		defer client.Close()
	}
	snapshots, err := c.snapshots(ctx, client, log)
	if err != nil {
		return err
	}
	from, err := c.openSource(log)
	if err != nil {
		return err
	}
	published, unread, err := from.first(ctx)
	if err != nil {
		return err
	}
	if err := c.checkpointing.accept(c.trusting, c.Data, from.whole); err != nil {
		return err
	}
	catalog := calc.NewCatalog(published)
	metrics := telemetry.NewMetrics()
	jailed, err := c.confinement.enter(s.err)
	if err != nil {
		return err
	}
	defer jailed.close()
	engines, err := newEngines(log, metrics, tracer, jailed.confiner(), c.Unary)
	if err != nil {
		return err
	}
	defer engines.pool.Close()

	var down map[*calc.Release]error
	if c.Warm {
		down = engines.startCurrent(ctx, catalog)
	}
	capabilities, releases, out := catalog.Summary(down)
	for _, line := range out {
		fmt.Fprintln(s.err, "slipstick: out of service:", line)
	}
	if capabilities == 0 {
		fmt.Fprintf(s.err, "slipstick: the registry %s holds nothing that can be served; add engines with slipstick publish\n", c.Registry)
	}
	f := &face{
		service: calc.New(catalog, engines, &calc.Options{BaseURL: set.base, MCP: true, Timeout: c.Timeout, Cache: c.Cache << 20, Down: engines.down}),
		engines: engines, metrics: metrics, client: client, snapshots: snapshots, log: log,
	}
	f.registry.set(unread, published)
	handler, err := f.handler(c, set)
	if err != nil {
		return err
	}
	following := startFollowing(ctx, f, from, unread, c.Follow)
	defer following()
	fmt.Fprintf(s.err, "slipstick: serving http://%s with %d capabilities in %d versions\n", listener.Addr(), capabilities, releases)
	return serve(ctx, framing.Listener(netutil.LimitListener(listener, c.MaxConnections)), tracer.Middleware(handler), f, log)
}

// startProfile writes a CPU profile to the file until the returned function is called.
func startProfile(file string) (end func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}

func (c *serveCmd) logger(s streams) *slog.Logger {
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(s.err, nil))
	}
	return slog.New(slog.NewTextHandler(s.err, nil))
}

func closeTracer(ctx context.Context, t *telemetry.Tracer, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := t.Close(ctx); err != nil {
		log.Warn("some traces were not sent", "error", err)
	}
}

// redis returns the client of the configured Redis, nil if there is none. It does not
// connect yet.
func (c *serveCmd) redis(log *slog.Logger) (redis.UniversalClient, error) {
	if c.Redis == "" {
		return nil, nil
	}
	redis.SetLogger(redisLog{log})
	client, err := redisClient(c.Redis)
	if err != nil {
		return nil, fmt.Errorf("--redis: %w", err)
	}
	return client, nil
}

// redisLog puts what the Redis library says into the host's log.
type redisLog struct{ log *slog.Logger }

func (l redisLog) Printf(_ context.Context, format string, args ...any) {
	l.log.Warn("redis", "message", fmt.Sprintf(format, args...))
}

// dialTimeout bounds a connection to Redis: what waits for it has another way.
const dialTimeout = time.Second

// redisClient understands the URLs of one server, of a cluster and of a failover set.
func redisClient(address string) (redis.UniversalClient, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL such as redis://127.0.0.1:6379/0") // the error would show a password
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
		return redis.NewFailoverClient(o), nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return nil, err
		}
		o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, err
	}
	o.ContextTimeoutEnabled, o.DialTimeout, o.DialerRetries = true, dialTimeout, 1
	return redis.NewClient(o), nil
}

// snapshots opens the store. It refuses a Redis that could lose snapshots before
// their time; one that is down is no reason not to start.
func (c *serveCmd) snapshots(ctx context.Context, client redis.UniversalClient, log *slog.Logger) (*snapshot.Store, error) {
	keys, err := snapshot.LoadKeys(filepath.Join(c.Data, "keys"), c.SnapshotKey...)
	if err != nil {
		return nil, fmt.Errorf("keys of snapshots: %w", err)
	}
	if client == nil {
		return snapshot.New(keys, nil)
	}
	err = snapshot.CheckStore(ctx, client)
	switch {
	case errors.Is(err, snapshot.ErrUnavailable):
		log.Warn("the snapshot store cannot be reached; snapshots get embedded ids until it can", "error", err)
	case err != nil && c.EphemeralSnapshots:
		log.Warn("the snapshot store may lose snapshots, as --ephemeral-snapshots accepts", "error", err)
	case err != nil:
		return nil, &failure{exitFailed, fmt.Errorf("the snapshot store could lose snapshots: %w", err)}
	}
	return snapshot.New(keys, &snapshot.Options{Redis: client})
}

// serve answers on the listener until the context ends, then lets the requests
// under way finish.
func serve(ctx context.Context, listener net.Listener, handler http.Handler, f *face, log *slog.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ConnContext:       framing.ConnContext,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	f.draining.Store(true)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("requests were cut off after %s: %w", drainTimeout, errors.Join(err, server.Close()))
	}
	return nil
}

// baseURL is the configured public address without a slash at the end, "" if none.
func (c *serveCmd) baseURL() (string, error) {
	if c.BaseURL == "" {
		return "", nil
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", fmt.Errorf("--base-url %q is not an address such as https://calc.example.org", c.BaseURL)
	}
	return strings.TrimRight(c.BaseURL, "/"), nil
}
