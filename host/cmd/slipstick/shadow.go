package main

import (
	"context"
	"time"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/registry"
)

// shadowCmd has the commands for comparing a version with the current one.
type shadowCmd struct {
	Set    shadowSetCmd    `cmd:"" default:"withargs" help:"Start or stop the comparison of a version with the current one. The word set is optional."`
	Report shadowReportCmd `cmd:"" help:"Print how a shadow candidate compared on servers."`
}

type shadowSetCmd struct {
	registry.VersionFlags
	Sample registry.Part `required:"" xor:"what" help:"Part of the inputs to compare, such as 10%. All servers choose the same inputs." placeholder:"PART"`
	Stop   bool          `required:"" xor:"what" help:"End the comparison."`
	Until  *time.Time    `format:"2006-01-02T15:04:05Z07:00" help:"Time at which the comparison ends. Default: until it is stopped, or the version is promoted or revoked." placeholder:"TIME"`
}

func (c *shadowSetCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.SetShadow)(c).Run(ctx, s)
}

type shadowReportCmd struct {
	URL  []string `arg:"" help:"URLs of servers, such as http://127.0.0.1:8080. The counts of several servers are added."`
	JSON bool     `help:"Print one JSON object with all counts."`
}

func (c *shadowReportCmd) Run(ctx context.Context, s command.Streams) error {
	return (*registry.ShadowReport)(c).Run(ctx, s)
}
