package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/release"
)

type fmtCmd struct {
	Documents []string `arg:"" help:"Documents (NAME.calc.md), and directories of documents."`
	Check     bool     `help:"Change nothing. Print the documents that are not in the canonical form, and exit with 1 if there is one."`

	command.RegistryFlags
}

func (c *fmtCmd) Run(ctx context.Context, s command.Streams) error {
	return (*release.Fmt)(c).Run(ctx, s)
}
