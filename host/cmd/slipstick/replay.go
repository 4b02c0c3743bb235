package main

import (
	"context"

	"github.com/slipstick/slipstick/host/internal/command"
	"github.com/slipstick/slipstick/host/internal/command/archive"
)

type replayCmd struct {
	Target   []string `arg:"" help:"Directory (a ledger, the data directory of a server, or files), file (a snapshot, or the answers of a batch), or id of a snapshot. Answers are CSV, Parquet, Arrow, or NDJSON with output=attributed or full."`
	Forensic bool     `help:"Also execute revoked releases. They run only in a sandbox."`

	archive.RecomputeFlags
}

func (c *replayCmd) Run(ctx context.Context, s command.Streams) error {
	return (*archive.Replay)(c).Run(ctx, s)
}
