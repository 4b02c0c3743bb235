package calc

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/slipstick/slipstick/host/internal/calc"
	"github.com/slipstick/slipstick/host/internal/cli/terminal"
	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/engine/pool"
	"github.com/slipstick/slipstick/host/internal/http/mcp"
)

// MCP has the options of slipstick mcp.
type MCP struct {
	command.RegistryFlags
	Data    string
	BaseURL string
	Timeout time.Duration

	command.SnapshotFlags
	command.SandboxFlags
	command.TrustFlags
}

// Run serves the tools of MCP on the streams.
func (c *MCP) Run(ctx context.Context, s command.Streams) error {
	log := slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	catalog, err := c.RegistryFlags.Catalog(ctx, s.Err, true, c.TrustFlags)
	if err != nil {
		return err
	}
	snapshots, err := c.SnapshotFlags.OpenStore(c.Data)
	if err != nil {
		return err
	}
	own := c.RegistryFlags.Own()
	own.Data, own.Trust = cmp.Or(c.Data, own.Data), c.Trust
	engines, err := c.NewPool(s.Err, &pool.Options{Log: log}, own)
	if err != nil {
		return err
	}
	defer engines.Close()
	service := calc.New(catalog, engines, &calc.Options{BaseURL: strings.TrimRight(c.BaseURL, "/"), Timeout: c.Timeout, Down: engines.Down})
	return mcp.New(service, snapshots, &mcp.Options{Log: log}).Run(ctx, s.In, terminal.Plain(s.Out))
}
