package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type diffCmd struct {
	Old       string `arg:"" complete:"release" help:"The older engine or table: an executable, the directory of a program or a table, or a published version such as ohms-law@1.0.1. Without @ it is the current version."`
	New       string `arg:"" complete:"release" help:"The newer engine or table, in the same form."`
	Format    string `default:"text" enum:"text,json" help:"Format of the output: text for people, or json with every difference."`
	Generated int    `default:"256" help:"Number of requests to generate from the older Spec, in addition to requests near its vectors." placeholder:"N"`

	command.RegistryFlags
	command.JudgingFlags
}

func (c *diffCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Diff)(c).Run(ctx, s)
}
