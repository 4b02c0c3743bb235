package main

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/cli/setting"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
)

type mcpCmd struct {
	origin  `embed:""`
	Data    string        `default:"${data}" env:"SLIPSTICK_DATA" help:"Directory of snapshots and of the keys that sign them. A server with the same directory reads and writes the same." placeholder:"DIR"`
	BaseURL string        `name:"base-url" env:"SLIPSTICK_BASE_URL" help:"Public URL of a server with the same registry. Answers then have its links, and the type of an error is a URL there instead of a path." placeholder:"URL" validate:"omitempty,base_url" says:"--base-url %q is not a URL such as https://calc.example.org"`
	Timeout time.Duration `default:"5s" env:"SLIPSTICK_TIMEOUT" help:"Time for one calculation."`

	keeping     `embed:""`
	confinement `embed:""`
	trusting    `embed:""`
}

func (c *mcpCmd) Run(ctx context.Context, s streams) error {
	if err := setting.Check(c); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	catalog, err := c.origin.catalog(ctx, s.err, true, c.trusting)
	if err != nil {
		return err
	}
	snapshots, err := c.keeping.open(c.Data)
	if err != nil {
		return err
	}
	own := c.origin.own()
	own.Data, own.Trust = cmp.Or(c.Data, own.Data), c.Trust
	engines, err := c.confinement.start(s.err, log, own)
	if err != nil {
		return err
	}
	defer engines.Close()
	service := calc.New(catalog, engines, &calc.Options{BaseURL: strings.TrimRight(c.BaseURL, "/"), Timeout: c.Timeout, Down: engines.Down})
	return mcp.New(service, snapshots, &mcp.Options{Log: log}).Run(ctx, s.in, terminal.Plain(s.out))
}
