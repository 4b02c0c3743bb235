package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/host/internal/source"
)

type serveCmd struct {
	Addr    string `default:"127.0.0.1:8080" env:"SLIPSTICK_ADDR" help:"Address to listen on; port 0 picks a free one." placeholder:"HOST:PORT"`
	BaseURL string `name:"base-url" env:"SLIPSTICK_BASE_URL" help:"Public address of the service, for the links in answers. Never taken from a request. With a public one, web pages of any origin may speak MCP. Default: http:// and the address listened on." placeholder:"URL" validate:"omitempty,base_url" says:"--base-url %q is not an address such as https://calc.example.org"`
	Data    string `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of what the host keeps: snapshots and the keys that sign them, what it has seen of the registry, and whose the tool ids are." placeholder:"DIR"`

	EmbedOrigins []string `env:"SLIPSTICK_EMBED_ORIGINS" help:"Sites whose pages may show calculators in frames, from /embed/GROUP/TOOL. Without it these addresses do not exist." placeholder:"https://SITE" validate:"origins" says:"--embed-origins %q are not all origins of sites, such as https://wiki.example.org"`

	origin
	Locked setting.LockFile `env:"SLIPSTICK_LOCKED" help:"Serve the versions of this lock file and no others, each with the digest that is locked. Default: slipstick.lock, when no file is named." placeholder:"FILE"`

	Redis              string `env:"SLIPSTICK_REDIS" help:"Redis 7 for snapshots, limits and agreement of several hosts. Several addr= parameters make a cluster, master_name a failover set." placeholder:"redis://HOST:PORT/DB"`
	EphemeralSnapshots bool   `env:"SLIPSTICK_EPHEMERAL_SNAPSHOTS" help:"Accept a Redis that may lose snapshots, by eviction or restart."`
	keeping
	recorded
	shadowing

	Limit        string   `default:"${limits}" env:"SLIPSTICK_LIMIT" help:"Calls per client address in 60 s, by surface; 0 is off, and what is not named keeps its default." placeholder:"SURFACE=N,..."`
	TrustedProxy []string `env:"SLIPSTICK_TRUSTED_PROXY" help:"Proxies whose X-Forwarded-For tells the client address. None by default: then the header means nothing." placeholder:"CIDR"`

	Timeout time.Duration `default:"5s" env:"SLIPSTICK_TIMEOUT" help:"Time for one calculation." validate:"gt=0" says:"--timeout must be above zero"`
	Warm    bool          `env:"SLIPSTICK_WARM" help:"Start the engines of all current versions with the host and keep them, instead of starting each when it is first asked for and ending it when nobody has used it for five minutes."`
	Follow  time.Duration `default:"1s" env:"SLIPSTICK_FOLLOW" help:"How often to look whether the registry has changed: what is published, promoted, deprecated, yanked or revoked takes effect without a restart. 0 never looks." validate:"gte=0" says:"--follow must not be negative"`
	Cache   int64         `default:"64" env:"SLIPSTICK_CACHE" help:"MiB of results to keep, so that equal inputs are computed once. 0 is off." placeholder:"MIB" validate:"min=0,max=1048576" says:"--cache must lie between 0 and 1048576 MiB"`

	Front bool `default:"true" negatable:"" env:"SLIPSTICK_FRONT" help:"Answer plain calculations without net/http; the answers are the same. --no-front lets net/http read every request. Not used while traces are sent."`

	bounds
	draining
	confinement
	trusting
	checkpointing

	LogFormat   string `enum:"text,json" default:"text" env:"SLIPSTICK_LOG_FORMAT" help:"Form of the log on stderr: text or json."`
	LogRequests bool   `env:"SLIPSTICK_LOG_REQUESTS" help:"Log every request, not only failures."`
	Traces      string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"OTLP collector to send OpenTelemetry traces to, over HTTP. Default: no traces." placeholder:"URL"`

	Unary      bool          `hidden:"" help:"Make every call of an engine a gRPC call of its own, to compare."`
	IdleStop   time.Duration `hidden:"" default:"5m" help:"How long an engine may be unused before its process ends."`
	CPUProfile string        `name:"cpuprofile" hidden:"" help:"Write a CPU profile to this file until the end." placeholder:"FILE"`

	Config kong.ConfigFlag `help:"JSON file of these settings, by flag name: {\"addr\": \"127.0.0.1:9000\"}. Flags and environment come before it." placeholder:"FILE"`
}

// bounds say what clients can make the host hold: one, and all together.
type bounds struct {
	MaxConnections    int   `default:"2000" env:"SLIPSTICK_MAX_CONNECTIONS" help:"Connections at once. When there are as many, the one that has been idle for the longest time goes, of the client with the most. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-connections and --client-connections must be above zero"`
	ClientConnections int   `default:"500" env:"SLIPSTICK_CLIENT_CONNECTIONS" help:"Connections at once of one client address; not for a --trusted-proxy. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-connections and --client-connections must be above zero"`
	MaxBatches        int   `default:"64" env:"SLIPSTICK_MAX_BATCHES" help:"Batches under way at once. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-batches and --client-batches must be above zero"`
	ClientBatches     int   `default:"16" env:"SLIPSTICK_CLIENT_BATCHES" help:"Batches under way at once of one client address. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-batches and --client-batches must be above zero"`
	MaxHeld           int64 `default:"128" env:"SLIPSTICK_MAX_HELD" help:"MiB for rows of batches that are computed, and for answers that wait until they are taken; one client address has at most a quarter. Parquet and Arrow may take twice as much besides. Never more than a quarter of GOMEMLIMIT. Default: ${default}." placeholder:"MIB" validate:"min=1,max=1048576" says:"--max-held must lie between 1 and 1048576 MiB"`
	MaxSpool          int64 `default:"1024" env:"SLIPSTICK_MAX_SPOOL" help:"MiB below --data for Parquet files while they are computed; one client address, and so one file, has at most a quarter. Default: ${default}." placeholder:"MIB" validate:"min=4,max=1048576" says:"--max-spool must lie between 4 and 1048576 MiB"`

	AnswerPatience time.Duration `default:"30s" env:"SLIPSTICK_ANSWER_PATIENCE" help:"How long a client may take for each 64 KiB of an answer. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--answer-patience must be above zero"`
}

func (b *bounds) bounds() server.Bounds {
	return server.Bounds{
		Connections: b.MaxConnections, ClientConnections: b.ClientConnections,
		Batches: b.MaxBatches, ClientBatches: b.ClientBatches,
		Held: b.MaxHeld, Spool: b.MaxSpool, AnswerTimeout: b.AnswerPatience,
	}
}

// draining says how a host ends.
type draining struct {
	DrainDelay   time.Duration `default:"5s" env:"SLIPSTICK_DRAIN_DELAY" help:"How long a host goes on to answer after SIGTERM, while /readyz says 503 and every answer ends its connection: long enough for balancers to notice. SIGINT, and a second signal, do without. Default: ${default}." placeholder:"TIME" validate:"gte=0" says:"--drain-delay must not be negative"`
	DrainTimeout time.Duration `default:"10s" env:"SLIPSTICK_DRAIN_TIMEOUT" help:"How long requests under way may take after that. A batch that takes longer ends after a row, and says which one comes next. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--drain-timeout must be above zero"`
}

// endsWithin is the time in which the host has ended in any case.
func (d *draining) endsWithin() time.Duration {
	const rest = 5 * time.Second // for batches to say how far they got, and for engines to end
	return d.DrainDelay + d.DrainTimeout + rest
}

func (c *serveCmd) Run(ctx context.Context, s streams, line *commandLine) error {
	endWithin.Store(int64(c.endsWithin()))
	hurry, forget := hurried()
	defer forget()
	again := newReloading(c, line) // from now on a hang-up does not end the host
	defer again.stop()
	config, err := c.config()
	if err != nil {
		return &failure{exitMisuse, err}
	}
	config.Reports.Log, config.Reloader, config.Drain.EndDelay = c.logger(s), again, hurry
	host, err := server.New(ctx, config)
	if err != nil {
		return err
	}
	defer host.Close()
	c.announce(s, host)
	return host.Run(ctx)
}

// announce says what is served, and what is not.
func (c *serveCmd) announce(s streams, host *server.Server) {
	terminal.Sandbox(s.err, host.Sandbox())
	summary := host.Summary()
	for _, line := range summary.Out {
		terminal.Printf(s.err, "slipstick: out of service: %s\n", line)
	}
	if summary.Capabilities == 0 {
		fmt.Fprintf(s.err, "slipstick: the registry %s holds nothing that can be served; add engines with slipstick publish\n", c.Registry)
	}
	fmt.Fprintf(s.err, "slipstick: serving http://%s with %s in %s\n", host.Addr(), terminal.Count(summary.Capabilities, "capability"), terminal.Count(summary.Releases, "version"))
}

// config is what the flags say.
func (c *serveCmd) config() (*server.Config, error) {
	if err := setting.Check(c); err != nil {
		return nil, err
	}
	limits, err := limit.ParseLimits(c.Limit)
	if err != nil {
		return nil, fmt.Errorf("--limit: %w", err)
	}
	trusted, err := limit.ParseTrusted(c.TrustedProxy)
	if err != nil {
		return nil, fmt.Errorf("--trusted-proxy: %w", err)
	}
	return &server.Config{
		Addr: c.Addr, BaseURL: strings.TrimRight(c.BaseURL, "/"),
		Source:  source.Options{Place: *c.place(c.trusting), Data: c.Data, Lock: string(c.Locked), Checkpoint: c.Checkpoint},
		Follow:  c.Follow,
		Engines: server.Engines{Confine: c.confinement.options(c.own()), Timeout: c.Timeout, Cache: c.Cache << 20, Warm: c.Warm, Unary: c.Unary, IdleStop: c.IdleStop},
		Clients: server.Clients{Limits: limits, Trusted: trusted, Bounds: c.bounds.bounds(), NoFront: !c.Front},
		Drain:   server.Drain{Delay: c.DrainDelay, Timeout: c.DrainTimeout},
		Embed:   c.EmbedOrigins,
		Snapshots: server.Snapshots{
			Redis: c.Redis, Ephemeral: c.EphemeralSnapshots, Keys: c.SnapshotKey,
			Embed: c.embed(c.Redis), Size: c.SnapshotsMax << 20,
		},
		Ledger:  c.recorded.ledger(),
		Shadow:  c.shadowing.shadow(),
		Reports: server.Reports{Requests: c.LogRequests, Traces: c.Traces, Profile: c.CPUProfile},
	}, nil
}

func (c *serveCmd) own() sandbox.ServerFiles {
	own := c.origin.own()
	own.Data, own.Trust, own.Checkpoint = cmp.Or(c.Data, own.Data), c.Trust, c.Checkpoint
	own.Lock, own.Settings = string(c.Locked), string(c.Config)
	own.Ledger = c.Ledger
	return own
}

func (c *serveCmd) logger(s streams) *slog.Logger {
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(s.err, nil))
	}
	return slog.New(slog.NewTextHandler(s.err, nil))
}
