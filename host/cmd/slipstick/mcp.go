package main

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/calc"
)

type mcpCmd struct {
	command.RegistryFlags `embed:""`
	Data                  string        `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of snapshots and of the keys that sign them. It can be the data directory of a server." placeholder:"DIR"`
	BaseURL               string        `name:"base-url" env:"SLIPSTICK_BASE_URL" help:"Public URL of a server with the same registry. Answers then link to it, and the type of an error is a URL of it instead of a path." placeholder:"URL" validate:"omitempty,base_url" says:"--base-url %q is not a URL such as https://calc.example.org"`
	Timeout               time.Duration `default:"5s" env:"SLIPSTICK_TIMEOUT" help:"Time for one calculation."`

	command.SnapshotFlags `embed:""`
	command.SandboxFlags  `embed:""`
	command.TrustFlags    `embed:""`
}

func (c *mcpCmd) Run(ctx context.Context, s command.Streams) error {
	if err := setting.Check(c); err != nil {
		return err
	}
	return (*calc.MCP)(c).Run(ctx, s)
}
