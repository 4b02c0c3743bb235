package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/redis/go-redis/v9"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/limit"
	"github.com/slipstick/slipstick/host/internal/memory"
	"github.com/slipstick/slipstick/host/internal/smuggling"
	"github.com/slipstick/slipstick/host/internal/snapshot"
	"github.com/slipstick/slipstick/host/internal/telemetry"
	"github.com/slipstick/slipstick/host/internal/web"
)

type serveCmd struct {
	Addr    string `default:"127.0.0.1:8080" env:"SLIPSTICK_ADDR" help:"Address to listen on; port 0 picks a free one." placeholder:"HOST:PORT"`
	BaseURL string `name:"base-url" env:"SLIPSTICK_BASE_URL" help:"Public address of the service, for the links in answers. Never taken from a request. With a public one, web pages of any origin may speak MCP. Default: http:// and the address listened on." placeholder:"URL"`
	Data    string `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of what the host keeps: the keys that sign snapshots, what it has seen of the registry, and whose the tool ids are." placeholder:"DIR"`

	origin
	Locked lockName `env:"SLIPSTICK_LOCKED" help:"Serve the versions of this lock file and no others, each with the digest that is locked. Default: slipstick.lock, when no file is named." placeholder:"FILE"`

	Redis              string   `env:"SLIPSTICK_REDIS" help:"Redis 7 for short snapshot ids and for limits shared by several hosts. Several addr= parameters make a cluster, master_name a failover set." placeholder:"redis://HOST:PORT/DB"`
	EphemeralSnapshots bool     `env:"SLIPSTICK_EPHEMERAL_SNAPSHOTS" help:"Accept a Redis that may lose snapshots, by eviction or restart."`
	SnapshotKey        []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Seed of the Ed25519 key that signs snapshots, 32 bytes in hex or base64. Of several, oldest first, the newest signs and all are accepted. Default: a key made and kept in the data directory. Better given by the environment than on the command line." placeholder:"SEED"`

	Limit        string   `default:"${limits}" env:"SLIPSTICK_LIMIT" help:"Calls per client address in 60 s, by surface; 0 is off, and what is not named keeps its default." placeholder:"SURFACE=N,..."`
	TrustedProxy []string `env:"SLIPSTICK_TRUSTED_PROXY" help:"Proxies whose X-Forwarded-For tells the client address. None by default: then the header means nothing." placeholder:"CIDR"`

	Timeout time.Duration `default:"5s" env:"SLIPSTICK_TIMEOUT" help:"Time for one calculation."`
	Warm    bool          `env:"SLIPSTICK_WARM" help:"Start the engines of all current versions with the host and keep them, instead of starting each when it is first asked for and ending it when nobody has used it for five minutes."`
	Follow  time.Duration `default:"1s" env:"SLIPSTICK_FOLLOW" help:"How often to look whether the registry has changed: what is published, promoted, deprecated, yanked or revoked takes effect without a restart. 0 never looks."`
	Cache   int64         `default:"64" env:"SLIPSTICK_CACHE" help:"MiB of results to keep, so that equal inputs are computed once. 0 is off." placeholder:"MIB"`

	bounds
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
others are served. SIGHUP makes it read the settings file, the keys, the trust file and the
lock file again: all of it takes effect, or nothing and the log says why. Engines start when they are first asked for; with --warm those of
current versions start with the host, and those that do not are reported. When ready, one line beginning "slipstick: serving http://" goes to
stderr. SIGTERM or SIGINT lets the requests under way finish and then ends the engines.`
}

// Limits of the HTTP server.
const (
	readHeaderTimeout = 2 * time.Second
	readTimeout       = 5 * time.Second
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
	if c.Timeout <= 0 {
		return s, errors.New("--timeout must be above zero")
	}
	if err = c.bounds.check(); err != nil {
		return s, err
	}
	if c.Cache < 0 || c.Cache > maxCache {
		return s, fmt.Errorf("--cache must lie between 0 and %d MiB", maxCache)
	}
	return s, nil
}

func (c *serveCmd) Run(ctx context.Context, s streams, line *commandLine) error {
	again := newReloading(c, line) // from now on a hang-up does not end the host
	defer again.stop()
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
	listener, err := listen(c.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	if set.base == "" {
		set.base = "http://" + listener.Addr().String()
	}
	log := c.logger(s)
	limitMemory(log)
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
	if from.guard, err = c.checkpointing.accept(c.trusting, c.Data, from.whole, log); err != nil {
		return err
	}
	catalog := calc.NewCatalog(published)
	metrics := telemetry.NewMetrics()
	jailed, err := c.confinement.enter(s.err, c.files())
	if err != nil {
		return err
	}
	defer jailed.close()
	engines, err := newEngines(log, metrics, tracer, jailed, c.Unary)
	if err != nil {
		return err
	}
	defer engines.pool.Close()

	down := engines.check(catalog)
	if c.Warm {
		maps.Copy(down, engines.startCurrent(ctx, catalog))
	}
	capabilities, releases, out := catalog.Summary(down)
	for _, line := range out {
		printLine(s.err, "slipstick: out of service: %s\n", line)
	}
	if capabilities == 0 {
		fmt.Fprintf(s.err, "slipstick: the registry %s holds nothing that can be served; add engines with slipstick publish\n", c.Registry)
	}
	trusted := limit.NewProxies(set.trusted)
	f := &face{
		service: calc.New(catalog, engines, &calc.Options{BaseURL: set.base, MCP: true, Timeout: c.Timeout, Cache: c.Cache << 20, Down: engines.down}),
		engines: engines, metrics: metrics, client: client, snapshots: snapshots, log: log,
		guard: from.guard, trusted: trusted, room: newRoom(c.bounds, trusted),
	}
	f.registry.set(unread, published)
	f.registry.follows(c.Follow)
	f.registry.saw(from.looked())
	handler, err := f.handler(c, set)
	if err != nil {
		return err
	}
	following := startFollowing(ctx, f, from, unread, c.Follow, again)
	defer following()
	fmt.Fprintf(s.err, "slipstick: serving http://%s with %s in %s\n", listener.Addr(), count(capabilities, "capability"), count(releases, "version"))
	return serve(ctx, listener, tracer.Middleware(handler), f)
}

// listen opens the address. One that is none is misuse; one that cannot be had is not.
func listen(address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return nil, &failure{exitMisuse, fmt.Errorf("--addr %q is not HOST:PORT, such as 127.0.0.1:8080", address)}
	}
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		err = fmt.Errorf("the address %s is taken: another server is running there; choose another with --addr", address)
	case err != nil:
		err = fmt.Errorf("cannot listen on %s: %w; choose another address with --addr", address, err)
	}
	if err != nil {
		return nil, &failure{exitInternal, err}
	}
	return listener, nil
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

// limitMemory keeps the host within its share of the memory that it and its engines have.
func limitMemory(log *slog.Logger) {
	switch limit, err := memory.Limit(); {
	case err != nil:
		log.Warn("how much memory this host may use is not known; set GOMEMLIMIT", "error", err)
	case limit > 0:
		log.Info("memory is limited", "bytes", limit)
	}
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
func serve(ctx context.Context, listener net.Listener, handler http.Handler, f *face) error {
	bounded := f.room.listen(smuggling.Listener(listener, web.Refuse(f.base)))
	f.room.count(f.metrics, bounded)
	server := newServer(handler, bounded, f.log)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(bounded) }()
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
