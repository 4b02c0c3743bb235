package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/archive"
)

type replayCmd struct {
	Target   []string `arg:"" help:"A directory: a ledger, the data directory of a server, or files. Or a file: a snapshot, or the answers of a batch. Or the id of a snapshot. Answers are CSV, Parquet, Arrow, or NDJSON with output=attributed or full."`
	Forensic bool     `help:"Execute releases that were revoked, too. They run in the sandbox, and not without one."`

	archive.RecomputeFlags
}

func (c *replayCmd) Run(ctx context.Context, s command.Streams) error {
	return (*archive.Replay)(c).Run(ctx, s)
}
