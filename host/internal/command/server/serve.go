// Package server implements the commands for a server. [Serve] runs it, [Doctor] checks whether this machine can
// run it, and [Health] asks a running server for its state. The fields of a command are its arguments and flags,
// and Run executes it. [Immediate] lists the settings that a server reads again on SIGHUP.
package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/hashicorp/go-hclog"

	"github.com/slipstick/slipstick/host/internal/archive/ledger"
	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/host/internal/engine/sandbox"
	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/host/internal/source"
)

// Serve has the options of slipstick serve.
type Serve struct {
	Version string // of the program
	Licence string // its name, "" if there is none

	Addr    string
	BaseURL string
	Data    string

	EmbedOrigins []string

	command.RegistryFlags
	command.LibraryFlag
	Locked setting.LockFile

	Redis              string
	EphemeralSnapshots bool
	command.SnapshotFlags

	Ledger       string
	LedgerRecord string
	LedgerSync   time.Duration
	LedgerClose  time.Duration
	LedgerRetain time.Duration
	LedgerQueue  int

	LedgerTimestamp string

	Shadow string

	Limit        string
	TrustedProxy []string

	Timeout time.Duration
	Warm    bool
	Follow  time.Duration
	Cache   int64

	Front bool

	MaxConnections    int
	ClientConnections int
	MaxBatches        int
	ClientBatches     int
	MaxHeld           int64
	MaxSpool          int64

	AnswerPatience time.Duration

	DrainDelay   time.Duration
	DrainTimeout time.Duration
	command.SandboxFlags
	command.TrustFlags
	command.CheckpointFlag

	LogFormat      string
	LogRequests    bool
	EngineLogLevel string
	EngineLogRate  int
	Traces         string

	Unary      bool
	IdleStop   time.Duration
	CPUProfile string

	Config kong.ConfigFlag
}

// Bounds returns the limits for connections, batches and memory.
func (c *Serve) Bounds() server.Bounds {
	return server.Bounds{
		Connections: c.MaxConnections, ClientConnections: c.ClientConnections,
		Batches: c.MaxBatches, ClientBatches: c.ClientBatches,
		Held: c.MaxHeld, Spool: c.MaxSpool, AnswerTimeout: c.AnswerPatience,
	}
}

// EndsWithin returns the time after which the server has ended in any case.
func (c *Serve) EndsWithin() time.Duration {
	const rest = 5 * time.Second // for batches to say how far they got, and for engines to end
	return c.DrainDelay + c.DrainTimeout + rest
}

// Run runs a server until ctx ends.
func (c *Serve) Run(ctx context.Context, s command.Streams, flags setting.Flags, read Read) error {
	hurry, forget := hurried()
	defer forget()
	reloader := newReloader(c, flags, read) // from now on SIGHUP does not end the server
	defer reloader.stop()
	config, err := c.config()
	if err != nil {
		return command.Misuse(err)
	}
	config.Reports.Log, config.Reloader, config.Drain.EndDelay = c.logger(s), reloader, hurry
	running, err := server.New(ctx, config)
	if err != nil {
		return err
	}
	defer running.Close()
	c.announce(s, running)
	return running.Run(ctx)
}

// announce prints the number of served releases, and the releases out of service.
func (c *Serve) announce(s command.Streams, running *server.Server) {
	terminal.Sandbox(s.Err, running.Sandbox())
	summary := running.Summary()
	for _, line := range summary.Out {
		terminal.Printf(s.Err, "slipstick: out of service: %s\n", line)
	}
	if summary.Capabilities == 0 {
		fmt.Fprintf(s.Err, "slipstick: the registry %s has no release to serve; add engines with slipstick publish\n", c.Registry)
	}
	fmt.Fprintf(s.Err, "slipstick: serving http://%s with %s in %s\n", running.Addr(), terminal.Count(summary.Capabilities, "capability"), terminal.Count(summary.Releases, "version"))
}

// config returns the configuration that the flags mean.
func (c *Serve) config() (*server.Config, error) {
	limits, err := limit.ParseLimits(c.Limit)
	if err != nil {
		return nil, fmt.Errorf("--limit: %w", err)
	}
	trusted, err := limit.ParseTrusted(c.TrustedProxy)
	if err != nil {
		return nil, fmt.Errorf("--trusted-proxy: %w", err)
	}
	place := c.Place(c.TrustFlags)
	place.Library = c.Library
	return &server.Config{
		Program: server.Program{Name: c.Version, Licence: c.Licence}, Addr: c.Addr, BaseURL: strings.TrimRight(c.BaseURL, "/"),
		Source:  source.Options{Place: *place, Data: c.Data, Lock: string(c.Locked), Checkpoint: c.Checkpoint},
		Follow:  c.Follow,
		Engines: server.Engines{Confine: c.SandboxFlags.ConfineOptions(c.own()), Timeout: c.Timeout, Cache: c.Cache << 20, Warm: c.Warm, Unary: c.Unary, IdleStop: c.IdleStop, Log: c.engineLog()},
		Clients: server.Clients{Limits: limits, Trusted: trusted, Bounds: c.Bounds(), NoFront: !c.Front},
		Drain:   server.Drain{Delay: c.DrainDelay, Timeout: c.DrainTimeout},
		Embed:   c.EmbedOrigins,
		Snapshots: server.Snapshots{
			Redis: c.Redis, Ephemeral: c.EphemeralSnapshots, Keys: c.SnapshotKey,
			Embed: c.Embedded(c.Redis), Size: c.SnapshotsMax << 20,
		},
		Ledger:  c.ledger(),
		Shadow:  c.shadow(),
		Reports: server.Reports{Requests: c.LogRequests, Traces: c.Traces, Profile: c.CPUProfile},
	}, nil
}

func (c *Serve) own() sandbox.ServerFiles {
	own := c.RegistryFlags.Own()
	own.Data, own.Trust, own.Checkpoint = cmp.Or(c.Data, own.Data), c.Trust, c.Checkpoint
	own.Lock, own.Settings = string(c.Locked), string(c.Config)
	own.Ledger = c.Ledger
	return own
}

func (c *Serve) logger(s command.Streams) *slog.Logger {
	o := &slog.HandlerOptions{Level: min(slog.LevelInfo, process.SlogLevel(c.engineLog().Level))}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(s.Err, o))
	}
	return slog.New(slog.NewTextHandler(s.Err, o))
}

func (c *Serve) engineLog() process.LogOptions {
	return process.LogOptions{Level: hclog.LevelFromString(c.EngineLogLevel), Rate: c.EngineLogRate}
}

func (c *Serve) ledger() server.Ledger {
	return server.Ledger{
		Dir: c.Ledger, Inputs: ledger.Inputs(c.LedgerRecord), Sync: c.LedgerSync, Close: c.LedgerClose, Keep: c.LedgerRetain, Queue: c.LedgerQueue << 20,
		Timestamp: c.LedgerTimestamp,
	}
}

func (c *Serve) shadow() server.Shadow {
	return server.Shadow{Off: c.Shadow == "off", Inputs: c.Shadow == "inputs"}
}

// DefaultLimits returns the default of --limit.
func DefaultLimits() string { return limit.Defaults().String() }
