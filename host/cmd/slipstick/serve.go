package main

import (
	"context"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/server"
)

type serveCmd struct {
	Version string `kong:"-"` // of the program
	Licence string `kong:"-"` // its name, "" if there is none

	Addr    string `default:"127.0.0.1:8080" env:"SLIPSTICK_ADDR" help:"Address to listen on; port 0 picks a free one." placeholder:"HOST:PORT"`
	BaseURL string `name:"base-url" env:"SLIPSTICK_BASE_URL" help:"Public URL of the service, for the links in answers. It is never taken from a request. With a public URL, web pages of any origin can use MCP. Default: http:// and --addr." placeholder:"URL" validate:"omitempty,base_url" says:"--base-url %q is not an address such as https://calc.example.org"`
	Data    string `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of the server: snapshots and the keys that sign them, its record of the registry, and the owners of tool ids." placeholder:"DIR"`

	EmbedOrigins []string `env:"SLIPSTICK_EMBED_ORIGINS" help:"Sites whose pages may show calculators in frames, from /embed/GROUP/TOOL. Without it these URLs do not exist." placeholder:"https://SITE" validate:"origins" says:"--embed-origins %q are not all origins of sites, such as https://wiki.example.org"`

	command.RegistryFlags
	command.LibraryFlag
	Locked setting.LockFile `env:"SLIPSTICK_LOCKED" help:"Serve only the versions of this lock file, each with its locked digest. Without a file name it is slipstick.lock." placeholder:"FILE"`

	Redis              string `env:"SLIPSTICK_REDIS" help:"Redis 7 for the snapshots, limits and current versions of several servers. Several addr= parameters make a cluster, and master_name makes a failover set." placeholder:"redis://HOST:PORT/DB"`
	EphemeralSnapshots bool   `env:"SLIPSTICK_EPHEMERAL_SNAPSHOTS" help:"Accept a Redis that may lose snapshots, by eviction or restart."`
	command.SnapshotFlags

	Ledger       string        `env:"SLIPSTICK_LEDGER" help:"Directory for records of all answers, in chained and signed segments. Each server needs its own. Default: nothing is recorded." placeholder:"DIR"`
	LedgerRecord string        `enum:"hash,inputs" default:"hash" env:"SLIPSTICK_LEDGER_RECORD" help:"The inputs in a record. hash: a keyed hash, which proves a match with given inputs. inputs: the inputs themselves, so that the result can be computed again."`
	LedgerSync   time.Duration `default:"1s" env:"SLIPSTICK_LEDGER_SYNC" help:"Time between writes to the disk. A server that is killed loses the records of this time. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--ledger-sync and --ledger-close must be above zero"`
	LedgerClose  time.Duration `default:"10m" env:"SLIPSTICK_LEDGER_CLOSE" help:"Age at which a segment is closed, and its records can be proved. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--ledger-sync and --ledger-close must be above zero"`
	LedgerRetain time.Duration `env:"SLIPSTICK_LEDGER_RETAIN" help:"Time to keep records, such as 8760h. Then whole segments are deleted, except their signed roots. Default: forever." placeholder:"TIME" validate:"gte=0" says:"--ledger-retain must not be negative"`
	LedgerQueue  int           `default:"16" env:"SLIPSTICK_LEDGER_QUEUE" help:"MiB of records that may wait for the disk. Further records are lost, and the loss is recorded. Default: ${default}." placeholder:"MIB" validate:"min=1,max=4096" says:"--ledger-queue must lie between 1 and 4096 MiB"`

	LedgerTimestamp string `env:"SLIPSTICK_LEDGER_TIMESTAMP" help:"URL of a timestamp authority (RFC 3161) for the closing times of segments. It gets a digest. Answers do not wait for it. Default: none." placeholder:"URL" validate:"omitempty,http_url" says:"--ledger-timestamp must be an address such as https://tsa.example.org/tsr"`

	Shadow string `enum:"off,counts,inputs" default:"counts" env:"SLIPSTICK_SHADOW" help:"Results to keep when the registry asks for a comparison with the current version. counts: counts only. inputs: for each output also the three inputs with the largest differences, which all clients can read. off: no comparison."`

	Limit        string   `default:"${limits}" env:"SLIPSTICK_LIMIT" help:"Calls per client address in 60 s, by surface. 0 is off. A surface that is not named keeps its default." placeholder:"SURFACE=N,..."`
	TrustedProxy []string `env:"SLIPSTICK_TRUSTED_PROXY" help:"Proxies whose X-Forwarded-For has the client address. Default: none, and the header is ignored." placeholder:"CIDR"`

	Timeout time.Duration `default:"5s" env:"SLIPSTICK_TIMEOUT" help:"Time for one calculation." validate:"gt=0" says:"--timeout must be above zero"`
	Warm    bool          `env:"SLIPSTICK_WARM" help:"Start the engines of all current versions with the server and keep them. Default: start an engine for its first request, and end it after five minutes without one."`
	Follow  time.Duration `default:"1s" env:"SLIPSTICK_FOLLOW" help:"Time between reads of the registry, for new versions or revocations. They take effect without a restart. 0 is off." validate:"gte=0" says:"--follow must not be negative"`
	Cache   int64         `default:"64" env:"SLIPSTICK_CACHE" help:"MiB of results to keep, so that equal inputs are computed once. 0 is off." placeholder:"MIB" validate:"min=0,max=1048576" says:"--cache must lie between 0 and 1048576 MiB"`

	Front bool `default:"true" negatable:"" env:"SLIPSTICK_FRONT" help:"Answer plain calculations without net/http, for speed. --no-front lets net/http read every request. The answers are the same."`

	MaxConnections    int   `default:"2000" env:"SLIPSTICK_MAX_CONNECTIONS" help:"Connections at once. At the limit, the server closes the longest-idle connection of the client with the most connections. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-connections and --client-connections must be above zero"`
	ClientConnections int   `default:"500" env:"SLIPSTICK_CLIENT_CONNECTIONS" help:"Connections at once of one client address. It does not apply to a --trusted-proxy. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-connections and --client-connections must be above zero"`
	MaxBatches        int   `default:"64" env:"SLIPSTICK_MAX_BATCHES" help:"Batches at once. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-batches and --client-batches must be above zero"`
	ClientBatches     int   `default:"16" env:"SLIPSTICK_CLIENT_BATCHES" help:"Batches at once of one client address. Default: ${default}." placeholder:"N" validate:"gt=0" says:"--max-batches and --client-batches must be above zero"`
	MaxHeld           int64 `default:"128" env:"SLIPSTICK_MAX_HELD" help:"MiB for rows of current batches, and for answers that clients have not read yet. One client address has at most a quarter. Parquet and Arrow can use twice as much in addition. Never more than a quarter of GOMEMLIMIT. Default: ${default}." placeholder:"MIB" validate:"min=1,max=1048576" says:"--max-held must lie between 1 and 1048576 MiB"`
	MaxSpool          int64 `default:"1024" env:"SLIPSTICK_MAX_SPOOL" help:"MiB in --data for Parquet files while they are computed. One client address, and so one file, has at most a quarter. Default: ${default}." placeholder:"MIB" validate:"min=4,max=1048576" says:"--max-spool must lie between 4 and 1048576 MiB"`

	AnswerPatience time.Duration `default:"30s" env:"SLIPSTICK_ANSWER_PATIENCE" help:"Time in which a client must read each 64 KiB of an answer. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--answer-patience must be above zero"`

	DrainDelay   time.Duration `default:"5s" env:"SLIPSTICK_DRAIN_DELAY" help:"How long the server continues to answer after SIGTERM, while /readyz returns 503 and every answer ends its connection. Load balancers must notice within this time. SIGINT or a second signal skips it. Default: ${default}." placeholder:"TIME" validate:"gte=0" says:"--drain-delay must not be negative"`
	DrainTimeout time.Duration `default:"10s" env:"SLIPSTICK_DRAIN_TIMEOUT" help:"Time for current requests to finish after the delay. A batch that takes longer ends after a row, and reports the next row. Default: ${default}." placeholder:"TIME" validate:"gt=0" says:"--drain-timeout must be above zero"`
	command.SandboxFlags
	command.TrustFlags
	command.CheckpointFlag

	LogFormat      string `enum:"text,json" default:"text" env:"SLIPSTICK_LOG_FORMAT" help:"Format of the log on stderr: text or json."`
	LogRequests    bool   `env:"SLIPSTICK_LOG_REQUESTS" help:"Log every request, not only failures."`
	EngineLogLevel string `enum:"error,warn,info,debug,trace" default:"warn" env:"SLIPSTICK_ENGINE_LOG_LEVEL" help:"Lowest level of log lines from engines: error, warn, info, debug or trace. Each engine has at most 10 lines per second. Default: ${default}."`
	EngineLogRate  int    `hidden:"" default:"10" help:"Log lines per second of one engine." validate:"gt=0" says:"--engine-log-rate must be above zero"`
	Traces         string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"OTLP collector to send OpenTelemetry traces to, over HTTP. OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG choose the requests. Default: no traces." placeholder:"URL"`

	Unary      bool          `hidden:"" help:"Make every call of an engine a gRPC call of its own, to compare."`
	IdleStop   time.Duration `hidden:"" default:"5m" help:"How long an engine may be unused before its process ends."`
	CPUProfile string        `name:"cpuprofile" hidden:"" help:"Write a CPU profile to this file until the end." placeholder:"FILE"`

	Config kong.ConfigFlag `help:"JSON file of these settings, by flag name: {\"addr\": \"127.0.0.1:9000\"}. Flags and environment variables override it." placeholder:"FILE"`
}

func (c *serveCmd) Run(ctx context.Context, s command.Streams, line *commandLine) error {
	c.Version, c.Licence = program().Name(), licence
	serve := (*server.Serve)(c)
	endWithin.Store(int64(serve.EndsWithin()))
	if err := setting.Check(c); err != nil {
		return command.Misuse(err)
	}
	return serve.Run(ctx, s, line.flags, line.readServe)
}

// readServe reads the settings of slipstick serve again.
func (l *commandLine) readServe() (*server.Serve, setting.Flags, error) {
	c, parsed, err := l.parse()
	if err != nil {
		return nil, nil, err
	}
	return (*server.Serve)(&c.Serve), setting.FlagsOf(parsed), nil
}
