package main

import (
	"context"

	"github.com/alecthomas/kong"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/server"
)

type doctorCmd struct {
	JSON bool   `help:"Print one JSON object with all findings."`
	Addr string `default:"127.0.0.1:8080" env:"SLIPSTICK_ADDR" help:"Address at which the server would listen." placeholder:"HOST:PORT"`
	Data string `default:"${data}" env:"SLIPSTICK_DATA" help:"Data directory of the server." placeholder:"DIR"`

	command.RegistryFlags
	command.TrustFlags

	Redis              string   `env:"SLIPSTICK_REDIS" help:"Redis of the server, as in slipstick serve." placeholder:"redis://HOST:PORT/DB"`
	EphemeralSnapshots bool     `env:"SLIPSTICK_EPHEMERAL_SNAPSHOTS" help:"Accept a Redis that may lose snapshots."`
	SnapshotKey        []string `env:"SLIPSTICK_SNAPSHOT_KEY" help:"Seed of the key that signs snapshots, as in slipstick serve." placeholder:"SEED"`
	command.SandboxFlags

	Config kong.ConfigFlag `help:"Settings file of the server." placeholder:"FILE"`
}

func (c *doctorCmd) Run(ctx context.Context, s command.Streams) error {
	return (*server.Doctor)(c).Run(ctx, s)
}
